import { setTimeout as sleep } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import type { Tables } from "#storage/schema.ts";

const POLL_MS = 100;
/** Longer than an insert, with its repeats, may take. */
const LONGEST_MS = 30_000;

/**
 * What is written while a check reads: ClickHouse has no snapshot of several tables, so what a check finds wrong may be
 * half of what a server is writing. It is looked at again when that is complete.
 */
export class OpenBatches {
	readonly #db: Kysely<Tables>;
	/** Batches that a process which died has left behind: nobody completes them soon. */
	readonly #leftBehind = new Set<number>();

	/** @param db the metadata tables, not in a snapshot */
	constructor(db: Kysely<Tables>) {
		this.#db = db;
	}

	/** Waits until the batches that are being written now are complete. @returns false when a process has left some behind */
	async settle(): Promise<boolean> {
		const deadline = performance.now() + LONGEST_MS;
		const listed = await this.#list();
		const wanted = listed.filter((id) => !this.#leftBehind.has(id));
		for (let open = wanted; open.length > 0; ) {
			if (performance.now() > deadline) {
				for (const id of open) this.#leftBehind.add(id);
				return false;
			}
			await sleep(POLL_MS);
			const still = new Set(await this.#list());
			open = open.filter((id) => still.has(id));
		}
		return wanted.length === listed.length;
	}

	/** Batches that have been open for so long that their process must have died. */
	async listLeftBehind(): Promise<readonly number[]> {
		return await this.#list((Date.now() - LONGEST_MS) * 1_000);
	}

	async #list(startedBefore = Number.MAX_SAFE_INTEGER): Promise<number[]> {
		const { rows } = await sql<{ id: number }>`
			select id from clickhouse_batches where started_at <= ${startedBefore} order by id`.execute(this.#db);
		return rows.map(({ id }) => id);
	}
}
