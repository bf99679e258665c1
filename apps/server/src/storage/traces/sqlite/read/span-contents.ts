import type { DatabaseSync, StatementSync } from "node:sqlite";
import { findRow, hasRow, listRows } from "#storage/sqlite/rows.ts";
import { type BlockSpan, decompress } from "#storage/traces/content/block.ts";
import { contentOf } from "#storage/traces/content/content-of.ts";
import { readBlock, readFirst, reportDamage, standIn } from "#storage/traces/content/damaged-blocks.ts";
import { ordinalsWithWords } from "#storage/traces/content/lowered-texts.ts";
import { type SpanSummaryRow, toSpanSummary } from "#storage/traces/rows/span-summaries.ts";
import type { SpanContent, StoredSpan } from "#storage/traces/trace-store.ts";

/** Blocks of usual spans are 256 KiB; those of huge spans are larger. */
const CACHED_BYTES = 16_777_216;

/** The place of a span's content, and its ids in case that is damaged. */
type LocatedSpan = Pick<SpanSummaryRow, "project_id" | "block_id" | "ordinal" | "trace_id" | "span_id"> &
	Partial<SpanSummaryRow>;

/** Blocks whose search for the same words is remembered. */
const SEARCHED_BLOCKS = 64;

/** The spans of a block that may contain some words. */
interface OrdinalsWithWords {
	readonly found: ReadonlySet<number>;
	/** How many spans the block has. */
	readonly spans: number;
}

/** Reads the content of spans and caches the last blocks, as neighbours in a list often share one. */
export class SpanContents {
	readonly #db: DatabaseSync;
	readonly #blocks = new Map<number, readonly BlockSpan[]>();
	/** By the words that were searched for: the last blocks, and which of their spans may contain them. */
	readonly #searched = new Map<readonly string[], Map<number, OrdinalsWithWords | undefined>>();
	/** Copies, by row number. */
	readonly #kept = new Map<number, BlockSpan>();
	#bytes = 0;
	#keptBytes = 0;
	#logsExist: boolean | undefined;
	#findLogs: StatementSync | undefined;
	#findLogsOfBlock: StatementSync | undefined;
	#findBlock: StatementSync | undefined;

	constructor(db: DatabaseSync) {
		this.#db = db;
	}

	of(row: LocatedSpan): SpanContent {
		return contentOf(this.#span(row), this.#logs(row));
	}

	/** The content of spans of one block, without schema URLs. Decompresses no more of the block than it needs. */
	ofFirst(rows: readonly LocatedSpan[]): SpanContent[] {
		const [first] = rows;
		if (first === undefined) return [];
		const spans =
			this.#blocks.get(first.block_id) ??
			readFirst(
				first.block_id,
				this.#data(first.block_id),
				rows.map(({ ordinal }) => ordinal),
			);
		return rows.map((row) => contentOf(spans[row.ordinal] ?? this.#span(row), this.#logs(row)));
	}

	stored(row: SpanSummaryRow): StoredSpan {
		return { summary: toSpanSummary(row), content: this.of(row) };
	}

	/** Whether the span or its log records may contain all words, given in lower case, and always in the same array. */
	mayContain({ block_id, ordinal }: Pick<SpanSummaryRow, "block_id" | "ordinal">, words: readonly string[]): boolean {
		const ordinals = this.ordinalsWith(block_id, words);
		// A damaged block lacks spans.
		return ordinals === undefined || ordinals.found.has(ordinal) || ordinal >= ordinals.spans;
	}

	/** Which spans of a block {@link mayContain} the words; undefined if all may. */
	ordinalsWith(blockId: number, words: readonly string[]): OrdinalsWithWords | undefined {
		const searched = this.#searched.get(words) ?? new Map<number, OrdinalsWithWords | undefined>();
		if (searched.has(blockId)) return searched.get(blockId);
		const ordinals = this.#searchBlock(blockId, words);
		if (searched.size >= SEARCHED_BLOCKS) searched.clear();
		this.#searched.set(words, searched.set(blockId, ordinals));
		return ordinals;
	}

	/** Keeps the content of a span that was just read, as its block may be out of the cache when it is needed. */
	keep(row: SpanSummaryRow): void {
		const { bytes, scope, resource } = this.#span(row);
		this.#keptBytes += bytes.length + scope.bytes.length + resource.bytes.length;
		if (this.#keptBytes > CACHED_BYTES) return;
		const copied = (shared: BlockSpan["scope"]) => ({ ...shared, bytes: new Uint8Array(shared.bytes) });
		this.#kept.set(row.id, { bytes: new Uint8Array(bytes), scope: copied(scope), resource: copied(resource) });
	}

	/** Without its log records; undefined when it is damaged. */
	spanOf({ block_id, ordinal }: Pick<SpanSummaryRow, "block_id" | "ordinal">): BlockSpan | undefined {
		return this.#block(block_id)[ordinal];
	}

	#searchBlock(blockId: number, words: readonly string[]): OrdinalsWithWords | undefined {
		const spans = this.#block(blockId);
		const found = ordinalsWithWords(spans, words);
		return found === undefined || this.hasLogs(blockId) ? undefined : { found, spans: spans.length };
	}

	/** Whether spans of the block have log records, which are stored elsewhere. */
	hasLogs(blockId: number): boolean {
		this.#logsExist ??= hasRow(this.#db.prepare("select 1 from log_records limit 1"));
		if (!this.#logsExist) return false;
		this.#findLogsOfBlock ??= this.#db.prepare(
			`select 1 from blocks
				cross join spans on spans.id between blocks.first_span and blocks.last_span and spans.block_id = blocks.id
				cross join traces on traces.id = spans.trace_row_id
				cross join log_records on log_records.trace_id = traces.trace_id and log_records.span_id = spans.span_id
					and log_records.project_id = traces.project_id
			where blocks.id = ? limit 1`,
		);
		return hasRow(this.#findLogsOfBlock, blockId);
	}

	#span(row: LocatedSpan): BlockSpan {
		const kept = row.id === undefined ? undefined : this.#kept.get(row.id);
		if (kept !== undefined) return kept;
		const span = this.#block(row.block_id)[row.ordinal];
		if (span !== undefined) return span;
		reportDamage({ blockId: row.block_id, reason: "it lacks spans" });
		return standIn(row);
	}

	#block(id: number): readonly BlockSpan[] {
		const cached = this.#blocks.get(id);
		if (cached !== undefined) return cached;
		const spans = readBlock(id, this.#data(id));
		this.#bytes += sizeOf(spans);
		for (const [oldest, unpacked] of this.#blocks) {
			if (this.#bytes <= CACHED_BYTES) break;
			this.#blocks.delete(oldest);
			this.#bytes -= sizeOf(unpacked);
		}
		this.#blocks.set(id, spans);
		return spans;
	}

	#data(blockId: number): Uint8Array | undefined {
		this.#findBlock ??= this.#db.prepare("select data from blocks where id = ?");
		return findRow<{ data: Uint8Array }>(this.#findBlock, blockId)?.data;
	}

	#logs({ project_id, trace_id, span_id }: LocatedSpan): Uint8Array[] {
		this.#findLogs ??= this.#db.prepare(
			`select data from log_records where trace_id = ? and span_id = ? and project_id = ?
			order by time_micros, time_nanos, hash`,
		);
		const rows = listRows<{ data: Uint8Array }>(this.#findLogs, trace_id, span_id, project_id);
		return rows.map(({ data }) => decompress(data));
	}
}

function sizeOf(spans: readonly BlockSpan[]): number {
	return spans[0]?.bytes.buffer.byteLength ?? 0;
}
