import type { Span } from "@spanward/client";

/** What a turn did besides talking: the spans of its tools, and those that failed. By start. */
export interface TurnActivity {
	readonly tools: readonly Span[];
	readonly errors: readonly Span[];
}

export const NO_ACTIVITY: TurnActivity = { tools: [], errors: [] };

/** The activity of each turn, by trace id. */
export function activityByTrace(spans: readonly Span[]): ReadonlyMap<string, TurnActivity> {
	const byTrace = Map.groupBy(spans, (span) => span.context.trace_id);
	return new Map(
		Array.from(byTrace, ([traceId, own]) => [
			traceId,
			{
				tools: own.filter((span) => span.span_kind === "TOOL"),
				errors: own.filter((span) => span.status_code === "ERROR" && span.span_kind !== "TOOL"),
			},
		]),
	);
}

/** Calls of one tool in a row that went the same way. */
export interface ToolCalls {
	readonly first: Span;
	readonly count: number;
}

/** Calls in a row of one name, except those that failed or still run, which stand alone. */
export function foldTools(tools: readonly Span[]): ToolCalls[] {
	const folded: { first: Span; count: number }[] = [];
	for (const span of tools) {
		const last = folded.at(-1);
		if (last && last.first.name === span.name && isPlain(last.first) && isPlain(span)) last.count += 1;
		else folded.push({ first: span, count: 1 });
	}
	return folded;
}

function isPlain(span: Span): boolean {
	return span.status_code !== "ERROR" && span.state === "ended";
}

/**
 * The next turn that failed, from the one that was shown last.
 * @param shown index of that turn; -1 before the first
 * @param direction 1 for the next one, -1 for the previous one
 * @returns -1 when there is none in that direction
 */
export function nextFailed(
	turns: readonly { readonly error_count: number }[],
	shown: number,
	direction: 1 | -1,
): number {
	const start = shown < 0 && direction === -1 ? turns.length : shown;
	for (let index = start + direction; index >= 0 && index < turns.length; index += direction)
		if ((turns[index]?.error_count ?? 0) > 0) return index;
	return -1;
}
