import { notFound } from "#base/errors.ts";
import { ambiguous } from "#http/ambiguous-id.ts";
import { decodeGlobalId, encodeGlobalId } from "#http/global-ids.ts";
import type { StoredSpan, TraceReader } from "#storage/traces/trace-store.ts";

/**
 * The span of a global id or of a hex span id.
 * @throws UserError 404; 409 naming the global ids when the hex id is in several traces or projects
 */
export async function getSpan(traces: TraceReader, identifier: string, projectId?: number): Promise<StoredSpan> {
	const rowId = decodeGlobalId(identifier, "Span");
	if (rowId !== undefined) {
		const span = await traces.findSpan(rowId);
		if (span !== undefined && (projectId === undefined || span.summary.projectId === projectId)) return span;
		throw notFound("span_not_found", `Span with relay ID '${identifier}' not found`);
	}
	const within = projectId === undefined ? {} : { projectId };
	const found = await traces.findSpansBySpanId(identifier, within);
	const [span] = found;
	if (span === undefined) throw notFound("span_not_found", `Span with span_id '${identifier.slice(0, 100)}' not found`);
	if (found.length > 1) {
		throw ambiguous(
			"span",
			found.map((item) => encodeGlobalId("Span", item.summary.id)),
		);
	}
	return span;
}
