import type { SpanKind } from "@spanward/semconv";

/** A span's narrow row as the tree, the waterfall and the header need it. */
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
	readonly endMicros: number;
	readonly model: string | null;
	readonly provider: string | null;
	/** Absent when the span carries no usage. */
	readonly tokens: SpanTokens | null;
	/** The tokens repeat those of descendants, so they are not added to totals. */
	readonly tokensAreAggregate: boolean;
	/** US dollars; null when unknown. */
	readonly cost: number | null;
}

export interface SpanTokens {
	readonly prompt: number | null;
	readonly completion: number | null;
	readonly total: number;
}
