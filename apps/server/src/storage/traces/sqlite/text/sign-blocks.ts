import type { DatabaseSync, StatementSync } from "node:sqlite";
import { getRow, listRows } from "#storage/sqlite/rows.ts";
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
	/** The newest log record that they may have. */
	readonly lastLog: number;
}

/** Signs the blocks that were written without a signature, those that came last first. */
export class BlockSigner {
	readonly #db: DatabaseSync;
	readonly #logs: LogRows;
	readonly #rows: SignatureRows;
	readonly #insertRange: StatementSync;
	#prepared: Signed | undefined;

	constructor(db: DatabaseSync) {
		this.#db = db;
		this.#logs = new LogRows(db);
		this.#rows = new SignatureRows(db);
		this.#insertRange = db.prepare("insert into block_text_unsigned (first_block, last_block) values (?, ?)");
	}

	/** Reads and signs the next blocks, without a lock. @returns whether there is something to write */
	prepare(): boolean {
		const [range] = listUnsigned(this.#db);
		this.#prepared = range === undefined ? undefined : this.#sign(range);
		return this.#prepared !== undefined;
	}

	/** Writes what was prepared. Call it within a transaction. */
	write(): void {
		if (this.#prepared === undefined) return;
		const { range, signatures, lastLog } = this.#prepared;
		for (const { id, signature } of signatures) this.#rows.insert(id, signature);
		const first = range.first_block;
		const { last_block: last } = getRow<UnsignedRange>(
			this.#db.prepare("select last_block from block_text_unsigned where first_block = ?"),
			first,
		);
		this.#db.prepare("delete from block_text_unsigned where first_block = ?").run(first);
		const lowest = signatures.at(-1)?.id ?? first;
		if (lowest > first) this.#insertRange.run(first, lowest - 1);
		// Writers may have extended it.
		if (last > range.last_block) this.#insertRange.run(range.last_block + 1, last);
		for (const blockId of this.#blocksWithLogsSince(lastLog)) this.#rows.outdate(blockId);
	}

	#sign(range: UnsignedRange): Signed {
		const lastLog = this.#lastLog();
		const blocks = listRows<{ id: number; data: Uint8Array }>(
			this.#db.prepare("select id, data from blocks where id between ? and ? order by id desc limit ?"),
			range.first_block,
			range.last_block,
			STEP_BLOCKS,
		);
		this.#logs.begin();
		const signatures = blocks.map(({ id, data }) => ({
			id,
			signature: signatureOf({ spans: readBlock(id, data), logs: this.#logs.ofBlock(id) }),
		}));
		return { range, signatures, lastLog };
	}

	#lastLog(): number {
		return getRow<{ id: number }>(this.#db.prepare("select coalesce(max(id), 0) as id from log_records")).id;
	}

	/** Writers found these blocks in a range that is signed now, without the log records that came meanwhile. */
	#blocksWithLogsSince(lastLog: number): number[] {
		const rows = listRows<{ block_id: number }>(
			this.#db.prepare(
				`select distinct spans.block_id as block_id from log_records
					cross join traces on traces.trace_id = log_records.trace_id and traces.project_id = log_records.project_id
					cross join spans on spans.trace_row_id = traces.id and spans.span_id = log_records.span_id
				where log_records.id > ?`,
			),
			lastLog,
		);
		return rows.map(({ block_id }) => block_id);
	}
}
