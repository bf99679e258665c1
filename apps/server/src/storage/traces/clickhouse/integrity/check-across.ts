import { types } from "#storage/clickhouse/row-binary.ts";
import { inParts } from "../read/bounds.ts";
import { selectFinal } from "../read/query.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import type { OpenBatches } from "./open-batches.ts";

/** Row numbers that are compared at a time. */
const MOST_NUMBERS = 100_000;
const NUMBERED = "between {from:Int64} and {to:Int64}";

interface Range extends Readonly<Record<string, number>> {
	readonly from: number;
	readonly to: number;
}

type Check = (shards: TraceShards, range: Range) => Promise<readonly string[]>;

/** What no shard can tell alone: sessions that are not there, and what is on two of them. */
export async function* wrongAcrossShards(shards: TraceShards, batches: OpenBatches): AsyncGenerator<string> {
	if (shards.list.length === 1) return;
	for (const check of [withoutSession, isDouble("traces"), isDouble("sessions"), isDouble("spans"), isOnTwo]) {
		const last = await lastNumber(shards);
		for (let from = 0; from <= last; from += MOST_NUMBERS) {
			const range = { from, to: from + MOST_NUMBERS - 1 };
			const suspects = new Set(await check(shards, range));
			if (suspects.size === 0) continue;
			await batches.settle();
			for (const wrong of await check(shards, range)) if (suspects.has(wrong)) yield wrong;
		}
	}
}

async function lastNumber(shards: TraceShards): Promise<number> {
	const tables = ["traces", "sessions", "spans"].map((table) => `select max(id) as last from ${table}`);
	const rows = await shards.select(tables.join(" union all "), { last: types.Integer });
	return rows.reduce((highest, { last }) => Math.max(highest, last), 0);
}

async function withoutSession(shards: TraceShards, range: Range): Promise<readonly string[]> {
	const columns = { project_id: types.Integer, session_id: types.Text, id: types.Integer };
	const [wanted, there] = await Promise.all([
		selectFinal(
			shards,
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
			shards,
			"select id from traces where session_row_id in {sessions:Array(Int64)}",
			{ id: types.Integer },
			{ sessions },
		),
	);
	return traces.map(({ id }) => `trace row ${id} is of a session that is not there`);
}

/** A row number that rows on two shards have; each shard looks for those that it has twice. */
function isDouble(table: "traces" | "sessions" | "spans"): Check {
	return async (shards, range) => {
		const rows = await selectFinal(
			shards,
			`select distinct id from ${table} where id ${NUMBERED}`,
			{ id: types.Integer },
			range,
		);
		return doubles(rows.map(({ id }) => id)).map((id) => `the row number ${id} is that of several ${table}`);
	};
}

async function isOnTwo(shards: TraceShards, range: Range): Promise<readonly string[]> {
	const places = await selectFinal(
		shards,
		`select lower(hex(trace_id)) as trace_id, project_id, id from trace_places where id ${NUMBERED}`,
		{ trace_id: types.Text, project_id: types.Integer, id: types.Integer },
		range,
	);
	const keyOf = (place: Pick<(typeof places)[number], "project_id" | "trace_id">) =>
		`${place.project_id}/${place.trace_id}`;
	const wanted = new Set(places.map(keyOf));
	const rows = await inParts([...new Set(places.map(({ trace_id }) => trace_id))], (ids) =>
		selectFinal(
			shards,
			`select lower(hex(trace_id)) as trace_id, project_id from trace_places
			where trace_id in (select toFixedString(unhex(arrayJoin({ids:Array(String)})), 16))`,
			{ trace_id: types.Text, project_id: types.Integer },
			{ ids },
		),
	);
	return doubles(rows.map(keyOf).filter((key) => wanted.has(key))).map((key) => `the trace ${key} is on two shards`);
}

function doubles<Value>(values: readonly Value[]): Value[] {
	const seen = new Set<Value>();
	const twice = new Set<Value>();
	for (const value of values) (seen.has(value) ? twice : seen).add(value);
	return [...twice];
}
