import type { Shard } from "#storage/clickhouse/shard.ts";
import type { Database } from "#storage/database.ts";
import { letOthersWrite } from "#storage/repeated-job.ts";
import type { RetentionRule, TraceChange, TraceMutations } from "#storage/traces/trace-store.ts";
import { noteFact, readFact } from "../facts.ts";
import { annotatedTraces, MetadataReferences } from "../metadata/references.ts";
import type { Turns } from "../metadata/turns.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import type { TraceRow } from "../tables.ts";
import { type DroppedDay, dropDay, keepsAnnotated } from "./drop-day.ts";
import { dropSessions } from "./drop-sessions.ts";
import { type ExpiredDay, findCrossing, findExpiredDays } from "./expired-days.ts";
import { forgetPlaces } from "./forget-places.ts";

/** Traces that reach out of a day that are read at a time. */
const CROSSING_ROWS = 250;
/** The name under which ClickHouse knows which days are being dropped. */
const UNTIDIED = "dropped_days";

interface Expiring {
	/** Whose days are dropped: a trace is whole on one. */
	readonly shard: Shard;
	/** All of them, that one too. */
	readonly shards: TraceShards;
	readonly db: Database;
	readonly turns: Turns;
	/** Deletes traces, and sessions that become empty, some in each turn. @returns how many of each project */
	readonly deleteTraces: (rows: readonly TraceRow[]) => AsyncIterable<ReadonlyMap<number, number>>;
	/** Called with the row numbers of some of the traces that were dropped. */
	readonly tell: (change: TraceChange) => void;
}

type OnBatch = Parameters<NonNullable<TraceMutations["dropExpired"]>>[1];

/**
 * Drops the partitions that a shard has of days of which no project keeps anything there, after deleting the traces that
 * reach out of them. What leads to the traces is deleted last; if that does not come to its end, the next call goes on
 * with it.
 * @param onBatch called after each step with the number of deleted traces by project; false ends the work
 * @throws StorageUnavailable
 */
export async function dropExpired(
	expiring: Expiring,
	rules: readonly RetentionRule[],
	onBatch: OnBatch,
): Promise<void> {
	const { shard, shards, turns } = expiring;
	const days = await readUntidied(shard);
	let began = performance.now();
	const step: OnBatch = async (deleted) => {
		await letOthersWrite(performance.now() - began);
		began = performance.now();
		return await onBatch(deleted);
	};
	for (const day of await findExpiredDays({ shard, shards }, rules)) {
		if (await keepsAnnotated({ shard, db: expiring.db.read }, day)) continue;
		const crossing = await deleteCrossing(expiring, day, step);
		if (crossing === "stopped") return;
		if (crossing === "kept") continue;
		await noteFact(shard, UNTIDIED, [...new Set([...days, day.from])].join(" "));
		const dropped = await drop(expiring, day);
		if (dropped === undefined) continue;
		days.push(day.from);
		for (const [projectId, traceRowIds] of dropped.traceRowIds) expiring.tell({ projectId, traceRowIds });
		if (!(await step(dropped.deleted))) return;
	}
	if (days.length === 0) return;
	const isDone = await forgetPlaces({ shard, shards }, turns, days, () => step(new Map()));
	if (isDone) await noteFact(shard, UNTIDIED, "");
}

/** The days that were dropped, and whose places may not be gone yet: where each begins, in microseconds. */
async function readUntidied(shard: Shard): Promise<number[]> {
	const noted = (await readFact(shard, UNTIDIED)) ?? "";
	return noted === "" ? [] : noted.split(" ").map(Number);
}

/** @returns whether they are all gone */
async function deleteCrossing(
	{ shard, db, deleteTraces }: Expiring,
	day: ExpiredDay,
	onBatch: OnBatch,
): Promise<"gone" | "kept" | "stopped"> {
	const keeping = new Set(day.keepingAnnotated);
	for (;;) {
		const rows = await findCrossing(shard, day, CROSSING_ROWS);
		if (rows.length === 0) return "gone";
		const annotated = await annotatedTraces(
			db.read,
			rows.filter(({ project_id }) => keeping.has(project_id)),
		);
		if (annotated.size > 0) return "kept";
		for await (const deleted of deleteTraces(rows)) if (!(await onBatch(deleted))) return "stopped";
	}
}

async function drop({ shard, shards, db, turns }: Expiring, day: ExpiredDay): Promise<DroppedDay | undefined> {
	const references = new MetadataReferences(db);
	for await (const sessions of dropSessions({ shard, shards }, turns, day))
		await references.deleted({ spans: [], traces: [], sessions });
	const dropped = await turns.takeAlone((turn) => dropDay({ shard, db: db.read }, turn, day));
	if (dropped !== undefined) await references.deleted(dropped.referred);
	return dropped;
}
