import { Readable } from "node:stream";
import { z } from "zod";
import { assertStillAllowed } from "../auth/authorize.ts";
import type { Principal } from "../auth/principal.ts";
import type { Context } from "../context.ts";
import type { App } from "../http/app-type.ts";
import { decodeIdCursor, pageById, pageSchema } from "../http/cursors.ts";
import { decodeGlobalId, encodeGlobalId } from "../http/global-ids.ts";
import { streamedText } from "../http/streamed-text.ts";
import { formatTime } from "../http/wire-times.ts";
import type { Database } from "../storage/database.ts";
import { type AuditFilter, type AuditRow, listAuditEvents } from "./queries.ts";
import { AuditEvent, AuditQuery } from "./schemas.ts";

/** Entries of an export that are read at a time. */
const CHUNK = 500;

/** The audit log, for admins. */
export function auditRoutes(app: App, { db }: Context): void {
	app.get(
		"/v1/audit_events",
		{
			config: { access: "admin", whenOff: "refused" },
			exposeHeadRoute: false,
			schema: {
				operationId: "getAuditEvents",
				tags: ["audit"],
				summary: "Page through the audit log, newest first, or export it",
				querystring: AuditQuery,
				response: {
					200: {
						description: "A page, or with format=ndjson all that match",
						content: {
							"application/json": { schema: pageSchema(AuditEvent).meta({ id: "AuditEventPage" }) },
							"application/x-ndjson": { schema: streamedText },
						},
					},
				},
			},
		},
		async ({ query, principal }, reply) => {
			const filter = toAuditFilter(query);
			const fromId = decodeIdCursor("AuditEvent", query.cursor);
			void reply.header("cache-control", "no-store");
			if (query.format === "ndjson") {
				const lines = Readable.from(exportLines(db, filter, fromId, principal), {
					objectMode: false,
					highWaterMark: 65_536,
				});
				return reply.type("application/x-ndjson; charset=utf-8").send(lines);
			}
			const rows = await listAuditEvents(db.read, { ...filter, fromId, limit: query.limit + 1 });
			const page = pageById("AuditEvent", rows, query.limit);
			return { data: page.items.map(toAuditEvent), next_cursor: page.next_cursor };
		},
	);
}

/** The next chunk is read only when the reader has taken the one before, and still is an admin; else the answer breaks off. */
async function* exportLines(
	db: Database,
	filter: AuditFilter,
	fromId: number | undefined,
	principal: Principal,
): AsyncGenerator<string> {
	let from = fromId;
	do {
		const rows = await listAuditEvents(db.read, { ...filter, fromId: from, limit: CHUNK + 1 });
		if (rows.length > 0) {
			yield rows
				.slice(0, CHUNK)
				.map((row) => `${JSON.stringify(toAuditEvent(row))}\n`)
				.join("");
		}
		from = rows[CHUNK]?.id;
		if (from !== undefined) await assertStillAllowed(db.read, principal, "admin");
	} while (from !== undefined);
}

function toAuditFilter(query: z.output<typeof AuditQuery>): AuditFilter {
	const { actor, target } = query;
	const actorId = actor === undefined ? undefined : decodeGlobalId(actor, "User");
	const targetUser = target === undefined ? undefined : decodeGlobalId(target, "User");
	return {
		actions: query.action,
		outcome: query.outcome,
		...(actor === undefined ? {} : { actor: actorId === undefined ? { name: actor } : { id: actorId } }),
		...(target === undefined ? {} : { target: [target, ...(targetUser === undefined ? [] : [String(targetUser)])] }),
		ip: query.ip,
		start: query.start_time,
		end: query.end_time,
	};
}

function toAuditEvent(row: AuditRow): z.output<typeof AuditEvent> {
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
	const isRowNumber = id !== null && /^\d+$/.test(id);
	return {
		type,
		...optional("id", isRowNumber && type === "user" ? encodeGlobalId("User", Number(id)) : id),
		...optional("name", name),
	};
}

function optional<Name extends string>(name: Name, value: string | null): { [key in Name]?: string } {
	return value === null || value === "" ? {} : ({ [name]: value } as { [key in Name]: string });
}

const Details = z.record(z.string(), z.unknown());

function parseDetails(json: string): Record<string, unknown> {
	return Details.parse(JSON.parse(json));
}
