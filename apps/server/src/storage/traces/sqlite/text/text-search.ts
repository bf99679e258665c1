import type { DatabaseSync } from "node:sqlite";
import { endIfAbandoned } from "#storage/sqlite/abandoned-calls.ts";
import { eachRow, findRow } from "#storage/sqlite/rows.ts";
import { containsWords, isIdLike, wordsOf } from "#storage/traces/content/searchable-text.ts";
import type { LocationRow, SpanSummaryRow } from "#storage/traces/rows/span-summaries.ts";
import { toHex } from "#storage/traces/totals/span-node.ts";
import { SPAN_SUMMARY_COLUMNS, SPAN_SUMMARY_JOINS } from "../read/span-columns.ts";
import type { SpanContents } from "../read/span-contents.ts";
import { type CandidateBlocks, candidateBlocks } from "./candidate-blocks.ts";

/** A search whose matches are all known in advance. */
interface KnownMatches {
	readonly spans: readonly number[];
	readonly traces: readonly number[];
	readonly sessions: readonly number[];
}

/** A search that decides row by row. */
interface RowSearch {
	matchesSpan(place: LocationRow): boolean;
	/** As `matchesSpan`, of a span that may contain the words. */
	containsWords(place: LocationRow): boolean;
	matchesTrace(traceRowId: number): boolean;
	matchesSession(sessionRowId: number): boolean;
}

export type StartedSearch =
	| ({ readonly known: KnownMatches } & Partial<RowSearch>)
	| (RowSearch & { readonly known?: never });

/** Up to this many blocks are searched at once, in about 0.5 s; with more, the list is scanned in its order. */
const FEW_BLOCKS = 300;
/** Blocks of huge spans take longer; after this time the list is scanned instead. */
const LOOK_MS = 1_000;

/** Free-text search over spans. The decoded span decides, so the result is exact however the search was narrowed. */
export class TextSearch {
	readonly #db: DatabaseSync;
	readonly #contents: SpanContents;

	constructor(db: DatabaseSync, contents: SpanContents) {
		this.#db = db;
		this.#contents = contents;
	}

	start(projectId: number, text: string): StartedSearch {
		const words = wordsOf(text);
		const candidates = candidateBlocks(this.#db, words);
		const few = candidates?.list(FEW_BLOCKS);
		const known = few === undefined ? undefined : this.#lookThrough(projectId, few, words);
		if (known !== undefined) return { known };
		return this.#rowSearch(words, candidates);
	}

	/** A search that decides span by span, for lists that look for the words. */
	startByBlock(text: string): RowSearch & { readonly words: readonly string[]; readonly known?: never } {
		const words = wordsOf(text);
		return { ...this.#rowSearch(words, undefined), words };
	}

	#lookThrough(projectId: number, blocks: readonly number[], words: readonly string[]): KnownMatches | undefined {
		const deadline = performance.now() + LOOK_MS;
		const inText = words.filter((word) => !isIdLike(word));
		const rows = eachRow<SpanSummaryRow & { session_row_id: number | null }>(
			this.#db.prepare(
				`select ${SPAN_SUMMARY_COLUMNS}, traces.session_row_id as session_row_id
				from json_each(?) as wanted cross join blocks on blocks.id = wanted.value
					cross join spans on spans.id between blocks.first_span and blocks.last_span and spans.block_id = blocks.id
					${SPAN_SUMMARY_JOINS}
				where spans.project_id = ?`,
			),
			JSON.stringify(blocks),
			projectId,
		);
		const spans: number[] = [];
		const traces = new Set<number>();
		const sessions = new Set<number>();
		for (const row of rows) {
			endIfAbandoned();
			if (performance.now() > deadline) return undefined;
			if (!this.#contents.mayContain(row, inText) || !this.#contains(row, words)) continue;
			spans.push(row.id);
			traces.add(row.trace_row_id);
			if (row.session_row_id !== null) sessions.add(row.session_row_id);
		}
		return { spans, traces: [...traces], sessions: [...sessions] };
	}

	#rowSearch(words: readonly string[], candidates: CandidateBlocks | undefined): RowSearch {
		const find = this.#db.prepare(`select ${SPAN_SUMMARY_COLUMNS} from spans ${SPAN_SUMMARY_JOINS} where spans.id = ?`);
		// The others may be the span's own ids.
		const inText = words.filter((word) => !isIdLike(word));
		const containsWords = ({ id }: LocationRow) => {
			const row = findRow<SpanSummaryRow>(find, id);
			return row !== undefined && this.#contains(row, words);
		};
		const matchesSpan = (place: LocationRow) => {
			const isCandidate = candidates === undefined || candidates.has(place.block_id);
			return isCandidate && this.#contents.mayContain(place, inText) && containsWords(place);
		};
		const anyOf = (where: string, value: number) => {
			const places = this.#db.prepare(`select id, block_id, ordinal from spans where ${where}`);
			for (const place of eachRow<LocationRow>(places, value)) if (matchesSpan(place)) return true;
			return false;
		};
		return {
			matchesSpan,
			containsWords,
			matchesTrace: (traceRowId) => anyOf("spans.trace_row_id = ?", traceRowId),
			matchesSession: (sessionRowId) =>
				anyOf("spans.trace_row_id in (select id from traces where session_row_id = ?)", sessionRowId),
		};
	}

	#contains(row: SpanSummaryRow, words: readonly string[]): boolean {
		return containsWords(this.#contents.of(row), [toHex(row.span_id), toHex(row.trace_id)], words);
	}
}
