import type { DatabaseSync, StatementSync } from "node:sqlite";
import { UnsignedBlocks } from "./unsigned-blocks.ts";

/** Adds signatures of blocks. A signature counts only if it has all texts of its block, log records included. */
export class SignatureRows {
	readonly #insert: StatementSync;
	readonly #delete: StatementSync;
	readonly #unsigned: UnsignedBlocks;

	constructor(db: DatabaseSync) {
		this.#insert = db.prepare("insert into block_text_signatures (size, block_id, signature) values (?, ?, ?)");
		this.#delete = db.prepare("delete from block_text_signatures where block_id = ?");
		this.#unsigned = new UnsignedBlocks(db);
	}

	insert(blockId: number, signature: Uint8Array): void {
		this.#insert.run(signature.length, blockId, signature);
	}

	/** Deletes the signatures of blocks that are not in a group yet. */
	delete(blockIds: readonly number[]): void {
		for (const id of blockIds) this.#delete.run(id);
	}

	/** Whether the signature of a block lacks something. */
	isOutdated(blockId: number): boolean {
		return this.#unsigned.has(blockId);
	}

	/** A block has new texts: searches decode it until it is signed again. */
	outdate(blockId: number): void {
		this.#unsigned.add(blockId);
	}
}
