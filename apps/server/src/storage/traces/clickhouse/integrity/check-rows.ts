import type { ParameterValue } from "#storage/clickhouse/node.ts";
import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import { selectFinal } from "../read/query.ts";
import type { Damage, Looked, Scope } from "./damage.ts";
import type { OpenBatches } from "./open-batches.ts";
import { listProjects, type TimeWindow, windowsOf } from "./windows.ts";

/** Rows that ClickHouse compares at a time: it keeps the keys of one side in memory. */
const MOST_ROWS = 500_000;
/** Row numbers that are compared at a time. */
const MOST_NUMBERS = 500_000;
/** Wrong rows that are read at a time. */
const PAGE = 1_000;

/** A row that is wrong, or several with its number. */
interface WrongRow {
	readonly id: number;
	readonly projectId: number;
	/** Hex digits; all zeros where the row has none. */
	readonly traceId: string;
	readonly micros: number;
	/** In how many projects, and traces, the number is. */
	readonly projects: number;
	readonly traces: number;
}

interface RowCheck {
	/** Selects wrong rows: `id`, `project_id`, `trace_id` and `micros`. */
	readonly sql: string;
	readonly of: (row: WrongRow) => Damage;
}

const IN_WINDOW = "project_id = {project:Int64} and start_micros >= {from:Int64} and start_micros < {to:Int64}";
const NUMBERED = "id >= {from:Int64} and id < {to:Int64}";
const NUMBERED_SESSION = "session_row_id >= {from:Int64} and session_row_id < {to:Int64}";
const NO_TRACE = "toFixedString('', 16) as trace_id";
const NO_TIME = "toInt64(0) as micros";

/** Of the spans that start within a window of time. */
const BY_TIME: readonly RowCheck[] = [
	{
		sql: `select id, project_id, trace_id, start_micros as micros from spans where ${IN_WINDOW}
			and (start_micros, id) not in (select start_micros, id from span_contents where ${IN_WINDOW})`,
		of: ({ id }) => ({ kind: "lost", says: `span row ${id} has no content` }),
	},
	{
		sql: `select id, project_id, ${NO_TRACE}, start_micros as micros from span_contents where ${IN_WINDOW}
			and (start_micros, id) not in (select start_micros, id from spans where ${IN_WINDOW})`,
		of: ({ id, projectId, micros: startMicros }) => ({
			...{ kind: "content", projectId, startMicros, id },
			says: `the content of span row ${id} belongs to no span`,
		}),
	},
	{
		sql: `select known.id as id, {project:Int64} as project_id, known.trace_id as trace_id, known.start_micros as micros
			from (select id, trace_row_id, trace_id, start_micros from spans where ${IN_WINDOW}) as known
			left any join (
				select id, trace_id, start_micros, last_start_micros from traces
				where project_id = {project:Int64} and start_micros < {to:Int64} and last_start_micros >= {from:Int64}
			) as whole on whole.id = known.trace_row_id
			where whole.id = 0 or whole.trace_id <> known.trace_id
				or known.start_micros not between whole.start_micros and whole.last_start_micros`,
		of: ofTrace((id) => `span row ${id} belongs to no trace`),
	},
];

/** Of traces and sessions, whose row numbers come from the same counter. */
const BY_TRACE_NUMBER: readonly RowCheck[] = [
	{
		sql: `select id, project_id, trace_id, ${NO_TIME} from traces
			where ${NUMBERED} and (id, project_id, trace_id, anchor_micros)
			not in (select id, project_id, trace_id, anchor_micros from trace_places where ${NUMBERED})`,
		of: ofTrace((id) => `trace row ${id} is not where its place says`),
	},
	{
		sql: `select id, project_id, trace_id, ${NO_TIME} from trace_places where ${NUMBERED} and (id, project_id, trace_id)
			not in (select id, project_id, trace_id from traces where ${NUMBERED})`,
		of: ofTrace((id) => `the place of trace row ${id} leads to no trace`),
	},
	{
		sql: `select id, project_id, trace_id, ${NO_TIME} from traces where ${NUMBERED_SESSION}
			and (project_id, ifNull(session_id, ''), assumeNotNull(session_row_id))
			not in (select project_id, session_id, id from sessions where ${NUMBERED})`,
		of: ofTrace((id) => `trace row ${id} is of a session that is not there`),
	},
	// Those that a copy has brought may have the same numbers as one another.
	{
		sql: several("traces", `trace_id, ${NO_TIME}`),
		of: (row) => ofNumber(row, `the row number ${row.id} is that of several traces`),
	},
	{
		sql: several("sessions", `${NO_TRACE}, ${NO_TIME}`),
		of: ({ id }) => ({ kind: "lost", says: `the row number ${id} is that of several sessions` }),
	},
];

const BY_SPAN_NUMBER: readonly RowCheck[] = [
	{
		sql: several("spans", "trace_id, start_micros as micros"),
		of(row) {
			const says = `the row number ${row.id} is that of several spans`;
			return row.projects > 1 ? ofNumber(row, says) : { kind: "lost", says };
		},
	},
];

function several(table: string, columns: string): string {
	return `select id, project_id, ${columns} from ${table} where ${NUMBERED}
		and id in (select id from ${table} where ${NUMBERED} group by id having count() > 1)`;
}

function ofTrace(says: (id: number) => string): RowCheck["of"] {
	return ({ id, projectId, traceId }) => ({ kind: "trace", projectId, traceId, says: says(id) });
}

/** A number that one trace has in two projects, or twice in one. */
function ofNumber({ projectId, traceId, projects, traces }: WrongRow, says: string): Damage {
	if (traces > 1) return { kind: "lost", says };
	return projects > 1 ? { kind: "move", traceId, says } : { kind: "trace", projectId, traceId, says };
}

/** Rows without what they refer to, and row numbers that are there twice. */
export async function* misplacedRows(shard: Shard, batches: OpenBatches): AsyncGenerator<Looked> {
	for (const projectId of await listProjects(shard, ["spans", "span_contents"]))
		yield* misplacedRowsOf(shard, batches, projectId);
	yield* misplacedNumbers(shard, batches);
}

/** Spans and contents of a project without what they refer to. */
export async function* misplacedRowsOf(
	shard: Shard,
	batches: OpenBatches,
	projectId: number,
	scope?: Scope,
): AsyncGenerator<Looked> {
	const sources = [
		["spans", "start_micros"],
		["span_contents", "start_micros"],
	] as const;
	for await (const window of windowsOf(shard, projectId, sources, MOST_ROWS, scope)) {
		for (const check of BY_TIME) yield* wrongRows(shard, batches, check, paramsOf(window));
		yield { kind: "looked", count: 1 };
	}
}

/** Traces, places and sessions that do not fit, and row numbers that are there twice. */
export async function* misplacedNumbers(shard: Shard, batches: OpenBatches, { projectId }: Scope = {}) {
	for await (const found of numbers(shard, batches))
		if (projectId === undefined || !("projectId" in found) || found.projectId === projectId) yield found;
}

async function* numbers(shard: Shard, batches: OpenBatches): AsyncGenerator<Looked> {
	yield* wrongNumbers(shard, batches, BY_TRACE_NUMBER, ["traces", "trace_places", "sessions"]);
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
): AsyncGenerator<Looked> {
	const all = tables.map((table) => `select max(id) as last from ${table}`).join(" union all ");
	const [row] = await shard.select(`select max(last) as last from (${all})`, { last: types.Integer });
	for (let from = 0; from <= (row?.last ?? 0); from += MOST_NUMBERS) {
		for (const check of checks) yield* wrongRows(shard, batches, check, { from, to: from + MOST_NUMBERS });
		yield { kind: "looked", count: 1 };
	}
}

/** Each row that is wrong, and still is when what was being written is complete. */
async function* wrongRows(
	shard: Shard,
	batches: OpenBatches,
	{ sql, of }: RowCheck,
	params: Readonly<Record<string, ParameterValue>>,
): AsyncGenerator<Damage> {
	const find = async (after: number, ids: readonly number[]): Promise<WrongRow[]> => {
		const rows = await selectFinal(
			shard,
			`select id, any(project_id) as project, any(lower(hex(trace_id))) as trace, any(micros) as start,
				uniqExact(project_id) as projects, uniqExact(trace_id) as traces
			from (${sql}) where id > {after:Int64} and (empty({ids:Array(Int64)}) or id in {ids:Array(Int64)})
			group by id order by id limit ${PAGE}`,
			WRONG_ROW,
			{ ...params, after, ids },
		);
		return rows.map(({ project, trace, start, ...row }) => ({
			...row,
			...{ projectId: project, traceId: trace, micros: start },
		}));
	};
	for (let after = Number.MIN_SAFE_INTEGER; ; ) {
		const suspects = await find(after, []);
		const last = suspects.at(-1);
		if (last === undefined) return;
		await batches.settle();
		const ids = suspects.map(({ id }) => id);
		for (const row of await find(Number.MIN_SAFE_INTEGER, ids)) yield of(row);
		if (suspects.length < PAGE) return;
		after = last.id;
	}
}

const WRONG_ROW = {
	id: types.Integer,
	project: types.Integer,
	trace: types.Text,
	start: types.Integer,
	projects: types.Count,
	traces: types.Count,
} as const;
