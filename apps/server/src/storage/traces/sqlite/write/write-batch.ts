import { type Block, packBlocks } from "../../content/block.ts";
import type { NormalizedSpan, WriteResult } from "../../span-batch.ts";
import type { Instant } from "../../trace-store.ts";
import type { PackedLogRecord } from "./log-records.ts";
import type { SpanPlace } from "./trace-statements.ts";
import { openTrace, refreshTexts, writeTrace } from "./write-trace.ts";
import type { WriteTransaction } from "./write-transaction.ts";

/** Spans of one trace of one project, each identity once. */
interface TraceSpans {
	readonly projectName: string;
	readonly traceId: string;
	readonly spans: readonly NormalizedSpan[];
}

/** What can be done before the write lock is taken. */
export interface PackedBatch {
	readonly traces: readonly TraceSpans[];
	/** Content of all spans, those of one trace beside each other. */
	readonly blocks: readonly Block<NormalizedSpan>[];
	/** Spans that the batch had twice. */
	readonly duplicates: number;
}

/** Groups spans by trace, each identity once (the first one stays), and compresses them. */
export function packBatch(spans: readonly NormalizedSpan[]): PackedBatch {
	const groups = new Map<string, { projectName: string; traceId: string; byIdentity: Map<string, NormalizedSpan> }>();
	let duplicates = 0;
	for (const given of spans) {
		const span = withReadableTimes(given);
		const key = `${span.traceId}${span.projectName}`;
		let group = groups.get(key);
		if (group === undefined) {
			group = { projectName: span.projectName, traceId: span.traceId, byIdentity: new Map() };
			groups.set(key, group);
		}
		const identity = `${span.spanId}${span.start.micros}.${span.start.nanos}`;
		if (group.byIdentity.has(identity)) duplicates += 1;
		else group.byIdentity.set(identity, span);
	}
	const traces = Array.from(groups.values(), ({ projectName, traceId, byIdentity }) => ({
		projectName,
		traceId,
		spans: [...byIdentity.values()],
	}));
	return { traces, blocks: packBlocks(traces.flatMap((trace) => trace.spans)), duplicates };
}

/** Times beyond the year 2255 are listed as that year: larger numbers could be written, but not read. */
function withReadableTimes(span: NormalizedSpan): NormalizedSpan {
	const { start, end } = span;
	if (start.micros <= Number.MAX_SAFE_INTEGER && end.micros <= Number.MAX_SAFE_INTEGER) return span;
	const readable = ({ micros, nanos }: Instant) => ({ micros: Math.min(micros, Number.MAX_SAFE_INTEGER), nanos });
	return { ...span, start: readable(start), end: readable(end) };
}

/** Stores a batch; to be called within `transaction.run`. */
export function writeBatch(
	transaction: WriteTransaction,
	batch: PackedBatch,
	logs: readonly PackedLogRecord[],
): WriteResult {
	const receivedAt = Date.now() * 1_000;
	const newLogs = logs.filter((log) => transaction.logs.insert(log, receivedAt));
	const projects = new ProjectIds(transaction);
	const opened = batch.traces.map(({ projectName, traceId, spans }) =>
		openTrace(transaction, projects.of(projectName), traceId, spans),
	);
	const fresh = opened.filter((trace) => trace.fresh.length > 0);
	const written = fresh.reduce((sum, trace) => sum + trace.fresh.length, 0);
	const given = batch.traces.reduce((sum, trace) => sum + trace.spans.length, 0);
	const blocks = written === given ? batch.blocks : withoutStored(batch.blocks, fresh);
	const places = writeBlocks(transaction, blocks);
	const changes = new Changes();
	for (const trace of fresh)
		changes.add(
			trace.projectId,
			writeTrace(transaction, trace, (span) => placeOf(places, span)),
		);
	for (const [traceId, records] of Map.groupBy(newLogs, (log) => log.traceId))
		for (const row of transaction.traces.tracesByTraceId(Buffer.from(traceId, "hex"))) {
			for (const { spanId } of records) transaction.traces.markStale(row.id, spanId);
			refreshTexts(transaction, traceId, row);
			changes.add(row.project_id, row.id);
		}
	return {
		written,
		duplicates: batch.duplicates + given - written,
		logRecords: newLogs.length,
		changes: changes.list(),
	};
}

function withoutStored(
	blocks: readonly Block<NormalizedSpan>[],
	traces: readonly { readonly fresh: readonly NormalizedSpan[] }[],
): Block<NormalizedSpan>[] {
	const fresh = new Set(traces.flatMap((trace) => trace.fresh));
	return blocks.flatMap((block) => {
		const spans = block.spans.filter((span) => fresh.has(span));
		return spans.length === block.spans.length ? [block] : packBlocks(spans);
	});
}

/** Numbers spans in the order of their blocks, so that a block's spans have neighbouring numbers. */
function writeBlocks(
	{ rowNumbers, traces }: WriteTransaction,
	blocks: readonly Block<NormalizedSpan>[],
): Map<NormalizedSpan, SpanPlace> {
	const places = new Map<NormalizedSpan, SpanPlace>();
	for (const { spans, data } of blocks) {
		const blockId = rowNumbers.take("blocks");
		let last = 0;
		for (const [ordinal, span] of spans.entries()) {
			last = rowNumbers.take("spans");
			places.set(span, { id: last, blockId, ordinal });
		}
		traces.insertBlock(blockId, last - spans.length + 1, last, data);
	}
	return places;
}

function placeOf(places: ReadonlyMap<NormalizedSpan, SpanPlace>, span: NormalizedSpan): SpanPlace {
	const place = places.get(span);
	if (place === undefined) throw new Error(`span ${span.spanId} is in no block`);
	return place;
}

class ProjectIds {
	readonly #transaction: WriteTransaction;
	readonly #ids = new Map<string, number>();

	constructor(transaction: WriteTransaction) {
		this.#transaction = transaction;
	}

	of(name: string): number {
		let id = this.#ids.get(name);
		if (id === undefined) {
			id = this.#transaction.findOrInsertProject(name);
			this.#ids.set(name, id);
		}
		return id;
	}
}

class Changes {
	readonly #byProject = new Map<number, Set<number>>();

	add(projectId: number, traceRowId: number): void {
		const rowIds = this.#byProject.get(projectId);
		if (rowIds === undefined) this.#byProject.set(projectId, new Set([traceRowId]));
		else rowIds.add(traceRowId);
	}

	list(): WriteResult["changes"] {
		return Array.from(this.#byProject, ([projectId, rowIds]) => ({ projectId, traceRowIds: [...rowIds] }));
	}
}
