import { chunksOf } from "#base/chunks.ts";
import { present } from "#base/present.ts";
import { contentOf } from "#storage/traces/content/content-of.ts";
import { readBlock, reportDamage, standIn } from "#storage/traces/content/damaged-blocks.ts";
import { loweredTexts, mayHoldWords } from "#storage/traces/content/lowered-texts.ts";
import type { SpanContent } from "#storage/traces/trace-store.ts";
import { keysOfBlocks } from "../periods.ts";
import { type Queryable, query, queryBytes } from "../read/query.ts";
import { type LocatedSpan, SpanContents } from "../read/span-contents.ts";
import { SPANS_OF_BLOCKS } from "./candidate-blocks.ts";

/** Blocks per statement. */
const BLOCKS_AT_ONCE = 32;

/**
 * Finds the spans that may contain some words by searching the bytes of their blocks. A span with log records always
 * may.
 */
export class SpansWithWords {
	readonly #client: Queryable;
	readonly #contents: SpanContents;
	#hasLogs: boolean | undefined;

	constructor(client: Queryable) {
		this.#client = client;
		this.#contents = new SpanContents(client);
	}

	/** Those of the rows, block by block, that may contain all words, given in lower case. */
	async *read<Row extends LocatedSpan>(
		rows: readonly Row[],
		words: readonly string[],
	): AsyncGenerator<{ row: Row; content: SpanContent }> {
		if (await this.#logsExist()) {
			yield* this.#contents.read(rows);
			return;
		}
		const left = Map.groupBy(rows, (row) => row.block_id);
		const blocks = new Map(rows.map((row) => [row.block_id, row.start_micros]));
		for await (const { id, spans } of this.#unpacked(blocks)) {
			const lowered = words.length === 0 ? undefined : loweredTexts(spans);
			for (const row of present(left.get(id), "the rows of a block")) {
				if (!mayHave(lowered, row.ordinal, words)) continue;
				const span = spans[row.ordinal];
				if (span === undefined) reportDamage({ blockId: id, reason: "it lacks spans" });
				yield { row, content: contentOf(span ?? standIn(row)) };
			}
			left.delete(id);
		}
		for (const [blockId, ofMissing] of left) {
			reportDamage({ blockId, reason: "it is missing" });
			for (const row of ofMissing) yield { row, content: contentOf(standIn(row)) };
		}
	}

	/**
	 * The project's rows in these blocks, given with a time of their period, that may contain all words; undefined when the search
	 * takes longer than `deadline`.
	 */
	async find(
		projectId: number,
		blocks: ReadonlyMap<number, number>,
		words: readonly string[],
		deadline: number,
	): Promise<readonly FoundSpan[] | undefined> {
		const inBytes = (await this.#logsExist()) ? [] : words;
		if (inBytes.length === 0) return this.#inRanges(projectId, blocks);
		const hits = new Map<number, ReadonlySet<number>>();
		const guessed: number[] = [];
		for await (const { id, firstSpan, spans } of this.#unpacked(blocks)) {
			if (performance.now() > deadline) return undefined;
			const lowered = loweredTexts(spans);
			const ordinals = spans.map((_span, ordinal) => ordinal).filter((ordinal) => mayHave(lowered, ordinal, inBytes));
			if (ordinals.length === 0) continue;
			hits.set(id, new Set(ordinals));
			// Spans are numbered in the order of their block, unless it lost some.
			guessed.push(...ordinals.map((ordinal) => firstSpan + ordinal));
		}
		const isHit = ({ block_id, ordinal }: FoundSpan) => hits.get(block_id)?.has(ordinal) ?? false;
		const found = (await this.#byNumber(projectId, guessed)).filter(isHit);
		const perBlock = Map.groupBy(found, (row) => row.block_id);
		const incomplete = [...blocks].filter(([id]) => (hits.get(id)?.size ?? 0) > (perBlock.get(id)?.length ?? 0));
		if (incomplete.length === 0) return found;
		const ids = new Set(incomplete.map(([id]) => id));
		const others = (await this.#inRanges(projectId, new Map(incomplete))).filter(isHit);
		return [...found.filter((row) => !ids.has(row.block_id)), ...others];
	}

	async #logsExist(): Promise<boolean> {
		this.#hasLogs ??= (await query(this.#client, "select 1 from log_records limit 1")).length > 0;
		return this.#hasLogs;
	}

	#inRanges(projectId: number, blocks: ReadonlyMap<number, number>): Promise<FoundSpan[]> {
		return query(this.#client, `select ${FOUND_COLUMNS} from ${SPANS_OF_BLOCKS} where spans.project_id = ?`, [
			[...blocks.keys()],
			keysOfBlocks(blocks.values()),
			projectId,
		]);
	}

	#byNumber(projectId: number, ids: readonly number[]): Promise<FoundSpan[]> {
		return query(
			this.#client,
			`select ${FOUND_COLUMNS} from spans where spans.id = any(?::bigint[]) and spans.project_id = ?`,
			[ids, projectId],
		);
	}

	async *#unpacked(blocks: ReadonlyMap<number, number>) {
		for (const part of chunksOf([...blocks], BLOCKS_AT_ONCE)) {
			const rows = await queryBytes<{ id: number; first_span: number; data: Uint8Array }>(
				this.#client,
				"select id, first_span, data from blocks where id = any(?::bigint[]) and month = any(?::bigint[])",
				[part.map(([id]) => id), keysOfBlocks(part.map(([, micros]) => micros))],
			);
			for (const { id, first_span, data } of rows) yield { id, firstSpan: first_span, spans: readBlock(id, data) };
		}
	}
}

export interface FoundSpan extends LocatedSpan {
	readonly trace_row_id: number;
	readonly session_row_id: number | null;
}

const FOUND_COLUMNS = `spans.id, spans.project_id, spans.trace_row_id, spans.trace_id, spans.span_id, spans.start_micros, spans.block_id,
	spans.ordinal, (select session_row_id from traces where traces.id = spans.trace_row_id) as session_row_id`;

/**
 * A span that its block does not have may contain anything. @param lowered the texts of the block; undefined when
 * unknown
 */
function mayHave(lowered: readonly string[] | undefined, ordinal: number, words: readonly string[]): boolean {
	const text = lowered?.[ordinal];
	return text === undefined || mayHoldWords(text, words);
}
