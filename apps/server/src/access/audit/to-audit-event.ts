import { z } from "zod";
import { decodeGlobalId, encodeGlobalId, type IdType } from "#http/global-ids.ts";
import { formatTime } from "#http/wire-times.ts";
import type { AuditTarget } from "../auth/audit.ts";
import type { AuditRow } from "./queries.ts";
import type { AuditEvent } from "./schemas.ts";

const TARGET_IDS: ReadonlyMap<string, IdType> = new Map<AuditTarget["type"], IdType>([
	["user", "User"],
	["user_api_key", "UserApiKey"],
	["system_api_key", "SystemApiKey"],
	["session", "LoginSession"],
	["repair", "StorageRepair"],
	["project", "Project"],
	["dataset", "Dataset"],
	["prompt", "Prompt"],
	["team", "Team"],
	["access_rule", "AccessRule"],
	["oauth2_client", "OAuth2Client"],
	["oauth2_grant", "OAuth2Grant"],
	["evaluator", "Evaluator"],
	["experiment_job", "ExperimentJob"],
	["model_connection", "ModelConnection"],
	["review_queue", "ReviewQueue"],
]);

/** An entry as the wire shows it. */
export function toAuditEvent(row: AuditRow): z.output<typeof AuditEvent> {
	return {
		id: encodeGlobalId("AuditEvent", row.id),
		time: formatTime(row.time),
		action: row.action,
		outcome: row.outcome,
		...optional("code", row.code),
		actor: {
			kind: row.actor_kind,
			...(row.actor_id === null ? {} : { id: encodeGlobalId("User", row.actor_id) }),
			...optional("username", row.actor_name),
		},
		...(row.target_type === null ? {} : { target: toTarget(row.target_type, row) }),
		...optional("ip", row.ip),
		...optional("user_agent", row.user_agent),
		...optional("request_id", row.request_id),
		...(row.details === null ? {} : { details: parseDetails(row.details) }),
	};
}

function toTarget(type: string, { target_id: id, target_name: name }: AuditRow) {
	const idType = TARGET_IDS.get(type);
	return {
		type,
		...(id === null || idType === undefined ? {} : { id: encodeGlobalId(idType, id) }),
		...optional("name", name),
	};
}

/** The row that a global id names, if it is of a type that entries are about; undefined for anything else. */
export function decodeTarget(text: string): { readonly type: string; readonly id: number } | undefined {
	for (const [type, idType] of TARGET_IDS) {
		const id = decodeGlobalId(text, idType);
		if (id !== undefined) return { type, id };
	}
	return undefined;
}

function optional<Name extends string>(name: Name, value: string | null): { [key in Name]?: string } {
	return value === null || value === "" ? {} : ({ [name]: value } as { [key in Name]: string });
}

const Details = z.record(z.string(), z.unknown());

function parseDetails(json: string): Record<string, unknown> {
	return Details.parse(JSON.parse(json));
}
