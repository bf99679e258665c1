import type { Kysely } from "kysely";
import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard, ShardReader } from "#storage/clickhouse/shard.ts";
import type { Tables } from "#storage/schema.ts";
import type { Damage } from "#storage/traces/clickhouse/integrity/damage.ts";
import { listProjects } from "#storage/traces/clickhouse/integrity/windows.ts";
import { selectFinal } from "#storage/traces/clickhouse/read/query.ts";
import { CONTENTS, SIGNATURES, TABLES } from "#storage/traces/clickhouse/tables.ts";
import { HOUR_MICROS } from "#storage/traces/totals/hour-changes.ts";

/** Batches, both included. */
export interface Batches {
	readonly from: number;
	readonly to: number;
}

const IN_BATCHES = "batch between {from:Int64} and {to:Int64}";

/** The lowest and highest batch with rows of spans, from this one on; undefined when there is none. */
export async function findBatches(shards: ShardReader, from: number): Promise<Batches | undefined> {
	const rows = await shards.select(
		"select min(batch) as first, max(batch) as last, count() as count from spans where batch >= {from:Int64}",
		{ first: types.Integer, last: types.Integer, count: types.Count },
		{ params: { from }, settings: { final: 0 } },
	);
	const found = rows.filter(({ count }) => count > 0);
	if (found.length === 0) return undefined;
	return { from: Math.min(...found.map(({ first }) => first)), to: Math.max(...found.map(({ last }) => last)) };
}

/** How many rows of contents these batches have, by batch. */
export async function countContents(
	shards: ShardReader,
	batches: readonly number[],
): Promise<ReadonlyMap<number, number>> {
	const rows = await shards.select(
		`select batch, count() as count from ${CONTENTS.name} where batch in {batches:Array(Int64)} and is_deleted = 0
		group by batch`,
		{ batch: types.Integer, count: types.Count },
		{ params: { batches }, settings: { final: 0 } },
	);
	const counts = new Map<number, number>();
	for (const { batch, count } of rows) counts.set(batch, (counts.get(batch) ?? 0) + count);
	return counts;
}

/**
 * What batches may have left wrong. Rows that were deleted since are among it, so each is to be looked at again.
 */
export async function* suspectsOf(shard: Shard, batches: Batches): AsyncGenerator<Damage> {
	yield* suspectMoves(shard, batches);
	yield* suspectTraces(shard, batches);
	yield* suspectTotals(shard, batches);
	yield* suspectContents(shard, batches);
}

/** Traces without a row, and those whose row is older than their spans. */
async function* suspectTraces(shard: Shard, { from, to }: Batches): AsyncGenerator<Damage> {
	const rows = await shard.select(
		`select changed.project_id as project_id, lower(hex(changed.trace_id)) as trace
		from (
			select project_id, trace_id, trace_row_id, max(version) as newest, max(is_deleted = 0) as is_there from spans
			where ${IN_BATCHES} group by project_id, trace_id, trace_row_id
		) as changed
		left any join (
			select project_id, id, version from traces final
			where id in (select trace_row_id from spans where ${IN_BATCHES})
		) as whole on whole.id = changed.trace_row_id and whole.project_id = changed.project_id
		where whole.id = 0 and changed.is_there = 1 or whole.id <> 0 and whole.version < changed.newest`,
		{ project_id: types.Integer, trace: types.Text },
		{ params: { from, to }, settings: { final: 0 } },
	);
	for (const { project_id: projectId, trace: traceId } of rows)
		yield {
			kind: "trace",
			projectId,
			traceId,
			says: `the row of trace ${traceId} is older than its spans, or missing`,
		};
}

/** Traces whose row was written, and none of their spans. */
async function* suspectTotals(shard: Shard, { from, to }: Batches): AsyncGenerator<Damage> {
	const rows = await selectFinal(
		shard,
		`select project_id, lower(hex(trace_id)) as trace from traces where ${IN_BATCHES}
			and (project_id, id) not in (select project_id, trace_row_id from spans where ${IN_BATCHES})`,
		{ project_id: types.Integer, trace: types.Text },
		{ from, to },
	);
	for (const { project_id: projectId, trace: traceId } of rows)
		yield { kind: "trace", projectId, traceId, says: `the row of trace ${traceId} tells of spans that are not there` };
}

async function* suspectMoves(shard: Shard, { from, to }: Batches): AsyncGenerator<Damage> {
	const rows = await selectFinal(
		shard,
		`select distinct lower(hex(trace_id)) as trace from spans where id in (
			select id from spans where id in (select id from spans where ${IN_BATCHES})
			group by id having uniqExact(project_id) > 1 and uniqExact(trace_id) = 1
		) and id in (select id from spans where ${IN_BATCHES})`,
		{ trace: types.Text },
		{ from, to },
	);
	for (const { trace: traceId } of rows) yield { kind: "move", traceId, says: `trace ${traceId} is in two projects` };
}

async function* suspectContents(shard: Shard, { from, to }: Batches): AsyncGenerator<Damage> {
	const rows = await selectFinal(
		shard,
		`select project_id, start_micros, id from span_contents where ${IN_BATCHES} and (project_id, start_micros, id) not in (
			select project_id, start_micros, id from spans where id in (select id from span_contents where ${IN_BATCHES})
		)`,
		{ project_id: types.Integer, start_micros: types.Integer, id: types.Integer },
		{ from, to },
	);
	for (const { project_id: projectId, start_micros: startMicros, id } of rows)
		yield { kind: "content", projectId, startMicros, id, says: `the content of span row ${id} belongs to no span` };
}

/** Of a project. */
export type Hour = readonly [projectId: number, hour: number];

/** Hours in which spans of these batches start, deleted ones too. */
export async function hoursOf(shard: Shard, { from, to }: Batches): Promise<Hour[]> {
	const rows = await shard.select(
		`select distinct project_id, intDiv(start_micros, ${HOUR_MICROS}) as hour from spans where ${IN_BATCHES}
		order by project_id, hour`,
		{ project_id: types.Integer, hour: types.Integer },
		{ params: { from, to }, settings: { final: 0 } },
	);
	return rows.map(({ project_id, hour }) => [project_id, hour]);
}

/** Whether as many spans start in an hour as its totals say: a look that costs little. */
export async function isPlausible(shard: Shard, [project, hour]: Hour): Promise<boolean> {
	const params = { project, hour, start: hour * HOUR_MICROS, end: (hour + 1) * HOUR_MICROS };
	const [[spans], [sums]] = await Promise.all([
		selectFinal(
			shard,
			`select count() as count from spans where project_id = {project:Int64}
				and start_micros >= {start:Int64} and start_micros < {end:Int64}`,
			{ count: types.Count },
			params,
		),
		selectFinal(
			shard,
			"select sum(span_count) as count from hours where project_id = {project:Int64} and hour = {hour:Int64}",
			{ count: types.Integer },
			params,
		),
	]);
	return spans?.count === sums?.count;
}

/** Tables with rows of projects; what spans there are of one without traces is found on request. */
const OF_PROJECTS = ["traces", "trace_places", "sessions", "hours"] as const;

/** Projects that the metadata database does not have, and those whose name ClickHouse lacks. */
export async function* suspectProjects(shards: ShardReader, db: Kysely<Tables>): AsyncGenerator<Damage> {
	const known = new Set((await db.selectFrom("projects").select("id").execute()).map(({ id }) => id));
	const named = await selectFinal(shards, "select id from projects", { id: types.Integer });
	const names = new Set(named.map(({ id }) => id));
	for (const projectId of await listProjects(shards, OF_PROJECTS)) {
		if (!known.has(projectId)) {
			if (await hasRows(shards, projectId))
				yield { kind: "project", projectId, says: `rows are of project ${projectId}, which is not there` };
		} else if (!names.has(projectId))
			yield { kind: "name", projectId, says: `ClickHouse does not know the name of project ${projectId}` };
	}
}

/** Which deletions have not taken. */
async function hasRows(shards: ShardReader, projectId: number): Promise<boolean> {
	for (const { name, columns } of TABLES) {
		// Signatures go when the data are really gone.
		if (!("project_id" in columns) || name === SIGNATURES.name) continue;
		const rows = await selectFinal(
			shards,
			`select project_id from ${name} where project_id = {project:Int64} limit 1`,
			{ project_id: types.Integer },
			{ project: projectId },
		);
		if (rows.length > 0) return true;
	}
	return false;
}
