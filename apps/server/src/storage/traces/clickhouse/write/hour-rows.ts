import type { HourChange } from "#storage/traces/totals/hour-changes.ts";
import { TOTALS_COLUMNS, totalsColumns } from "#storage/traces/totals/totals-columns.ts";
import type { Turn } from "../metadata/turns.ts";
import type { HourRow } from "../tables.ts";

type HourSum = "trace_count" | Exclude<(typeof TOTALS_COLUMNS)[number], "costed_spans">;

/** What the totals of an hour add up. */
export const SUMS: readonly HourSum[] = [
	"trace_count",
	...TOTALS_COLUMNS.filter((column) => column !== "costed_spans"),
];

/** Whether a row changes nothing. */
export function isEmpty(row: HourRow): boolean {
	return SUMS.every((column) => row[column] === 0) && row.latency_buckets.length === 0;
}

/** The change of an hour by a batch. */
export function hourRow(
	{ projectId, hour, kind, model, traces, totals, latency }: HourChange,
	{ batch, version }: Pick<Turn, "batch" | "version">,
): HourRow {
	const buckets = [...latency].toSorted(([a], [b]) => a - b);
	return {
		project_id: projectId,
		hour,
		kind,
		model,
		number: batch,
		trace_count: traces,
		...totalsColumns(totals),
		latency_buckets: buckets.map(([bucket]) => bucket),
		latency_counts: buckets.map(([, count]) => count),
		version,
		is_deleted: 0,
	};
}
