import type { Shard } from "#storage/clickhouse/shard.ts";
import type { Database } from "#storage/database.ts";
import { letOthersWrite } from "#storage/repeated-job.ts";
import type { RetentionRule, TraceChange, TraceMutations } from "#storage/traces/trace-store.ts";
import { noteFact, readFact } from "../facts.ts";
import { annotatedTraces, MetadataReferences } from "../metadata/references.ts";
import type { Turns } from "../metadata/turns.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import type { TraceRow } from "../tables.ts";
import { type DroppedDays, dropDays, keepsAnnotated } from "./drop-days.ts";
import { dropSessions } from "./drop-sessions.ts";
import { type ExpiredDays, eachOf, findCrossing, findExpiredDays, startsOf } from "./expired-days.ts";
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
	const untidied = await readUntidied(shard);
	let began = performance.now();
	const step: OnBatch = async (deleted) => {
		await letOthersWrite(performance.now() - began);
		began = performance.now();
		return await onBatch(deleted);
	};
	const open = await findExpiredDays({ shard, shards }, rules);
	for (let days = open.shift(); days !== undefined; days = open.shift()) {
		const dropped = await tryToDrop(expiring, days, untidied, step);
		if (dropped === "stopped") return;
		if (dropped === "kept") {
			const single = eachOf(days);
			// Of some of them everything may go.
			if (single.length > 1) open.unshift(...single);
			continue;
		}
		for (const from of startsOf(days)) untidied.add(from);
		for (const [projectId, traceRowIds] of dropped.traceRowIds) expiring.tell({ projectId, traceRowIds });
		if (!(await step(dropped.deleted))) return;
	}
	if (untidied.size === 0) return;
	const isDone = await forgetPlaces({ shard, shards }, turns, [...untidied], () => step(new Map()));
	if (isDone) await noteFact(shard, UNTIDIED, "");
}

/** The days that were dropped, and whose places may not be gone yet: where each begins, in microseconds. */
async function readUntidied(shard: Shard): Promise<Set<number>> {
	const noted = (await readFact(shard, UNTIDIED)) ?? "";
	return new Set(noted === "" ? [] : noted.split(" ").map(Number));
}

async function tryToDrop(
	expiring: Expiring,
	days: ExpiredDays,
	untidied: ReadonlySet<number>,
	onBatch: OnBatch,
): Promise<DroppedDays | "kept" | "stopped"> {
	const { shard, db } = expiring;
	if (await keepsAnnotated({ shard, db: db.read }, days)) return "kept";
	const crossing = await deleteCrossing(expiring, days, onBatch);
	if (crossing !== "gone") return crossing;
	await noteFact(shard, UNTIDIED, [...new Set([...untidied, ...startsOf(days)])].join(" "));
	return (await drop(expiring, days)) ?? "kept";
}

/** @returns whether they are all gone */
async function deleteCrossing(
	{ shard, db, deleteTraces }: Expiring,
	days: ExpiredDays,
	onBatch: OnBatch,
): Promise<"gone" | "kept" | "stopped"> {
	const keeping = new Set(days.keepingAnnotated);
	for (;;) {
		const rows = await findCrossing(shard, days, CROSSING_ROWS);
		if (rows.length === 0) return "gone";
		const annotated = await annotatedTraces(
			db.read,
			rows.filter(({ project_id }) => keeping.has(project_id)),
		);
		if (annotated.size > 0) return "kept";
		for await (const deleted of deleteTraces(rows)) if (!(await onBatch(deleted))) return "stopped";
	}
}

async function drop({ shard, shards, db, turns }: Expiring, days: ExpiredDays): Promise<DroppedDays | undefined> {
	const references = new MetadataReferences(db);
	for await (const sessions of dropSessions({ shard, shards }, turns, days))
		await references.deleted({ spans: [], traces: [], sessions });
	const dropped = await turns.takeAlone((turn) => dropDays({ shard, db: db.read }, turn, days));
	if (dropped !== undefined) await references.deleted(dropped.referred);
	return dropped;
}
