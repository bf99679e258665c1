import { types } from "#storage/clickhouse/row-binary.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import { contentOf } from "#storage/traces/content/content-of.ts";
import { reportDamage, standIn } from "#storage/traces/content/damaged-blocks.ts";
import { type SpanSummaryRow, toSpanSummary } from "#storage/traces/rows/span-summaries.ts";
import { isRunning } from "#storage/traces/totals/span-node.ts";
import type { SpanContent, SpanSummary, StoredSpan } from "#storage/traces/trace-store.ts";
import { type RowSources, renewSpans } from "../readings/renew-spans.ts";
import { SPANS, type SpanRow } from "../tables.ts";
import { LogsBySpan } from "../write/logs-by-span.ts";
import { readLogs } from "../write/stored-traces.ts";
import { inParts, inRanges, isOfBound } from "./bounds.ts";
import { Conditions } from "./conditions.ts";
import { readContents } from "./contents.ts";
import { byKey, firstOf } from "./first-of.ts";
import { type Asked, findRows, selectFinal, type Where } from "./query.ts";
import type { RowPlace } from "./recent-places.ts";
import { inTraces, type SpansPlace } from "./trace-rows.ts";

export const SPAN_COLUMNS = Object.keys(SPANS.columns)
	.map((column) => `spans.${column} as ${column}`)
	.join(", ");

/** Spans by start. */
export async function findSpanRows(shard: ShardReader, where: Where, asked?: Asked): Promise<SpanRow[]> {
	const rows = await findRows(shard, SPANS, where, "order by start_micros, id", asked);
	return rows.toSorted((a, b) => a.start_micros - b.start_micros || a.id - b.id);
}

/** Microseconds; spans of a trace that start closer to each other are read together. */
const LEAST_MICROS = 1_000;

/** All spans of traces, in no order. */
export async function findSpansOf(shard: ShardReader, traces: readonly SpansPlace[]): Promise<SpanRow[]> {
	return await inParts(traces, async (part) => {
		const traceIds = () => part.map(({ trace_id }) => trace_id.toString("hex"));
		const [only, ...others] = part;
		if (only === undefined || others.length > 0) return await findRows(shard, SPANS, inTraces(part), "", { traceIds });
		const starts = { from: only.start_micros, to: only.last_start_micros + 1 };
		return await inRanges(starts, LEAST_MICROS, async ({ from, to }) => {
			const where = inTraces(part).addTimeRange("start_micros", { startMicros: from, endMicros: to });
			return await findRows(shard, SPANS, where, "", { traceIds });
		});
	});
}

/**
 * The first spans of a trace by start, one more than `limit` at most, where its row is at this place; otherwise none. When
 * they start is asked for in the same statement.
 */
export async function findWholeTrace(
	shard: ShardReader,
	{ id, trace_id, project_id, anchor_micros }: RowPlace & Pick<SpanRow, "id">,
	limit: number,
): Promise<readonly SpanRow[]> {
	const traceId = trace_id.toString("hex");
	const where = new Conditions().addEqual("project_id", "Int64", project_id).addInHex("trace_id", 16, [traceId]);
	const ofTrace = where.sql;
	where.add("start_micros between starts.1 and starts.2").addEqual("trace_row_id", "Int64", id);
	const anchor = where.bind("Int64", anchor_micros);
	try {
		const rows = await selectFinal(
			shard,
			`with (select tuple(min(start_micros), max(last_start_micros)) from traces
				where ${ofTrace} and anchor_micros = ${anchor}) as starts
			select ${Object.keys(SPANS.columns).join(", ")} from spans
			where ${where.sql} order by start_micros, id limit ${limit + 1}`,
			SPANS.columns,
			where.params,
			{ traceIds: () => [traceId] },
		);
		return firstOf(
			rows,
			limit + 1,
			byKey("asc", (row) => ({ value: row.start_micros, id: row.id })),
		);
	} catch (error) {
		if (!isOfBound(error)) throw error;
		return [];
	}
}

/** What lists show of spans. For those that run, their trace says until when it was heard of. */
export async function toSummaries(sources: RowSources, found: readonly SpanRow[]): Promise<SpanSummary[]> {
	const { shard } = sources;
	const rows = await renewSpans(sources, found);
	const running = rows.filter(({ flags, end_micros }) => isRunning(flags) || end_micros === 0);
	const heard = new Map<number, number>();
	if (running.length > 0) {
		const traces = await inParts([...new Set(running.map(({ trace_row_id }) => trace_row_id))], (ids) =>
			selectFinal(
				shard,
				"select id, end_micros from traces where id in {ids:Array(Int64)}",
				{ id: types.Integer, end_micros: types.Integer },
				{ ids },
				{ most: ids.length },
			),
		);
		for (const { id, end_micros } of traces) heard.set(id, end_micros);
	}
	return rows.map((row) => toSpanSummary(summaryRow(row, heard.get(row.trace_row_id))));
}

function summaryRow(row: SpanRow, heardMicros: number | undefined): Omit<SpanSummaryRow, "block_id" | "ordinal"> {
	return { ...row, cost_source: row.cost_source === 0 ? null : row.cost_source, heard_micros: heardMicros ?? null };
}

/** Spans with their content; one whose content is gone has none that can be read. */
export async function toStoredSpans(sources: RowSources, rows: readonly SpanRow[]): Promise<StoredSpan[]> {
	const { shard, selected } = sources;
	const withLogs = rows.filter(({ has_logs }) => has_logs === 1);
	const [summaries, contents, logs] = await Promise.all([
		toSummaries(sources, rows),
		readContents(
			shard,
			rows.filter(({ id }) => selected?.find(id) === undefined),
		),
		readLogs(shard, [...new Set(withLogs.map(({ trace_id }) => trace_id.toString("hex")))]),
	]);
	const logsBySpan = new LogsBySpan(logs);
	return summaries.map((summary, index) => {
		const own = logsBySpan.find(summary, summary.spanId).map((data) => new Uint8Array(data));
		const content = contents.get(summary.id) ?? selected?.find(summary.id);
		const row = rows[index];
		return { summary, content: content === undefined ? missingContent(row, own) : { ...content, logs: own } };
	});
}

/** What the row of a span says, for one whose content is not there. */
function missingContent(row: SpanRow | undefined, logs: readonly Uint8Array[]): SpanContent {
	if (row === undefined) throw new Error("a span has no row");
	reportDamage({ spanId: row.span_id.toString("hex"), reason: "its content is missing" });
	return contentOf(standIn(summaryRow(row, undefined)), logs);
}
