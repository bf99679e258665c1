import type { Shard } from "#storage/clickhouse/shard.ts";
import type { ShownTexts } from "#storage/traces/content/shown-texts.ts";
import { toTraceSummary } from "#storage/traces/rows/trace-summaries.ts";
import type { TraceSummary } from "#storage/traces/trace-store.ts";
import { TRACES, type TraceRow } from "../tables.ts";
import { Conditions } from "./conditions.ts";
import { findRows, type Where } from "./query.ts";

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
export async function findTraceRows(shard: Shard, where: Where): Promise<TraceRow[]> {
	return await findRows(shard, TRACES, where, "order by start_micros, start_nanos, id");
}

/** The condition of being a span of one of these traces: project, time and trace. */
export function inTraces(
	traces: readonly Pick<TraceRow, "id" | "project_id" | "start_micros" | "last_start_micros">[],
): Conditions {
	const where = new Conditions().addIn(
		"project_id",
		"Int64",
		traces.map(({ project_id }) => project_id),
	);
	where.addBetween(
		"start_micros",
		traces.reduce((first, row) => Math.min(first, row.start_micros), Number.MAX_SAFE_INTEGER),
		traces.reduce((last, row) => Math.max(last, row.last_start_micros), 0),
	);
	return where.addIn(
		"trace_row_id",
		"Int64",
		traces.map(({ id }) => id),
	);
}
