import type { DatabaseSync } from "node:sqlite";
import { present } from "#base/present.ts";
import { hasRow, listRows } from "#storage/sqlite/rows.ts";
import { contentOf } from "#storage/traces/content/content-of.ts";
import { readBlock } from "#storage/traces/content/damaged-blocks.ts";
import { searchableText } from "#storage/traces/content/searchable-text.ts";
import { LogRows } from "../write/log-rows.ts";
import { forgetBlockText } from "./forget-block-text.ts";

/** Blocks per transaction: about 10 ms under the write lock. */
const STEP_BLOCKS = 4;
/** Longest indexed text. A block of usual spans has 128 K characters. */
const LONGEST_TEXT = 1_048_576;

interface BlockText {
	readonly id: number;
	readonly text: string;
}

/** Fills the text index, a few blocks at a time. */
export class BlockTextFiller {
	readonly #db: DatabaseSync;
	readonly #logs: LogRows;
	#prepared: { readonly texts: readonly BlockText[]; readonly isStale: boolean } | undefined;

	constructor(db: DatabaseSync) {
		this.#db = db;
		this.#logs = new LogRows(db);
	}

	/** Reads and decodes the next blocks, without a lock. @returns whether there is something to write */
	prepare(): boolean {
		const stale = this.#blocks("id in (select block_id from block_text_stale)");
		const next = stale.length > 0 ? stale : this.#blocks("id > (select last_block from block_text_progress)");
		this.#prepared = next.length === 0 ? undefined : { texts: next, isStale: stale.length > 0 };
		return this.#prepared !== undefined;
	}

	/** Writes what was prepared. Call it within a transaction. */
	write(): void {
		if (this.#prepared === undefined) return;
		const { texts, isStale } = this.#prepared;
		const exists = this.#db.prepare("select 1 from blocks where id = ?");
		const insert = this.#db.prepare("insert into block_text (rowid, text) values (?, ?)");
		const skip = this.#db.prepare("insert into block_text_skipped (block_id) values (?)");
		const ids = texts.map(({ id }) => id);
		if (isStale) forgetBlockText(this.#db, ids);
		for (const { id, text } of texts) {
			// It may have been deleted meanwhile.
			if (!hasRow(exists, id)) continue;
			if (text.length > LONGEST_TEXT) skip.run(id);
			else insert.run(id, text);
		}
		if (!isStale)
			this.#db.prepare("update block_text_progress set last_block = ?").run(present(ids.at(-1), "the last block"));
	}

	#blocks(where: string): BlockText[] {
		const rows = listRows<{ id: number; data: Uint8Array }>(
			this.#db.prepare(`select id, data from blocks where ${where} order by id limit ${STEP_BLOCKS}`),
		);
		this.#logs.begin();
		return rows.map(({ id, data }) => ({ id, text: this.#textOf(id, data) }));
	}

	#textOf(id: number, data: Uint8Array): string {
		const texts = readBlock(id, data).map((span) =>
			searchableText(contentOf(span), (traceId, spanId) => this.#logs.find(traceId, spanId)),
		);
		return texts.join("\n").toLowerCase();
	}
}
