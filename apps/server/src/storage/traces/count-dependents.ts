import { type Kysely, type RawBuilder, sql } from "kysely";
import { listed } from "../listed.ts";
import type { Tables } from "../schema.ts";
import type { EntityKind } from "./entity.ts";
import { idChunks } from "./find-entities.ts";
import type { Dependents } from "./trace-store.ts";

/** Uses only statements that SQLite and PostgreSQL share. */
export async function countDependents(
	db: Kysely<Tables>,
	kind: EntityKind,
	rowIds: readonly number[],
): Promise<Dependents> {
	let annotations = 0;
	let logRecords = 0;
	for (const chunk of idChunks(rowIds)) {
		for (const count of ANNOTATIONS[kind]) annotations += await countOf(db, count(listed(chunk)));
		logRecords += await countOf(db, LOG_RECORDS[kind](listed(chunk)));
	}
	return { annotations, logRecords };
}

type Count = (ids: RawBuilder<number>) => RawBuilder<{ count: number }>;

const ANNOTATIONS: Readonly<Record<EntityKind, readonly Count[]>> = {
	span: [(ids) => sql`select count(*) as count from annotations where span_row_id in ${ids}`],
	trace: [(ids) => sql`select count(*) as count from annotations where trace_row_id in ${ids}`],
	session: [
		(ids) => sql`select count(*) as count from annotations where session_row_id in ${ids}`,
		(ids) => sql`select count(*) as count from annotations
			where trace_row_id in (select id from traces where session_row_id in ${ids})`,
	],
};

const LOG_RECORDS: Readonly<Record<EntityKind, Count>> = {
	span: (ids) => sql`select count(*) as count from log_records
		where (project_id, trace_id, span_id) in (
			select traces.project_id, traces.trace_id, spans.span_id from spans join traces on traces.id = spans.trace_row_id
			where spans.id in ${ids})`,
	trace: (ids) => sql`select count(*) as count from log_records
		where (project_id, trace_id) in (select project_id, trace_id from traces where id in ${ids})`,
	session: (ids) => sql`select count(*) as count from log_records
		where (project_id, trace_id) in (select project_id, trace_id from traces where session_row_id in ${ids})`,
};

async function countOf(db: Kysely<Tables>, query: RawBuilder<{ count: number }>): Promise<number> {
	const { rows } = await query.execute(db);
	return Number(rows[0]?.count ?? 0);
}
