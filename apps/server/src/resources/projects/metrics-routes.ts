import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { formatTime, timeParam } from "#http/wire-times.ts";
import type { MetricsBucket, MetricsPoint as StoredMetricsPoint } from "#storage/traces/trace-store.ts";
import { getProject } from "./queries.ts";
import { Metrics, type MetricsPoint } from "./schemas.ts";
import { BUCKET_MICROS } from "./series-of-rows.ts";

const DEFAULT_RANGE = 7 * BUCKET_MICROS.day;
const MAX_BUCKETS = 10_000;

export function metricsRoutes(app: App, { db, now }: Context): void {
	app.get(
		"/v1/projects/:project_identifier/metrics",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "getProjectMetrics",
				tags: ["projects"],
				summary: "Counts, errors, latency, tokens and cost over time",
				description: "The range is widened to whole buckets; buckets without spans are left out.",
				params: z.object({ project_identifier: z.string() }),
				querystring: z
					.looseObject({
						start_time: timeParam.optional().describe("Inclusive; seven days before the end when absent."),
						end_time: timeParam.optional().describe("Exclusive; now when absent."),
						bucket: z.enum(["minute", "hour", "day"]).optional().describe("Chosen by the range when absent."),
						group_by: z.enum(["model", "kind", "name"]).optional(),
					})
					.superRefine(refuseFilter),
				response: { 200: Metrics },
			},
		},
		async ({ actor, params, query }) => {
			const project = await getProject(db.read, actor, params.project_identifier);
			const endMicros = query.end_time ?? now();
			const startMicros = query.start_time ?? endMicros - DEFAULT_RANGE;
			const bucket = query.bucket ?? bucketFor(endMicros - startMicros);
			checkRange(startMicros, endMicros, bucket);
			const points = await actor.traces.metrics({
				projectId: project.id,
				startMicros,
				endMicros,
				bucket,
				...(query.group_by === undefined ? {} : { groupBy: query.group_by }),
			});
			// Consecutive points often have the same time, which is formatted once.
			let startTime = { micros: Number.NaN, text: "" };
			return {
				data: points.map((point) => {
					const micros = point.startMicros;
					if (micros !== startTime.micros) startTime = { micros, text: formatTime(micros) };
					return toMetricsPoint(point, startTime.text);
				}),
				start_time: formatTime(startMicros),
				end_time: formatTime(endMicros),
				bucket,
			};
		},
	);
}

/** It would be ignored, and the answer be about all spans. */
function refuseFilter(query: object, context: z.core.$RefinementCtx): void {
	for (const name of ["filter", "q"]) {
		if (!Object.hasOwn(query, name)) continue;
		const message = "Extra inputs are not permitted; GET /v1/projects/{project_identifier}/analytics takes a filter";
		context.addIssue({ code: "custom", params: { type: "extra_forbidden" }, path: [name], message });
	}
}

function bucketFor(range: number): MetricsBucket {
	if (range <= 3 * BUCKET_MICROS.hour) return "minute";
	return range <= 14 * BUCKET_MICROS.day ? "hour" : "day";
}

function checkRange(startMicros: number, endMicros: number, bucket: MetricsBucket): void {
	if (startMicros >= endMicros) {
		throw new UserError(422, "invalid_range", "`start_time` must be strictly earlier than `end_time`.");
	}
	if ((endMicros - startMicros) / BUCKET_MICROS[bucket] > MAX_BUCKETS) {
		throw new UserError(
			422,
			"too_many_buckets",
			`The range has more than ${MAX_BUCKETS} buckets of one ${bucket}; take a larger \`bucket\` or a shorter range.`,
		);
	}
}

function toMetricsPoint(point: StoredMetricsPoint, startTime: string): z.output<typeof MetricsPoint> {
	return {
		start_time: startTime,
		group: point.group,
		trace_count: point.traceCount,
		span_count: point.spanCount,
		running_count: point.runningCount,
		error_count: point.errorCount,
		latency_ms: point.latencyMs,
		token_count_prompt: point.tokens.prompt,
		token_count_completion: point.tokens.completion,
		token_count_total: point.tokens.total,
		total_cost: point.cost,
	};
}
