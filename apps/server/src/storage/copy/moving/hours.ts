import type { ClientBase } from "pg";
import { HOUR_SLOTS } from "#storage/traces/postgres/write/hour-rows.ts";
import { addBlobTo, type Histogram, toBlob } from "#storage/traces/totals/latency-histogram.ts";
import type { Row, Value } from "./tables.ts";

const SUMS = [
	"trace_count",
	"span_count",
	"running_count",
	"error_count",
	"tokens_prompt",
	"tokens_completion",
	"tokens_total",
	"cost_micro",
	"cost_pico",
] as const;
const KEY = ["project_id", "hour", "kind", "model"] as const;

/** Totals by hour as SQLite has them: PostgreSQL's slots added up. */
export async function readHours(
	client: ClientBase,
	after: readonly Value[] | null,
	limit: number,
): Promise<readonly Row[]> {
	const key = KEY.join(", ");
	const { rows } = await client.query(
		`select ${key}, ${SUMS.join(", ")}, latency from hours
		where (${key}) in (
			select ${key} from hours ${after === null ? "" : `where (${key}) > ($1, $2, $3, $4)`}
			group by ${key} order by ${key} limit ${limit})
		order by ${key}, slot limit ${limit * HOUR_SLOTS}`,
		[...(after ?? [])],
	);
	const merged = new Map<string, { row: Row; histogram: Histogram }>();
	for (const row of rows as Row[]) {
		const name = JSON.stringify(KEY.map((column) => row[column]));
		const known = merged.get(name);
		const histogram: Histogram = known?.histogram ?? new Map();
		addBlobTo(histogram, row["latency"] as Uint8Array);
		const sums = SUMS.map((column) => [column, Number(row[column]) + Number(known?.row[column] ?? 0)] as const);
		merged.set(name, { row: { ...row, ...Object.fromEntries(sums) }, histogram });
	}
	return [...merged.values()].map(({ row, histogram }) => ({ ...row, latency: toBlob(histogram) }));
}
