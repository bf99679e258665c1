import type { DatabaseSync } from "node:sqlite";
import { eachRow, listRows } from "#storage/sqlite/rows.ts";
import { isIdLike } from "#storage/traces/content/searchable-text.ts";
import { findRowsBySpanIds } from "../read/span-lookup.ts";
import { lastIndexedBlock } from "./last-indexed-block.ts";

/** Blocks that may contain some words. */
export interface CandidateBlocks {
	readonly ids: ReadonlySet<number>;
	/** Later blocks are not indexed: each may contain the words. */
	readonly indexedThrough: number;
}

interface OfBlock {
	readonly block_id: number;
}

/** With more blocks the words are so common that scanning the list finds them soon. */
const MOST_BLOCKS = 200_000;

/**
 * The blocks whose spans may contain all words; undefined when the index cannot narrow them down (words of one or two
 * letters, or very common ones).
 */
export function candidateBlocks(db: DatabaseSync, words: readonly string[]): CandidateBlocks | undefined {
	let ids: Set<number> | undefined;
	for (const [isId, group] of Map.groupBy(words, isIdLike)) {
		// An id may occur in a text or be the span's own; all other words are looked up together.
		const sets = isId ? group.map((word) => blocksOfId(db, word)) : [blocksOfWords(db, group)];
		for (const set of sets) if (set !== undefined) ids = ids === undefined ? set : common(ids, set);
	}
	if (ids === undefined) return undefined;
	const others = "select block_id from block_text_stale union all select block_id from block_text_skipped";
	for (const { block_id } of eachRow<OfBlock>(db.prepare(others))) ids.add(block_id);
	return { ids, indexedThrough: lastIndexedBlock(db) };
}

function common(a: ReadonlySet<number>, b: ReadonlySet<number>): Set<number> {
	return new Set([...a].filter((id) => b.has(id)));
}

function blocksOfWords(db: DatabaseSync, words: readonly string[]): Set<number> | undefined {
	const groups = new Set(words.flatMap(groupsOfThree));
	if (groups.size === 0) return undefined;
	const query = Array.from(groups, (group) => `"${group.replaceAll('"', '""')}"`).join(" AND ");
	const rows = listRows<OfBlock>(
		db.prepare("select rowid as block_id from block_text where block_text match ? limit ?"),
		query,
		MOST_BLOCKS + 1,
	);
	return rows.length > MOST_BLOCKS ? undefined : new Set(rows.map(({ block_id }) => block_id));
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

function groupsOfThree(word: string): string[] {
	const letters = [...word];
	return letters.slice(2).map((last, index) => `${letters[index]}${letters[index + 1]}${last}`);
}
