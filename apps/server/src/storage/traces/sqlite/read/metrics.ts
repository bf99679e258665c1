import type { DatabaseSync } from "node:sqlite";
import { eachRow } from "#storage/sqlite/rows.ts";
import { HOUR_MICROS, type HourRow } from "#storage/traces/totals/hour-changes.ts";
import { BUCKET_MICROS, Sums } from "#storage/traces/totals/metric-sums.ts";
import { kindOf } from "#storage/traces/totals/span-kinds.ts";
import { NODE_COLUMNS, type NodeRow, nodeOfRow } from "#storage/traces/totals/span-node.ts";
import type { MetricsPoint, MetricsQuery } from "#storage/traces/trace-store.ts";

/**
 * Totals by bucket, with the range widened to whole buckets; buckets without spans are left out. Hours and days come
 * from the hourly totals; minutes and names from the rows of the spans.
 */
export function metrics(db: DatabaseSync, query: MetricsQuery): MetricsPoint[] {
	const width = BUCKET_MICROS[query.bucket];
	const sums = new Sums(width);
	const from = Math.floor(query.startMicros / width) * width;
	const to = Math.ceil(query.endMicros / width) * width;
	if (query.bucket === "minute" || query.groupBy === "name") addRows(db, query, from, to, sums);
	else addHours(db, query, from, to, sums);
	return sums.points();
}

function addHours(db: DatabaseSync, query: MetricsQuery, from: number, to: number, sums: Sums): void {
	const hours = db.prepare("select * from hours where project_id = ? and hour >= ? and hour < ?");
	for (const row of eachRow<HourRow>(hours, query.projectId, from / HOUR_MICROS, to / HOUR_MICROS)) {
		const sum = sums.at(row.hour * HOUR_MICROS, groupOf(query, row));
		sum.traces += row.trace_count;
		sum.spans += row.span_count;
		sum.running += row.running_count;
		sum.errors += row.error_count;
		sum.prompt += row.tokens_prompt;
		sum.completion += row.tokens_completion;
		sum.total += row.tokens_total;
		sum.costMicro += row.cost_micro;
		sum.costPico += row.cost_pico;
		sum.latency.addBlob(row.latency);
	}
}

function groupOf(query: MetricsQuery, row: { kind: number; model: string | null }): string | null {
	if (query.groupBy === "kind") return kindOf(row.kind);
	return query.groupBy === "model" ? row.model || null : null;
}

interface TraceStart {
	readonly start_micros: number;
	readonly root_name: string;
	readonly kind: number;
	readonly model: string | null;
}

function addRows(db: DatabaseSync, query: MetricsQuery, from: number, to: number, sums: Sums): void {
	const range = "project_id = ? and start_micros >= ? and start_micros < ?";
	const spans = db.prepare(`select ${NODE_COLUMNS} from spans indexed by spans_by_start where ${range}`);
	for (const row of eachRow<NodeRow>(spans, query.projectId, from, to)) {
		const node = nodeOfRow(row);
		sums.addSpan(node, query.groupBy === "name" ? node.name : groupOf(query, node));
	}
	const traces = db.prepare(
		`select start_micros, root_name, root_kind as kind, root_model as model
		from traces indexed by traces_by_start where ${range}`,
	);
	for (const row of eachRow<TraceStart>(traces, query.projectId, from, to))
		sums.at(row.start_micros, query.groupBy === "name" ? row.root_name : groupOf(query, row)).traces += 1;
}
