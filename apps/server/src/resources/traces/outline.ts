import type { FastifyRequest } from "fastify";
import { notFound } from "#base/errors.ts";
import type { Context } from "#context.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { pageLinks } from "#http/page-links.ts";
import type { Keyset, SpanOutline, TraceReader } from "#storage/traces/trace-store.ts";
import { getProject } from "../projects/queries.ts";
import { foldTrace } from "../text-forms/outline.ts";
import { outlineJson } from "../text-forms/outline-json.ts";
import { traceText } from "../text-forms/trace-text.ts";
import { getTrace } from "./queries.ts";
import { toTrace } from "./trace-views.ts";

/** Of a larger trace only the first spans are outlined: reading them all would hold the server up. */
const MOST_SPANS = 50_000;
const PAGE_SPANS = 10_000;

interface OutlineRequest {
	/** Name or id. */
	readonly project: string;
	readonly trace: string;
	readonly maxTokens: number;
	/** Only what is below the span with this id. */
	readonly under?: string | undefined;
}

/**
 * What to look at first of a trace, as text and as data.
 * @throws UserError 404 for what is not there, or hidden from the sender of the request
 */
export async function outlineTrace(
	context: Context,
	request: FastifyRequest,
	{ project: projectIdentifier, trace: traceIdentifier, maxTokens, under }: OutlineRequest,
): Promise<{
	readonly text: string;
	readonly toData: () => ReturnType<typeof outlineJson<ReturnType<typeof toTrace>>>;
}> {
	const { actor } = request;
	const project = await getProject(context.db.read, actor, projectIdentifier);
	const summary = await getTrace(actor.traces, traceIdentifier, project.id);
	const spans = await listFirstSpans(actor.traces, summary.id);
	const notRead = Math.max(0, summary.spanCount - spans.length);
	if (under !== undefined && !spans.some((span) => span.spanId === under))
		throw notFound("span_not_found", `Span ${under.slice(0, 100)} not found in trace ${summary.traceId}`);
	const folded = foldTrace(spans, under);
	const trace = toTrace(summary, context);
	const link = pageLinks(context.config, request).trace(encodeGlobalId("Project", project.id), summary.traceId);
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
	return {
		text: traceText(facts, folded, { maxTokens, notRead }),
		toData: () => outlineJson(trace, folded, { maxTokens, link, notRead }),
	};
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
