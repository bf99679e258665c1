import type { DatabaseSync } from "node:sqlite";
import { present } from "#base/present.ts";
import { eachRow, getRow, listRows } from "#storage/sqlite/rows.ts";
import { isIdLike } from "#storage/traces/content/searchable-text.ts";
import { bitsInAll } from "#storage/traces/text/bit-slices.ts";
import { blocksOfGroup } from "#storage/traces/text/signature-groups.ts";
import { bitOf, hashesOfWord, mayContain } from "#storage/traces/text/text-signature.ts";
import type { NumberRange } from "../read/ordered-scan.ts";
import { findRowsBySpanIds } from "../read/span-lookup.ts";
import { listUnsigned, type UnsignedRange } from "./unsigned-blocks.ts";

interface OfBlock {
	readonly block_id: number;
}

/** With more blocks the words are so common that scanning the list finds them soon. */
const MAX_BLOCKS = 200_000;

/** Blocks that may contain some words. */
export class CandidateBlocks {
	readonly #db: DatabaseSync;
	readonly #ids: ReadonlySet<number>;
	readonly #unsigned: readonly UnsignedRange[];
	/** Later blocks came after the search began. */
	readonly #lastBlock: number;

	constructor(db: DatabaseSync, ids: ReadonlySet<number>, unsigned: readonly UnsignedRange[], lastBlock: number) {
		this.#db = db;
		this.#ids = ids;
		this.#unsigned = unsigned;
		this.#lastBlock = lastBlock;
	}

	has(blockId: number): boolean {
		return blockId > this.#lastBlock || this.#ids.has(blockId) || isWithin(this.#unsigned, blockId);
	}

	/** All of them, unless there are more than `most`. Those that were deleted may be among them. */
	list(most: number): readonly number[] | undefined {
		const all = new Set(this.#ids);
		const find = this.#db.prepare("select id as block_id from blocks where id between ? and ? limit ?");
		for (const { first_block, last_block } of this.#unsigned) {
			if (all.size > most) return undefined;
			for (const { block_id } of eachRow<OfBlock>(find, first_block, last_block, most + 1)) all.add(block_id);
		}
		return all.size > most ? undefined : [...all];
	}

	/** The numbers of their spans, ascending and without overlaps; undefined if there are more than `most` blocks. */
	ranges(most: number): NumberRange[] | undefined {
		const blocks = this.list(most);
		if (blocks === undefined) return undefined;
		const ranges = listRows<NumberRange>(
			this.#db.prepare(
				`select first_span as first, last_span as last from json_each(?) as wanted
				cross join blocks on blocks.id = wanted.value order by first_span`,
			),
			JSON.stringify(blocks),
		);
		const joined: NumberRange[] = [];
		for (const range of ranges) {
			const previous = joined.at(-1);
			if (previous === undefined || range.first > previous.last) joined.push(range);
			else joined.splice(-1, 1, { first: previous.first, last: Math.max(previous.last, range.last) });
		}
		return joined;
	}
}

/**
 * The blocks whose spans may contain all words; undefined when the index cannot narrow them down (words of one or two
 * letters, or very common ones). Call it within one snapshot: signatures move from one table to another.
 */
export function candidateBlocks(db: DatabaseSync, words: readonly string[]): CandidateBlocks | undefined {
	let ids: Set<number> | undefined;
	for (const [isId, group] of Map.groupBy(words, isIdLike)) {
		// An id may occur in a text or be the span's own; all other words are looked up together.
		const sets = isId ? group.map((word) => blocksOfId(db, word)) : [blocksOfWords(db, group)];
		for (const set of sets) if (set !== undefined) ids = ids === undefined ? set : common(ids, set);
	}
	if (ids === undefined || ids.size > MAX_BLOCKS) return undefined;
	const { last } = getRow<{ last: number }>(db.prepare("select coalesce(max(id), 0) as last from blocks"));
	return new CandidateBlocks(db, ids, listUnsigned(db), last);
}

/**
 * A test of single blocks without log records: whether their spans may contain all words, as far as their signature is not
 * in a group yet. For a few of the newest blocks, this is quicker than looking at all signatures.
 */
export function signatureTest(db: DatabaseSync, words: readonly string[]): (blockId: number) => boolean {
	const hashes = [...new Set(words.flatMap(hashesOfWord))];
	const unsigned = listUnsigned(db);
	const find = db.prepare("select signature from block_text_signatures where block_id = ?");
	return (blockId) => {
		if (isWithin(unsigned, blockId)) return true;
		const signatures = listRows<{ signature: Uint8Array }>(find, blockId);
		return signatures.length === 0 || signatures.some(({ signature }) => mayContain(signature, hashes));
	};
}

function isWithin(ranges: readonly UnsignedRange[], blockId: number): boolean {
	return ranges.some(({ first_block, last_block }) => blockId >= first_block && blockId <= last_block);
}

function common(a: ReadonlySet<number>, b: ReadonlySet<number>): Set<number> {
	return new Set([...a].filter((id) => b.has(id)));
}

function blocksOfWords(db: DatabaseSync, words: readonly string[]): Set<number> | undefined {
	const hashes = [...new Set(words.flatMap(hashesOfWord))];
	if (hashes.length === 0) return undefined;
	const found = new Set<number>();
	for (const block of singlesWith(db, hashes)) found.add(block);
	const blocksOf = db.prepare("select blocks from block_text_groups where id = ?");
	const groups = listRows<{ id: number; size: number }>(
		db.prepare("select id, size from block_text_groups where is_complete = 1"),
	);
	for (const { id, size } of groups) {
		const members = membersWith(db, id, size, hashes);
		if (members.length === 0) continue;
		const blocks = blocksOfGroup(getRow<{ blocks: Uint8Array }>(blocksOf, id).blocks);
		for (const member of members) found.add(present(blocks[member], "a member of a group"));
	}
	return found;
}

/** The blocks whose single signatures have all hashes. SQLite looks at the bits, as it takes longer to hand out blobs. */
function* singlesWith(db: DatabaseSync, hashes: readonly number[]): Generator<number> {
	const sizes = listRows<{ size: number }>(db.prepare("select distinct size from block_text_signatures"));
	for (const { size } of sizes) {
		const bits = [...new Set(hashes.map((hash) => bitOf(hash, size)))];
		const tests = bits.map(() => "instr(?, substr(signature, ?, 1))").join(" and ");
		const single = db.prepare(`select block_id from block_text_signatures where size = ? and ${tests}`);
		const values = bits.flatMap((bit) => [present(BYTES_WITH_BIT[bit & 7], "a bit of a byte"), (bit >>> 3) + 1]);
		for (const { block_id } of eachRow<OfBlock>(single, size, ...values)) yield block_id;
	}
}

/** By bit, every byte that has it. */
const BYTES_WITH_BIT = Array.from({ length: 8 }, (_, bit) =>
	Uint8Array.from({ length: 256 }, (_byte, byte) => byte).filter((byte) => (byte & (1 << bit)) !== 0),
);

/** The places in the group of the signatures that have all hashes. */
function membersWith(db: DatabaseSync, groupId: number, size: number, hashes: readonly number[]): number[] {
	const bits = new Set(hashes.map((hash) => bitOf(hash, size)));
	const slices = listRows<{ slice: Uint8Array }>(
		// `cross join` begins with the wanted bits; SQLite would rather read all slices of the group.
		db.prepare(
			"select slice from json_each(?) as wanted cross join block_text_slices on group_id = ? and bit = wanted.value",
		),
		JSON.stringify([...bits]),
		groupId,
	);
	return bitsInAll(slices.map(({ slice }) => slice));
}

function blocksOfId(db: DatabaseSync, id: string): Set<number> | undefined {
	const inTexts = blocksOfWords(db, [id]);
	if (inTexts === undefined) return undefined;
	const spans =
		id.length === 16
			? listRows<OfBlock>(
					db.prepare("select distinct block_id from spans where id in (select value from json_each(?))"),
					JSON.stringify(findRowsBySpanIds(db, [id])),
				)
			: listRows<OfBlock>(
					db.prepare(
						`select distinct spans.block_id from traces join spans on spans.trace_row_id = traces.id
						where traces.trace_id = unhex(?)`,
					),
					id,
				);
	for (const { block_id } of spans) inTexts.add(block_id);
	return inTexts;
}
