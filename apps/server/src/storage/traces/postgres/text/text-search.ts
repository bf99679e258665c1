import type { FilterTarget } from "@spanward/filter-language";
import type { ClientBase } from "pg";
import { containsWords, isIdLike, wordsOf } from "#storage/traces/content/searchable-text.ts";
import { toHex } from "#storage/traces/totals/span-node.ts";
import { findNeededSpans, type NeededSpan } from "../filter/needed-spans.ts";
import type { CandidateRow } from "../filter/plan.ts";
import { query } from "../read/query.ts";
import { type CandidateBlocks, candidateBlocks } from "./candidate-blocks.ts";
import { SpansWithWords } from "./spans-with-words.ts";

/** How a list finds the rows that contain all words of a text. */
export interface TextSearch {
	/** Row numbers; no other row can match. */
	readonly rows?: readonly number[];
	/** Which of these rows, a chunk of the list, contain the words; absent when all of `rows` do. */
	readonly matches?: (rows: readonly CandidateRow[]) => Promise<ReadonlySet<number>>;
}

/** Up to this many blocks are searched at once; with more, the list is scanned in its order. */
const FEW_BLOCKS = 300;
/** Blocks of huge spans take longer; after this time the list is scanned instead. */
const LOOK_MS = 1_000;
/** Places of more spans are not held in memory at once, unless they are of one trace. */
const MOST_SPANS = 50_000;

/** Free-text search over spans. The decoded span decides, so the result is exact however the search was narrowed. */
export async function startTextSearch(
	client: ClientBase,
	projectId: number,
	text: string,
	target: FilterTarget,
): Promise<TextSearch> {
	const words = wordsOf(text);
	const candidates = await candidateBlocks(client, words);
	const search = new Search(client, words, candidates);
	const few = await candidates?.list(FEW_BLOCKS);
	if (few !== undefined) {
		const rows = await search.lookThrough(projectId, few, target);
		if (rows !== undefined) return { rows };
	}
	return { matches: (rows) => search.matching(rows, target) };
}

class Search {
	readonly #client: ClientBase;
	readonly #words: readonly string[];
	/** Words that do not look like ids: these have to occur in a text. */
	readonly #inText: readonly string[];
	readonly #candidates: CandidateBlocks | undefined;
	readonly #spans: SpansWithWords;

	constructor(client: ClientBase, words: readonly string[], candidates: CandidateBlocks | undefined) {
		this.#client = client;
		this.#words = words;
		this.#inText = words.filter((word) => !isIdLike(word));
		this.#candidates = candidates;
		this.#spans = new SpansWithWords(client);
	}

	/** The rows of the target with a span in these blocks that contains the words; undefined when that takes too long. */
	async lookThrough(
		projectId: number,
		blocks: ReadonlyMap<number, number>,
		target: FilterTarget,
	): Promise<number[] | undefined> {
		const deadline = performance.now() + LOOK_MS;
		const spans = await this.#spans.find(projectId, blocks, this.#inText, deadline);
		if (spans === undefined) return undefined;
		const rows = new Set<number>();
		for await (const { row, content } of this.#spans.read(spans, this.#inText)) {
			if (performance.now() > deadline) return undefined;
			const id = { span: row.id, trace: row.trace_row_id, session: row.session_row_id }[target];
			if (id !== null && !rows.has(id) && containsWords(content, idsOf(row), this.#words)) rows.add(id);
		}
		return [...rows];
	}

	/** Those of the rows that have a span with the words. */
	async matching(rows: readonly CandidateRow[], target: FilterTarget): Promise<ReadonlySet<number>> {
		const needed = { own: target === "span", near: false, roots: false, texts: false, all: target !== "span" };
		const most = rows.length > 1 ? MOST_SPANS : Number.MAX_SAFE_INTEGER - 1;
		const spans = await findNeededSpans(this.#client, target, needed, rows, most);
		if (spans === undefined) {
			const half = Math.ceil(rows.length / 2);
			const first = await this.matching(rows.slice(0, half), target);
			return new Set([...first, ...(await this.matching(rows.slice(half), target))]);
		}
		const sessions = target === "session" ? await this.#sessionsOf(spans) : undefined;
		const ownerOf = (span: NeededSpan) =>
			target === "span" ? span.id : target === "trace" ? span.trace_row_id : sessions?.get(span.trace_row_id);
		const found = new Set<number>();
		const candidates = spans.filter((span) => this.#candidates?.has(span.block_id) ?? true);
		for await (const { row, content } of this.#spans.read(candidates, this.#inText)) {
			const owner = ownerOf(row);
			if (owner !== undefined && !found.has(owner) && containsWords(content, idsOf(row), this.#words)) found.add(owner);
		}
		return found;
	}

	async #sessionsOf(spans: readonly NeededSpan[]): Promise<ReadonlyMap<number, number>> {
		const traces = await query<{ id: number; session_row_id: number }>(
			this.#client,
			"select id, session_row_id from traces where id = any(?::bigint[]) and session_row_id is not null",
			[[...new Set(spans.map((span) => span.trace_row_id))]],
		);
		return new Map(traces.map((trace) => [trace.id, trace.session_row_id]));
	}
}

function idsOf({ span_id, trace_id }: Pick<NeededSpan, "span_id" | "trace_id">): string[] {
	return [toHex(span_id), toHex(trace_id)];
}
