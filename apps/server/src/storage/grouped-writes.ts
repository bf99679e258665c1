import type { Transaction } from "kysely";
import { readersGone } from "#base/readers-gone.ts";
import type { Database } from "./database.ts";
import type { Tables } from "./schema.ts";
import { StorageUnavailable } from "./traces/span-batch.ts";

/** Longer groups would hold up what others write. */
const MOST = 100;

interface Waiting<Item, Result> {
	readonly item: Item;
	readonly resolve: (result: Result) => void;
	readonly reject: (error: unknown) => void;
}

/**
 * Writes of one kind that come at about the same time share a transaction: those of the same turn of the event loop, and
 * those that come while it runs, in the next one. A transaction costs much more than what is in it.
 */
export class GroupedWrites<Item, Result> {
	readonly #db: Pick<Database, "write">;
	readonly #work: (transaction: Transaction<Tables>, items: readonly Item[]) => Promise<readonly Result[]>;
	readonly #waiting: Waiting<Item, Result>[] = [];
	#isRunning = false;

	/** @param work writes the items in their order and gives a result for each; as that of `Database.write`, it may run again */
	constructor(
		db: Pick<Database, "write">,
		work: (transaction: Transaction<Tables>, items: readonly Item[]) => Promise<readonly Result[]>,
	) {
		this.#db = db;
		this.#work = work;
	}

	/** Resolves when it is committed. */
	write(item: Item): Promise<Result> {
		return new Promise((resolve, reject) => {
			this.#waiting.push({ item, resolve, reject });
			if (this.#isRunning) return;
			this.#isRunning = true;
			// It works for all that wait, whoever began it.
			readersGone.exit(() => queueMicrotask(() => void this.#run()));
		});
	}

	async #run(): Promise<void> {
		while (this.#waiting.length > 0) await this.#writeGroup(this.#waiting.splice(0, MOST));
		this.#isRunning = false;
	}

	/** Never rejects. */
	async #writeGroup(group: readonly Waiting<Item, Result>[]): Promise<void> {
		try {
			const items = group.map(({ item }) => item);
			const results = await this.#db.write((transaction) => this.#work(transaction, items));
			for (const [at, { resolve }] of group.entries()) resolve(results[at] as Result);
		} catch (error) {
			if (group.length > 1 && !(error instanceof StorageUnavailable))
				// The fault of one is not that of the others.
				for (const one of group) await this.#writeGroup([one]);
			else for (const { reject } of group) reject(error);
		}
	}
}
