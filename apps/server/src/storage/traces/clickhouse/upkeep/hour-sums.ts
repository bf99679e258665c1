import { addTo } from "#storage/traces/totals/latency-histogram.ts";
import type { HourRow } from "../tables.ts";
import { SUMS } from "../write/hour-rows.ts";

/** The kind and model that a row of an hour is of. */
export function groupOf({ kind, model }: HourRow): string {
	return `${kind} ${model}`;
}

/** A row with the totals of another one added (1) or subtracted (-1); everything else is of the first. */
export function plus(row: HourRow, other: HourRow, sign: 1 | -1): HourRow {
	const totals = Object.fromEntries(SUMS.map((column) => [column, row[column] + sign * other[column]]));
	const latency = new Map(row.latency_buckets.map((bucket, index) => [bucket, row.latency_counts[index] ?? 0]));
	for (const [index, bucket] of other.latency_buckets.entries())
		addTo(latency, bucket, sign * (other.latency_counts[index] ?? 0));
	const buckets = [...latency].toSorted(([a], [b]) => a - b);
	return {
		...row,
		...totals,
		latency_buckets: buckets.map(([bucket]) => bucket),
		latency_counts: buckets.map(([, count]) => count),
	};
}

/** A row without totals. */
export function emptied(row: HourRow): HourRow {
	return { ...row, ...Object.fromEntries(SUMS.map((column) => [column, 0])), latency_buckets: [], latency_counts: [] };
}

export function hasSameTotals(a: HourRow, b: HourRow): boolean {
	return (
		SUMS.every((column) => a[column] === b[column]) &&
		a.latency_buckets.join() === b.latency_buckets.join() &&
		a.latency_counts.join() === b.latency_counts.join()
	);
}
