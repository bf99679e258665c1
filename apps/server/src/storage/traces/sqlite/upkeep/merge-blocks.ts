import type { DatabaseSync, StatementSync } from "node:sqlite";
import { present } from "#base/present.ts";
import { findRow, getRow, listRows } from "#storage/sqlite/rows.ts";
import { type BlockSpan, LARGEST_BLOCK, packBlocks } from "#storage/traces/content/block.ts";
import { readBlock } from "#storage/traces/content/damaged-blocks.ts";
import type { BlockMember } from "#storage/traces/content/repack-block.ts";
import { signatureOf } from "#storage/traces/text/text-signature.ts";
import { SignatureRows } from "../text/signature-rows.ts";
import { LogRows } from "../write/log-rows.ts";

/** Blocks with more spans, or more compressed bytes, stay as they are. */
const MOST_SPANS = 48;
const MOST_BYTES = 32_768;
/** Merged blocks lie within so many numbers of spans: reading a block looks at all of them. */
const SPAN_RANGE = 4 * LARGEST_BLOCK.spans;
/** Blocks that are looked at in one step. */
const STEP_BLOCKS = 256;

interface StoredBlock {
	readonly id: number;
	readonly first_span: number;
	readonly last_span: number;
	/** Compressed. */
	readonly bytes: number;
}

interface PlacedSpan extends BlockMember {
	readonly is_root: 0 | 1;
}

interface Member extends BlockSpan, PlacedSpan {
	readonly blockId: number;
}

interface ReadBlock {
	readonly id: number;
	readonly data: Uint8Array;
	readonly members: readonly Member[];
	readonly logs: readonly Uint8Array[];
}

/** Blocks to merge, and the block that takes their place, under the number of the first one. */
interface Merge {
	readonly blocks: readonly ReadBlock[];
	readonly spans: readonly Member[];
	readonly data: Uint8Array;
	readonly signature: Uint8Array;
}

/**
 * Merges small blocks, which spans that come a few at a time are stored in: 2 KB spans take 950 bytes each with one in
 * a block, 322 with 128. Goes through the blocks once, in the order of their numbers. The last ones wait until there
 * are enough to fill a block.
 */
export class BlockMerger {
	readonly #db: DatabaseSync;
	readonly #signs: boolean;
	readonly #logs: LogRows;
	readonly #signatures: SignatureRows;
	readonly #next: StatementSync;
	readonly #data: StatementSync;
	readonly #members: StatementSync;
	readonly #place: StatementSync;
	/** All blocks up to this number have been looked at. */
	#after: number;
	#savedAfter: number;
	#prepared: Merge | undefined;

	/** @param signs whether blocks get signatures */
	constructor(db: DatabaseSync, signs: boolean) {
		this.#db = db;
		this.#signs = signs;
		this.#logs = new LogRows(db);
		this.#signatures = new SignatureRows(db);
		this.#next = db.prepare(
			"select id, first_span, last_span, length(data) as bytes from blocks where id > ? order by id limit ?",
		);
		this.#data = db.prepare("select data from blocks where id = ?");
		this.#members = db.prepare(
			"select id, ordinal, parent_span_id is null as is_root from spans where id between ? and ? and block_id = ? order by ordinal",
		);
		this.#place = db.prepare("update spans set block_id = ?, ordinal = ? where id = ?");
		this.#after = getRow<{ block: number }>(db.prepare("select last_block as block from block_merging")).block;
		this.#savedAfter = this.#after;
	}

	/** Finds and packs the next blocks, without a lock. @returns whether there is something to write */
	prepare(): boolean {
		if (this.#prepared !== undefined) return true;
		this.#db.exec("begin");
		try {
			this.#prepared = this.#nextMerge();
		} finally {
			this.#db.exec("commit");
		}
		return this.#prepared !== undefined || this.#after - this.#savedAfter >= STEP_BLOCKS;
	}

	/** Writes what was prepared, unless its blocks have changed since. Call it within a transaction. */
	write(): void {
		const merge = this.#prepared;
		this.#prepared = undefined;
		if (merge !== undefined) {
			if (!merge.blocks.every((block) => this.#isUnchanged(block))) return;
			this.#replace(merge);
			this.#after = present(merge.blocks.at(-1), "the last of the merged blocks").id;
		}
		this.#db.prepare("update block_merging set last_block = ?").run(this.#after);
		this.#savedAfter = this.#after;
	}

	/** Discards what was prepared, after writing failed. */
	abandon(): void {
		this.#prepared = undefined;
	}

	#nextMerge(): Merge | undefined {
		const stored = listRows<StoredBlock>(this.#next, this.#after, STEP_BLOCKS);
		let run: StoredBlock[] = [];
		for (const block of stored) {
			while (run.length > 0 && !hasRoom(run, block)) {
				const merge = this.#merge(run);
				if (merge !== undefined) return merge;
				this.#after = present(run[0], "the first block of a run").id;
				run = run.slice(1);
			}
			if (isSmall(block)) run.push(block);
			else if (run.length === 0) this.#after = block.id;
		}
		return undefined;
	}

	/** Undefined when the first block cannot be merged with the one after it. */
	#merge(run: readonly StoredBlock[]): Merge | undefined {
		if (run.length < 2) return undefined;
		this.#logs.begin();
		const blocks: ReadBlock[] = [];
		let bytes = 0;
		for (const stored of run) {
			const block = this.#read(stored);
			bytes += block?.members.reduce((sum, span) => sum + span.bytes.length, 0) ?? 0;
			if (block === undefined || bytes > LARGEST_BLOCK.bytes) break;
			blocks.push(block);
		}
		if (blocks.length < 2) return undefined;
		const members = blocks.flatMap((block) => block.members);
		const [packed] = packBlocks(members, { first: ({ is_root }) => is_root === 1 });
		const { spans, data } = present(packed, "the merged block");
		if (spans.length < members.length) throw new Error(`blocks from ${blocks[0]?.id} on do not fit into one`);
		const logs = blocks.flatMap((block) => block.logs);
		return { blocks, spans, data, signature: signatureOf({ spans, logs }) };
	}

	/** Undefined when the block is damaged. */
	#read({ id, first_span, last_span }: StoredBlock): ReadBlock | undefined {
		const { data } = getRow<{ data: Uint8Array }>(this.#data, id);
		const spans = readBlock(id, data);
		const places = listRows<PlacedSpan>(this.#members, first_span, last_span, id);
		const members = places.flatMap((place) => {
			const span = spans[place.ordinal];
			return span === undefined ? [] : [{ ...span, ...place, blockId: id }];
		});
		if (members.length === 0 || members.length < places.length) return undefined;
		return { id, data, members, logs: this.#logs.ofBlock(id) };
	}

	#isUnchanged({ id, data }: ReadBlock): boolean {
		const now = findRow<{ data: Uint8Array }>(this.#data, id);
		return now !== undefined && Buffer.compare(now.data, data) === 0;
	}

	#replace({ blocks, spans, data, signature }: Merge): void {
		const ids = blocks.map(({ id }) => id);
		const [first = 0, ...others] = ids;
		for (const [ordinal, span] of spans.entries())
			if (span.blockId !== first || span.ordinal !== ordinal) this.#place.run(first, ordinal, span.id);
		const numbers = spans.map(({ id }) => id);
		this.#db
			.prepare("update blocks set first_span = ?, last_span = ?, data = ? where id = ?")
			.run(Math.min(...numbers), Math.max(...numbers), data, first);
		this.#db.prepare("delete from blocks where id in (select value from json_each(?))").run(JSON.stringify(others));
		// Log records may have come since the signature was made.
		const isSigned = this.#signs && !ids.some((id) => this.#signatures.isOutdated(id));
		this.#signatures.delete(ids);
		if (isSigned) this.#signatures.insert(first, signature);
		else this.#signatures.outdate(first);
	}
}

function countOf({ first_span, last_span }: StoredBlock): number {
	return last_span - first_span + 1;
}

function isSmall(block: StoredBlock): boolean {
	return countOf(block) <= MOST_SPANS && block.bytes <= MOST_BYTES;
}

/** Whether the run may get longer after this block; blocks that are not small are passed over. */
function hasRoom(run: readonly StoredBlock[], block: StoredBlock): boolean {
	// Blocks of spans that have ended lie within the row numbers of earlier ones.
	const all = [...run, block];
	const first = Math.min(...all.map(({ first_span }) => first_span));
	const last = Math.max(...all.map(({ last_span }) => last_span));
	if (last - first >= SPAN_RANGE) return false;
	if (!isSmall(block)) return true;
	return run.reduce((sum, stored) => sum + countOf(stored), countOf(block)) <= LARGEST_BLOCK.spans;
}
