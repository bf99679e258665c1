import type { DatabaseSync, StatementSync } from "node:sqlite";
import { getRow, listRows } from "#storage/sqlite/rows.ts";
import { isIdLike } from "#storage/traces/content/searchable-text.ts";
import { LARGEST_CHUNK } from "#storage/traces/lists/positions.ts";
import type { Order } from "#storage/traces/trace-store.ts";
import { candidateBlocks, signatureTest } from "../text/candidate-blocks.ts";
import type { NumberRange, OrderedScan, ScannedRange } from "./ordered-scan.ts";
import type { SpanContents } from "./span-contents.ts";

/** Rows that are looked at together, at most: those of four blocks or five. */
const STEP_ROWS = 512;
/** Blocks of huge spans are looked at fewer at a time. */
const STEP_MS = 25;
/** Reading a row by way of an index takes as long as reading so many rows in the order of their numbers. */
const DENSE = 3;
/** So many of the first blocks are searched without asking the signatures, which takes as long as searching them. */
const FIRST_BLOCKS = 16;
/** As {@link FIRST_BLOCKS}, where words turn out to be common enough to fill the page. */
const MORE_BLOCKS = 256;
/** With more blocks, finding out which spans they hold takes longer than going through all. */
const FEW_BLOCKS = 1_000;

export interface WordsQuery {
	readonly projectId: number;
	/** In lower case; a span without one of them cannot match. What looks like an id may be the span's own. */
	readonly words: readonly string[];
	readonly order: Order;
	/** How many rows the page needs. */
	readonly limit: number;
	/** The first row number that may be in the page. */
	readonly from: number | undefined;
	/** As of `OrderedScan`. */
	readonly narrow: OrderedScan<never>["narrow"];
}

/**
 * The numbers of the spans that may contain words, in the order of a list by row number, found as the list goes on: first
 * in the first blocks of the list, then in those that the signatures name.
 */
export function* rangesWithWords(db: DatabaseSync, contents: SpanContents, query: WordsQuery): Generator<ScannedRange> {
	const { words, order, limit, from, narrow } = query;
	const isAscending = order === "asc";
	const inTexts = words.filter((word) => !isIdLike(word));
	const steps = new WordSteps(db, contents, { ...query, words: inTexts });
	const all = db.prepare(
		"select coalesce((select min(id) from spans), 0) as first, coalesce((select max(id) from spans), 0) as last",
	);
	let rest = getRow<NumberRange>(all);
	if (from !== undefined) rest = isAscending ? { ...rest, first: from } : { ...rest, last: Math.min(from, rest.last) };
	let found = 0;
	const fillsPage = () => found * MORE_BLOCKS >= limit * steps.blocks.size;
	const looksAtFirst = inTexts.length > 0 && narrow === undefined;
	const hasWords = signatureTest(db, inTexts);
	// A later signature of a block has the log records that came after the first one.
	const mayHave = (blockId: number) => hasWords(blockId) || contents.hasLogs(blockId);
	while (looksAtFirst && steps.blocks.size < (fillsPage() ? MORE_BLOCKS : FIRST_BLOCKS)) {
		const step = steps.next(rest, mayHave);
		if (step === undefined) return;
		found += step.rows.length;
		yield* rangesOf(step);
		rest = step.rest;
	}
	const candidates = candidateBlocks(db, words);
	const isCandidate = (blockId: number) => candidates?.has(blockId) ?? true;
	const few = candidates?.ranges(FEW_BLOCKS);
	const ranges = few === undefined ? windowsOf(query, rest) : isAscending ? few : few.toReversed();
	for (const range of ranges) {
		let part = { first: Math.max(range.first, rest.first), last: Math.min(range.last, rest.last) };
		while (part.first <= part.last) {
			const step = steps.next(part, isCandidate);
			if (step === undefined) break;
			yield* rangesOf(step);
			part = step.rest;
		}
	}
}

/** A range in its order, as far as it is narrowed, a window at a time. */
function* windowsOf({ order, narrow }: WordsQuery, range: NumberRange): Generator<NumberRange> {
	if (narrow === undefined) {
		yield range;
		return;
	}
	const isAscending = order === "asc";
	for (let done = 0; done <= range.last - range.first; done += LARGEST_CHUNK) {
		const window = isAscending
			? { first: range.first + done, last: Math.min(range.last, range.first + done + LARGEST_CHUNK - 1) }
			: { first: Math.max(range.first, range.last - done - LARGEST_CHUNK + 1), last: range.last - done };
		const parts = narrow(window, LARGEST_CHUNK / 2) ?? [window];
		yield* isAscending ? parts : parts.toReversed();
	}
}

/** The next rows of a list. */
interface Step {
	/** Those that may contain the words, in the order of the list. */
	readonly rows: readonly number[];
	readonly all: NumberRange;
	/** What comes after them. */
	readonly rest: NumberRange;
}

function* rangesOf({ rows, all }: Step): Generator<ScannedRange> {
	for (const row of rows) yield { first: row, last: row };
	yield { ...all, isEmpty: true };
}

interface PartOfBlock extends NumberRange {
	readonly block_id: number;
	readonly last_ordinal: number;
	readonly spans: number;
}

class WordSteps {
	/** Those that were looked at. */
	readonly blocks = new Set<number>();
	readonly #contents: SpanContents;
	readonly #query: WordsQuery;
	readonly #byIndex: StatementSync;
	readonly #byNumber: StatementSync;
	readonly #rowsOf: StatementSync;
	#size = STEP_ROWS / 4;
	/** Whether most rows of the last step were the project's. */
	#isDense = false;

	constructor(db: DatabaseSync, contents: SpanContents, query: WordsQuery) {
		this.#contents = contents;
		this.#query = query;
		const parts = "block_id, min(id) as first, max(id) as last, max(ordinal) as last_ordinal, count(*) as spans";
		this.#byIndex = db.prepare(
			`select ${parts} from (
				select id, block_id, ordinal from spans indexed by spans_by_project
				where project_id = ? and id between ? and ? order by id ${query.order} limit ?
			) group by block_id`,
		);
		this.#byNumber = db.prepare(
			`select ${parts} from spans not indexed where project_id = ? and id between ? and ? group by block_id`,
		);
		this.#rowsOf = db.prepare(
			`select id from spans not indexed where id between ? and ? and block_id = ? and project_id = ?
				and (ordinal >= ? or ordinal in (select value from json_each(?)))`,
		);
	}

	/** Undefined when the project has no span in the range. @param mayMatch whether spans of a block may match */
	next(range: NumberRange, mayMatch: (blockId: number) => boolean): Step | undefined {
		const start = performance.now();
		const isAscending = this.#query.order === "asc";
		const step = this.#isDense ? this.#nextByNumber(range) : this.#nextByIndex(range);
		if (step === undefined) return undefined;
		const { parts, all } = step;
		const spans = parts.reduce((sum, part) => sum + part.spans, 0);
		this.#isDense = all.last - all.first < DENSE * spans;
		const rows = parts.filter((part) => mayMatch(part.block_id)).flatMap((part) => this.#rowsWith(part));
		for (const part of parts) this.blocks.add(part.block_id);
		const isSlow = performance.now() - start > STEP_MS;
		this.#size = isSlow ? Math.max(8, this.#size / 4) : Math.min(STEP_ROWS, 2 * this.#size);
		return {
			rows: rows.sort((a, b) => (isAscending ? a - b : b - a)),
			all,
			rest: isAscending ? { ...range, first: all.last + 1 } : { ...range, last: all.first - 1 },
		};
	}

	#nextByIndex({ first, last }: NumberRange): { parts: PartOfBlock[]; all: NumberRange } | undefined {
		const parts = listRows<PartOfBlock>(this.#byIndex, this.#query.projectId, first, last, this.#size);
		if (parts.length === 0) return undefined;
		const all = {
			first: Math.min(...parts.map((part) => part.first)),
			last: Math.max(...parts.map((part) => part.last)),
		};
		return { parts, all };
	}

	/** All numbers of a stretch, of which the project may have none. */
	#nextByNumber({ first, last }: NumberRange): { parts: PartOfBlock[]; all: NumberRange } | undefined {
		if (first > last) return undefined;
		const all =
			this.#query.order === "asc"
				? { first, last: Math.min(last, first + this.#size - 1) }
				: { first: Math.max(first, last - this.#size + 1), last };
		return { parts: listRows<PartOfBlock>(this.#byNumber, this.#query.projectId, all.first, all.last), all };
	}

	#rowsWith({ block_id, first, last, last_ordinal }: PartOfBlock): number[] {
		const { found, spans } = this.#contents.ordinalsWith(block_id, this.#query.words) ?? { found: [], spans: 0 };
		const ordinals = [...found];
		// A damaged block lacks spans.
		if (ordinals.length === 0 && last_ordinal < spans) return [];
		return listRows<{ id: number }>(
			this.#rowsOf,
			first,
			last,
			block_id,
			this.#query.projectId,
			spans,
			JSON.stringify(ordinals),
		).map(({ id }) => id);
	}
}
