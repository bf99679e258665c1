import { chunksOf } from "#base/chunks.ts";
import { present } from "#base/present.ts";
import { isIdLike } from "#storage/traces/content/searchable-text.ts";
import { bitsInAll } from "#storage/traces/text/bit-slices.ts";
import { blocksOfGroup } from "#storage/traces/text/signature-groups.ts";
import { hashesOfWord } from "#storage/traces/text/text-signature.ts";
import { periodOfKeySql } from "../periods.ts";
import { bytesOfHex, type Queryable, query } from "../read/query.ts";
import { readUnsigned, type UnsignedBlocks } from "./unsigned-blocks.ts";

/** With more blocks the words are so common that scanning the list finds them soon. */
const MOST_BLOCKS = 200_000;
/** Groups whose lists of blocks, up to 32 KiB each, are read at once. */
const GROUPS_AT_ONCE = 50;
/** Slices of each group that are read at once, before those of groups that are still in question. */
const SLICES_AT_ONCE = 8;
const WANTED = periodOfKeySql("wanted.month");

/** A `from` clause for the spans of blocks. Values: a list of block ids, and the `keysOfBlocks`. */
export const SPANS_OF_BLOCKS = `(
		select id, month, first_span, last_span from blocks where id = any(?::bigint[]) and month = any(?::bigint[]) offset 0
	) as wanted
	join spans on spans.id between wanted.first_span and wanted.last_span and spans.block_id = wanted.id
		and spans.start_micros >= ${WANTED.from} and spans.start_micros < ${WANTED.to}`;

/** Blocks that may contain some words. */
export class CandidateBlocks {
	readonly #client: Queryable;
	/** With a time of their period. */
	readonly #found: ReadonlyMap<number, number>;
	readonly #unsigned: UnsignedBlocks;

	constructor(client: Queryable, found: ReadonlyMap<number, number>, unsigned: UnsignedBlocks) {
		this.#client = client;
		this.#found = found;
		this.#unsigned = unsigned;
	}

	has(blockId: number): boolean {
		const { listed, ranges } = this.#unsigned;
		return (
			this.#found.has(blockId) ||
			listed.has(blockId) ||
			ranges.some(([first, last]) => blockId >= first && blockId <= last)
		);
	}

	/** All of them with a time of their period, unless there are more than `most`. Those that were deleted may be among them. */
	async list(most: number): Promise<ReadonlyMap<number, number> | undefined> {
		const { listed, ranges } = this.#unsigned;
		const all = new Map([...this.#found, ...listed]);
		for (const [first, last] of ranges) {
			if (all.size > most) return undefined;
			const rows = await query<{ id: number; month: number }>(
				this.#client,
				"select id, month from blocks where id between ? and ? order by id limit ?",
				[first, last, most + 1],
			);
			for (const { id, month } of rows) all.set(id, month);
		}
		return all.size > most ? undefined : all;
	}
}

/**
 * The blocks whose spans may contain all words; undefined when the index cannot narrow them down (words of one or two
 * letters, very common ones, or many blocks without signatures). Call it within one snapshot: signatures move from one
 * table to another.
 */
export async function candidateBlocks(
	client: Queryable,
	words: readonly string[],
): Promise<CandidateBlocks | undefined> {
	const unsigned = await readUnsigned(client);
	if (unsigned === undefined) return undefined;
	let found: Map<number, number> | undefined;
	for (const [isId, group] of Map.groupBy(words, isIdLike)) {
		// An id may occur in a text or be the span's own; all other words are looked up together.
		for (const together of isId ? group.map((word) => [word]) : [group]) {
			const blocks = await blocksOfWords(client, together);
			if (blocks === undefined) continue;
			const [word] = together;
			if (isId && word !== undefined) for (const [id, month] of await blocksOfId(client, word)) blocks.set(id, month);
			found = found === undefined ? blocks : common(found, blocks);
		}
	}
	return found === undefined ? undefined : new CandidateBlocks(client, found, unsigned);
}

function common(a: ReadonlyMap<number, number>, b: ReadonlyMap<number, number>): Map<number, number> {
	return new Map([...a].filter(([id]) => b.has(id)));
}

/**
 * True for all rows, which are then read by an index: where sequential scans are off (`inOneView`), PostgreSQL would
 * start parallel workers for one, which takes longer than the search.
 */
const BY_INDEX = { signatures: "size > 0", groups: "id > 0" };

/** The number of a bit of a signature, as `bitOf` computes it. */
const BIT = "((hash * size) >> 29)";

async function blocksOfWords(client: Queryable, words: readonly string[]): Promise<Map<number, number> | undefined> {
	const hashes = [...new Set(words.flatMap(hashesOfWord))].map((hash) => hash >>> 0);
	if (hashes.length === 0) return undefined;
	const single = await query<BlockRow>(
		client,
		`select block_id, month from block_text_signatures
		where ${BY_INDEX.signatures} and not exists (
			select from unnest(?::bigint[]) as hash
			where get_byte(substring(signature from (${BIT} >> 3)::integer + 1 for 1), 0) & (1 << (${BIT} & 7)::integer) = 0
		)
		limit ?`,
		[hashes, MOST_BLOCKS + 1],
	);
	const groups = await groupsWith(client, hashes);
	const count = groups.reduce((sum, { members }) => sum + members.length, single.length);
	if (count > MOST_BLOCKS) return undefined;
	const found = new Map(single.map(({ block_id, month }) => [block_id, month]));
	for (const part of chunksOf(groups, GROUPS_AT_ONCE)) {
		const rows = await query<{ id: number; month: number; blocks: Uint8Array }>(
			client,
			"select id, month, blocks from block_text_groups where id = any(?::bigint[])",
			[part.map(({ id }) => id)],
		);
		const byId = new Map(rows.map((row) => [row.id, row]));
		for (const { id, members } of part) {
			const { month, blocks } = present(byId.get(id), "a group of signatures");
			const ids = blocksOfGroup(blocks);
			for (const member of members) found.set(present(ids[member], "a member of a group"), month);
		}
	}
	return found;
}

interface BlockRow {
	readonly block_id: number;
	readonly month: number;
}

/** The groups with members that have all hashes. Most groups have none with the first of them. */
async function groupsWith(
	client: Queryable,
	hashes: readonly number[],
): Promise<readonly { readonly id: number; readonly members: readonly number[] }[]> {
	const slices = new Map<number, Uint8Array[]>();
	for (const [step, part] of [...chunksOf(hashes, SLICES_AT_ONCE)].entries()) {
		const rows = await query<{ id: number; slice: Uint8Array }>(
			client,
			`select id, substring(slices from (${BIT} * (members / 8))::integer + 1 for members / 8) as slice
			from block_text_groups cross join unnest(?::bigint[]) as hash
			where ${step === 0 ? BY_INDEX.groups : "id = any(?::bigint[])"}`,
			[part, ...(step === 0 ? [] : [[...slices.keys()]])],
		);
		for (const [id, read] of Map.groupBy(rows, (row) => row.id)) {
			const all = [...(slices.get(id) ?? []), ...read.map(({ slice }) => slice)];
			if (bitsInAll(all).length > 0) slices.set(id, all);
			else slices.delete(id);
		}
		if (slices.size === 0) break;
	}
	return Array.from(slices, ([id, all]) => ({ id, members: bitsInAll(all) }));
}

async function blocksOfId(client: Queryable, id: string): Promise<[number, number][]> {
	const rows =
		id.length === 16
			? await query<{ block_id: number; start_micros: number }>(
					client,
					"select block_id, start_micros from spans where span_id = ?",
					[bytesOfHex(id)],
				)
			: await query<{ block_id: number; start_micros: number }>(
					client,
					`select spans.block_id, spans.start_micros from traces
						join spans on spans.trace_row_id = traces.id and spans.start_micros >= traces.start_micros
					where traces.trace_id = ?`,
					[bytesOfHex(id)],
				);
	return rows.map((row) => [row.block_id, row.start_micros]);
}
