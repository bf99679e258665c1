import { type Kysely, sql } from "kysely";
import type { Tables } from "#storage/schema.ts";
import { hexOf, joinInOrder } from "#storage/sql-pieces.ts";
import type { PlaceKind } from "./kinds.ts";

/**
 * The newest row of each table. On SQLite row numbers grow in the order of commits, so what arrives later has larger ones;
 * with several writers they say nothing.
 */
export type ArrivalMarks = Readonly<Record<PlaceKind, number>>;

export async function readArrivalMarks(db: Kysely<Tables>): Promise<ArrivalMarks> {
	const { rows } = await sql<ArrivalMarks>`select
		(select coalesce(max(id), 0) from spans) as span,
		(select coalesce(max(id), 0) from traces) as trace,
		(select coalesce(max(id), 0) from sessions) as session`.execute(db);
	const [marks] = rows;
	if (marks === undefined) throw new Error("a select without from has no row");
	return marks;
}

/** Marks that are behind both. */
export function earlier(marks: ArrivalMarks | undefined, others: ArrivalMarks): ArrivalMarks {
	if (marks === undefined) return others;
	return {
		span: Math.min(marks.span, others.span),
		trace: Math.min(marks.trace, others.trace),
		session: Math.min(marks.session, others.session),
	};
}

const WIRE_IDS = {
	span: hexOf(sql`arrived.span_id`),
	trace: hexOf(sql`arrived.trace_id`),
	session: sql`arrived.session_id`,
};
const TABLES = { span: sql`spans`, trace: sql`traces`, session: sql`sessions` };
const TARGETS = { span: sql`('span', 'document')`, trace: sql`('trace')`, session: sql`('session')` };

interface Arrivals {
	/** Exclusive. */
	readonly since: ArrivalMarks;
	/** Inclusive. */
	readonly until: ArrivalMarks;
	readonly afterId: number;
	readonly limit: number;
}

/** Waiting annotations, by row number after `afterId`, whose target arrived between two marks. */
export async function findArrived(
	db: Kysely<Tables>,
	kind: PlaceKind,
	{ since, until, afterId, limit }: Arrivals,
): Promise<number[]> {
	if (since[kind] >= until[kind]) return [];
	// What arrived is looked up among what waits, not the other way round.
	const { rows } = await sql<{ id: number }>`select distinct waiting.id as id
		from ${TABLES[kind]} as arrived
			${joinInOrder} waiting_annotations as waiting
			on waiting.target_id = ${WIRE_IDS[kind]} and waiting.target in ${TARGETS[kind]}
		where arrived.id > ${since[kind]} and arrived.id <= ${until[kind]} and waiting.id > ${afterId}
		order by waiting.id
		limit ${limit}`.execute(db);
	return rows.map((row) => row.id);
}

const PRESENT = {
	span: sql`case when waiting.target_id ~ '^[0-9a-f]{16}$'
		then exists (select from spans where span_id = decode(waiting.target_id, 'hex')) end`,
	trace: sql`case when waiting.target_id ~ '^[0-9a-f]{32}$'
		then exists (select from traces where trace_id = decode(waiting.target_id, 'hex')) end`,
	// The unique index starts with the project.
	session: sql`exists (
		select from projects
		join sessions on sessions.project_id = projects.id and sessions.session_id = waiting.target_id
	)`,
};

/** Waiting annotations, by row number after `afterId`, whose target is there; for PostgreSQL. */
export async function findPresent(
	db: Kysely<Tables>,
	kind: PlaceKind,
	{ afterId, limit }: Pick<Arrivals, "afterId" | "limit">,
): Promise<number[]> {
	const { rows } = await sql<{ id: number }>`select waiting.id as id
		from waiting_annotations as waiting
		where waiting.id > ${afterId} and waiting.target in ${TARGETS[kind]} and ${PRESENT[kind]}
		order by waiting.id
		limit ${limit}`.execute(db);
	return rows.map((row) => row.id);
}
