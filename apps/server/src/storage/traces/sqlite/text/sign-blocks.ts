import type { DatabaseSync } from "node:sqlite";
import { listRows } from "#storage/sqlite/rows.ts";
import { readBlock } from "#storage/traces/content/damaged-blocks.ts";
import { signatureOf } from "#storage/traces/text/text-signature.ts";
import { LogRows } from "../write/log-rows.ts";
import { SignatureRows } from "./signature-rows.ts";
import { listUnsigned, type UnsignedRange } from "./unsigned-blocks.ts";

/** Blocks per transaction: about 20 ms of reading, 1 ms under the write lock. */
const STEP_BLOCKS = 16;

interface Signed {
	readonly range: UnsignedRange;
	readonly signatures: readonly { readonly id: number; readonly signature: Uint8Array }[];
}

/** Signs the blocks that were written without a signature, those that came last first. */
export class BlockSigner {
	readonly #db: DatabaseSync;
	readonly #logs: LogRows;
	readonly #rows: SignatureRows;
	#prepared: Signed | undefined;

	constructor(db: DatabaseSync) {
		this.#db = db;
		this.#logs = new LogRows(db);
		this.#rows = new SignatureRows(db);
	}

	/** Reads and signs the next blocks, without a lock. @returns whether there is something to write */
	prepare(): boolean {
		const [range] = listUnsigned(this.#db);
		this.#prepared = range === undefined ? undefined : { range, signatures: this.#sign(range) };
		return this.#prepared !== undefined;
	}

	/** Writes what was prepared. Call it within a transaction. */
	write(): void {
		if (this.#prepared === undefined) return;
		const { range, signatures } = this.#prepared;
		for (const { id, signature } of signatures) this.#rows.insert(id, signature);
		const lowest = signatures.at(-1)?.id;
		if (lowest === undefined || lowest === range.first_block)
			this.#db.prepare("delete from block_text_unsigned where first_block = ?").run(range.first_block);
		else
			this.#db
				.prepare("update block_text_unsigned set last_block = ? where first_block = ?")
				.run(lowest - 1, range.first_block);
	}

	#sign({ first_block, last_block }: UnsignedRange): Signed["signatures"] {
		const blocks = listRows<{ id: number; data: Uint8Array }>(
			this.#db.prepare("select id, data from blocks where id between ? and ? order by id desc limit ?"),
			first_block,
			last_block,
			STEP_BLOCKS,
		);
		this.#logs.begin();
		return blocks.map(({ id, data }) => ({
			id,
			signature: signatureOf({ spans: readBlock(id, data), logs: this.#logs.ofBlock(id) }),
		}));
	}
}
