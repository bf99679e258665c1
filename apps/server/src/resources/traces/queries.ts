import { notFound } from "#base/errors.ts";
import { ambiguous } from "#http/ambiguous-id.ts";
import { decodeGlobalId, encodeGlobalId } from "#http/global-ids.ts";
import type { Keyset, SpanSummary, TraceReader, TraceSummary } from "#storage/traces/trace-store.ts";

/**
 * The trace with this global id or hex id, in one project if given.
 * @throws UserError 404; 409 naming the global ids when the hex id is in several projects
 */
export async function getTrace(traces: TraceReader, identifier: string, projectId?: number): Promise<TraceSummary> {
	const rowId = decodeGlobalId(identifier, "Trace");
	if (rowId !== undefined) {
		const trace = await traces.findTrace(rowId);
		if (trace !== undefined && (projectId === undefined || trace.projectId === projectId)) return trace;
		throw notFound("trace_not_found", `Trace with relay ID '${identifier}' not found`);
	}
	const found = await traces.findSummariesByTraceIds([identifier], projectId);
	if (found.length > 1)
		throw ambiguous(
			"trace",
			found.map((item) => encodeGlobalId("Trace", item.id)),
		);
	const [trace] = found;
	if (trace === undefined)
		throw notFound("trace_not_found", `Trace with trace_id '${identifier.slice(0, 100)}' not found`);
	return trace;
}

/** All narrow rows of a trace by start time. */
export async function listAllTraceSpans(traces: TraceReader, traceRowId: number): Promise<SpanSummary[]> {
	const spans: SpanSummary[] = [];
	let after: Keyset | undefined;
	do {
		const page = await traces.listTraceSpans(traceRowId, { limit: 1_000, ...(after === undefined ? {} : { after }) });
		spans.push(...page.items);
		after = page.next;
	} while (after !== undefined);
	return spans;
}
