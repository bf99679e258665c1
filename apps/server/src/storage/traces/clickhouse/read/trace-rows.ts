import type { Parameters } from "#storage/clickhouse/node.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import type { ShownTexts } from "#storage/traces/content/shown-texts.ts";
import { toTraceSummary } from "#storage/traces/rows/trace-summaries.ts";
import type { TraceSummary } from "#storage/traces/trace-store.ts";
import { type TableRow, TRACES } from "../tables.ts";
import { findRows } from "./query.ts";

type TraceRow = TableRow<typeof TRACES>;

export function toSummary(row: TraceRow, withTexts = true): TraceSummary {
	return toTraceSummary(row, withTexts ? textsOf(row) : new Map());
}

/** The texts of a row, by the spans that they come from. */
export function textsOf(row: {
	readonly input_span: number | null;
	readonly output_span: number | null;
	readonly first_input: string | null;
	readonly last_output: string | null;
}): ReadonlyMap<number, ShownTexts> {
	const { input_span, output_span, first_input: input, last_output: output } = row;
	return new Map([
		...(input_span === null ? [] : [[input_span, { input, output }] as const]),
		...(output_span === null ? [] : [[output_span, { input, output }] as const]),
	]);
}

/** Traces by start. */
export async function findTraceRows(shard: Shard, sql: string, params: Parameters): Promise<TraceRow[]> {
	return await findRows(shard, TRACES, { sql, params }, "order by start_micros, start_nanos, id");
}
