import { type BlockSpan, decompress } from "#storage/traces/content/block.ts";
import { readBlock, readFirst, reportDamage, standIn } from "#storage/traces/content/damaged-blocks.ts";
import type { SpanSummaryRow } from "#storage/traces/rows/span-summaries.ts";
import { toHex } from "#storage/traces/totals/span-node.ts";
import type { SpanContent } from "#storage/traces/trace-store.ts";
import { keyOfDay, monthOf } from "../periods.ts";
import { type Queryable, queryBytes } from "./query.ts";

/** Where a span's content is. */
export type LocatedSpan = Pick<
	SpanSummaryRow,
	"id" | "project_id" | "block_id" | "ordinal" | "start_micros" | "trace_id" | "span_id"
>;

type PlacedSpan = Pick<LocatedSpan, "block_id" | "ordinal" | "start_micros">;

/** Blocks of usual spans are 256 KiB; those of huge spans are larger. */
const CACHED_BYTES = 16_777_216;
/** Blocks per statement; with large blocks, fewer (see the limit in bytes below). */
const MOST_BLOCKS = 32;
const MOST_BYTES = 4_194_304;

/** Reads the content of spans and caches the last blocks, as neighbours in a list often share one. */
export class SpanContents {
	readonly #client: Queryable;
	readonly #onlyFirst: boolean;
	readonly #blocks = new Map<number, readonly BlockSpan[]>();
	#bytes = 0;

	/** @param onlyFirst leaves schema URLs out, and decompresses no more of a block than its spans need */
	constructor(client: Queryable, { onlyFirst = false } = {}) {
		this.#client = client;
		this.#onlyFirst = onlyFirst;
	}

	/** The rows in their order with their content, or a stand-in when it is damaged; reads a few blocks ahead. */
	async *read<Row extends LocatedSpan>(
		rows: readonly Row[],
	): AsyncGenerator<{ row: Row; content: SpanContent; isDamaged: boolean }> {
		for await (const ready of this.#loaded(rows)) {
			const logs = await this.#logs(ready);
			for (const row of ready) {
				const stored = this.#span(row);
				const { bytes, scope, resource } = stored ?? standIn(row);
				const content = {
					span: plain(bytes),
					scope: plain(scope.bytes),
					scopeSchemaUrl: scope.schemaUrl,
					resource: plain(resource.bytes),
					resourceSchemaUrl: resource.schemaUrl,
					logs: logs.get(keyOf(row)) ?? [],
				};
				yield { row, content, isDamaged: stored === undefined };
			}
		}
	}

	/** The rows in their order, several at a time, with their spans alone; undefined where one is damaged. */
	async *readSpans<Row extends PlacedSpan>(
		rows: readonly Row[],
	): AsyncGenerator<readonly { readonly of: Row; readonly span: BlockSpan | undefined }[]> {
		for await (const ready of this.#loaded(rows))
			yield ready.map((of) => ({ of, span: this.#blocks.get(of.block_id)?.[of.ordinal] }));
	}

	/** The rows in their order, so many at a time as have their blocks in the cache. */
	async *#loaded<Row extends PlacedSpan>(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
		for (let at = 0; at < rows.length; ) {
			const part = nextPart(rows, at);
			await this.#load(part);
			const missing = part.findIndex(({ block_id }) => !this.#blocks.has(block_id));
			// A block that is still missing when it is first in line is reported as damaged.
			const ready = part.slice(0, missing === -1 ? part.length : Math.max(missing, 1));
			at += ready.length;
			yield ready;
		}
	}

	/** Undefined, after a report, when it is damaged. */
	#span({ block_id: blockId, ordinal }: LocatedSpan): BlockSpan | undefined {
		const block = this.#blocks.get(blockId);
		const span = block?.[ordinal];
		if (span === undefined) reportDamage({ blockId, reason: block === undefined ? "it is missing" : "it lacks spans" });
		return span;
	}

	async #load(rows: readonly PlacedSpan[]): Promise<void> {
		const startOf = new Map(rows.map((row) => [row.block_id, row.start_micros]));
		const missing = [...startOf].filter(([id]) => !this.#blocks.has(id));
		if (missing.length === 0) return;
		for (const [id, unpacked] of this.#blocks) {
			if (this.#bytes <= CACHED_BYTES) break;
			if (startOf.has(id)) continue;
			this.#blocks.delete(id);
			this.#bytes -= sizeOf(unpacked);
		}
		const found = await queryBytes<{ id: number; data: Uint8Array }>(
			this.#client,
			`select id, data from (
				select id, position, data, sum(length(data)) over (order by position) - length(data) as before
				from unnest(?::bigint[], ?::bigint[], ?::bigint[]) with ordinality as wanted (id, month, day, position)
					cross join lateral (
						select data from blocks where blocks.id = wanted.id and blocks.month in (wanted.month, wanted.day) offset 0
					) as found
			) as blocks where before < ${MOST_BYTES} order by position`,
			[
				missing.map(([id]) => id),
				missing.map(([, start]) => monthOf(start)),
				missing.map(([, start]) => keyOfDay(start)),
			],
		);
		const ordinals = new Map(
			Array.from(
				Map.groupBy(rows, (row) => row.block_id),
				([id, ofBlock]) => [id, ofBlock.map((row) => row.ordinal)],
			),
		);
		for (const { id, data } of found) {
			const spans = this.#onlyFirst ? readFirst(id, data, ordinals.get(id) ?? []) : readBlock(id, data);
			this.#blocks.set(id, spans);
			this.#bytes += sizeOf(spans);
		}
	}

	async #logs(rows: readonly LocatedSpan[]): Promise<ReadonlyMap<string, Uint8Array[]>> {
		const spans = [...new Map(rows.map((row) => [keyOf(row), row])).values()];
		const found = await queryBytes<Pick<LocatedSpan, "project_id" | "trace_id" | "span_id"> & { data: Uint8Array }>(
			this.#client,
			`select project_id, trace_id, span_id, data
			from unnest(?::bytea[], ?::bytea[], ?::bigint[]) as wanted (of_trace, of_span, of_project)
				cross join lateral (
					select * from log_records
					where trace_id = wanted.of_trace and span_id = wanted.of_span and project_id = wanted.of_project offset 0
				) as found
			order by time_micros, time_nanos, hash`,
			[spans.map((row) => row.trace_id), spans.map((row) => row.span_id), spans.map((row) => row.project_id)],
		);
		const logs = new Map<string, Uint8Array[]>();
		for (const log of found) {
			const key = keyOf(log);
			logs.set(key, [...(logs.get(key) ?? []), plain(decompress(log.data))]);
		}
		return logs;
	}
}

function keyOf({ project_id, trace_id, span_id }: Pick<LocatedSpan, "project_id" | "trace_id" | "span_id">): string {
	return `${project_id} ${toHex(trace_id)} ${toHex(span_id)}`;
}

/** The next neighbours in so few blocks that one statement reads them. */
function nextPart<Row extends PlacedSpan>(rows: readonly Row[], at: number): readonly Row[] {
	const blocks = new Set<number>();
	let end = at;
	for (const { block_id } of rows.slice(at)) {
		if (blocks.size === MOST_BLOCKS && !blocks.has(block_id)) break;
		blocks.add(block_id);
		end += 1;
	}
	return rows.slice(at, end);
}

/** The same bytes as a plain `Uint8Array`, since a `Buffer` overrides some methods. */
function plain(bytes: Uint8Array): Uint8Array {
	return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function sizeOf(spans: readonly BlockSpan[]): number {
	return spans[0]?.bytes.buffer.byteLength ?? 0;
}
