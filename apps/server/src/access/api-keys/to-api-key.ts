import type { z } from "zod";
import { encodeGlobalId, type IdType } from "#http/global-ids.ts";
import type { KeyPermission } from "#http/principal.ts";
import { ALL_RIGHTS, type Rights } from "#http/rights.ts";
import { formatTime } from "#http/wire-times.ts";
import type { AuditTarget } from "../auth/audit.ts";
import { hintOf } from "../auth/principals/api-key.ts";
import { parseList } from "../auth/principals/key-limits.ts";
import type { ApiKeyRow, ListedKeyRow, OwnedKeyRow, SystemKeyRow } from "./queries.ts";
import type { OwnedApiKey, SystemApiKey, UserApiKey } from "./schemas.ts";

export const ID_TYPE = { user: "UserApiKey", system: "SystemApiKey" } as const satisfies Record<
	ApiKeyRow["kind"],
	IdType
>;

/**
 * A key as the wire shows it: all but the key itself.
 * @param rights of the caller, who is told only the projects that they see
 */
export function toApiKey(row: ListedKeyRow, rights: Rights): z.output<typeof UserApiKey> {
	return {
		id: encodeGlobalId(ID_TYPE[row.kind], row.id),
		name: row.name,
		...(row.description === null ? {} : { description: row.description }),
		created_at: formatTime(row.created_at),
		...(row.expires_at_ms === null ? {} : { expires_at: formatExpiry(row.expires_at_ms) }),
		...(row.last_used_at === null ? {} : { last_used_at: formatTime(row.last_used_at) }),
		hint: hintOf(row.kind, row.public_id, row.last_characters),
		...toLimits(row, rights),
		spans_today: row.spans_per_day === null ? null : Number(row.spans_today ?? 0),
		last_used_ip: row.last_used_ip,
		last_refused_at: row.last_refused_at === null ? null : formatTime(row.last_refused_at),
		last_refused_code: row.last_refused_code,
		replaces: row.replaces === null ? null : encodeGlobalId(ID_TYPE[row.kind], row.replaces),
		replaced_by: row.replaced_by === null ? null : encodeGlobalId(ID_TYPE[row.kind], row.replaced_by),
	};
}

/** What limits a key, as the wire shows it. */
export function toLimits(row: ListedKeyRow, rights: Rights) {
	const seen = row.projects?.filter(({ id }) => rights.roleAt(id) !== undefined);
	return {
		permissions: parseListOrNull(row.permissions) as KeyPermission[] | null,
		projects: seen?.map(({ id, name }) => ({ id: encodeGlobalId("Project", id), name })) ?? null,
		hidden_project_count: (row.projects?.length ?? 0) - (seen?.length ?? 0),
		include_library: row.include_library === 1,
		ip_ranges: parseListOrNull(row.ip_ranges),
		allowed_origins: parseListOrNull(row.allowed_origins),
		limits: { requests_per_minute: row.requests_per_minute, spans_per_day: row.spans_per_day },
	};
}

function parseListOrNull(json: string | null): string[] | null {
	return json === null ? null : parseList(json);
}

/** For admins. */
export function toOwnedKey(row: OwnedKeyRow): z.output<typeof OwnedApiKey> {
	const { username, role } = row;
	const user = { id: encodeGlobalId("User", row.user_id), username, email: row.email ?? "", role };
	return { ...toApiKey(row, ALL_RIGHTS), user };
}

/** For admins. */
export function toSystemKey(row: SystemKeyRow): z.output<typeof SystemApiKey> {
	const { created_by: id, creator } = row;
	if (id === null || creator === null) return toApiKey(row, ALL_RIGHTS);
	return { ...toApiKey(row, ALL_RIGHTS), created_by: { id: encodeGlobalId("User", id), username: creator } };
}

/** A key as the audit log names it. */
export function keyTarget({ kind, id, name }: Pick<ApiKeyRow, "kind" | "id" | "name">): AuditTarget {
	return { type: `${kind}_api_key`, id, name };
}

/** Whole seconds where microseconds are no safe integer: beyond the year 2255. */
function formatExpiry(ms: number): string {
	return formatTime(Number.isSafeInteger(ms * 1_000) ? ms * 1_000 : Math.floor(ms / 1_000) * 1_000_000);
}
