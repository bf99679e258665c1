import type pg from "pg";
import type { Database } from "#storage/database.ts";
import type { PostgresReferences } from "#storage/references/postgres-references.ts";
import { listHours } from "#storage/traces/mutate/list-hours.ts";
import type { RecountRange, Recounts, TracesRecounted } from "#storage/traces/mutate/recounting-repairs.ts";
import { correctSpend, isSpendRight } from "./mutate/recount-spend.ts";
import { isHourRight, nextTraces, OnlyLooked, recountTrace, replaceHour } from "./mutate/recount-totals.ts";
import { type MutationTransaction, mutate } from "./mutate/transaction.ts";
import { inOneView } from "./read/query.ts";
import { HourRows } from "./write/hour-rows.ts";

interface Pools {
	readonly db: Database;
	readonly pool: pg.Pool;
	readonly references: PostgresReferences;
}

/** Computes totals anew, each trace and hour in a transaction, which is undone unless something was wrong. */
export class PostgresRecounts implements Recounts {
	readonly #pools: Pools;
	readonly #hours = new HourRows();

	constructor(pools: Pools) {
		this.#pools = pools;
	}

	async recountTraces(range: RecountRange, after: number): Promise<TracesRecounted> {
		const { ids, last } = await inOneView(this.#pools.pool, (client) => nextTraces(client, range, after));
		let wrong = 0;
		let repaired = 0;
		for (const id of ids) {
			const outcome = await this.#recount((transaction) => recountTrace(transaction, id, range.isDryRun));
			if (outcome !== "right") wrong += 1;
			if (outcome === "repaired") repaired += 1;
		}
		return { lookedAt: ids.length, wrong, repaired, last };
	}

	listHours(range: RecountRange) {
		return listHours(this.#pools.db, range);
	}

	async recountHour(projectId: number, hour: number, isDryRun: boolean): Promise<boolean> {
		if (await inOneView(this.#pools.pool, (client) => isHourRight(client, projectId, hour))) return false;
		if (!isDryRun) await this.#mutate((transaction) => replaceHour(transaction, projectId, hour));
		return true;
	}

	async recountSpend(projectId: number, quarter: number, isDryRun: boolean): Promise<boolean> {
		if (await isSpendRight(this.#pools.pool, projectId, quarter)) return false;
		if (!isDryRun) await correctSpend(this.#pools.pool, projectId, quarter);
		return true;
	}

	async #recount(work: (transaction: MutationTransaction) => Promise<void>): Promise<"right" | "wrong" | "repaired"> {
		try {
			await this.#mutate(work);
			return "repaired";
		} catch (error) {
			if (error instanceof OnlyLooked) return error.isWrong ? "wrong" : "right";
			throw error;
		}
	}

	#mutate(work: (transaction: MutationTransaction) => Promise<void>): Promise<void> {
		return mutate(this.#pools.pool, this.#hours, this.#pools.references, work);
	}
}
