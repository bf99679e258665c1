import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import type { Turns } from "../metadata/turns.ts";
import { Conditions } from "../read/conditions.ts";
import { findRows, selectFinal } from "../read/query.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import { HOURS, type HourRow } from "../tables.ts";
import { insertRows } from "../write/insert-rows.ts";
import { groupOf, plus } from "./hour-sums.ts";

/** Hours of a project that are folded in one turn. */
const HOURS_AT_ONCE = 100;

/**
 * Puts one row in the place of those that complete batches have written for an hour, kind and model, so that charts read
 * few. @returns how many rows are gone; 0 when nothing is left to fold
 */
export async function foldHours({ list }: TraceShards, turns: Turns): Promise<number> {
	let gone = 0;
	for (const shard of list) gone += await foldHoursOf(shard, turns);
	return gone;
}

async function foldHoursOf(shard: Shard, turns: Turns): Promise<number> {
	const wanted = { projects: [], keys: ["fold hours"], spans: 0, traces: 0 };
	return await turns.take(wanted, async ({ batch, version, oldestOther = batch }) => {
		// A batch that is not complete may still write its row, or a repair may change it.
		const open = Math.min(batch, oldestOther);
		const hours = await selectFinal(
			shard,
			`select project_id, hour from hours where number < {open:Int64}
			group by project_id, hour having count() > uniqExact(kind, model) order by project_id, hour limit ${HOURS_AT_ONCE}`,
			{ project_id: types.Integer, hour: types.Integer },
			{ open },
		);
		const rows: HourRow[] = [];
		for (const [projectId, ofProject] of Map.groupBy(hours, ({ project_id }) => project_id)) {
			const where = new Conditions().addEqual("project_id", "Int64", projectId);
			where.addIn(
				"hour",
				"Int64",
				ofProject.map(({ hour }) => hour),
			);
			where.add(`number < ${where.bind("Int64", open)}`);
			rows.push(...(await findRows(shard, HOURS, where)));
		}
		const groups = Map.groupBy(rows, (row) => `${row.project_id} ${row.hour} ${groupOf(row)}`);
		const changed = [...groups.values()].flatMap((group) => fold(group, version));
		await insertRows(shard, HOURS, changed, `fold ${batch}`);
		return changed.filter((row) => row.is_deleted === 1).length;
	});
}

/** The row with the highest number has the sum; the others are gone. */
function fold(group: readonly HourRow[], version: number): HourRow[] {
	const [last, ...others] = group.toSorted((a, b) => b.number - a.number);
	if (last === undefined || others.length === 0) return [];
	const sum = others.reduce((total, row) => plus(total, row, 1), last);
	return [{ ...sum, version }, ...others.map((row) => ({ ...row, version, is_deleted: 1 }))];
}
