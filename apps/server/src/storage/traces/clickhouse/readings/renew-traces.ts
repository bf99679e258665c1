import { READING } from "@spanward/semconv";
import { BATCH_SPANS } from "#storage/traces/mutate/batches.ts";
import { readStoredTexts } from "#storage/traces/span-meaning.ts";
import { rebuildRollup } from "#storage/traces/totals/rebuild.ts";
import { nodeOfRow } from "#storage/traces/totals/span-node.ts";
import { TOTALS_COLUMNS } from "#storage/traces/totals/totals-columns.ts";
import type { SessionWithTotals } from "../read/session-totals.ts";
import { findSpansOf } from "../read/span-rows.ts";
import { findTracesOfSessions } from "../read/trace-rows.ts";
import type { TraceRow } from "../tables.ts";
import { LogsBySpan } from "../write/logs-by-span.ts";
import { readLogs, traceKeyOf } from "../write/stored-traces.ts";
import { TextChooser } from "../write/text-chooser.ts";
import { sessionOf, traceRow } from "../write/trace-row.ts";
import { isOlder, lowestReading } from "./older.ts";
import { type RowSources, renewSpans } from "./renew-spans.ts";

/**
 * Traces with their texts, as the current reading of attributes makes them; those that it has made stay as they are, at no
 * cost. One that turns out to be of another session than before has no row number of a session until
 * its row is written.
 */
export async function renewTraces(sources: RowSources, rows: readonly TraceRow[]): Promise<readonly TraceRow[]> {
	const renewed = new Map<number, TraceRow>();
	for (const part of bySpans(rows.filter(isOlder)))
		for (const row of await readTracesAnew(sources, part)) renewed.set(row.id, row);
	return renewed.size === 0 ? rows : rows.map((row) => renewed.get(row.id) ?? row);
}

async function readTracesAnew(sources: RowSources, rows: readonly TraceRow[]): Promise<TraceRow[]> {
	const { shard } = sources;
	const traceIds = [...new Set(rows.map(({ trace_id }) => trace_id.toString("hex")))];
	const spans = Map.groupBy(
		await renewSpans(sources, await findSpansOf(shard, rows)),
		({ trace_row_id }) => trace_row_id,
	);
	const traces = rows.flatMap((row) => {
		const own = spans.get(row.id);
		if (own === undefined) return [];
		const nodes = own.map(nodeOfRow);
		return [{ row, own, nodes, rollup: rebuildRollup(nodes).rollup }];
	});
	const logs = new LogsBySpan(await readLogs(shard, traceIds));
	const texts = new TextChooser(shard, { logs, readTexts: readStoredTexts });
	await texts.choose(
		traces.map(({ row, own, nodes, rollup }) => ({
			...{ key: traceKeyOf(row), root: rollup.root, nodes },
			...{ rows: new Map(own.map((span) => [span.id, span])), before: withoutTexts(row) },
		})),
	);
	return traces.map(({ row, nodes, rollup }) =>
		traceRow({
			...{ place: row, anchor: row.anchor_micros, rollup, nodes, texts: texts.of(rollup.root) },
			sessionRowId: sessionOf(rollup) === row.session_id ? row.session_row_id : null,
			written: { ...row, reading: READING },
		}),
	);
}

/** Sessions, with the totals of those of their traces that stay in them. */
export async function renewSessions(
	sources: RowSources,
	rows: readonly SessionWithTotals[],
): Promise<readonly SessionWithTotals[]> {
	const older = rows.filter(isOlder);
	if (older.length === 0) return rows;
	const traces = await renewTraces(
		sources,
		await findTracesOfSessions(
			sources.shard,
			older.map(({ id }) => id),
		),
	);
	const bySession = Map.groupBy(traces, ({ session_row_id }) => session_row_id);
	return rows.map((row) => (isOlder(row) ? withTotalsOf(row, bySession.get(row.id) ?? []) : row));
}

/** A session with the totals of these traces, which are all of its own. */
export function withTotalsOf(row: SessionWithTotals, traces: readonly TraceRow[]): SessionWithTotals {
	const sums = Object.fromEntries(
		TOTALS_COLUMNS.map((column) => [column, traces.reduce((sum, trace) => sum + trace[column], 0)]),
	);
	const renewed = { ...row, ...sums, trace_count: traces.length, reading: lowestReading(traces) };
	const sorted = traces.toSorted(byPlace);
	const [first, last] = [sorted[0], sorted.at(-1)];
	if (first === undefined || last === undefined) return { ...renewed, user_id: null };
	const end = traces.reduce((a, b) => ((a.end_micros - b.end_micros || a.end_nanos - b.end_nanos) >= 0 ? a : b));
	return {
		...renewed,
		...{ start_micros: first.start_micros, start_nanos: first.start_nanos, user_id: first.user_id },
		...{ end_micros: end.end_micros, end_nanos: end.end_nanos },
		...{ first_anchor: first.anchor_micros, first_trace: first.trace_id },
		...{ last_anchor: last.anchor_micros, last_trace: last.trace_id },
	};
}

function byPlace(a: TraceRow, b: TraceRow): number {
	return a.start_micros - b.start_micros || a.start_nanos - b.start_nanos || Buffer.compare(a.trace_id, b.trace_id);
}

/** As they would be without texts, which are chosen anew. */
export function withoutTexts(row: TraceRow): TraceRow {
	return { ...row, input_span: null, output_span: null };
}

/** Traces whose spans are held at once. */
export function* bySpans(rows: readonly TraceRow[]): Generator<readonly TraceRow[]> {
	let part: TraceRow[] = [];
	let spans = 0;
	for (const row of rows) {
		if (part.length > 0 && spans + row.span_count > BATCH_SPANS) {
			yield part;
			[part, spans] = [[], 0];
		}
		part.push(row);
		spans += row.span_count;
	}
	if (part.length > 0) yield part;
}
