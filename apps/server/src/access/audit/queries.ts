import type { Kysely, Selectable, Transaction } from "kysely";
import { formatTime } from "#http/wire-times.ts";
import type { Tables } from "#storage/schema.ts";
import type { AuditAction, AuditTarget } from "../auth/audit.ts";

export type AuditRow = Selectable<Tables["audit_events"]>;

/** Which entries to list; an absent condition admits all. */
export interface AuditFilter {
	readonly actions?: readonly string[] | undefined;
	readonly outcome?: AuditRow["outcome"] | undefined;
	readonly actor?: { readonly id: number } | { readonly name: string } | undefined;
	readonly target?: { readonly type: string; readonly id: number } | { readonly name: string } | undefined;
	readonly ip?: string | undefined;
	/** Inclusive, microseconds since 1970. */
	readonly start?: number | undefined;
	/** Exclusive. */
	readonly end?: number | undefined;
}

export interface AuditPage extends AuditFilter {
	readonly limit: number;
	/** Number of the first entry of the page. */
	readonly fromId?: number | undefined;
}

/** Entries that match, newest first. */
export async function listAuditEvents(db: Kysely<Tables>, page: AuditPage): Promise<readonly AuditRow[]> {
	const { actions, outcome, actor, target, ip, start, end, fromId } = page;
	let query = db.selectFrom("audit_events").selectAll().orderBy("id", "desc").limit(page.limit);
	if (fromId !== undefined) query = query.where("id", "<=", fromId);
	if (actions !== undefined) query = query.where("action", "in", actions);
	if (outcome !== undefined) query = query.where("outcome", "=", outcome);
	if (actor !== undefined)
		query = "id" in actor ? query.where("actor_id", "=", actor.id) : query.where("actor_name", "=", actor.name);
	if (target !== undefined)
		query =
			"id" in target
				? query.where("target_type", "=", target.type).where("target_id", "=", target.id)
				: query.where("target_name", "=", target.name);
	if (ip !== undefined) query = query.where("ip", "=", ip);
	if (start !== undefined) query = query.where("time", ">=", start);
	if (end !== undefined) query = query.where("time", "<", end);
	return await query.execute();
}

/**
 * What a refusal with 412 says of the last successful entry with one of these actions on something: who changed it, and
 * when; nothing where the entry was deleted meanwhile.
 */
export async function lastChangeDetails(
	db: Kysely<Tables>,
	actions: readonly AuditAction[],
	{ type, id }: AuditTarget,
): Promise<object | undefined> {
	const last = await db
		.selectFrom("audit_events")
		.select(["actor_kind", "actor_name", "time"])
		.where("action", "in", actions)
		.where("outcome", "=", "success")
		.where("target_type", "=", type)
		.where("target_id", id === undefined ? "is" : "=", id ?? null)
		.orderBy("id", "desc")
		.limit(1)
		.executeTakeFirst();
	if (last === undefined) return undefined;
	return { changed_by: { kind: last.actor_kind, username: last.actor_name }, changed_at: formatTime(last.time) };
}

/** Deletes up to `limit` entries older than `before`, the oldest first. @returns how many */
export async function deleteAuditEvents(
	transaction: Transaction<Tables>,
	before: number,
	limit: number,
): Promise<number> {
	const oldest = transaction
		.selectFrom("audit_events")
		.select("id")
		.where("time", "<", before)
		.orderBy("time")
		.limit(limit);
	const result = await transaction.deleteFrom("audit_events").where("id", "in", oldest).executeTakeFirst();
	return Number(result.numDeletedRows);
}
