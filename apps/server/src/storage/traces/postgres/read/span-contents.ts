import { monthOf } from "../../../postgres/partitions.ts";
import { type BlockSpan, decompress, unpackBlock } from "../../content/block.ts";
import type { SpanSummaryRow } from "../../rows/span-summaries.ts";
import { toHex } from "../../totals/span-node.ts";
import type { SpanContent } from "../../trace-store.ts";
import { type Queryable, query } from "./query.ts";

/** Where a span's content lies. */
export type PlacedSpan = Pick<SpanSummaryRow, "id" | "block_id" | "ordinal" | "start_micros" | "trace_id" | "span_id">;

/** Blocks of usual spans are 128 KiB; those of huge spans are larger. */
const CACHED_BYTES = 16_777_216;
/** Read with one statement. */
const MOST_BLOCKS = 32;

/** Reads spans' content, keeping the blocks it unpacked last: neighbours in a list often share one. */
export class SpanContents {
	readonly #client: Queryable;
	readonly #blocks = new Map<number, readonly BlockSpan[]>();
	#bytes = 0;

	constructor(client: Queryable) {
		this.#client = client;
	}

	/** The rows in their order with their content; a few blocks are read ahead. */
	async *read<Row extends PlacedSpan>(rows: readonly Row[]): AsyncGenerator<{ row: Row; content: SpanContent }> {
		for (const part of inParts(rows)) {
			await this.#load(part);
			const logs = await this.#logs(part);
			for (const row of part) {
				const { bytes, scope, resource } = this.#span(row);
				const content = {
					span: plain(bytes),
					scope: plain(scope.bytes),
					scopeSchemaUrl: scope.schemaUrl,
					resource: plain(resource.bytes),
					resourceSchemaUrl: resource.schemaUrl,
					logs: logs.get(keyOf(row)) ?? [],
				};
				yield { row, content };
			}
		}
	}

	/** The `Span` messages alone. */
	async *readSpans<Row extends PlacedSpan>(rows: readonly Row[]): AsyncGenerator<{ row: Row; bytes: Uint8Array }> {
		for (const part of inParts(rows)) {
			await this.#load(part);
			for (const row of part) yield { row, bytes: plain(this.#span(row).bytes) };
		}
	}

	#span({ id, block_id, ordinal }: PlacedSpan): BlockSpan {
		const span = this.#blocks.get(block_id)?.[ordinal];
		if (span === undefined) throw new Error(`block ${block_id} of span row ${id} is missing or has no span ${ordinal}`);
		return span;
	}

	async #load(rows: readonly PlacedSpan[]): Promise<void> {
		const months = new Map(rows.map((row) => [row.block_id, monthOf(row.start_micros)]));
		const missing = [...months].filter(([id]) => !this.#blocks.has(id));
		if (missing.length === 0) return;
		for (const [id, unpacked] of this.#blocks) {
			if (this.#bytes <= CACHED_BYTES) break;
			if (months.has(id)) continue;
			this.#blocks.delete(id);
			this.#bytes -= sizeOf(unpacked);
		}
		const found = await query<{ id: number; data: Uint8Array }>(
			this.#client,
			"select id, data from blocks where id = any(?::bigint[]) and month = any(?::bigint[])",
			[missing.map(([id]) => id), [...new Set(missing.map(([, month]) => month))]],
		);
		for (const { id, data } of found) {
			const spans = unpackBlock(data);
			this.#blocks.set(id, spans);
			this.#bytes += sizeOf(spans);
		}
	}

	async #logs(rows: readonly PlacedSpan[]): Promise<ReadonlyMap<string, Uint8Array[]>> {
		const spans = [...new Map(rows.map((row) => [keyOf(row), row])).values()];
		const found = await query<{ trace_id: Uint8Array; span_id: Uint8Array; data: Uint8Array }>(
			this.#client,
			`select trace_id, span_id, data from unnest(?::bytea[], ?::bytea[]) as wanted (of_trace, of_span)
				cross join lateral (
					select * from log_records where trace_id = wanted.of_trace and span_id = wanted.of_span offset 0
				) as found
			order by time_micros, time_nanos, hash`,
			[spans.map((row) => row.trace_id), spans.map((row) => row.span_id)],
		);
		const logs = new Map<string, Uint8Array[]>();
		for (const log of found) {
			const key = keyOf(log);
			logs.set(key, [...(logs.get(key) ?? []), plain(decompress(log.data))]);
		}
		return logs;
	}
}

function keyOf({ trace_id, span_id }: Pick<PlacedSpan, "trace_id" | "span_id">): string {
	return `${toHex(trace_id)} ${toHex(span_id)}`;
}

/** Neighbours that lie in so few blocks that these are read at once. */
function* inParts<Row extends PlacedSpan>(rows: readonly Row[]): Generator<Row[]> {
	let part: Row[] = [];
	const blocks = new Set<number>();
	for (const row of rows) {
		if (blocks.size === MOST_BLOCKS && !blocks.has(row.block_id)) {
			yield part;
			part = [];
			blocks.clear();
		}
		part.push(row);
		blocks.add(row.block_id);
	}
	if (part.length > 0) yield part;
}

/** The same bytes without what a `Buffer` does in its own way. */
function plain(bytes: Uint8Array): Uint8Array {
	return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function sizeOf(spans: readonly BlockSpan[]): number {
	return spans[0]?.bytes.buffer.byteLength ?? 0;
}
