import type { SpanKind } from "@spanward/semconv";

/** A span without content, for the tree, the waterfall and the header. */
export interface TraceSpan {
	/** 16 hex digits. */
	readonly spanId: string;
	/** Null for a root. */
	readonly parentId: string | null;
	readonly name: string;
	readonly kind: SpanKind;
	readonly status: "OK" | "ERROR" | "UNSET";
	readonly statusMessage: string;
	/** Microseconds since 1970. */
	readonly startMicros: number;
	/** The start while the span has no end. */
	readonly endMicros: number;
	readonly state: "ended" | "running" | "unfinished";
	readonly model: string | null;
	readonly provider: string | null;
	/** Null when the span has no token counts. */
	readonly tokens: SpanTokens | null;
	/** Whether the tokens repeat those of descendants, so that totals do not include them. */
	readonly tokensAreAggregate: boolean;
	/** US dollars; null when unknown. */
	readonly cost: number | null;
}

export interface SpanTokens {
	readonly prompt: number | null;
	readonly completion: number | null;
	readonly total: number;
}
