import type { ClientBase } from "pg";
import { present } from "#base/present.ts";
import type { Block } from "#storage/traces/content/block.ts";
import { logOfProject, type PackedLogRecord } from "#storage/traces/content/log-record.ts";
import { type PackedBatch, packEnded, withoutStored } from "#storage/traces/content/pack-batch.ts";
import { mayHaveNewFailures } from "#storage/traces/error-backlog.ts";
import type { NormalizedSpan, ProjectsOfWrite, WriteResult } from "#storage/traces/span-batch.ts";
import { signatureOf } from "#storage/traces/text/text-signature.ts";
import {
	addSpans,
	type EndedSpan,
	followsOn,
	moveSpend,
	type OpenedTrace,
	sortOut,
	textsAfter,
	usersToMove,
} from "#storage/traces/totals/add-spans.ts";
import type { TraceChange } from "#storage/traces/totals/change-trace.ts";
import { endSpans, type RebuiltSpans } from "#storage/traces/totals/end-spans.ts";
import type { SpanNode } from "#storage/traces/totals/span-node.ts";
import { type SpanLocation, spanValues } from "#storage/traces/totals/span-row.ts";
import { TraceListChanges } from "#storage/traces/totals/trace-list-changes.ts";
import { NO_STORED_NODES, TraceNodes, WHOLE_TRACE_SPANS, wholeTrace } from "#storage/traces/totals/trace-nodes.ts";
import { rollupOfRow, spansOfRow } from "#storage/traces/totals/trace-row.ts";
import { chooseTexts } from "#storage/traces/totals/trace-texts.ts";
import type { DailyMonths } from "../daily-months.ts";
import { removeFromBlocks } from "../mutate/blocks.ts";
import type { RowNumbers } from "../row-numbers.ts";
import { type BlockSignature, insertSignatures } from "../text/signature-rows.ts";
import { markTraces } from "./backlog-rows.ts";
import { type CopyTarget, copyRows } from "./copy-rows.ts";
import type { Value } from "./insert-rows.ts";
import { insertLogs, lockLogs, readLogs } from "./log-rows.ts";
import { projectNumbers } from "./project-rows.ts";
import { refreshTexts } from "./refresh-texts.ts";
import {
	insertSpans,
	lockTraceIds,
	lockTracesByKey,
	nodesAround,
	nodesOfTraces,
	placesOfSpans,
	updateSpans,
	writeFlags,
} from "./trace-rows.ts";
import type { WriteTransaction } from "./write-transaction.ts";

export interface BatchToWrite {
	readonly batch: PackedBatch;
	/** According to which the batch was packed. */
	readonly months: DailyMonths;
	readonly logs: readonly PackedLogRecord[];
	readonly numbers: RowNumbers;
	readonly projects: ProjectsOfWrite;
}

/** Stores a batch. Call it within `changeTotals`. */
export async function writeBatch(
	transaction: WriteTransaction,
	{ batch, months, logs, numbers, projects: allowed }: BatchToWrite,
): Promise<WriteResult> {
	const { client, spans } = transaction;
	const traceIds = batch.traces.map((trace) => trace.traceId);
	const traceIdsOfLogs = [...new Set(logs.map((log) => log.traceId))];
	const names = [...new Set([...batch.traces, ...logs].map(({ projectName }) => projectName))];
	const { numbers: projects } = await projectNumbers(client, names, allowed);
	await lockLogs(client, traceIds, traceIdsOfLogs);
	await lockTraceIds(client, traceIds);
	const logsOfProjects = logs.map((log) => logOfProject(numberOf(projects, log), log));
	const newLogs = await insertLogs(client, logsOfProjects, Date.now() * 1_000);
	const opened = await openTraces(transaction, batch, projects);
	const changed = opened.filter((trace) => trace.fresh.length + trace.ended.length > 0);
	const claiming = allowed.isUnlimited ? opened.filter(({ row }) => row === undefined) : [];
	if (changed.length + newLogs.length > 0)
		spans.logsOf = await readLogs(client, [...traceIds, ...traceIdsOfLogs], claiming);

	const added = changed.reduce((sum, trace) => sum + trace.fresh.length, 0);
	const ended = changed.flatMap((trace) => trace.ended);
	const written = added + ended.length;
	const given = batch.traces.reduce((sum, trace) => sum + trace.spans.length, 0);
	const newBlocks = added === given ? batch.blocks : withoutStored(batch.blocks, changed);
	const endedBlocks = ended.length === 0 ? [] : await packAnew(client, batch, ended, months);
	const blocks = [...newBlocks, ...endedBlocks];
	// Blocks of which some spans are stored already are packed again, each into one block.
	await numbers.reserve(client, { traces: changed.length, spans: added, blocks: blocks.length });
	const { locations, rows: blockRows } = placeBlocks(blocks, ended, { months, numbers });
	const changes = await writeTraces(transaction, changed, { locations, numbers });
	await copyRows(client, BLOCKS, blockRows);
	await signBlocks(transaction, projects, blocks, blockRows);

	const listed = new TraceListChanges();
	for (const { id, projectId } of changes) listed.add(projectId, id);
	const withLogs = await refreshTexts(transaction, newLogs);
	for (const row of withLogs) listed.add(row.project_id, row.id);
	// The log records may be exceptions.
	await markTraces(client, { failing: withLogs.filter((row) => row.error_count > 0).map(({ id }) => id), changed: [] });
	return {
		written,
		duplicates: batch.duplicates + given - written,
		logRecords: newLogs.length,
		changes: listed.list(),
	};
}

const BLOCKS: CopyTarget = {
	table: "blocks",
	columns: [
		["id", "bigint"],
		["month", "bigint"],
		["first_span", "bigint"],
		["last_span", "bigint"],
		["data", "bytea"],
	],
};

/** Blocks without a complete signature, so that a search knows which ones to read. */
const WAITING: CopyTarget = {
	table: "block_text_waiting",
	columns: [
		["block_id", "bigint"],
		["month", "bigint"],
	],
};

function numberOf(projects: ReadonlyMap<string, number>, { projectName }: { readonly projectName: string }): number {
	return present(projects.get(projectName), "the row number of a project");
}

async function openTraces(
	{ client, spans }: WriteTransaction,
	batch: PackedBatch,
	projects: ReadonlyMap<string, number>,
): Promise<OpenedTrace[]> {
	const traces = batch.traces.map((trace) => ({
		...trace,
		projectId: numberOf(projects, trace),
	}));
	const rows = await lockTracesByKey(client, traces);
	const rowByKey = new Map(rows.map((row) => [`${row.project_id} ${Buffer.from(row.trace_id).toString("hex")}`, row]));
	const small = await nodesOfTraces(
		client,
		rows.filter((row) => row.span_count <= WHOLE_TRACE_SPANS),
	);
	for (const [id, nodes] of small) spans.know(nodes, id);
	await spans.readNodes(rows.filter((row) => !small.has(row.id)).flatMap(spansOfRow));

	const opened: OpenedTrace[] = [];
	for (const { projectId, traceId, spans: given } of traces) {
		const row = rowByKey.get(`${projectId} ${traceId}`);
		if (row === undefined) {
			opened.push({ projectId, traceId, row, nodes: new TraceNodes(NO_STORED_NODES), fresh: given, ended: [] });
			continue;
		}
		const whole = small.get(row.id);
		const nodes = new TraceNodes(whole === undefined ? await nodesAround(client, row, given) : wholeTrace(whole));
		opened.push({ projectId, traceId, row, nodes, ...sortOut(given, nodes) });
	}
	return opened;
}

interface Numbered {
	readonly locations: ReadonlyMap<NormalizedSpan, SpanLocation>;
	readonly numbers: RowNumbers;
}

/** Writes the spans of traces, and updates their totals. @returns the changes of the traces */
async function writeTraces(
	transaction: WriteTransaction,
	traces: readonly OpenedTrace[],
	{ locations, numbers }: Numbered,
): Promise<TraceChange[]> {
	const { client, spans } = transaction;
	const changes: TraceChange[] = [];
	const written: WrittenTrace[] = [];
	const flagged: SpanNode[] = [];
	for (const trace of traces) {
		const { projectId, traceId, row } = trace;
		const id = row?.id ?? numbers.take("traces");
		if (!trace.ended.every(followsOn)) {
			const rebuilt = await rebuildWithSpans(transaction, trace, locations);
			changes.push(rebuilt.change);
			written.push({ id, trace, added: rebuilt.result.added, ended: rebuilt.result.ended });
			flagged.push(...rebuilt.result.flagged);
			continue;
		}
		const before =
			row === undefined ? undefined : await spans.settle(() => rollupOfRow(row, (span) => spans.nodeById(span)));
		const result = addSpans(trace, before, (span) => locationOf(locations, span), transaction);
		const users = usersToMove(row, result);
		if (row !== undefined && users !== undefined)
			moveSpend(transaction, trace, users, (await nodesOfTraces(client, [row])).get(row.id) ?? []);
		spans.know(result.ended);
		const texts = await spans.settle(() => textsAfter(row, result, spans.textsOf(id, trace)));
		changes.push({ id, projectId, traceId, stored: row, rollup: result.rollup, texts });
		written.push({ id, trace, added: result.added, ended: result.ended });
		flagged.push(...trace.nodes.marked);
	}
	await writeFlags(client, flagged);
	await transaction.saveTraces(changes);
	await insertSpans(
		client,
		spanRows(written, ({ added }) => added, locations),
	);
	await updateSpans(client, [...spanRows(written, ({ ended }) => ended, locations)]);
	const failing = written.filter(({ trace }) => mayHaveNewFailures(trace));
	await markTraces(client, {
		failing: failing.map(({ id }) => id),
		changed: written.flatMap(({ id, trace }) => (trace.row !== undefined && !mayHaveNewFailures(trace) ? [id] : [])),
	});
	for (const { id } of written) spans.changed(id);
	return changes;
}

interface WrittenTrace {
	readonly id: number;
	readonly trace: OpenedTrace;
	readonly added: readonly SpanNode[];
	readonly ended: readonly SpanNode[];
}

/** Ends stored spans of a trace, adds the new ones, and computes its totals anew. */
async function rebuildWithSpans(
	transaction: WriteTransaction,
	trace: OpenedTrace,
	locations: Numbered["locations"],
): Promise<{ change: TraceChange; result: RebuiltSpans }> {
	const { client, spans, sessions } = transaction;
	const { projectId, traceId } = trace;
	const row = present(trace.row, "the row of a trace with stored spans");
	const stored = present((await nodesOfTraces(client, [row])).get(row.id), "the spans of a stored trace");
	const result = endSpans(trace, stored, (span) => locationOf(locations, span), transaction);
	spans.know(result.nodes, row.id);
	const { llmNodes, nodeById, textsOf } = spans.textsOf(row.id, trace);
	const texts = await spans.settle(() =>
		chooseTexts(undefined, { root: result.rollup.root, added: [], all: llmNodes, byId: nodeById, textsOf }),
	);
	if (row.session_row_id !== null) sessions.shrink(row.session_row_id, "drop_unannotated");
	return { change: { id: row.id, projectId, traceId, stored: row, rollup: result.rollup, texts }, result };
}

function* spanRows(
	traces: readonly WrittenTrace[],
	nodesOf: (trace: WrittenTrace) => readonly SpanNode[],
	locations: Numbered["locations"],
): Generator<Value[]> {
	for (const written of traces) {
		const { id, trace } = written;
		const traceId = Buffer.from(trace.traceId, "hex");
		for (const node of nodesOf(written)) {
			const span = present(node.source, "what a written span was made of");
			yield [traceId, ...spanValues(node, trace.projectId, id, locationOf(locations, span))];
		}
	}
}

/** Values of the columns of `BLOCKS`. */
type BlockRow = readonly [id: number, month: number, firstSpan: number, lastSpan: number, data: Uint8Array];

/**
 * Numbers spans in the order of their blocks, so that the spans of a block have consecutive numbers. Those that end
 * stored ones have their numbers.
 */
function placeBlocks(
	blocks: readonly Block<NormalizedSpan>[],
	ended: readonly EndedSpan[],
	{ months, numbers }: Pick<BatchToWrite, "months" | "numbers">,
): { locations: Map<NormalizedSpan, SpanLocation>; rows: BlockRow[] } {
	const locations = new Map<NormalizedSpan, SpanLocation>();
	const rows: BlockRow[] = [];
	const storedIds = new Map(ended.map(({ stored, span }) => [span, stored.id]));
	for (const { spans, data } of blocks) {
		const blockId = numbers.take("blocks");
		const ids = spans.map((span, ordinal) => {
			const id = storedIds.get(span) ?? numbers.take("spans");
			locations.set(span, { id, blockId, ordinal });
			return id;
		});
		const month = months.keyOf(present(spans[0], "the first span of a block").start.micros);
		rows.push([blockId, month, Math.min(...ids), Math.max(...ids), data]);
	}
	return { locations, rows };
}

/** Takes the content of stored spans out of their blocks, and packs what takes its place. */
async function packAnew(
	client: ClientBase,
	batch: PackedBatch,
	ended: readonly EndedSpan[],
	months: DailyMonths,
): Promise<Block<NormalizedSpan>[]> {
	const blockOf = await takeFromBlocks(client, ended);
	// A block of a whole month may have held spans of several days.
	const periods = Map.groupBy(ended, ({ span }) => months.keyOf(span.start.micros));
	return [...periods.values()].flatMap((ofPeriod) => packEnded(batch, ofPeriod, blockOf));
}

/** Removes the content of stored spans from their blocks. @returns the block that each was in, by its row number */
async function takeFromBlocks(
	client: ClientBase,
	ended: readonly EndedSpan[],
): Promise<(spanRowId: number) => number | undefined> {
	const places = await placesOfSpans(
		client,
		ended.map(({ stored }) => stored),
	);
	await removeFromBlocks(client, places);
	const blockOf = new Map(places.map(({ id, block_id }) => [id, block_id]));
	return (id) => blockOf.get(id);
}

/** Writes the signatures of blocks, with the log records that came before their spans. */
async function signBlocks(
	{ client, spans: { logsOf } }: WriteTransaction,
	projects: ReadonlyMap<string, number>,
	blocks: readonly Block<NormalizedSpan>[],
	rows: readonly BlockRow[],
): Promise<void> {
	const signatures: BlockSignature[] = [];
	const unsigned: Value[][] = [];
	for (const [index, { spans, signature }] of blocks.entries()) {
		const [blockId, month] = present(rows[index], "the row of a block");
		if (signature === undefined) {
			unsigned.push([blockId, month]);
			continue;
		}
		const logs = spans.flatMap((span) =>
			logsOf({ projectId: numberOf(projects, span), traceId: span.traceId }, span.spanId),
		);
		signatures.push({ blockId, month, signature: logs.length === 0 ? signature : signatureOf({ spans, logs }) });
	}
	await insertSignatures(client, signatures);
	await copyRows(client, WAITING, unsigned);
}

function locationOf(locations: ReadonlyMap<NormalizedSpan, SpanLocation>, span: NormalizedSpan): SpanLocation {
	const location = locations.get(span);
	if (location === undefined) throw new Error(`span ${span.spanId} is in no block`);
	return location;
}
