import { allEnded } from "#base/all-ended.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import type { Database } from "#storage/database.ts";
import { storableText } from "#storage/postgres/storable-text.ts";
import { QUARTER_MICROS, type SpendChange, SpendChanges } from "#storage/traces/totals/spend-changes.ts";
import { isNothing, takeStored } from "#storage/traces/totals/spend-recount.ts";
import { quartersOf } from "#storage/traces/totals/spend-state.ts";
import { addSpend } from "../metadata/spend-rows.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import { countSpend } from "./count-spend.ts";
import { listLedger, type Quarters } from "./list-ledger.ts";

interface Stores {
	readonly shards: TraceShards;
	readonly db: Database;
}

/**
 * Counts what the spans of hours have spent, and corrects the ledger. Nobody else may write meanwhile. Where less is stored
 * than was counted before, in all of these projects together, spans were deleted, and what they have spent stays spent.
 * @param hours by project; those of a move have both projects
 * @returns the number of quarters that were wrong
 */
export async function recountSpend(stores: Stores, hours: ReadonlyMap<number, ReadonlySet<number>>): Promise<number> {
	const lacking = new SpendChanges();
	for (const [projectId, ofProject] of hours)
		for (const hour of ofProject)
			for (const change of await differenceIn(stores, projectId, quartersOf(hour))) lacking.add(change, change);
	return await correct(stores, lacking.list());
}

/** As {@link recountSpend}, of quarters of a project that follow each other. */
export async function recountQuarters(stores: Stores, projectId: number, quarters: readonly number[]): Promise<number> {
	return await correct(stores, await differenceIn(stores, projectId, quarters));
}

/** Whether the ledger lacks nothing, as far as can be seen while others write: they may make it look wrong, never right. */
export async function isSpendRight(stores: Stores, projectId: number, quarters: readonly number[]): Promise<boolean> {
	return (await differenceIn(stores, projectId, quarters)).every(isNothing);
}

/** What the ledger lacks. */
async function differenceIn(
	{ shards, db }: Stores,
	projectId: number,
	quarters: readonly number[],
): Promise<readonly SpendChange[]> {
	const range = rangeOf(quarters);
	const changes = await countQuarters(shards.list, projectId, range);
	takeStored(changes, projectId, await listLedger(db.read, projectId, range));
	return changes.list();
}

async function correct({ db }: Stores, lacking: readonly SpendChange[]): Promise<number> {
	let corrected = 0;
	for (const ofQuarter of Map.groupBy(lacking, ({ quarter }) => quarter).values()) {
		if (ofQuarter.every(isNothing)) continue;
		const correction = new SpendChanges();
		for (const change of ofQuarter) correction.add(change, change);
		if (correction.isLess) correction.keep();
		await db.write((transaction) => addSpend(transaction, correction));
		corrected += 1;
	}
	return corrected;
}

/** From the first one to the last. */
export function rangeOf(quarters: readonly number[]): Quarters {
	return { from: Math.min(...quarters), to: Math.max(...quarters) + 1 };
}

/** What the spans of quarters have spent, on all shards, by users as the ledger has them. */
export async function countQuarters(
	shards: readonly ShardReader[],
	projectId: number,
	{ from, to }: Quarters,
): Promise<SpendChanges> {
	const counted = new SpendChanges();
	const range = { projectId, from: from * QUARTER_MICROS, to: to * QUARTER_MICROS };
	await allEnded(shards.map((shard) => countSpend(shard, range, counted, 1)));
	return counted.storedAs(storableText);
}
