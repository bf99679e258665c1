import type { DatabaseSync, SQLInputValue } from "node:sqlite";

/** The aggregate that takes a row's values. */
const FEED = "feed_row";

/**
 * Reads many narrow rows without making an object of each: SQLite hands their values to an aggregate, in half the time
 * in which they are iterated over.
 */
export class RowFeed {
	readonly #db: DatabaseSync;
	#add: ((row: unknown[]) => void) | undefined;
	#error: { readonly cause: unknown } | undefined;

	constructor(db: DatabaseSync) {
		this.#db = db;
		db.aggregate(FEED, { start: 0, varargs: true, step: (rows: number, ...row) => this.#step(rows, row) });
	}

	/** Hands out the rows of a statement. @param from with all that follows it */
	read(
		columns: readonly string[],
		from: string,
		values: readonly SQLInputValue[],
		add: (row: unknown[]) => void,
	): void {
		const statement = this.#db.prepare(`select ${FEED}(${columns.join(", ")}) ${from}`);
		this.#add = add;
		this.#error = undefined;
		statement.get(...values);
		if (this.#error !== undefined) throw (this.#error as { readonly cause: unknown }).cause;
	}

	/** An error ends the work, not the process of SQLite: rows that follow it are passed over. */
	#step(rows: number, row: unknown[]): number {
		if (this.#error !== undefined) return rows;
		try {
			this.#add?.(row);
		} catch (cause) {
			this.#error = { cause };
		}
		return rows + 1;
	}
}
