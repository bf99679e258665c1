import type { DatabaseSync, StatementSync } from "node:sqlite";
import { hasRow, listRows } from "#storage/sqlite/rows.ts";

/** Blocks without a complete signature: from the first to the last, both included. */
export interface UnsignedRange {
	readonly first_block: number;
	readonly last_block: number;
}

/** The end of a range to which every new block is added, as long as the text index is off. */
const OPEN_END = Number.MAX_SAFE_INTEGER;

export function listUnsigned(db: DatabaseSync): UnsignedRange[] {
	return listRows<UnsignedRange>(
		db.prepare("select first_block, last_block from block_text_unsigned order by first_block desc"),
	);
}

/** Notes, before the first write of a server, whether its blocks will have signatures. */
export function noteTextIndex(db: DatabaseSync, isOn: boolean): void {
	if (isOn) {
		db.prepare(
			"update block_text_unsigned set last_block = (select coalesce(max(id), 0) from blocks) where last_block = ?",
		).run(OPEN_END);
		db.exec("delete from block_text_unsigned where last_block < first_block");
		return;
	}
	db.prepare(
		`insert into block_text_unsigned (first_block, last_block)
		select next, ?1 from row_numbers
		where name = 'blocks' and not exists (select 1 from block_text_unsigned where last_block = ?1)
		on conflict (first_block) do update set last_block = ?1`,
	).run(OPEN_END);
}

/** Adds single blocks to the ranges. Call it within a transaction. */
export class UnsignedBlocks {
	readonly #covered: StatementSync;
	readonly #extend: StatementSync;
	readonly #insert: StatementSync;

	constructor(db: DatabaseSync) {
		this.#covered = db.prepare("select 1 from block_text_unsigned where ? between first_block and last_block");
		this.#extend = db.prepare("update block_text_unsigned set last_block = ?1 where last_block = ?1 - 1");
		this.#insert = db.prepare("insert into block_text_unsigned (first_block, last_block) values (?1, ?1)");
	}

	has(blockId: number): boolean {
		return hasRow(this.#covered, blockId);
	}

	add(blockId: number): void {
		if (this.has(blockId)) return;
		if (this.#extend.run(blockId).changes === 0) this.#insert.run(blockId);
	}
}
