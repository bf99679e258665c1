import type { DatabaseSync, StatementSync } from "node:sqlite";
import { signatureOf } from "#storage/traces/text/text-signature.ts";

/** Adds signatures of blocks. */
export class SignatureRows {
	readonly #insert: StatementSync;

	constructor(db: DatabaseSync) {
		this.#insert = db.prepare("insert into block_text_signatures (size, block_id, signature) values (?, ?, ?)");
	}

	insert(blockId: number, signature: Uint8Array): void {
		this.#insert.run(signature.length, blockId, signature);
	}

	/** Adds `LogRecord` messages to the texts of a block. */
	addLogs(blockId: number, logs: readonly Uint8Array[]): void {
		this.insert(blockId, signatureOf({ spans: [], logs }));
	}
}
