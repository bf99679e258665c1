import type { NarrowSpan } from "@spanward/client";
import { spanKind } from "../../ui/span-kind.tsx";
import type { TraceSpan } from "./trace-span.ts";

/** A span of the wire as the tree reads it. */
export function toTraceSpan(span: NarrowSpan): TraceSpan {
	const startMicros = toMicros(span.start_time);
	return {
		spanId: span.span_id,
		parentId: span.parent_id,
		name: span.name,
		kind: spanKind(span.span_kind),
		status: span.status_code,
		statusMessage: span.status_message,
		startMicros,
		endMicros: startMicros + Math.round((span.latency_ms ?? 0) * 1000),
		state: span.state,
		model: span.model,
		provider: span.provider,
		tokens:
			span.token_count_total === null && span.token_count_prompt === null && span.token_count_completion === null
				? null
				: {
						prompt: span.token_count_prompt,
						completion: span.token_count_completion,
						total: span.token_count_total ?? (span.token_count_prompt ?? 0) + (span.token_count_completion ?? 0),
					},
		tokensAreAggregate: span.tokens_are_aggregate,
		cost: span.total_cost,
	};
}

/** Microseconds since 1970 of a time of the wire (`2023-11-14T22:13:20.200000+00:00`). */
export function toMicros(time: string): number {
	const second = Date.parse(`${time.slice(0, 19)}Z`) * 1000;
	if (time[19] !== ".") return second;
	const fraction = /^\d*/u.exec(time.slice(20, 26))?.[0] ?? "";
	return second + Number(fraction.padEnd(6, "0"));
}
