import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import { HOUR_MICROS, HourChanges } from "#storage/traces/totals/hour-changes.ts";
import { nodeOfRow } from "#storage/traces/totals/span-node.ts";
import type { Turn } from "../metadata/turns.ts";
import { Conditions } from "../read/conditions.ts";
import { findRows, selectFinal } from "../read/query.ts";
import { HOURS, type HourRow, SPANS } from "../tables.ts";
import { hourRow, isEmpty } from "../write/hour-rows.ts";
import { insertRows } from "../write/insert-rows.ts";
import { emptied, groupOf, hasSameTotals, plus } from "./hour-sums.ts";

/** Spans that are read at a time. */
const PAGE = 50_000;

/**
 * Counts the spans and traces that a shard has of hours, and corrects their totals by a row of the batch. Nobody else may write meanwhile.
 * @param hours by project
 * @returns the number of corrected rows
 */
export async function recountHours(
	shard: Shard,
	turn: Turn,
	hours: ReadonlyMap<number, ReadonlySet<number>>,
): Promise<number> {
	let corrected = 0;
	for (const [projectId, ofProject] of hours)
		for (const hour of ofProject) corrected += await recountHour(shard, turn, projectId, hour);
	return corrected;
}

async function recountHour(shard: Shard, turn: Turn, projectId: number, hour: number): Promise<number> {
	const rows = await findRows(shard, HOURS, {
		sql: "project_id = {project:Int64} and hour = {hour:Int64}",
		params: { project: projectId, hour },
	});
	const own = new Map(rows.filter(({ number }) => number === turn.batch).map((row) => [groupOf(row), row]));
	const missing = new Map<string, HourRow>();
	const add = (row: HourRow, sign: 1 | -1) => {
		const before = missing.get(groupOf(row)) ?? emptied({ ...row, ...turnOf(turn) });
		missing.set(groupOf(row), plus(before, row, sign));
	};
	for (const change of (await countHour(shard, projectId, hour)).list()) add(hourRow(change, turn), 1);
	for (const row of rows) if (row.number !== turn.batch) add(row, -1);
	const written: HourRow[] = [];
	for (const [group, row] of missing) {
		const present = own.get(group);
		own.delete(group);
		if (present === undefined ? !isEmpty(row) : !hasSameTotals(present, row)) written.push(row);
	}
	const gone = [...own.values()].map((row) => ({ ...row, ...turnOf(turn), is_deleted: 1 }));
	await insertRows(
		shard,
		HOURS,
		[...written, ...gone],
		`recount ${turn.version} of ${turn.batch} ${projectId} ${hour}`,
	);
	return written.length + gone.length;
}

function turnOf({ batch, version }: Turn): Pick<HourRow, "number" | "version"> {
	return { number: batch, version };
}

/** The totals of an hour by its spans and traces. */
export async function countHour(shard: Shard, projectId: number, hour: number): Promise<HourChanges> {
	const counted = new HourChanges();
	const [from, to] = [hour * HOUR_MICROS, (hour + 1) * HOUR_MICROS];
	for (let after = { start: from, id: 0 }; ; ) {
		const where = new Conditions().addEqual("project_id", "Int64", projectId);
		where.addTimeRange("start_micros", { startMicros: after.start, endMicros: to });
		where.add(`(start_micros, id) > (${where.bind("Int64", after.start)}, ${where.bind("Int64", after.id)})`);
		const rows = await findRows(shard, SPANS, where, `order by start_micros, id limit ${PAGE}`);
		for (const row of rows) counted.addSpan(projectId, nodeOfRow(row), 1);
		const last = rows.at(-1);
		if (last === undefined || rows.length < PAGE) break;
		after = { start: last.start_micros, id: last.id };
	}
	const traces = await selectFinal(
		shard,
		`select root_kind, root_model, count() as count from traces
		where project_id = {project:Int64} and start_micros >= {from:Int64} and start_micros < {to:Int64}
		group by root_kind, root_model`,
		{ root_kind: types.UInt8, root_model: types.Nullable(types.Text), count: types.Count },
		{ project: projectId, from, to },
	);
	for (const { root_kind, root_model, count } of traces)
		counted.addTrace(projectId, from, { kind: root_kind, model: root_model }, count);
	return counted;
}
