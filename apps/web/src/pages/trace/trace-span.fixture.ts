import type { TraceSpan } from "./trace-span.ts";

/** A span for tests: 10 µs long, named after its id. */
export function span(
	spanId: string,
	parentId: string | null,
	startMicros: number,
	more: Partial<TraceSpan> = {},
): TraceSpan {
	return {
		spanId,
		parentId,
		name: spanId,
		kind: "CHAIN",
		status: "UNSET",
		statusMessage: "",
		startMicros,
		state: "ended",
		endMicros: startMicros + 10,
		model: null,
		provider: null,
		tokens: null,
		tokensAreAggregate: false,
		cost: null,
		...more,
	};
}
