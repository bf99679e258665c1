import type { ParameterValue } from "#storage/clickhouse/node.ts";
import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import { selectFinal } from "../read/query.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import type { OpenBatches } from "./open-batches.ts";
import { listProjects, type TimeWindow, windowsOf } from "./windows.ts";

/** Rows that ClickHouse compares at a time: it keeps the keys of one side in memory. */
const MOST_ROWS = 500_000;
/** Row numbers that are compared at a time. */
const MOST_NUMBERS = 500_000;
/** Wrong rows that are read at a time. */
const PAGE = 1_000;

interface RowCheck {
	/** Selects the row numbers, as `id`, of wrong rows. */
	readonly sql: string;
	readonly says: (id: number) => string;
}

const IN_WINDOW = "project_id = {project:Int64} and start_micros >= {from:Int64} and start_micros < {to:Int64}";
const NUMBERED = "id >= {from:Int64} and id < {to:Int64}";
const NUMBERED_SESSION = "session_row_id >= {from:Int64} and session_row_id < {to:Int64}";

/** Of the spans that start within a window of time. */
const BY_TIME: readonly RowCheck[] = [
	{
		sql: `select id from spans where ${IN_WINDOW}
			and (start_micros, id) not in (select start_micros, id from span_contents where ${IN_WINDOW})`,
		says: (id) => `span row ${id} has no content`,
	},
	{
		sql: `select id from span_contents where ${IN_WINDOW}
			and (start_micros, id) not in (select start_micros, id from spans where ${IN_WINDOW})`,
		says: (id) => `the content of span row ${id} belongs to no span`,
	},
	{
		sql: `select known.id as id
			from (select id, trace_row_id, trace_id, start_micros from spans where ${IN_WINDOW}) as known
			left any join (
				select id, trace_id, start_micros, last_start_micros from traces
				where project_id = {project:Int64} and start_micros < {to:Int64} and last_start_micros >= {from:Int64}
			) as whole on whole.id = known.trace_row_id
			where whole.id = 0 or whole.trace_id <> known.trace_id
				or known.start_micros not between whole.start_micros and whole.last_start_micros`,
		says: (id) => `span row ${id} belongs to no trace`,
	},
];

/** Of traces and sessions, whose row numbers come from the same counter. */
const BY_TRACE_NUMBER: readonly RowCheck[] = [
	{
		sql: `select id from traces where ${NUMBERED} and (id, project_id, trace_id, anchor_micros)
			not in (select id, project_id, trace_id, anchor_micros from trace_places where ${NUMBERED})`,
		says: (id) => `trace row ${id} is not where its place says`,
	},
	{
		sql: `select id from trace_places where ${NUMBERED} and (id, project_id, trace_id)
			not in (select id, project_id, trace_id from traces where ${NUMBERED})`,
		says: (id) => `the place of trace row ${id} leads to no trace`,
	},
];

/** Where all is on one shard. */
const OF_ONE_SHARD: readonly RowCheck[] = [
	{
		sql: `select id from traces where ${NUMBERED_SESSION}
			and (project_id, ifNull(session_id, ''), assumeNotNull(session_row_id))
			not in (select project_id, session_id, id from sessions where ${NUMBERED})`,
		says: (id) => `trace row ${id} is of a session that is not there`,
	},
];

/** As {@link BY_TRACE_NUMBER}. */
const DOUBLE_NUMBERS: readonly RowCheck[] = [
	// Those that a copy has brought may have the same numbers as one another.
	{
		sql: `select id from traces where ${NUMBERED} group by id having count() > 1`,
		says: (id) => `the row number ${id} is that of several traces`,
	},
	{
		sql: `select id from sessions where ${NUMBERED} group by id having count() > 1`,
		says: (id) => `the row number ${id} is that of several sessions`,
	},
];

const BY_SPAN_NUMBER: readonly RowCheck[] = [
	{
		sql: `select id from spans where ${NUMBERED} group by id having count() > 1`,
		says: (id) => `the row number ${id} is that of several spans`,
	},
];

/** Rows of a shard without what they refer to there, and row numbers that are there twice. */
export async function* misplacedRows(
	shard: Shard,
	{ list }: TraceShards,
	batches: OpenBatches,
): AsyncGenerator<string> {
	const sources = [
		["spans", "start_micros"],
		["span_contents", "start_micros"],
	] as const;
	for (const projectId of await listProjects(shard, ["spans", "span_contents"]))
		for await (const window of windowsOf(shard, projectId, sources, MOST_ROWS))
			for (const check of BY_TIME) yield* wrongRows(shard, batches, check, paramsOf(window));
	const checks = [...BY_TRACE_NUMBER, ...(list.length === 1 ? OF_ONE_SHARD : []), ...DOUBLE_NUMBERS];
	yield* wrongNumbers(shard, batches, checks, ["traces", "trace_places", "sessions"]);
	yield* wrongNumbers(shard, batches, BY_SPAN_NUMBER, ["spans"]);
}

function paramsOf({ projectId, from, to }: TimeWindow): Readonly<Record<string, number>> {
	return { project: projectId, from, to };
}

async function* wrongNumbers(
	shard: Shard,
	batches: OpenBatches,
	checks: readonly RowCheck[],
	tables: readonly string[],
): AsyncGenerator<string> {
	const all = tables.map((table) => `select max(id) as last from ${table}`).join(" union all ");
	const [row] = await shard.select(`select max(last) as last from (${all})`, { last: types.Integer });
	for (let from = 0; from <= (row?.last ?? 0); from += MOST_NUMBERS)
		for (const check of checks) yield* wrongRows(shard, batches, check, { from, to: from + MOST_NUMBERS });
}

/** Each row that is wrong, and still is when what was being written is complete. */
async function* wrongRows(
	shard: Shard,
	batches: OpenBatches,
	{ sql, says }: RowCheck,
	params: Readonly<Record<string, ParameterValue>>,
): AsyncGenerator<string> {
	const find = async (after: number, ids: readonly number[]) => {
		const rows = await selectFinal(
			shard,
			`select distinct id from (${sql}) where id > {after:Int64}
				and (empty({ids:Array(Int64)}) or id in {ids:Array(Int64)}) order by id limit ${PAGE}`,
			{ id: types.Integer },
			{ ...params, after, ids },
		);
		return rows.map(({ id }) => id);
	};
	for (let after = Number.MIN_SAFE_INTEGER; ; ) {
		const suspects = await find(after, []);
		const last = suspects.at(-1);
		if (last === undefined) return;
		await batches.settle();
		for (const id of await find(Number.MIN_SAFE_INTEGER, suspects)) yield says(id);
		if (suspects.length < PAGE) return;
		after = last;
	}
}
