import { types } from "#storage/clickhouse/row-binary.ts";
import type { OnShard } from "../mutate/forget-logs.ts";
import { inParts } from "../read/bounds.ts";
import { selectFinal } from "../read/query.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import type { Damage, Looked } from "./damage.ts";
import type { OpenBatches } from "./open-batches.ts";

/** Row numbers that are compared at a time. */
const MOST_NUMBERS = 100_000;
const NUMBERED = "between {from:Int64} and {to:Int64}";

interface Range extends Readonly<Record<string, number>> {
	readonly from: number;
	readonly to: number;
}

type Check = (shards: TraceShards, range: Range) => Promise<readonly Damage[]>;

/** What is on two shards. */
export async function* wrongAcrossShards(shards: TraceShards, batches: OpenBatches): AsyncGenerator<Damage> {
	if (shards.list.length === 1) return;
	for (const check of [isMoving, isDouble("traces"), isDouble("sessions"), isDouble("spans"), isOnTwo])
		for await (const found of wrongOf(shards, batches, check)) if (found.kind !== "looked") yield found;
}

/** Traces of a shard whose session is on no shard. */
export async function* withoutSessions({ shard, shards }: OnShard, batches: OpenBatches): AsyncGenerator<Looked> {
	yield* wrongOf(shards, batches, (_, range) => withoutSession({ shard, shards }, range));
}

async function* wrongOf(shards: TraceShards, batches: OpenBatches, check: Check): AsyncGenerator<Looked> {
	const last = await lastNumber(shards);
	for (let from = 0; from <= last; from += MOST_NUMBERS) {
		const range = { from, to: from + MOST_NUMBERS - 1 };
		const suspects = new Set((await check(shards, range)).map(({ says }) => says));
		if (suspects.size > 0) {
			await batches.settle();
			for (const wrong of await check(shards, range)) if (suspects.has(wrong.says)) yield wrong;
		}
		yield { kind: "looked", count: 1 };
	}
}

async function lastNumber(shards: TraceShards): Promise<number> {
	const tables = ["traces", "sessions", "spans"].map((table) => `select max(id) as last from ${table}`);
	const rows = await shards.select(tables.join(" union all "), { last: types.Integer });
	return rows.reduce((highest, { last }) => Math.max(highest, last), 0);
}

async function withoutSession({ shard, shards }: OnShard, range: Range): Promise<readonly Damage[]> {
	const columns = { project_id: types.Integer, session_id: types.Text, id: types.Integer };
	const [wanted, there] = await Promise.all([
		selectFinal(
			shard,
			`select distinct project_id, ifNull(session_id, '') as session_id, assumeNotNull(session_row_id) as id
			from traces where session_row_id ${NUMBERED}`,
			columns,
			range,
		),
		selectFinal(shards, `select project_id, session_id, id from sessions where id ${NUMBERED}`, columns, range),
	]);
	const keyOf = (row: (typeof there)[number]) => JSON.stringify([row.project_id, row.session_id, row.id]);
	const known = new Set(there.map(keyOf));
	const missing = wanted.filter((row) => !known.has(keyOf(row))).map(({ id }) => id);
	const traces = await inParts(missing, (sessions) =>
		selectFinal(
			shard,
			`select id, project_id, lower(hex(trace_id)) as trace from traces
			where session_row_id in {sessions:Array(Int64)}`,
			{ id: types.Integer, project_id: types.Integer, trace: types.Text },
			{ sessions },
		),
	);
	return traces.map(({ id, project_id: projectId, trace: traceId }) => ({
		...({ kind: "trace", projectId, traceId } as const),
		says: `trace row ${id} is of a session that is not there`,
	}));
}

/**
 * A row number that rows on two shards have; each shard looks for those that it has twice. Those of a trace that is being
 * moved are left to {@link isMoving}.
 */
function isDouble(table: "traces" | "sessions" | "spans"): Check {
	return async (shards, range) => {
		const ids = await doubleIds(shards, table, range);
		const moving = table === "spans" ? new Set((await movingSpans(shards, ids)).map(({ id }) => id)) : new Set();
		return ids.filter((id) => !moving.has(id)).map((id) => lost(`the row number ${id} is that of several ${table}`));
	};
}

/** A trace whose spans are in a project on one shard and in another project on another one. */
const isMoving: Check = async (shards, range) => {
	const spans = await movingSpans(shards, await doubleIds(shards, "spans", range));
	return [...new Set(spans.map(({ trace }) => trace))].map((traceId) => ({
		...({ kind: "move", traceId } as const),
		says: `trace ${traceId} has the same spans in two projects, on two shards`,
	}));
};

async function doubleIds(shards: TraceShards, table: string, range: Range): Promise<number[]> {
	const sql = `select distinct id from ${table} where id ${NUMBERED}`;
	return doubles((await selectFinal(shards, sql, { id: types.Integer }, range)).map(({ id }) => id));
}

/** Those of the spans with these numbers that are of one trace in several projects. */
async function movingSpans(shards: TraceShards, ids: readonly number[]) {
	const rows = await inParts(ids, (part) =>
		selectFinal(
			shards,
			"select id, project_id, lower(hex(trace_id)) as trace from spans where id in {ids:Array(Int64)}",
			{ id: types.Integer, project_id: types.Integer, trace: types.Text },
			{ ids: part },
		),
	);
	return [...Map.groupBy(rows, ({ id }) => id).values()].flatMap(([span, ...others]) =>
		span !== undefined && others.every((other) => other.trace === span.trace && other.project_id !== span.project_id)
			? [span]
			: [],
	);
}

const isOnTwo: Check = async (shards, range) => {
	const columns = { trace: types.Text, project_id: types.Integer };
	const places = await selectFinal(
		shards,
		`select lower(hex(trace_id)) as trace, project_id from trace_places where id ${NUMBERED}`,
		columns,
		range,
	);
	const keyOf = ({ project_id, trace }: (typeof places)[number]) => `${trace} of project ${project_id}`;
	const wanted = new Set(places.map(keyOf));
	const rows = await inParts([...new Set(places.map(({ trace }) => trace))], (ids) =>
		selectFinal(
			shards,
			`select lower(hex(trace_id)) as trace, project_id from trace_places
			where trace_id in (select toFixedString(unhex(arrayJoin({ids:Array(String)})), 16))`,
			columns,
			{ ids },
		),
	);
	return doubles(rows.map(keyOf).filter((key) => wanted.has(key))).map((key) => lost(`trace ${key} is on two shards`));
};

function lost(says: string): Damage {
	return { kind: "lost", says };
}

function doubles<Value>(values: readonly Value[]): Value[] {
	const seen = new Set<Value>();
	const twice = new Set<Value>();
	for (const value of values) (seen.has(value) ? twice : seen).add(value);
	return [...twice];
}
