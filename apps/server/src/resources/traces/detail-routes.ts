import { z } from "zod";
import { notFound } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { cursorForm, decodeKeyset, nextKeyset } from "#http/cursors.ts";
import { MAX_PAGE_BYTES } from "#http/page-size.ts";
import { cursorParam, limitParam } from "#http/query-params.ts";
import { understandSpan } from "#storage/traces/decode-span.ts";
import type { SpanPage, StoredSpan, TraceReader, TraceSpansQuery, TraceSummary } from "#storage/traces/trace-store.ts";
import { includeAnnotations, includeTraceAnnotations } from "../annotations/shown-annotations.ts";
import { getProject } from "../projects/queries.ts";
import { toContentDigests } from "../spans/content-digests.ts";
import { toNarrowSpan } from "../spans/narrow-views.ts";
import { cumulativeParam, includeParam, SpanDetailAnswer } from "../spans/schemas.ts";
import { toAttributes, toSemantic, toSpanDetail } from "../spans/span-views.ts";
import { getTrace } from "./queries.ts";
import { TraceWithSpans } from "./schemas.ts";
import { toTrace } from "./trace-views.ts";

/** A trace is read as a whole, so its pages may be larger than those of lists, unless they include content. */
const MAX_NARROW_SPANS = 10_000;
const MAX_SPANS_WITH_CONTENT = 1_000;
const BY_START = cursorForm("start_time");

export function traceDetailRoutes(app: App, context: Context): void {
	const { db } = context;
	app.get(
		"/v1/projects/:project_identifier/traces/:trace_id",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "getProjectTrace",
				tags: ["traces"],
				summary: "A trace with its spans",
				description: `Spans by start time, narrow; with their \`semantic\`, \`attributes\` or \`content_digests\` at most ${MAX_SPANS_WITH_CONTENT} a page.`,
				params: z.object({ project_identifier: z.string(), trace_id: z.string() }),
				querystring: z.object({
					limit: limitParam(1_000, MAX_NARROW_SPANS),
					cursor: cursorParam,
					include: includeParam(["semantic", "attributes", "content_digests", "annotations"]),
					cumulative: cumulativeParam,
				}),
				response: { 200: TraceWithSpans },
			},
		},
		async ({ actor, params, query }) => {
			const project = await getProject(db.read, actor, params.project_identifier);
			const trace = await getTrace(actor.traces, params.trace_id, project.id);
			const after = decodeKeyset(BY_START, query.cursor);
			const include = query.include ?? [];
			const ofTrace = (await includeTraceAnnotations(db.read, include, [trace]))(trace.id);
			if (include.every((part) => part === "annotations")) {
				const page = await actor.traces.listTraceSpans(trace.id, {
					...{ limit: query.limit, cumulative: query.cumulative },
					...(after === undefined ? {} : { after }),
				});
				const cumulative = query.cumulative
					? (page.cumulative ?? (await actor.traces.findCumulative(page.items)))
					: undefined;
				const rowIds = page.items.map((span) => span.id);
				const shown = await includeAnnotations(db.read, include, "span", rowIds);
				const spans = page.items.map((span) => ({ ...toNarrowSpan(span, cumulative, context), ...shown(span.id) }));
				return { data: { ...toTrace(trace, context), ...ofTrace, spans }, next_cursor: nextKeyset(BY_START, page) };
			}
			const limit = Math.min(query.limit, MAX_SPANS_WITH_CONTENT);
			const page = await listSpansWithContent(actor.traces, trace, {
				...{ limit, cumulative: query.cumulative },
				...(after === undefined ? {} : { after }),
			});
			const summaries = page.items.map((item) => item.summary);
			const cumulative = query.cumulative
				? (page.cumulative ?? (await actor.traces.findCumulative(summaries)))
				: undefined;
			const rowIds = summaries.map((span) => span.id);
			const shown = await includeAnnotations(db.read, include, "span", rowIds);
			const spans = page.items.map((stored) => {
				const understood = understandSpan(stored);
				return {
					...toNarrowSpan(stored.summary, cumulative, context),
					...(include.includes("semantic") ? { semantic: toSemantic(understood) } : {}),
					...(include.includes("attributes") ? { attributes: toAttributes(understood) } : {}),
					...(include.includes("content_digests") ? { content_digests: toContentDigests(toSemantic(understood)) } : {}),
					...shown(stored.summary.id),
				};
			});
			return { data: { ...toTrace(trace, context), ...ofTrace, spans }, next_cursor: nextKeyset(BY_START, page) };
		},
	);

	app.get(
		"/v1/projects/:project_identifier/traces/:trace_id/spans/:span_id",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "getProjectTraceSpan",
				tags: ["spans"],
				summary: "A span with everything that was sent and what it means",
				params: z.object({ project_identifier: z.string(), trace_id: z.string(), span_id: z.string() }),
				querystring: z.object({ cumulative: cumulativeParam }),
				response: { 200: SpanDetailAnswer },
			},
		},
		async ({ actor, params, query }) => {
			const project = await getProject(db.read, actor, params.project_identifier);
			const trace = await getTrace(actor.traces, params.trace_id, project.id);
			const spanId = params.span_id;
			// The same span id may occur twice in a trace with different start times; the first one is shown.
			const [stored] = await actor.traces.findSpansBySpanId(spanId, { projectId: project.id, traceId: trace.traceId });
			if (stored === undefined) {
				throw notFound("span_not_found", `Span ${spanId.slice(0, 100)} not found in trace ${trace.traceId}`);
			}
			const cumulative = query.cumulative ? await actor.traces.findCumulative([stored.summary]) : undefined;
			return { data: toSpanDetail(understandSpan(stored), cumulative, context) };
		},
	);
}

/** Spans of a trace by start time; a page ends early where its content is large. `next` is its last span. */
async function listSpansWithContent(
	traces: TraceReader,
	trace: TraceSummary,
	page: TraceSpansQuery,
): Promise<SpanPage<StoredSpan>> {
	const { contents, ...narrow } = await traces.listTraceSpans(trace.id, { ...page, mostContentBytes: MAX_PAGE_BYTES });
	if (contents !== undefined) {
		const items = narrow.items.flatMap((summary) => {
			const content = contents.get(summary.id);
			return content === undefined ? [] : [{ summary, content }];
		});
		return { ...narrow, items };
	}
	const wanted = new Map(narrow.items.map((span) => [span.id, span]));
	const [first, final] = [narrow.items[0], narrow.items.at(-1)];
	if (first === undefined || final === undefined) return { items: [], more: false };
	const content = await traces.listStoredSpans({
		projectId: trace.projectId,
		traceIds: [trace.traceId],
		...{ startMicros: first.start.micros, endMicros: final.start.micros + 1 },
		sort: "start_time",
		order: "asc",
		limit: narrow.items.length,
		maxContentBytes: MAX_PAGE_BYTES,
		from: { value: first.start.micros, id: first.id },
	});
	const items = content.items.filter((item) => wanted.has(item.summary.id));
	const last = items.at(-1)?.summary;
	if (items.length === narrow.items.length || last === undefined) return { ...narrow, items };
	return { ...narrow, items, more: true, next: { value: last.start.micros, id: last.id } };
}
