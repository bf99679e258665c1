import type { SpanSummaryRow } from "../rows/span-summaries.ts";
import { isRunningRow } from "../rows/span-summaries.ts";
import { UNCOUNTED_FLAGS } from "../totals/span-node.ts";
import type { SessionSummary, TraceWithoutTexts } from "../trace-store.ts";
import type { Quantity } from "./measures.ts";

/** What is read of a span: the row of a store. */
export type SpanFacts = Omit<SpanSummaryRow, "block_id" | "ordinal" | "heard_micros">;

type NumbersOf<Row> = Readonly<Record<Quantity, (row: Row) => number | null>>;

const ERROR = 2;

/** Numbers that measures are made of; durations are microseconds, and running rows have none. */
export const SPAN_NUMBERS: NumbersOf<SpanFacts> = {
	errors: ({ status_code }) => Number(status_code === ERROR),
	latency: (row) => (isRunningRow(row) ? null : Math.max(0, row.end_micros - row.start_micros)),
	tokens_prompt: counted((row) => row.tokens_prompt),
	tokens_completion: counted((row) => row.tokens_completion),
	tokens_total: counted(tokensOf),
	tokens_cache_read: counted((row) => row.tokens_cache_read),
	tokens_cache_write: counted((row) => row.tokens_cache_write),
	tokens_reasoning: counted((row) => row.tokens_reasoning),
	cost_total: counted((row) => row.cost_total),
	cost_prompt: counted((row) => row.cost_prompt),
	cost_completion: counted((row) => row.cost_completion),
	cost_cache_read: counted((row) => row.cost_cache_read),
	cost_cache_write: counted((row) => row.cost_cache_write),
	cost_reasoning: counted((row) => row.cost_reasoning),
	unpriced: (row) => Number(isCounted(row) && (tokensOf(row) ?? 0) > 0 && row.cost_total === null),
};

export const TRACE_NUMBERS: NumbersOf<TraceWithoutTexts> = {
	errors: ({ errorCount }) => Number(errorCount > 0),
	failed: ({ rootStatusCode }) => Number(rootStatusCode === ERROR),
	...ofTotals(),
};

export const SESSION_NUMBERS: NumbersOf<SessionSummary> = {
	errors: ({ errorCount }) => Number(errorCount > 0),
	traces: ({ traceCount }) => traceCount,
	...ofTotals(),
};

/** Tokens and costs of spans that repeat those of others are not added up. */
function isCounted({ flags }: Pick<SpanFacts, "flags">): boolean {
	return (flags & UNCOUNTED_FLAGS) === 0;
}

function counted(of: (row: SpanFacts) => number | null): (row: SpanFacts) => number | null {
	return (row) => (isCounted(row) ? of(row) : null);
}

export function tokensOf({ tokens_prompt, tokens_completion, tokens_total }: SpanFacts): number | null {
	if (tokens_total !== null) return tokens_total;
	if (tokens_prompt === null && tokens_completion === null) return null;
	return (tokens_prompt ?? 0) + (tokens_completion ?? 0);
}

function ofTotals(): NumbersOf<TraceWithoutTexts | SessionSummary> {
	return {
		latency: ({ start, end, runningCount }) => (runningCount > 0 ? null : Math.max(0, end.micros - start.micros)),
		spans: ({ spanCount }) => spanCount,
		tokens_prompt: ({ tokens }) => tokens.prompt,
		tokens_completion: ({ tokens }) => tokens.completion,
		tokens_total: ({ tokens }) => tokens.total,
		cost_total: ({ totalCost }) => totalCost,
	};
}
