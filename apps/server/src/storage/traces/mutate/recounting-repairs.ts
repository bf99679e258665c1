import type { Database } from "#storage/database.ts";
import type { HourOfProject } from "#storage/spend-ledger.ts";
import { readSpendState } from "#storage/spend-state.ts";
import type { RepairProgress, RepairWanted, TraceRepairs } from "#storage/trace-repairs.ts";
import { isComplete, quartersOf, type SpendState } from "../totals/spend-state.ts";

/** What is recounted. */
export interface RecountRange extends Pick<RepairWanted, "projectId" | "startMicros" | "endMicros" | "isDryRun"> {}

export interface TracesRecounted {
	readonly lookedAt: number;
	/** How many differed from their spans. */
	readonly wrong: number;
	readonly repaired: number;
	/** The row number of the last one; undefined when there are no more. */
	readonly last: number | undefined;
}

/** A store that computes its totals anew, some at a time. */
export interface Recounts {
	/** The next traces with row numbers above this one, with their sessions and what their spans say. */
	recountTraces(range: RecountRange, after: number): Promise<TracesRecounted>;
	listHours(range: RecountRange): Promise<readonly { readonly projectId: number; readonly hour: number }[]>;
	/** @returns whether it differed from its spans and traces */
	recountHour(projectId: number, hour: number, isDryRun: boolean): Promise<boolean>;
	/** What the ledger says of a quarter of an hour. @returns whether that differed from what its spans have spent */
	recountSpend(projectId: number, quarter: number, isDryRun: boolean): Promise<boolean>;
}

const TRACES = "traces ";
const ALL_TRACES = "all traces";

/**
 * Repairs of a store that changes totals together with what they sum up, and keeps references right by itself: totals are
 * computed anew, and there is nothing else to repair.
 */
export class RecountingRepairs implements TraceRepairs {
	readonly #db: Database;
	readonly #store: Recounts;

	constructor(db: Database, store: Recounts) {
		this.#db = db;
		this.#store = store;
	}

	async *run(wanted: RepairWanted): AsyncGenerator<RepairProgress, void> {
		if (wanted.kind === "orphans" || wanted.kind === "moves") return;
		const { after } = wanted;
		if (after !== ALL_TRACES)
			yield* this.#traces(wanted, after?.startsWith(TRACES) ? Number(after.slice(TRACES.length)) : 0);
		const spend = await readSpendState(this.#db.read);
		for (const { projectId, hour } of await this.#store.listHours(wanted)) {
			const isWrong = await this.#store.recountHour(projectId, hour, wanted.isDryRun);
			const isSpendWrong = await this.#spendOf(spend, { projectId, hour }, wanted);
			const found = isWrong || isSpendWrong ? 1 : 0;
			yield { lookedAt: 1, found, repaired: wanted.isDryRun ? 0 : found };
		}
	}

	async #spendOf(
		state: SpendState,
		{ projectId, hour }: HourOfProject,
		{ isDryRun }: Pick<RepairWanted, "isDryRun">,
	): Promise<boolean> {
		let isWrong = false;
		for (const quarter of quartersOf(hour))
			if (isComplete(state, quarter) && (await this.#store.recountSpend(projectId, quarter, isDryRun))) isWrong = true;
		return isWrong;
	}

	async *#traces(wanted: RepairWanted, first: number): AsyncGenerator<RepairProgress, void> {
		for (let after = first; ; ) {
			const { lookedAt, wrong: found, repaired, last } = await this.#store.recountTraces(wanted, after);
			yield { lookedAt, found, repaired, completed: last === undefined ? ALL_TRACES : `${TRACES}${last}` };
			if (last === undefined) return;
			after = last;
		}
	}
}
