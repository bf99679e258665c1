import { present } from "#base/present.ts";
import type { Block } from "#storage/traces/content/block.ts";
import { type LogRecordOfProject, logOfProject, type PackedLogRecord } from "#storage/traces/content/log-record.ts";
import { type PackedBatch, packEnded, withoutStored } from "#storage/traces/content/pack-batch.ts";
import { mayHaveNewFailures } from "#storage/traces/error-backlog.ts";
import type { NormalizedSpan, ProjectsOfWrite, WriteResult } from "#storage/traces/span-batch.ts";
import { signatureOf } from "#storage/traces/text/text-signature.ts";
import type { EndedSpan } from "#storage/traces/totals/add-spans.ts";
import type { SpanLocation } from "#storage/traces/totals/span-row.ts";
import { TraceListChanges } from "#storage/traces/totals/trace-list-changes.ts";
import type { ProjectRows } from "./project-rows.ts";
import { openTrace, refreshTexts, writeTrace } from "./write-trace.ts";
import type { WriteTransaction } from "./write-transaction.ts";

export interface BatchToWrite {
	readonly batch: PackedBatch;
	readonly logs: readonly PackedLogRecord[];
	readonly projects: ProjectsOfWrite;
}

/** Stores a batch. Call it within `transaction.run`. */
export function writeBatch(transaction: WriteTransaction, { batch, logs, projects }: BatchToWrite): WriteResult {
	transaction.projects.assertDecidedBy(projects);
	const receivedAt = Date.now() * 1_000;
	const ids = new ProjectIds(transaction.projects, projects);
	const newLogs = logs
		.map((log) => logOfProject(ids.of(log.projectName), log))
		.filter((log) => transaction.logs.insert(log, receivedAt));
	const opened = batch.traces.map(({ projectName, traceId, spans }) =>
		openTrace(transaction, ids.of(projectName), traceId, spans),
	);
	if (projects.isUnlimited)
		for (const { projectId, traceId, row } of opened) if (row === undefined) transaction.logs.claim(projectId, traceId);
	const changed = opened.filter((trace) => trace.fresh.length + trace.ended.length > 0);
	const added = changed.reduce((sum, trace) => sum + trace.fresh.length, 0);
	const ended = changed.flatMap((trace) => trace.ended);
	const written = added + ended.length;
	const given = batch.traces.reduce((sum, trace) => sum + trace.spans.length, 0);
	const blocks = [...(added === given ? batch.blocks : withoutStored(batch.blocks, changed))];
	const places = writeBlocks(transaction, blocks);
	if (ended.length > 0) blocks.push(...writeEndedBlocks(transaction, batch, ended, places));
	const changes = new TraceListChanges();
	for (const trace of changed) {
		const id = writeTrace(transaction, trace, (span) => locationOf(places, span));
		changes.add(trace.projectId, id);
		if (mayHaveNewFailures(trace)) transaction.backlog.mark(id);
		else if (trace.row !== undefined) transaction.backlog.markAgain(id);
	}
	for (const block of blocks) signBlock(transaction, block, places);
	for (const records of Map.groupBy(newLogs, (log) => `${log.projectId} ${log.traceId}`).values()) {
		const { projectId, traceId } = present(records[0], "a log record of a trace");
		const row = transaction.traces.findTrace(projectId, Buffer.from(traceId, "hex"));
		if (row === undefined) continue;
		outdateSignatures(transaction, row.id, records);
		refreshTexts(transaction, traceId, row);
		// They may be exceptions.
		if (row.error_count > 0) transaction.backlog.mark(row.id);
		changes.add(projectId, row.id);
	}
	return {
		written,
		duplicates: batch.duplicates + given - written,
		logRecords: newLogs.length,
		changes: changes.list(),
	};
}

/** The spans of a block have consecutive numbers, in the order in which they were sent. */
function writeBlocks(
	{ rowNumbers, traces }: WriteTransaction,
	blocks: readonly Block<NormalizedSpan>[],
): Map<NormalizedSpan, SpanLocation> {
	const places = new Map<NormalizedSpan, SpanLocation>();
	for (const { spans, given, data } of blocks) {
		const blockId = rowNumbers.take("blocks");
		const ordinals = new Map(spans.map((span, ordinal) => [span, ordinal]));
		let last = 0;
		for (const span of given) {
			last = rowNumbers.take("spans");
			places.set(span, { id: last, blockId, ordinal: present(ordinals.get(span), "the place of a span") });
		}
		traces.insertBlock(blockId, last - spans.length + 1, last, data);
	}
	return places;
}

/**
 * Moves the content of spans that end to new blocks, those of one block together: a block lies within the row numbers of
 * the one that its spans were in. @param places where the spans are now is added
 */
function writeEndedBlocks(
	transaction: WriteTransaction,
	batch: PackedBatch,
	ended: readonly EndedSpan[],
	places: Map<NormalizedSpan, SpanLocation>,
): Block<NormalizedSpan>[] {
	const blockOf = transaction.takeFromBlocks(ended.map(({ stored }) => stored.id));
	const blocks = packEnded(batch, ended, (id) => blockOf.get(id));
	const idOf = new Map(ended.map(({ stored, span }) => [span, stored.id]));
	for (const { spans, data } of blocks) {
		const blockId = transaction.rowNumbers.take("blocks");
		const ids = spans.map((span) => present(idOf.get(span), "the row number of a span that ends"));
		for (const [ordinal, span] of spans.entries())
			places.set(span, { id: present(ids[ordinal], "its number"), blockId, ordinal });
		transaction.traces.insertBlock(blockId, Math.min(...ids), Math.max(...ids), data);
	}
	return blocks;
}

/** Stores the signature of a block whose spans are written, with the log records that came before them. */
function signBlock(
	{ signatures, logs }: WriteTransaction,
	{ spans, signature }: Block<NormalizedSpan>,
	places: ReadonlyMap<NormalizedSpan, SpanLocation>,
): void {
	if (signature === undefined) return;
	const { blockId } = locationOf(places, present(spans[0], "the first span of a block"));
	const messages = logs.ofBlock(blockId);
	signatures.insert(blockId, messages.length === 0 ? signature : signatureOf({ spans, logs: messages }));
}

/** The blocks that hold the spans of new log records lack their texts. */
function outdateSignatures(
	{ traces, signatures }: WriteTransaction,
	traceRowId: number,
	logs: readonly LogRecordOfProject[],
): void {
	const blocks = new Set(logs.flatMap(({ spanId }) => traces.blocksBySpanId(traceRowId, spanId)));
	for (const blockId of blocks) signatures.outdate(blockId);
}

function locationOf(places: ReadonlyMap<NormalizedSpan, SpanLocation>, span: NormalizedSpan): SpanLocation {
	const place = places.get(span);
	if (place === undefined) throw new Error(`span ${span.spanId} is in no block`);
	return place;
}

class ProjectIds {
	readonly #rows: ProjectRows;
	readonly #projects: ProjectsOfWrite;
	readonly #ids = new Map<string, number>();

	constructor(rows: ProjectRows, projects: ProjectsOfWrite) {
		this.#rows = rows;
		this.#projects = projects;
	}

	of(name: string): number {
		let id = this.#ids.get(name);
		if (id === undefined) {
			id = this.#rows.of(name, this.#projects);
			this.#ids.set(name, id);
		}
		return id;
	}
}
