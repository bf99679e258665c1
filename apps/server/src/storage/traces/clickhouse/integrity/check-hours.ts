import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import { HOUR_MICROS } from "#storage/traces/totals/hour-changes.ts";
import { findRows } from "../read/query.ts";
import { HOURS, type HourRow } from "../tables.ts";
import { emptied, groupOf, plus } from "../upkeep/hour-sums.ts";
import { countHour } from "../upkeep/recount-hours.ts";
import { hourRow, SUMS } from "../write/hour-rows.ts";
import { type Checking, shownCost } from "./check-traces.ts";
import type { Looked, Scope } from "./damage.ts";
import { listProjects } from "./windows.ts";

/** How often an hour is looked at again that differs from its spans and changes meanwhile. */
const TRIES = 5;

/** Counts the spans and traces of each hour, and compares. */
export async function* wrongHours(checking: Checking): AsyncGenerator<Looked> {
	for (const projectId of await listProjects(checking.shard, ["spans", "traces", "hours"]))
		yield* wrongHoursOf(checking, projectId);
}

/** As {@link wrongHours}, of one project. */
export async function* wrongHoursOf(checking: Checking, projectId: number): AsyncGenerator<Looked> {
	for (const hour of await listHours(checking.shard, projectId)) {
		if (!isWithin(hour, checking.scope)) continue;
		yield* wrongHour(checking, projectId, hour);
		yield { kind: "looked", count: 1 };
	}
}

/** Whether some of an hour is to be looked at. */
export function isWithin(hour: number, { startMicros, endMicros }: Scope = {}): boolean {
	return (
		(startMicros === undefined || (hour + 1) * HOUR_MICROS > startMicros) &&
		(endMicros === undefined || hour * HOUR_MICROS < endMicros)
	);
}

/** Hours of a project of which the shard has spans, traces or totals. */
export async function listHours(shard: Shard, projectId: number): Promise<number[]> {
	const hourOf = (table: string) =>
		`select distinct intDiv(start_micros, ${HOUR_MICROS}) as hour from ${table} where project_id = {project:Int64}`;
	const rows = await shard.select(
		`select distinct hour from (${hourOf("spans")} union all ${hourOf("traces")}
			union all select distinct hour from hours where project_id = {project:Int64}) order by hour`,
		{ hour: types.Integer },
		{ params: { project: projectId } },
	);
	return rows.map(({ hour }) => hour);
}

/** Counts one hour, and compares. */
export async function* wrongHour(
	{ shard, batches, leaveOut }: Checking,
	projectId: number,
	hour: number,
): AsyncGenerator<Looked> {
	let before = await compareHour(shard, projectId, hour);
	for (let tries = 0; before.wrong.length > 0; tries += 1) {
		await batches.settle();
		const now = await compareHour(shard, projectId, hour);
		if (now.rows === before.rows) {
			for (const says of now.wrong) yield { kind: "hour", projectId, hour, says };
			return;
		}
		if (tries === TRIES) {
			leaveOut();
			return;
		}
		before = now;
	}
}

interface ComparedHour {
	/** The same as long as nothing is written for the hour. */
	readonly rows: string;
	readonly wrong: readonly string[];
}

async function compareHour(shard: Shard, projectId: number, hour: number): Promise<ComparedHour> {
	const rows = await findRows(
		shard,
		HOURS,
		{ sql: "project_id = {project:Int64} and hour = {hour:Int64}", params: { project: projectId, hour } },
		"order by kind, model, number",
	);
	const stored = new Map<string, HourRow>();
	for (const row of rows) stored.set(groupOf(row), plus(stored.get(groupOf(row)) ?? emptied(row), row, 1));
	const counted = (await countHour(shard, projectId, hour)).list().map((change) => hourRow(change, NO_TURN));
	const right = new Map(counted.map((row) => [groupOf(row), row]));
	const wrong: string[] = [];
	for (const [key, row] of new Map([...stored, ...right])) {
		const [is, should] = [shown(stored.get(key)), shown(right.get(key))];
		const { kind, model } = row;
		const slot = JSON.stringify({ project: projectId, hour, kind, model });
		if (is !== should) wrong.push(`the hour ${slot} has ${is}, not the ${should} that its spans give`);
	}
	return { rows: rows.map(({ kind, model, version, number }) => [kind, model, version, number]).join(), wrong };
}

const NO_TURN = { batch: 0, version: 0 } as const;
const NO_COST = shownCost({ cost_micro: 0, cost_pico: 0 });
const PLAIN_SUMS = SUMS.filter((column) => column !== "cost_micro" && column !== "cost_pico");

function shown(row: HourRow | undefined): string {
	if (row === undefined) return "nothing";
	const sums = PLAIN_SUMS.map((column) => row[column]);
	const cost = shownCost(row);
	if (row.latency_buckets.length === 0 && sums.every((sum) => sum === 0) && cost === NO_COST) return "nothing";
	const latency = row.latency_buckets.map((bucket, index) => `${bucket}:${row.latency_counts[index] ?? 0}`);
	return `${sums.join(" ")} ${cost} ${latency.join(" ")}`;
}
