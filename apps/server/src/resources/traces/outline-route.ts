import { z } from "zod";
import { notFound } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { pageLinks } from "#http/page-links.ts";
import type { Keyset, SpanOutline, TraceReader } from "#storage/traces/trace-store.ts";
import { getProject } from "../projects/queries.ts";
import { foldTrace } from "../text-forms/outline.ts";
import { outlineJson } from "../text-forms/outline-json.ts";
import { traceText } from "../text-forms/trace-text.ts";
import { OutlineQuery, TraceOutlineAnswer } from "./outline-schemas.ts";
import { getTrace } from "./queries.ts";
import { toTrace } from "./trace-views.ts";

/** Of a larger trace only the first spans are outlined: reading them all would hold the server up. */
const MOST_SPANS = 50_000;
const PAGE_SPANS = 10_000;

export function traceOutlineRoute(app: App, context: Context): void {
	const { config, db } = context;
	app.get(
		"/v1/projects/:project_identifier/traces/:trace_id/outline",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "getTraceOutline",
				tags: ["traces"],
				summary: "What to look at first of a trace, within a size",
				description:
					"Its errors, its spans as a tree in which repeated siblings are one row, the critical path, and how much was left out; also as text. With `Accept: text/plain` the text alone.",
				params: z.object({ project_identifier: z.string(), trace_id: z.string() }),
				querystring: OutlineQuery,
				response: { 200: TraceOutlineAnswer },
			},
		},
		async (request, reply) => {
			const { actor, params, query } = request;
			const project = await getProject(db.read, actor, params.project_identifier);
			const summary = await getTrace(actor.traces, params.trace_id, project.id);
			const spans = await listFirstSpans(actor.traces, summary.id);
			const notRead = Math.max(0, summary.spanCount - spans.length);
			const { under, max_tokens: maxTokens } = query;
			if (under !== undefined && !spans.some((span) => span.spanId === under))
				throw notFound("span_not_found", `Span ${under.slice(0, 100)} not found in trace ${summary.traceId}`);
			const folded = foldTrace(spans, under);
			const trace = toTrace(summary, context);
			const link = pageLinks(config, request).trace(encodeGlobalId("Project", project.id), summary.traceId);
			const facts = {
				traceId: trace.trace_id,
				project: project.name,
				rootName: trace.root_name,
				startTime: trace.start_time,
				latencyMs: trace.latency_ms,
				spanCount: trace.span_count,
				errorCount: trace.error_count,
				tokens: trace.token_count_total,
				cost: trace.total_cost,
				sessionId: trace.session_id,
				userId: trace.user_id,
				firstInput: trace.first_input,
				lastOutput: trace.last_output,
				link,
			};
			const text = traceText(facts, folded, { maxTokens, notRead });
			if (request.headers.accept?.startsWith("text/plain"))
				return reply
					.type("text/plain; charset=utf-8")
					.serializer(String)
					.send(text as never);
			return { data: outlineJson(trace, folded, { maxTokens, link, notRead }), text };
		},
	);
}

async function listFirstSpans(traces: TraceReader, traceRowId: number): Promise<readonly SpanOutline[]> {
	const spans: SpanOutline[] = [];
	let after: Keyset | undefined;
	do {
		const page = await traces.listSpanOutlines(traceRowId, {
			limit: PAGE_SPANS,
			...(after === undefined ? {} : { after }),
		});
		spans.push(...page.items);
		after = page.next;
	} while (after !== undefined && spans.length < MOST_SPANS);
	return spans;
}
