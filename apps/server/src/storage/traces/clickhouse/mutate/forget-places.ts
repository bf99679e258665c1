import type { ShardReader } from "#storage/clickhouse/shard.ts";
import type { Turn, Turns } from "../metadata/turns.ts";
import { Conditions } from "../read/conditions.ts";
import { findRows } from "../read/query.ts";
import { DAY_MICROS, TRACE_PLACES, type TracePlace } from "../tables.ts";
import { insertRows } from "../write/insert-rows.ts";
import { traceOfLog } from "../write/logs-by-span.ts";
import { forgetLogsOf, type OnShard } from "./forget-logs.ts";

/** Places that are looked at in one turn. */
const PAGE = 10_000;
const FIRST_ID = "0".repeat(32);
const LAST_ID = "f".repeat(32);

/**
 * Deletes the places of traces whose partitions were dropped, and log records that no trace has any more.
 * @param days whose partitions were dropped, by their first microseconds; at least one
 * @param onStep called after each turn; false ends the work
 * @returns whether it came to its end
 * @throws StorageUnavailable
 */
export async function forgetPlaces(
	{ shard, shards }: OnShard,
	turns: Turns,
	days: readonly number[],
	onStep: () => Promise<boolean>,
): Promise<boolean> {
	for (let from = FIRST_ID; ; ) {
		const suspects = await findPlaces(shard, days, [from, LAST_ID]);
		const last = suspects.at(-1)?.trace_id.toString("hex");
		if (last === undefined) return true;
		await turns.takeAlone((turn) => forget({ shard, shards }, turn, days, [from, last]));
		const goesOn = await onStep();
		if (suspects.length < PAGE) return true;
		if (!goesOn) return false;
		from = last;
	}
}

/** A writer may have made a place a moment ago, and its trace is there by now. */
async function forget(
	{ shard, shards }: OnShard,
	turn: Turn,
	days: readonly number[],
	range: readonly [first: string, last: string],
): Promise<void> {
	const places = await findPlaces(shard, days, range);
	const token = `batch ${turn.batch} places`;
	const gone = places.map((place) => ({ ...place, version: turn.version, is_deleted: 1 }));
	await insertRows(shard, TRACE_PLACES, gone, token);
	await forgetLogsOf({ shard, shards }, turn, places.map(traceOfLog), token);
}

/** Places on these days that lead to no trace, in the order of their trace ids. */
async function findPlaces(
	shard: ShardReader,
	days: readonly number[],
	[first, last]: readonly [first: string, last: string],
): Promise<TracePlace[]> {
	const where = new Conditions().addBetweenAny("anchor_micros", rangesOf(days));
	const onDays = where.sql;
	const id = (hex: string) => `toFixedString(unhex(${where.bind("String", hex)}), 16)`;
	where.add(`trace_id >= ${id(first)} and trace_id <= ${id(last)}`);
	where.add(`id not in (select id from traces where ${onDays})`);
	return await findRows(shard, TRACE_PLACES, where, `order by trace_id limit ${PAGE}`);
}

/** Days that follow each other are one range. */
function rangesOf(days: readonly number[]): [from: number, to: number][] {
	const ranges: [from: number, to: number][] = [];
	for (const from of days.toSorted((a, b) => a - b)) {
		const last = ranges.at(-1);
		if (last !== undefined && last[1] === from - 1) last[1] += DAY_MICROS;
		else ranges.push([from, from + DAY_MICROS - 1]);
	}
	return ranges;
}
