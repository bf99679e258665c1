import { Readable } from "node:stream";
import type { z } from "zod";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import type { App } from "#http/app-type.ts";
import { decodeIdCursor, pageOf, pageSchema } from "#http/cursors.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import { streamedText } from "#http/streamed-text.ts";
import type { ReadableDatabase } from "#storage/database.ts";
import { type AuditFilter, listAuditEvents } from "./queries.ts";
import { AuditEvent, AuditQuery } from "./schemas.ts";
import { decodeTarget, toAuditEvent } from "./to-audit-event.ts";

/** Entries of an export that are read at a time. */
const CHUNK = 500;

/** The audit log, for admins. */
export function auditRoutes(app: App, { db }: Context): void {
	app.get(
		"/v1/audit_events",
		{
			config: { access: "admin", home: "none", whenAuthIsOff: "refused" },
			exposeHeadRoute: false,
			schema: {
				operationId: "getAuditEvents",
				tags: ["audit"],
				summary: "Page through the audit log, newest first, or export it",
				querystring: AuditQuery,
				response: {
					200: {
						description: "A page, or with format=ndjson all matching entries",
						content: {
							"application/json": { schema: pageSchema(AuditEvent).meta({ id: "AuditEventPage" }) },
							"application/x-ndjson": { schema: streamedText },
						},
					},
				},
			},
		},
		async ({ query, actor }, reply) => {
			const filter = toAuditFilter(query);
			if (query.format === "ndjson") {
				const fromId = decodeIdCursor("AuditEvent", query.cursor);
				const lines = Readable.from(exportLines(db, filter, fromId, actor), {
					objectMode: false,
					highWaterMark: 65_536,
				});
				return reply.type("application/x-ndjson; charset=utf-8").send(lines);
			}
			return await pageOf(
				"AuditEvent",
				query,
				(part) => listAuditEvents(db.read, { ...filter, ...part }),
				toAuditEvent,
			);
		},
	);
}

/**
 * The next chunk is read only when the reader has taken the one before and is still an admin; otherwise the answer
 * breaks off.
 */
async function* exportLines(
	db: ReadableDatabase,
	filter: AuditFilter,
	fromId: number | undefined,
	actor: Actor,
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
		if (from !== undefined) await actor.assertStillAllowed();
	} while (from !== undefined);
}

function toAuditFilter(query: z.output<typeof AuditQuery>): AuditFilter {
	const { actor, target } = query;
	const actorId = actor === undefined ? undefined : decodeGlobalId(actor, "User");
	return {
		actions: query.action,
		outcome: query.outcome,
		...(actor === undefined ? {} : { actor: actorId === undefined ? { name: actor } : { id: actorId } }),
		...(target === undefined ? {} : { target: decodeTarget(target) ?? { name: target } }),
		ip: query.ip,
		start: query.start_time,
		end: query.end_time,
	};
}
