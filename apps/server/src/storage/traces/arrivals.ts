import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Tables } from "../schema.ts";
import { hexOf, joinInOrder } from "../sql-pieces.ts";
import type { ArrivalMarks, ArrivedQuery, EntityKind } from "./entity.ts";

/** The highest row number of each table. */
export async function readArrivals(db: Kysely<Tables>): Promise<ArrivalMarks> {
	const { rows } = await sql<ArrivalMarks>`select
		(select coalesce(max(id), 0) from spans) as span,
		(select coalesce(max(id), 0) from traces) as trace,
		(select coalesce(max(id), 0) from sessions) as session`.execute(db);
	const [marks] = rows;
	if (marks === undefined) throw new Error("a select without from has no row");
	return marks;
}

const WIRE_IDS = {
	span: hexOf(sql`arrived.span_id`),
	trace: hexOf(sql`arrived.trace_id`),
	session: sql`arrived.session_id`,
};
const TABLES = { span: sql`spans`, trace: sql`traces`, session: sql`sessions` };
const TARGETS = { span: sql`('span', 'document')`, trace: sql`('trace')`, session: sql`('session')` };

/**
 * Waiting annotations whose target arrived in the range. For SQLite, where row numbers grow in commit order. Without
 * `since` all waiting annotations are returned, as looking each up by its id is faster than scanning all that is
 * stored.
 */
export async function findByRowNumber(
	db: Kysely<Tables>,
	kind: EntityKind,
	{ since, until, afterId, limit }: ArrivedQuery,
): Promise<number[]> {
	if (since === undefined) return await findWaiting(db, kind, afterId, limit, sql`true`);
	if (since[kind] >= until[kind]) return [];
	// Arrivals are looked up among the waiting annotations, not the other way round.
	const { rows } = await sql<{ id: number }>`select distinct waiting.id as id
		from ${TABLES[kind]} as arrived
			${joinInOrder} waiting_annotations as waiting
			on waiting.target_id = ${WIRE_IDS[kind]} and waiting.target in ${TARGETS[kind]}
		where arrived.id > ${since[kind]} and arrived.id <= ${until[kind]} and waiting.id > ${afterId}
		order by waiting.id
		limit ${limit}`.execute(db);
	return rows.map((row) => row.id);
}

const PRESENT: Readonly<Record<EntityKind, RawBuilder<unknown>>> = {
	span: sql`case when waiting.target_id ~ '^[0-9a-f]{16}$'
		then exists (select from spans where span_id = decode(waiting.target_id, 'hex')) end`,
	trace: sql`case when waiting.target_id ~ '^[0-9a-f]{32}$'
		then exists (select from traces where trace_id = decode(waiting.target_id, 'hex')) end`,
	// Joins the projects, as the unique index starts with the project.
	session: sql`exists (
		select from projects
		join sessions on sessions.project_id = projects.id and sessions.session_id = waiting.target_id
	)`,
};

/** Waiting annotations whose target exists, whenever it arrived. For PostgreSQL, where writers run concurrently. */
export async function findByPresence(
	db: Kysely<Tables>,
	kind: EntityKind,
	{ afterId, limit }: Pick<ArrivedQuery, "afterId" | "limit">,
): Promise<number[]> {
	return await findWaiting(db, kind, afterId, limit, PRESENT[kind]);
}

async function findWaiting(
	db: Kysely<Tables>,
	kind: EntityKind,
	afterId: number,
	limit: number,
	where: RawBuilder<unknown>,
): Promise<number[]> {
	const { rows } = await sql<{ id: number }>`select waiting.id as id
		from waiting_annotations as waiting
		where waiting.id > ${afterId} and waiting.target in ${TARGETS[kind]} and ${where}
		order by waiting.id
		limit ${limit}`.execute(db);
	return rows.map((row) => row.id);
}
