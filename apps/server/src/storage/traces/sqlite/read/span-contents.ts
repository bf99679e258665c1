import type { DatabaseSync } from "node:sqlite";
import { findRow, hasRow, listRows } from "#storage/sqlite/rows.ts";
import { type BlockSpan, decompress } from "#storage/traces/content/block.ts";
import { contentOf } from "#storage/traces/content/content-of.ts";
import { readBlock, reportDamage, standIn } from "#storage/traces/content/damaged-blocks.ts";
import { loweredTexts, mayHoldWords } from "#storage/traces/content/lowered-texts.ts";
import { type SpanSummaryRow, toSpanSummary } from "#storage/traces/rows/span-summaries.ts";
import type { SpanContent, StoredSpan } from "#storage/traces/trace-store.ts";

/** Blocks of usual spans are 256 KiB; those of huge spans are larger. */
const CACHED_BYTES = 16_777_216;

/** The place of a span's content, and its ids in case that is damaged. */
type LocatedSpan = Pick<SpanSummaryRow, "block_id" | "ordinal" | "trace_id" | "span_id"> & Partial<SpanSummaryRow>;

/** Reads the content of spans and caches the last blocks, as neighbours in a list often share one. */
export class SpanContents {
	readonly #db: DatabaseSync;
	readonly #blocks = new Map<number, readonly BlockSpan[]>();
	#bytes = 0;
	#lowered: { readonly blockId: number; readonly texts: readonly string[] | undefined } | undefined;
	#logsExist: boolean | undefined;

	constructor(db: DatabaseSync) {
		this.#db = db;
	}

	of(row: LocatedSpan): SpanContent {
		return contentOf(this.#span(row), this.#logs(row.trace_id, row.span_id));
	}

	stored(row: SpanSummaryRow): StoredSpan {
		return { summary: toSpanSummary(row), content: this.of(row) };
	}

	/** Whether the span or its log records may contain all words, given in lower case. */
	mayContain({ block_id, ordinal }: Pick<SpanSummaryRow, "block_id" | "ordinal">, words: readonly string[]): boolean {
		const text = this.#textsOf(block_id)?.[ordinal];
		if (text === undefined || mayHoldWords(text, words)) return true;
		this.#logsExist ??= hasRow(this.#db.prepare("select 1 from log_records limit 1"));
		return this.#logsExist;
	}

	/** The `Span` message only; undefined when it is damaged. */
	bytesOf(row: Pick<SpanSummaryRow, "block_id" | "ordinal">): Uint8Array | undefined {
		return this.#block(row.block_id)[row.ordinal]?.bytes;
	}

	/** The bytes of the block's spans as Latin-1 text in lower case; undefined where that is inexact for ASCII. */
	#textsOf(blockId: number): readonly string[] | undefined {
		if (this.#lowered?.blockId === blockId) return this.#lowered.texts;
		this.#lowered = { blockId, texts: loweredTexts(this.#block(blockId)) };
		return this.#lowered.texts;
	}

	#span(row: LocatedSpan): BlockSpan {
		const span = this.#block(row.block_id)[row.ordinal];
		if (span !== undefined) return span;
		reportDamage({ blockId: row.block_id, reason: "it lacks spans" });
		return standIn(row);
	}

	#block(id: number): readonly BlockSpan[] {
		const cached = this.#blocks.get(id);
		if (cached !== undefined) return cached;
		const row = findRow<{ data: Uint8Array }>(this.#db.prepare("select data from blocks where id = ?"), id);
		const spans = readBlock(id, row?.data);
		this.#bytes += sizeOf(spans);
		for (const [oldest, unpacked] of this.#blocks) {
			if (this.#bytes <= CACHED_BYTES) break;
			this.#blocks.delete(oldest);
			this.#bytes -= sizeOf(unpacked);
		}
		this.#blocks.set(id, spans);
		return spans;
	}

	#logs(traceId: Uint8Array, spanId: Uint8Array): Uint8Array[] {
		const rows = listRows<{ data: Uint8Array }>(
			this.#db.prepare(
				"select data from log_records where trace_id = ? and span_id = ? order by time_micros, time_nanos, hash",
			),
			traceId,
			spanId,
		);
		return rows.map(({ data }) => decompress(data));
	}
}

function sizeOf(spans: readonly BlockSpan[]): number {
	return spans[0]?.bytes.buffer.byteLength ?? 0;
}
