/** What an annotation says of the evaluator of this server that wrote it. */
export interface EvaluatorOrigin {
	readonly model?: string;
	/** Dollars. */
	readonly cost?: number;
	/** Of the evaluator's own trace. */
	readonly traceId?: string;
}

/** @returns undefined for what no evaluator of this server wrote */
export function originOf(metadata: unknown): EvaluatorOrigin | undefined {
	const { spanward } = asMembers(metadata);
	if (typeof spanward !== "object" || spanward === null) return undefined;
	const { model, cost_usd: cost, trace_id: traceId } = asMembers(spanward);
	return {
		...(typeof model === "string" ? { model } : {}),
		...(typeof cost === "number" ? { cost } : {}),
		...(typeof traceId === "string" ? { traceId } : {}),
	};
}

function asMembers(value: unknown): Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
