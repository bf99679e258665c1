import { type Kysely, sql } from "kysely";
import { present } from "#base/present.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import { letOthersWrite } from "#storage/repeated-job.ts";
import type { Tables } from "#storage/schema.ts";
import { wrongHour } from "#storage/traces/clickhouse/integrity/check-hours.ts";
import { suspectReferences } from "#storage/traces/clickhouse/integrity/check-references.ts";
import { missedOfBatch } from "#storage/traces/clickhouse/integrity/check-signatures.ts";
import type { Damage, ReferringTable } from "#storage/traces/clickhouse/integrity/damage.ts";
import { OpenBatches } from "#storage/traces/clickhouse/integrity/open-batches.ts";
import { isOfBound } from "#storage/traces/clickhouse/read/bounds.ts";
import { hourOf } from "#storage/traces/totals/hour-changes.ts";
import {
	type Batches,
	countContents,
	findBatches,
	type Hour,
	hoursOf,
	isPlausible,
	suspectProjects,
	suspectsOf,
} from "./find-recent.ts";
import { noteContents, readGivenUp } from "./given-up.ts";
import { keepState, type ReconcilerState, readState, takeUncleanStop } from "./reconciler-state.ts";
import { type DamageRepaired, damageRepaired } from "./repair-channel.ts";
import { repairDamage } from "./repair-damage.ts";
import type { RepairTools } from "./repair-tools.ts";
import type { RepairOptions } from "./run-repairs.ts";
import { TouchedHours } from "./touched-hours.ts";

const HOUR_MS = 3_600_000;
/** Batches that are looked at together, and how many the first look goes back. */
const BATCHES_AT_ONCE = 100;
const FIRST_LOOK = 10_000;
/** Pages of references of each table that one look has. */
const REFERENCE_PAGES = 5;
/** Hours that are kept for the next look. */
const MOST_HOURS = 10_000;

const REFERRING: readonly ReferringTable[] = ["annotations", "dataset_examples", "error_occurrences"];

export interface ReconcilerOptions extends RepairOptions {
	/** Gets a sentence about the first repair of each kind. */
	readonly tell: (sentence: string) => void;
}

/**
 * Looks for damage in what was written since the last look, for rows of projects that are no more, and for references that
 * lead nowhere, some further ones each time; makes it good, and rests after each step. On a healthy installation there is
 * none.
 */
export class Reconciler {
	readonly #options: ReconcilerOptions;
	readonly #told = new Set<string>();

	constructor(options: ReconcilerOptions) {
		this.#options = options;
	}

	/** Looks if an hour has passed since the last look of any process, or batches were left behind. */
	async runIfDue(stopped: AbortSignal): Promise<void> {
		const { db, metadata } = this.#options;
		const kept = await readState(db);
		// A copy of the metadata database may come from beside another ClickHouse, whose batches had other numbers.
		const state = kept?.installation === (await metadata.installationId()) ? kept : undefined;
		const isUnclean = await takeUncleanStop(db);
		const isDue = state === undefined || Math.abs(Date.now() - state.at) >= HOUR_MS;
		if (isDue || isUnclean) await this.run(stopped, state);
	}

	/** @param before of the last look */
	async run(stopped: AbortSignal, before?: ReconcilerState): Promise<void> {
		const { shards, db, metadata } = this.#options;
		await using turns = metadata.openTurns();
		const touched = new TouchedHours();
		const toolsOn = (shard: Shard): RepairTools => ({ shard, shards, db, metadata, turns, touch: touched.add });
		const anywhere = toolsOn(present(shards.list[0], "a shard"));
		const begun = Date.now();
		const repair = async (suspects: AsyncIterable<Damage>, tools = anywhere) => {
			const start = performance.now();
			for await (const damage of suspects) {
				if (stopped.aborted) return;
				await this.#repair(tools, damage);
			}
			await letOthersWrite(performance.now() - start);
		};
		const written = await findBatches(shards, (before?.batch ?? 0) + 1);
		const open = await oldestOpen(db.read);
		const to = Math.min(written?.to ?? 0, (open ?? Number.MAX_SAFE_INTEGER) - 1);
		const first = before === undefined ? Math.max(1, to - FIRST_LOOK) : before.batch + 1;
		const hours = new Map((before?.hours ?? []).map((hour) => [hour.join(" "), hour as Hour]));

		await repair(suspectProjects(shards, db.read));
		for (let from = first; from <= to && !stopped.aborted; ) {
			from = (await findBatches(shards, from))?.from ?? to;
			const batches: Batches = { from, to: Math.min(from + BATCHES_AT_ONCE - 1, to) };
			from += BATCHES_AT_ONCE;
			await inHalves(batches, async (some) => {
				for (const shard of shards.list) {
					await repair(suspectsOf(shard, some), toolsOn(shard));
					for (const hour of await hoursOf(shard, some)) hours.set(hour.join(" "), hour);
				}
			});
		}
		await this.#lateContents((shard, suspects) => repair(suspects, toolsOn(shard)), stopped);
		const after = await this.#references(before, repair, stopped);
		const changed = touched.take();
		const all = shards.list.map(toolsOn);
		const later = await this.#hours(all, [...hours.values()], stopped);
		for (const hour of changed) for (const tools of all) if (!stopped.aborted) await this.#hour(tools, hour);
		// What was not looked at is the next time.
		if (stopped.aborted) return;
		const batch = Math.max(to, before?.batch ?? 0);
		await keepState(db, { installation: await metadata.installationId(), at: begun, batch, hours: later, after });
	}

	/** What batches that were given up have inserted since: the text index has gone on without it. */
	async #lateContents(
		repair: (shard: Shard, suspects: AsyncIterable<Damage>) => Promise<void>,
		stopped: AbortSignal,
	): Promise<void> {
		const { shards, db } = this.#options;
		const known = await readGivenUp(db);
		if (known.length === 0) return;
		const counts = await countContents(
			shards,
			known.map(({ batch }) => batch),
		);
		for (const { batch, contents } of known)
			if (counts.has(batch) && counts.get(batch) !== contents)
				for (const [number, shard] of shards.list.entries())
					if (!stopped.aborted) await repair(shard, missedOfBatch({ shard, number }, batch));
		if (!stopped.aborted) await noteContents(db, counts);
	}

	async #references(
		before: ReconcilerState | undefined,
		repair: (suspects: AsyncIterable<Damage>) => Promise<void>,
		stopped: AbortSignal,
	): Promise<ReconcilerState["after"]> {
		const { shards, db } = this.#options;
		const after = { annotations: 0, dataset_examples: 0, error_occurrences: 0, ...before?.after };
		for (const table of REFERRING)
			for (let page = 0; page < REFERENCE_PAGES && !stopped.aborted; page += 1) {
				const { last, suspects } = await suspectReferences({ shards, db: db.read }, table, after[table]);
				// From the first one again.
				after[table] = last ?? 0;
				await repair(eachOf(suspects));
				if (last === undefined) break;
			}
		return after;
	}

	/** @returns those that have not ended: writers change them all the time */
	async #hours(all: readonly RepairTools[], hours: readonly Hour[], stopped: AbortSignal): Promise<[number, number][]> {
		const now = hourOf(Date.now() * 1_000);
		const later: [number, number][] = [];
		for (const [projectId, hour] of hours) {
			if (stopped.aborted) break;
			if (hour === now && later.length < MOST_HOURS) later.push([projectId, hour]);
			else
				for (const tools of all)
					if (!(await isPlausible(tools.shard, [projectId, hour]))) await this.#hour(tools, [projectId, hour]);
		}
		return later;
	}

	async #hour(tools: RepairTools, [projectId, hour]: Hour): Promise<void> {
		const { shard, shards, db } = tools;
		const checking = { shard, shards, batches: new OpenBatches(db.read), leaveOut: () => undefined };
		for await (const damage of wrongHour(checking, projectId, hour))
			if (damage.kind === "hour") return await this.#repair(tools, damage);
	}

	async #repair(tools: RepairTools, damage: Damage): Promise<void> {
		if (!(await repairDamage(tools, damage))) return;
		const { kind, says } = damage;
		damageRepaired.publish({ kind } satisfies DamageRepaired);
		if (this.#told.has(kind)) return;
		this.#told.add(kind);
		this.#options.tell(`the reconciler repaired what it found in ClickHouse: ${says}`);
	}
}

/** Looks at fewer batches at a time where a statement reaches a bound; at the rest of one that is too large, not at all. */
async function inHalves({ from, to }: Batches, look: (batches: Batches) => Promise<void>): Promise<void> {
	try {
		await look({ from, to });
	} catch (error) {
		if (!isOfBound(error)) throw error;
		if (from === to) return;
		const middle = Math.floor((from + to) / 2);
		await inHalves({ from, to: middle }, look);
		await inHalves({ from: middle + 1, to }, look);
	}
}

async function oldestOpen(db: Kysely<Tables>): Promise<number | undefined> {
	const { rows } = await sql<{ id: number | null }>`select min(id) as id from clickhouse_batches`.execute(db);
	return rows[0]?.id ?? undefined;
}

async function* eachOf<T>(items: readonly T[]): AsyncGenerator<T> {
	yield* items;
}
