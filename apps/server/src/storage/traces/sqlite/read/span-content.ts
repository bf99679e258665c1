import type { DatabaseSync } from "node:sqlite";
import type { SpanContent, StoredSpan } from "../../trace-store.ts";
import { type BlockSpan, decompress, unpackBlock } from "../block.ts";
import { type SpanSummaryRow, toSpanSummary } from "./span-summaries.ts";

/** Blocks of usual spans are 128 KiB; those of huge spans are larger. */
const CACHED_BYTES = 16_777_216;

/** Reads spans' content, keeping the blocks it unpacked last: neighbours in a list often share one. */
export class SpanContents {
	readonly #db: DatabaseSync;
	readonly #blocks = new Map<number, readonly BlockSpan[]>();
	#bytes = 0;

	constructor(db: DatabaseSync) {
		this.#db = db;
	}

	of(row: Pick<SpanSummaryRow, "id" | "block_id" | "ordinal" | "trace_id" | "span_id">): SpanContent {
		const span = this.#span(row);
		return {
			span: span.bytes,
			scope: span.scope.bytes,
			scopeSchemaUrl: span.scope.schemaUrl,
			resource: span.resource.bytes,
			resourceSchemaUrl: span.resource.schemaUrl,
			logs: this.#logs(row.trace_id, row.span_id),
		};
	}

	stored(row: SpanSummaryRow): StoredSpan {
		return { summary: toSpanSummary(row), content: this.of(row) };
	}

	/** The `Span` message alone. */
	bytesOf(row: Pick<SpanSummaryRow, "id" | "block_id" | "ordinal">): Uint8Array {
		return this.#span(row).bytes;
	}

	#span(row: Pick<SpanSummaryRow, "id" | "block_id" | "ordinal">): BlockSpan {
		const span = this.#block(row.block_id)[row.ordinal];
		if (span === undefined) throw new Error(`block ${row.block_id} of span row ${row.id} has no span ${row.ordinal}`);
		return span;
	}

	#block(id: number): readonly BlockSpan[] {
		const cached = this.#blocks.get(id);
		if (cached !== undefined) return cached;
		const row = this.#db.prepare("select data from blocks where id = ?").get(id);
		if (row === undefined) throw new Error(`block ${id} is missing`);
		const spans = unpackBlock(row["data"] as Uint8Array);
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
		return this.#db
			.prepare("select data from log_records where trace_id = ? and span_id = ? order by time_micros, time_nanos, hash")
			.all(traceId, spanId)
			.map((row) => decompress(row["data"] as Uint8Array));
	}
}

function sizeOf(spans: readonly BlockSpan[]): number {
	return spans[0]?.bytes.buffer.byteLength ?? 0;
}
