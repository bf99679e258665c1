import type { HourChange } from "#storage/traces/totals/hour-changes.ts";
import { totalsColumns } from "#storage/traces/totals/totals-columns.ts";
import type { HOURS, TableRow } from "../tables.ts";
import type { Turn } from "./turns.ts";

/** The change of an hour by a batch. */
export function hourRow(
	{ projectId, hour, kind, model, traces, totals, latency }: HourChange,
	{ batch, version }: Turn,
): TableRow<typeof HOURS> {
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
