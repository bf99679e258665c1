import type { SpanTotals } from "../trace-store.ts";
import { toDollars } from "./cost-pico.ts";
import type { Totals } from "./rollup.ts";

/** The sums over spans in `traces` and `sessions`; `hours` has all but the last. */
export const TOTALS_COLUMNS = [
	"span_count",
	"running_count",
	"error_count",
	"tokens_prompt",
	"tokens_completion",
	"tokens_total",
	"cost_micro",
	"cost_pico",
	"costed_spans",
] as const;

export type TotalsColumns = Readonly<Record<(typeof TOTALS_COLUMNS)[number], number>>;

export function totalsOfRow(row: TotalsColumns): Totals {
	return {
		spans: row.span_count,
		running: row.running_count,
		errors: row.error_count,
		prompt: row.tokens_prompt,
		completion: row.tokens_completion,
		total: row.tokens_total,
		costMicro: row.cost_micro,
		costPico: row.cost_pico,
		costed: row.costed_spans,
	};
}

export function totalsColumns(totals: Totals): TotalsColumns {
	return {
		span_count: totals.spans,
		running_count: totals.running,
		error_count: totals.errors,
		tokens_prompt: totals.prompt,
		tokens_completion: totals.completion,
		tokens_total: totals.total,
		cost_micro: totals.costMicro,
		cost_pico: totals.costPico,
		costed_spans: totals.costed,
	};
}

export function spanTotals(row: TotalsColumns): SpanTotals {
	return {
		spanCount: row.span_count,
		runningCount: row.running_count,
		errorCount: row.error_count,
		tokens: { prompt: row.tokens_prompt, completion: row.tokens_completion, total: row.tokens_total },
		totalCost: row.costed_spans === 0 ? null : toDollars({ micro: row.cost_micro, pico: row.cost_pico }),
	};
}
