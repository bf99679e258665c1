import type { ShardReader } from "#storage/clickhouse/shard.ts";
import type { ScannedPage } from "#storage/traces/lists/positions.ts";
import type { Keyset } from "#storage/traces/trace-store.ts";
import { SPANS, type SpanRow } from "../tables.ts";
import { addAfter } from "./list-traces.ts";
import { findRows } from "./query.ts";
import { inTraces, type SpansPlace } from "./trace-rows.ts";
import { walk } from "./walk.ts";

/** Microseconds. */
const WINDOWS = { width: 3_600_000_000, least: 1_000 } as const;

/** Spans of a trace by start. */
export async function listSpansOf(
	shard: ShardReader,
	trace: SpansPlace,
	{ limit, after }: { readonly limit: number; readonly after: Keyset | undefined },
): Promise<ScannedPage<SpanRow>> {
	return await walk<SpanRow>({
		...{ ...WINDOWS, order: "asc", limit, after, begun: performance.now(), isSlow: false },
		edges: { from: trace.start_micros, to: trace.last_start_micros + 1 },
		keyOf: (row) => ({ value: row.start_micros, id: row.id }),
		read: async (window, position, most) => {
			const where = inTraces([trace]);
			where.addTimeRange("start_micros", { startMicros: window.from, endMicros: window.to });
			addAfter(where, "start_micros", "asc", position, "Int64", "id");
			const traceIds = () => [trace.trace_id.toString("hex")];
			return await findRows(shard, SPANS, where, `order by start_micros, id limit ${most}`, { traceIds });
		},
	});
}
