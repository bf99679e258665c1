import { present } from "#base/present.ts";
import { isIdLike } from "#storage/traces/content/searchable-text.ts";
import { monthOf } from "../partitions.ts";
import { bytesOfHex, type Queryable, query } from "../read/query.ts";
import { ANY_GRAM, gramsOfWord } from "./grams.ts";

/** With more blocks the words are so common that scanning the list finds them soon. */
const MOST_BLOCKS = 5_000;
/** The longest month. */
const MONTH_MICROS = 31 * 86_400_000_000;

/** A `from` clause for the spans of blocks. Values: a list of block ids, and a list of their months. */
export const SPANS_OF_BLOCKS = `(
		select id, month, first_span, last_span from blocks where id = any(?::bigint[]) and month = any(?::bigint[]) offset 0
	) as wanted
	join spans on spans.id between wanted.first_span and wanted.last_span and spans.block_id = wanted.id
		and spans.start_micros >= wanted.month and spans.start_micros < wanted.month + ${MONTH_MICROS}`;

/**
 * The blocks, with their months, whose spans may contain all words; undefined when the index cannot narrow them down
 * (words of one or two letters, very common ones, or no index).
 */
export async function candidateBlocks(
	client: Queryable,
	words: readonly string[],
): Promise<ReadonlyMap<number, number> | undefined> {
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
	return found;
}

function common(a: ReadonlyMap<number, number>, b: ReadonlyMap<number, number>): Map<number, number> {
	return new Map([...a].filter(([id]) => b.has(id)));
}

async function blocksOfWords(client: Queryable, words: readonly string[]): Promise<Map<number, number> | undefined> {
	const grams = [...new Set(words.flatMap(gramsOfWord))];
	if (grams.length === 0) return undefined;
	// Blocks that are not indexed yet may contain any text. If there are too many blocks, they are not sent.
	const rows = await query<{ id: number | null; month: number | null; found: number }>(
		client,
		`with candidates as materialized (
			(select block_id as id, month from block_text where grams @> ?::integer[] or grams @> ?::integer[]
				limit ${MOST_BLOCKS + 1})
			union all (select block_id, month from block_text_waiting limit ${MOST_BLOCKS + 1})
		)
		select id, month, counted.found from (select count(*) as found from candidates) as counted
			left join candidates on counted.found <= ${MOST_BLOCKS}`,
		[grams, [ANY_GRAM]],
	);
	const { found } = present(rows[0], "the count of blocks");
	if (found > MOST_BLOCKS || (found === 0 && !(await hasIndex(client)))) return undefined;
	return new Map(rows.flatMap(({ id, month }) => (id === null || month === null ? [] : [[id, month]])));
}

/** Blocks that were written without the index are in neither of its tables. */
async function hasIndex(client: Queryable): Promise<boolean> {
	const rows = await query(client, "select 1 from block_text limit 1");
	return rows.length > 0;
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
	return rows.map((row) => [row.block_id, monthOf(row.start_micros)]);
}
