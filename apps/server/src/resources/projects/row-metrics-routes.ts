import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { askerOf } from "#http/asker.ts";
import { parseFilter } from "#http/filter-param.ts";
import { formatTime } from "#http/wire-times.ts";
import type { MetricsBucket, SpanSummary, TraceSummary } from "#storage/traces/trace-store.ts";
import { latencyMs } from "../spans/narrow-views.ts";
import { spanFilters, spanKindFilter } from "../spans/schemas.ts";
import { toSpanFilter } from "../spans/span-filter.ts";
import { traceFilters } from "../traces/schemas.ts";
import { toTraceFilter } from "../traces/trace-filter.ts";
import { getProject } from "./queries.ts";
import { RowMetrics } from "./schemas.ts";
import { ROWS_AT_A_TIME, type RowNumbers, type RowsSeries, readSeries } from "./series-of-rows.ts";

const bucketParam = { bucket: z.enum(["minute", "hour", "day"]).default("hour") };
const DESCRIPTION =
	"Takes the filters of the list. Reads the newest rows first; when there are too many to read at once, `read_from` is the start of the earliest that was read. Buckets without rows are left out.";

/** Metrics of the rows of a list, which `/metrics` has only for whole projects. */
export function rowMetricsRoutes(app: App, { db }: Context): void {
	app.get(
		"/v1/projects/:project_identifier/trace_metrics",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "getTraceMetrics",
				tags: ["traces"],
				summary: "Counts, errors, latency, tokens and cost of the traces that match, over time",
				description: `${DESCRIPTION} Latency is that of the traces.`,
				params: z.object({ project_identifier: z.string() }),
				querystring: z.object({ ...traceFilters, ...bucketParam }),
				response: { 200: RowMetrics },
			},
		},
		async (request, reply) => {
			const { actor, params, query } = request;
			const parsed = parseFilter("trace", query.filter);
			const project = await getProject(db.read, actor, params.project_identifier);
			const filter = await toTraceFilter(actor.traces, project.id, query, parsed);
			if (filter === undefined) return toAnswer(query.bucket, { points: [], readUntil: undefined });
			const caller = askerOf(request, reply);
			const shared = { ...filter, projectId: project.id, sort: "start_time", order: "desc" } as const;
			const series = await readSeries(
				query.bucket,
				(after) =>
					actor.traces.listTraces({
						...shared,
						withTexts: false,
						caller: { ...caller, isPatient: after !== undefined },
						limit: ROWS_AT_A_TIME,
						...(after === undefined ? {} : { after }),
					}),
				numbersOfTrace,
			);
			return toAnswer(query.bucket, series);
		},
	);

	app.get(
		"/v1/projects/:project_identifier/span_metrics",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "getSpanMetrics",
				tags: ["spans"],
				summary: "Counts, errors, latency, tokens and cost of the spans that match, over time",
				description: `${DESCRIPTION} \`trace_count\` counts spans without a parent.`,
				params: z.object({ project_identifier: z.string() }),
				querystring: z.object({ ...spanFilters, ...spanKindFilter, ...bucketParam }),
				response: { 200: RowMetrics },
			},
		},
		async (request, reply) => {
			const { actor, params, query } = request;
			const { filter } = toSpanFilter(query);
			const project = await getProject(db.read, actor, params.project_identifier);
			const caller = askerOf(request, reply);
			const shared = { ...filter, projectId: project.id, sort: "start_time", order: "desc" } as const;
			const series = await readSeries(
				query.bucket,
				(from) =>
					actor.traces.listSpans({
						...shared,
						caller: { ...caller, isPatient: from !== undefined },
						limit: ROWS_AT_A_TIME,
						...(from === undefined ? {} : { from }),
					}),
				numbersOfSpan,
			);
			return toAnswer(query.bucket, series);
		},
	);
}

function numbersOfTrace(trace: TraceSummary): RowNumbers {
	return {
		startMicros: trace.start.micros,
		traceCount: 1,
		spanCount: trace.spanCount,
		runningCount: trace.runningCount,
		errorCount: trace.errorCount,
		latencyMs: trace.runningCount === 0 ? latencyMs(trace) : undefined,
		tokens: trace.tokens,
		cost: trace.totalCost ?? 0,
	};
}

function numbersOfSpan(span: SpanSummary): RowNumbers {
	const { tokens, tokensAreAggregate } = span;
	const counted = (count: number | null | undefined) => (tokensAreAggregate ? 0 : (count ?? 0));
	return {
		startMicros: span.start.micros,
		traceCount: span.parentSpanId === null ? 1 : 0,
		spanCount: 1,
		runningCount: span.heardMicros === undefined ? 0 : 1,
		errorCount: span.statusCode === 2 ? 1 : 0,
		latencyMs: span.heardMicros === undefined ? latencyMs(span) : undefined,
		tokens: { prompt: counted(tokens.prompt), completion: counted(tokens.completion), total: counted(tokens.total) },
		cost: tokensAreAggregate ? 0 : (span.cost?.total ?? 0),
	};
}

function toAnswer(bucket: MetricsBucket, { points, readUntil }: RowsSeries): z.output<typeof RowMetrics> {
	return {
		data: points.map((point) => ({
			start_time: formatTime(point.startMicros),
			group: null,
			trace_count: point.traceCount,
			span_count: point.spanCount,
			running_count: point.runningCount,
			error_count: point.errorCount,
			latency_ms: point.latencyMs,
			token_count_prompt: point.tokens.prompt,
			token_count_completion: point.tokens.completion,
			token_count_total: point.tokens.total,
			total_cost: point.cost,
		})),
		bucket,
		read_from: readUntil === undefined ? null : formatTime(readUntil),
	};
}
