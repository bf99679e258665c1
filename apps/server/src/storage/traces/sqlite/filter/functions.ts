import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { Attribute } from "@spanward/filter-language";
import { endIfAbandoned } from "#storage/sqlite/abandoned-calls.ts";
import { findRow, getRow } from "#storage/sqlite/rows.ts";
import { ConditionTooSlow } from "#storage/traces/condition-too-slow.ts";
import { SpanAttributes, toSqlValue } from "#storage/traces/content/attribute-values.ts";
import { Conditions } from "#storage/traces/filter/conditions.ts";
import { join, raw, type Sql, sql } from "#storage/traces/filter/sql.ts";
import { contains, modulo, toNumber, toText } from "#storage/traces/filter/values.ts";
import type { LocationRow, SpanSummaryRow } from "#storage/traces/rows/span-summaries.ts";
import type { Cumulative } from "#storage/traces/trace-store.ts";
import { cumulativeOfTrace } from "../read/cumulative.ts";
import type { SlowCondition } from "../read/ordered-scan.ts";
import { SPAN_SUMMARY_COLUMNS, SPAN_SUMMARY_JOINS } from "../read/span-columns.ts";
import type { SpanContents } from "../read/span-contents.ts";
import type { CandidateBlocks } from "../text/candidate-blocks.ts";

/** Whether a span contains the words searched for. */
export const TEXT_MATCHES = raw("filter_text_matches(spans.id, spans.block_id, spans.ordinal)");

/** Whether a span may contain the words that every match needs. */
export const HAS_WORDS = raw("filter_has_words(spans.block_id, spans.ordinal)");

/** Spans whose decoded attributes are cached. */
const DECODED_SPANS = 64;
/** Time for one row of a list; a page stops between rows long before. */
const ROW_MS = 3_000;
/** Calls between two checks of the time, as reading the clock takes longer than the rest of a call. */
const CALLS_PER_LOOK = 64;

/** The functions of `SQLITE_DIALECT` on a connection. They read from the list that is being read. */
export class FilterFunctions {
	readonly #db: DatabaseSync;
	readonly #attributes = new Map<number, SpanAttributes>();
	readonly #paths = new Map<string, readonly string[]>();
	#contents: SpanContents | undefined;
	#trace: { readonly id: number; readonly cumulativeOf: (id: number) => Cumulative | undefined } | undefined;
	#blocks: CandidateBlocks | undefined;
	#words: readonly string[] = [];
	#matchesText: (place: LocationRow) => boolean = () => true;
	#deadline = 0;
	#isTimeUp = false;
	#rowStart = 0;
	#calls = 0;

	constructor(db: DatabaseSync) {
		this.#db = db;
		const deterministic = { deterministic: true };
		db.function("filter_attribute", deterministic, (id, block, ordinal, path, as) =>
			this.#attribute(id, block, ordinal, path, as),
		);
		db.function("filter_has_tag", deterministic, (id, block, ordinal, tag) => this.#hasTag(id, block, ordinal, tag));
		db.function("filter_shown_text", deterministic, (id, side) =>
			this.#shownText(id, side === "input" ? "input" : "output"),
		);
		db.function("filter_cumulative", deterministic, (id, trace, total) =>
			this.#cumulative(Number(id), Number(trace), String(total)),
		);
		db.function("filter_contains", deterministic, (text, within) =>
			text === null || within === null ? null : BigInt(contains(String(text), String(within))),
		);
		db.function("filter_number", deterministic, toNumber);
		db.function("filter_text", deterministic, toText);
		db.function("filter_modulo", deterministic, (left, right) =>
			left === null || right === null ? null : modulo(Number(left), Number(right)),
		);
		db.function("filter_may_match", deterministic, (block) => BigInt(this.#blocks?.has(Number(block)) ?? true));
		db.function("filter_has_words", deterministic, (block, ordinal) =>
			BigInt(this.#hasWords(Number(block), Number(ordinal))),
		);
		db.function("filter_text_matches", deterministic, (id, block, ordinal) =>
			BigInt(this.#matchesText({ id: Number(id), block_id: Number(block), ordinal: Number(ordinal) })),
		);
		db.function("filter_time_is_up", () => BigInt(this.#startRow()));
		db.function("filter_in_time", () => {
			this.#lookAtClock();
			return 1n;
		});
	}

	/**
	 * To be called before a list is read.
	 * @param blocks in which spans may match
	 * @param words that every matching span has
	 */
	begin(contents: SpanContents, blocks: CandidateBlocks | undefined, words: readonly string[] = []): void {
		this.#contents = contents;
		this.#blocks = blocks;
		this.#words = words;
		this.#attributes.clear();
		this.#paths.clear();
		this.#trace = undefined;
	}

	/** The parts to evaluate last, in this order. @param matchesText the implementation of `TEXT_MATCHES` */
	slow(parts: readonly Sql[], matchesText?: (place: LocationRow) => boolean): SlowCondition | undefined {
		if (parts.length === 0) return undefined;
		if (matchesText !== undefined) this.#matchesText = matchesText;
		// For an `and` here, SQLite would evaluate all parts.
		const failing = join(
			parts.map((part) => sql`when (${part}) is not true then false`),
			" ",
		);
		const whole = sql`case when filter_time_is_up() then true ${failing} else true end`;
		return {
			condition: new Conditions().add(whole.text, ...whole.values),
			start: (deadline) => {
				this.#deadline = deadline;
				this.#isTimeUp = false;
			},
			isTimeUp: () => this.#isTimeUp,
		};
	}

	#startRow(): boolean {
		endIfAbandoned();
		this.#rowStart = performance.now();
		this.#calls = 0;
		this.#isTimeUp = this.#rowStart > this.#deadline;
		return this.#isTimeUp;
	}

	#lookAtClock(): void {
		this.#calls += 1;
		if (this.#calls % CALLS_PER_LOOK !== 0) return;
		endIfAbandoned();
		if (performance.now() - this.#rowStart > ROW_MS) throw new ConditionTooSlow();
	}

	#hasWords(block_id: number, ordinal: number): boolean {
		return this.#contents?.mayContain({ block_id, ordinal }, this.#words) ?? true;
	}

	#attribute(id: SQLInputValue, block: SQLInputValue, ordinal: SQLInputValue, path: SQLInputValue, as: SQLInputValue) {
		if (typeof id !== "number") return null;
		this.#lookAtClock();
		const attributes = this.#attributes.get(id) ?? this.#decode(id, block, ordinal);
		return toSqlValue(attributes?.find(this.#pathOf(String(path))), String(as) as Attribute["as"]);
	}

	#hasTag(id: SQLInputValue, block: SQLInputValue, ordinal: SQLInputValue, tag: SQLInputValue): bigint | null {
		if (typeof id !== "number") return null;
		this.#lookAtClock();
		const has = (this.#attributes.get(id) ?? this.#decode(id, block, ordinal))?.hasTag(String(tag)) ?? null;
		return has === null ? null : BigInt(has);
	}

	#shownText(id: SQLInputValue, side: "input" | "output"): string | null {
		if (typeof id !== "number") return null;
		this.#lookAtClock();
		return (this.#attributes.get(id) ?? this.#decode(id, null, null))?.shownText(side) ?? null;
	}

	#decode(id: number, block: SQLInputValue, ordinal: SQLInputValue): SpanAttributes | undefined {
		const contents = this.#contents;
		const place =
			typeof block === "number" && typeof ordinal === "number" ? { id, block_id: block, ordinal } : this.#place(id);
		if (contents === undefined || place === undefined) return undefined;
		const content = () => contents.of(this.#row(id));
		const attributes = new SpanAttributes(contents.spanOf(place)?.bytes ?? content().span, content);
		const [oldest] = this.#attributes.keys();
		if (this.#attributes.size >= DECODED_SPANS && oldest !== undefined) this.#attributes.delete(oldest);
		this.#attributes.set(id, attributes);
		return attributes;
	}

	#place(id: number): LocationRow | undefined {
		return findRow<LocationRow>(this.#db.prepare("select id, block_id, ordinal from spans where id = ?"), id);
	}

	#row(id: number): SpanSummaryRow {
		return getRow<SpanSummaryRow>(
			this.#db.prepare(`select ${SPAN_SUMMARY_COLUMNS} from spans ${SPAN_SUMMARY_JOINS} where spans.id = ?`),
			id,
		);
	}

	#pathOf(json: string): readonly string[] {
		const known = this.#paths.get(json);
		if (known !== undefined) return known;
		// Written by `SQLITE_DIALECT.attribute`.
		const path = JSON.parse(json) as string[];
		this.#paths.set(json, path);
		return path;
	}

	#cumulative(id: number, traceRowId: number, total: string): number | null {
		if (this.#trace?.id !== traceRowId)
			this.#trace = { id: traceRowId, cumulativeOf: cumulativeOfTrace(this.#db, traceRowId) };
		this.#lookAtClock();
		const found = this.#trace.cumulativeOf(id);
		if (found === undefined) return null;
		return total === "errors" ? found.errorCount : found.tokens[total as "prompt" | "completion" | "total"];
	}
}
