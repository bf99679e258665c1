import { type Kysely, sql } from "kysely";
import { types } from "#storage/clickhouse/row-binary.ts";
import type { Tables } from "#storage/schema.ts";
import { readSpendState } from "#storage/spend-state.ts";
import { HOUR_MICROS } from "#storage/traces/totals/hour-changes.ts";
import { QUARTERS_OF_HOUR } from "#storage/traces/totals/spend-changes.ts";
import { wrongSpend as sentencesOf } from "#storage/traces/totals/spend-recount.ts";
import { isComplete, quartersOf, type SpendState } from "#storage/traces/totals/spend-state.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import { listLedger } from "../upkeep/list-ledger.ts";
import { countQuarters, rangeOf } from "../upkeep/recount-spend.ts";
import { isWithin } from "./check-hours.ts";
import type { Looked, Scope } from "./damage.ts";
import type { OpenBatches } from "./open-batches.ts";
import { listProjects } from "./windows.ts";

/** How often an hour is looked at again in which the ledger differs from the spans and changes meanwhile. */
const TRIES = 5;

interface CheckingSpend {
	readonly shards: TraceShards;
	/** The metadata tables, not in a snapshot. */
	readonly db: Kysely<Tables>;
	readonly batches: OpenBatches;
	/** Told of an hour that changed each time it was looked at, and was not compared. */
	readonly leaveOut: () => void;
	readonly scope?: Scope;
}

/** Counts what the spans of each hour have spent, on all shards, and compares it with the ledger. */
export async function* wrongSpend(checking: CheckingSpend): AsyncGenerator<Looked> {
	for (const projectId of await projectsOfSpend(checking)) yield* wrongSpendOf(checking, projectId);
}

/** Projects that have spans, or of which the ledger says something. */
export async function projectsOfSpend({ shards, db }: Pick<CheckingSpend, "shards" | "db">): Promise<number[]> {
	const rows = await db.selectFrom("spend").select("project_id").distinct().execute();
	const all = [...(await listProjects(shards, ["spans"])), ...rows.map(({ project_id }) => project_id)];
	return [...new Set(all)].toSorted((a, b) => a - b);
}

/** As {@link wrongSpend}, of one project. */
export async function* wrongSpendOf(checking: CheckingSpend, projectId: number): AsyncGenerator<Looked> {
	const state = await readSpendState(checking.db);
	for (const hour of await listHours(checking, projectId)) {
		if (!isWithin(hour, checking.scope)) continue;
		yield* wrongHour(checking, projectId, hour, state);
		yield { kind: "looked", count: 1 };
	}
}

async function listHours({ shards, db }: CheckingSpend, projectId: number): Promise<number[]> {
	const ofSpans = await shards.select(
		`select distinct intDiv(start_micros, ${HOUR_MICROS}) as hour from spans where project_id = {project:Int64}`,
		{ hour: types.Integer },
		{ params: { project: projectId } },
	);
	const { rows: ofLedger } = await sql<{ hour: number }>`
		select distinct quarter / ${sql.lit(QUARTERS_OF_HOUR)} as hour from spend
		where project_id = ${projectId} and (tokens <> 0 or cost_micro <> 0 or cost_pico <> 0)`.execute(db);
	return [...new Set([...ofSpans, ...ofLedger].map(({ hour }) => hour))].toSorted((a, b) => a - b);
}

async function* wrongHour(
	{ shards, db, batches, leaveOut }: CheckingSpend,
	projectId: number,
	hour: number,
	state: SpendState,
): AsyncGenerator<Looked> {
	const range = rangeOf(quartersOf(hour));
	const compare = async () => {
		const rows = await listLedger(db, projectId, range);
		const given = (await countQuarters(shards.list, projectId, range)).list();
		const isToHave = ({ quarter }: { readonly quarter: number }) => isComplete(state, quarter);
		const wrong = sentencesOf(given.filter(isToHave), projectId, rows.filter(isToHave));
		return { wrong, seen: JSON.stringify([rows, wrong]) };
	};
	let before = await compare();
	for (let tries = 0; before.wrong.length > 0; tries += 1) {
		await batches.settle();
		const now = await compare();
		// Spans show before their batch ends, and with it comes what they have spent.
		if (now.seen === before.seen) {
			for (const says of now.wrong) yield { kind: "spend", projectId, hour, says };
			return;
		}
		if (tries === TRIES) {
			leaveOut();
			return;
		}
		before = now;
	}
}
