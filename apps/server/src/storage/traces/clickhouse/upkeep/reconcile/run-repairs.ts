import { present } from "#base/present.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import type { Database } from "#storage/database.ts";
import type { RepairKind, RepairProgress, RepairWanted, TraceRepairs } from "#storage/trace-repairs.ts";
import { wrongAcrossShards } from "#storage/traces/clickhouse/integrity/check-across.ts";
import { wrongHour, wrongHoursOf } from "#storage/traces/clickhouse/integrity/check-hours.ts";
import { wrongProjects } from "#storage/traces/clickhouse/integrity/check-projects.ts";
import { wrongReferences } from "#storage/traces/clickhouse/integrity/check-references.ts";
import { misplacedNumbers, misplacedRowsOf } from "#storage/traces/clickhouse/integrity/check-rows.ts";
import { wrongSignaturesOf } from "#storage/traces/clickhouse/integrity/check-signatures.ts";
import { projectsOfSpend, wrongSpendOf } from "#storage/traces/clickhouse/integrity/check-spend.ts";
import { wrongTracesOf } from "#storage/traces/clickhouse/integrity/check-traces.ts";
import { type Damage, keyOfDamage, type Looked, type Scope } from "#storage/traces/clickhouse/integrity/damage.ts";
import { OpenBatches } from "#storage/traces/clickhouse/integrity/open-batches.ts";
import { listProjects } from "#storage/traces/clickhouse/integrity/windows.ts";
import type { TraceMetadata } from "#storage/traces/clickhouse/metadata/trace-metadata.ts";
import type { TraceShards } from "#storage/traces/clickhouse/shards/trace-shards.ts";
import { repairBatches } from "../repair.ts";
import { repairDamage } from "./repair-damage.ts";
import { TouchedHours } from "./touched-hours.ts";

export interface RepairOptions {
	readonly shards: TraceShards;
	readonly db: Database;
	readonly metadata: TraceMetadata;
}

interface Step {
	/** The same for the same part of the tables. */
	readonly name: string;
	/** Where the damage is; of what is on no shard, or on all, any. */
	readonly shard: Shard;
	readonly find: () => AsyncIterable<Looked>;
}

/** Damage that is remembered as found, so that what is wrong in several ways counts once. */
const MOST_REMEMBERED = 100_000;
/** Finds in the order of verify what it finds, and makes it good. */
export class ClickHouseRepairs implements TraceRepairs {
	readonly #options: RepairOptions;

	constructor(options: RepairOptions) {
		this.#options = options;
	}

	async *run(wanted: RepairWanted): AsyncGenerator<RepairProgress, void> {
		const { shards, db, metadata } = this.#options;
		await using turns = metadata.openTurns();
		if (!wanted.isDryRun) await repairBatches({ shards, db, turns });
		const touched = new TouchedHours();
		const tools = { shards, db, metadata, turns, touch: touched.add };
		const seen = new Set<string>();
		let isDone = wanted.after !== undefined;
		const lookInto = async function* (shard: Shard, find: AsyncIterable<Looked>) {
			for await (const damage of find) {
				if (damage.kind === "looked") yield { lookedAt: damage.count, found: 0, repaired: 0 };
				else if (isWanted(wanted.kind, damage) && !seen.has(keyOfDamage(damage))) {
					if (seen.size < MOST_REMEMBERED) seen.add(keyOfDamage(damage));
					const isRepaired = !wanted.isDryRun && (await repairDamage({ ...tools, shard }, damage));
					yield { lookedAt: 0, found: 1, repaired: isRepaired ? 1 : 0 };
				}
			}
		};
		for await (const { name, shard, find } of this.#steps(wanted)) {
			if (isDone) {
				isDone = name !== wanted.after;
				continue;
			}
			yield* lookInto(shard, find());
			const hours = touched.take();
			for (const one of shards.list) yield* lookInto(one, this.#hours(one, hours));
			yield { lookedAt: 0, found: 0, repaired: 0, completed: name };
		}
	}

	/** Those that the repairs of a step have changed. */
	async *#hours(shard: Shard, hours: readonly (readonly [projectId: number, hour: number])[]): AsyncGenerator<Looked> {
		const { shards, db } = this.#options;
		const checking = { shard, shards, batches: new OpenBatches(db.read), leaveOut: () => undefined };
		for (const [projectId, hour] of hours) yield* wrongHour(checking, projectId, hour);
	}

	async *#steps({ kind, projectId, startMicros, endMicros }: RepairWanted): AsyncGenerator<Step> {
		const { shards, db } = this.#options;
		const batches = new OpenBatches(db.read);
		const first = present(shards.list[0], "a shard");
		const scope: Scope = {
			...(projectId === undefined ? {} : { projectId }),
			...(startMicros === undefined ? {} : { startMicros }),
			...(endMicros === undefined ? {} : { endMicros }),
		};
		const sources = { shards, db: db.read, batches };
		const is = (...kinds: readonly RepairKind[]) => kind === "all" || kinds.includes(kind);
		const each = shards.list.map((shard, index) => ({ shard, on: index === 0 ? "" : ` on shard ${index + 1}` }));
		const projectsOf = async (shard: Shard, tables: readonly string[]) =>
			(await listProjects(shard, tables)).filter((id) => projectId === undefined || id === projectId);

		if (is("orphans"))
			yield { name: "projects", shard: first, find: () => ofProject(wrongProjects(sources), projectId) };
		if (is("moves", "totals")) {
			for (const { shard, on } of each)
				yield { name: `numbers${on}`, shard, find: () => misplacedNumbers({ shard, shards }, batches, scope) };
			if (each.length > 1)
				yield { name: "shards", shard: first, find: () => ofProject(wrongAcrossShards(shards, batches), projectId) };
		}
		if (is("orphans", "totals"))
			for (const { shard, on } of each)
				for (const id of await projectsOf(shard, ["spans", "span_contents"]))
					yield { name: `rows ${id}${on}`, shard, find: () => misplacedRowsOf(shard, batches, id, scope) };
		if (is("orphans", "moves")) yield { name: "references", shard: first, find: () => wrongReferences(sources, scope) };
		if (!is("totals")) return;
		for (const { shard, on } of each) {
			const checking = { shard, shards, batches, leaveOut: () => undefined, scope };
			for (const id of await projectsOf(shard, ["traces"]))
				yield { name: `traces ${id}${on}`, shard, find: () => wrongTracesOf(checking, id) };
			for (const id of await projectsOf(shard, ["spans", "traces", "hours"]))
				yield { name: `hours ${id}${on}`, shard, find: () => wrongHoursOf(checking, id) };
			const inList = { shard, number: shards.list.indexOf(shard) };
			for (const id of await projectsOf(shard, ["span_contents"]))
				yield { name: `signatures ${id}${on}`, shard, find: () => wrongSignaturesOf(inList, id, scope) };
		}
		const ledger = { ...sources, leaveOut: () => undefined, scope };
		for (const id of await projectsOfSpend(ledger))
			if (projectId === undefined || id === projectId)
				yield { name: `spend ${id}`, shard: first, find: () => wrongSpendOf(ledger, id) };
	}
}

async function* ofProject(found: AsyncIterable<Damage>, projectId: number | undefined): AsyncGenerator<Looked> {
	for await (const damage of found)
		if (projectId === undefined || !("projectId" in damage) || damage.projectId === projectId) yield damage;
	yield { kind: "looked", count: 1 };
}

/** Hours that a repair has changed are counted anew whatever is wanted. */
function isWanted(kind: RepairKind, damage: Damage): boolean {
	if (kind === "all" || damage.kind === "hour") return true;
	switch (damage.kind) {
		case "trace":
		case "unsigned":
		case "wrong signature":
		case "spend":
			return kind === "totals";
		case "move":
			return kind === "moves";
		case "reference":
			return kind === (damage.isMisplaced ? "moves" : "orphans");
		case "content":
		case "project":
		case "name":
			return kind === "orphans";
		case "lost":
			return kind === "totals";
	}
}
