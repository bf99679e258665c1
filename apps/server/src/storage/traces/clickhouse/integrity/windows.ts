import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import { HOUR_MICROS } from "#storage/traces/totals/hour-changes.ts";
import type { Scope } from "./damage.ts";

/** A part of a project's time, in microseconds: from `from` on, before `to`. */
export interface TimeWindow {
	readonly projectId: number;
	readonly from: number;
	readonly to: number;
}

/** A table, and the time by which its rows are ordered. */
export type Timed = readonly [table: string, column: string];

/** All projects that rows of these tables are of, in the order of their row numbers. */
export async function listProjects(shard: Shard, tables: readonly string[]): Promise<number[]> {
	const all = tables.map((table) => `select distinct project_id from ${table}`).join(" union all ");
	const rows = await shard.select(`select distinct project_id from (${all}) order by project_id`, {
		project_id: types.Integer,
	});
	return rows.map(({ project_id }) => project_id);
}

/**
 * Windows with all rows that these tables have of a project, by time, within the scope. Each has about `most` rows, or is a microsecond.
 */
export async function* windowsOf(
	shard: Shard,
	projectId: number,
	tables: readonly Timed[],
	most: number,
	scope: Scope = {},
): AsyncGenerator<TimeWindow> {
	for await (const window of allWindowsOf(shard, projectId, tables, most)) {
		const from = Math.max(window.from, scope.startMicros ?? window.from);
		const to = Math.min(window.to, scope.endMicros ?? window.to);
		if (from < to) yield { projectId, from, to };
	}
}

async function* allWindowsOf(
	shard: Shard,
	projectId: number,
	tables: readonly Timed[],
	most: number,
): AsyncGenerator<TimeWindow> {
	let gathered: { from: number; to: number; count: number } | undefined;
	for (const { hour, count } of await countByHour(shard, projectId, tables)) {
		const [from, to] = [hour * HOUR_MICROS, (hour + 1) * HOUR_MICROS];
		if (gathered !== undefined && gathered.count + count <= most) {
			gathered = { from: gathered.from, to, count: gathered.count + count };
			continue;
		}
		if (gathered !== undefined) yield* divided(projectId, gathered, most);
		gathered = { from, to, count };
	}
	if (gathered !== undefined) yield* divided(projectId, gathered, most);
}

async function countByHour(shard: Shard, projectId: number, tables: readonly Timed[]) {
	const counts = tables.map(
		([table, column]) => `select intDiv(${column}, ${HOUR_MICROS}) as hour, count() as rows from ${table}
			where project_id = {project:Int64} group by hour`,
	);
	return await shard.select(
		`select hour, sum(rows) as count from (${counts.join(" union all ")}) group by hour order by hour`,
		{ hour: types.Integer, count: types.Count },
		{ params: { project: projectId } },
	);
}

function* divided(
	projectId: number,
	{ from, to, count }: { readonly from: number; readonly to: number; readonly count: number },
	most: number,
): Generator<TimeWindow> {
	const width = Math.max(1, Math.ceil((to - from) / Math.ceil(count / most)));
	for (let start = from; start < to; start += width) yield { projectId, from: start, to: Math.min(start + width, to) };
}
