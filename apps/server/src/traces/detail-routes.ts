import { z } from "zod";
import type { Context } from "../context.ts";
import { notFound } from "../errors.ts";
import type { App } from "../http/app-type.ts";
import { decodeKeyset, nextKeyset } from "../http/cursors.ts";
import { cursorParam, limitParam } from "../http/query-params.ts";
import { getProject } from "../projects/queries.ts";
import { understandSpan } from "../spans/decode-span.ts";
import { toNarrowSpan } from "../spans/narrow-views.ts";
import { includeParam, SpanDetailAnswer } from "../spans/schemas.ts";
import { toAttributes, toSemantic, toSpanDetail } from "../spans/span-views.ts";
import type { Page, SpanSummary, StoredSpan, TraceReader } from "../storage/traces/trace-store.ts";
import { getTrace } from "./queries.ts";
import { TraceWithSpans } from "./schemas.ts";
import { toTrace } from "./trace-views.ts";

/** A trace is one document, so its pages may be larger than those of lists; with content they may not. */
const MAX_NARROW_SPANS = 10_000;
const MAX_SPANS_WITH_CONTENT = 1_000;

export function traceDetailRoutes(app: App, { db, traces }: Context): void {
	app.get(
		"/v1/projects/:project_identifier/traces/:trace_id",
		{
			config: { access: "read" },
			schema: {
				operationId: "getProjectTrace",
				tags: ["traces"],
				summary: "A trace with its spans",
				description: `Spans by start time, narrow; with \`include\` at most ${MAX_SPANS_WITH_CONTENT} a page.`,
				params: z.object({ project_identifier: z.string(), trace_id: z.string() }),
				querystring: z.object({
					limit: limitParam(1_000, MAX_NARROW_SPANS),
					cursor: cursorParam,
					include: includeParam(["semantic", "attributes"]),
				}),
				response: { 200: TraceWithSpans },
			},
		},
		async ({ params, query }) => {
			const project = await getProject(db.read, params.project_identifier);
			const trace = await getTrace(traces, params.trace_id, project.id);
			const after = decodeKeyset("DATETIME", query.cursor);
			const include = query.include ?? [];
			const limit = include.length === 0 ? query.limit : Math.min(query.limit, MAX_SPANS_WITH_CONTENT);
			const page = await traces.listTraceSpans(trace.id, { limit, ...(after === undefined ? {} : { after }) });
			const cumulative = await traces.findCumulative(page.items);
			const content = include.length === 0 ? undefined : await findContent(traces, project.id, page);
			const spans = page.items.map((span) => {
				const narrow = toNarrowSpan(span, cumulative.get(span.id));
				const stored = content?.get(span.id);
				if (stored === undefined) return narrow;
				const decoded = understandSpan(stored);
				return {
					...narrow,
					...(include.includes("semantic") ? { semantic: toSemantic(decoded) } : {}),
					...(include.includes("attributes") ? { attributes: toAttributes(decoded) } : {}),
				};
			});
			return {
				data: { ...toTrace(trace), spans },
				next_cursor: nextKeyset("DATETIME", page),
			};
		},
	);

	app.get(
		"/v1/projects/:project_identifier/traces/:trace_id/spans/:span_id",
		{
			config: { access: "read" },
			schema: {
				operationId: "getProjectTraceSpan",
				tags: ["spans"],
				summary: "A span with everything that was sent and what it means",
				params: z.object({ project_identifier: z.string(), trace_id: z.string(), span_id: z.string() }),
				response: { 200: SpanDetailAnswer },
			},
		},
		async ({ params }) => {
			const project = await getProject(db.read, params.project_identifier);
			const trace = await getTrace(traces, params.trace_id, project.id);
			const spanId = params.span_id.toLowerCase();
			// The same span id may occur twice in a trace with different start times; the first is the one that is shown.
			const [stored] = await traces.findSpansBySpanId(spanId, { projectId: project.id, traceId: trace.traceId });
			if (stored === undefined) {
				throw notFound("span_not_found", `Span ${spanId.slice(0, 100)} not found in trace ${trace.traceId}`);
			}
			const cumulative = await traces.findCumulative([stored.summary]);
			return { data: toSpanDetail(understandSpan(stored), cumulative.get(stored.summary.id)) };
		},
	);
}

async function findContent(
	traces: TraceReader,
	projectId: number,
	page: Page<SpanSummary>,
): Promise<ReadonlyMap<number, StoredSpan>> {
	const [first] = page.items;
	if (first === undefined) return new Map();
	const { items } = await traces.listStoredSpans({
		projectId,
		traceIds: [first.traceId],
		spanIds: [...new Set(page.items.map((span) => span.spanId))],
		sort: "start_time",
		order: "asc",
		limit: 2 * page.items.length,
	});
	return new Map(items.map((item) => [item.summary.id, item]));
}
