import type { DatabaseSync, StatementSync } from "node:sqlite";
import { listRows } from "#storage/sqlite/rows.ts";

/** Hands out row numbers that are never used again; cheaper than AUTOINCREMENT, which writes a row per statement. */
export class RowNumbers {
	readonly #read: StatementSync;
	readonly #write: StatementSync;
	readonly #next = new Map<RowKind, number>();

	constructor(db: DatabaseSync) {
		this.#read = db.prepare("select name, next from row_numbers");
		this.#write = db.prepare("update row_numbers set next = ? where name = ?");
	}

	/** Call it at the start of a transaction. */
	begin(): void {
		for (const { name, next } of listRows<{ name: RowKind; next: number }>(this.#read)) this.#next.set(name, next);
	}

	take(kind: RowKind): number {
		const next = this.#next.get(kind);
		if (next === undefined) throw new Error(`no row numbers for ${kind}: begin first`);
		this.#next.set(kind, next + 1);
		return next;
	}

	/** Call it before the commit. */
	end(): void {
		for (const [name, next] of this.#next) this.#write.run(next, name);
	}
}

type RowKind = "traces" | "spans" | "blocks";
