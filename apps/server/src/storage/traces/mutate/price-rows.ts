import { decodeScope, decodeSpan, toPlainMap } from "@spanward/otlp";
import { readFacts, type SpanFacts, type TokenCounts } from "@spanward/semconv";
import type { Cost } from "#pricing/cost.ts";
import { isAggregate } from "../totals/span-node.ts";
import type { SpanContent } from "../trace-store.ts";

/** Computes a span's cost with the current prices; passed in because storage knows no prices. */
export type PriceSpan = (facts: SpanFacts, startMicros: number) => Cost | null;

/** Spans per step of pricing. */
export const PRICED_SPANS = 500;

/** `spans.cost_source` of costs that were sent with their span. */
export const COST_SENT = 1;
const COST_OF_TABLE = 2;

export const COST_COLUMNS = [
	"cost_source",
	"cost_total",
	"cost_prompt",
	"cost_completion",
	"cost_cache_read",
	"cost_cache_write",
	"cost_reasoning",
] as const;

export type CostValues = Readonly<Record<(typeof COST_COLUMNS)[number], number | null>>;

export const PRICED_COLUMNS = `id, start_micros, flags, name, block_id, ordinal, model, provider, tokens_prompt, tokens_completion,
	tokens_total, tokens_cache_read, tokens_cache_write, tokens_reasoning, ${COST_COLUMNS.join(", ")}`;

export interface PricedRow extends CostValues {
	readonly id: number;
	readonly start_micros: number;
	readonly flags: number;
	readonly name: string;
	readonly block_id: number;
	readonly ordinal: number;
	readonly model: string | null;
	readonly provider: string | null;
	readonly tokens_prompt: number | null;
	readonly tokens_completion: number | null;
	readonly tokens_total: number | null;
	readonly tokens_cache_read: number | null;
	readonly tokens_cache_write: number | null;
	readonly tokens_reasoning: number | null;
}

/** Where its content is, is not asked. */
type RowToPrice = Omit<PricedRow, "block_id" | "ordinal">;

/** Prices a span by the columns of its row, without its content. */
export function priceByColumns(row: RowToPrice, priceOf: PriceSpan): Cost | null {
	return priceOf(factsOf(row), row.start_micros);
}

/** The requested model is in no column; its price counts when the responding model has none. */
export function mayHavePriceByContent(row: RowToPrice): boolean {
	const hasTokens = row.tokens_prompt !== null || row.tokens_completion !== null || row.tokens_total !== null;
	return row.model !== null && hasTokens && !isAggregate(row.flags);
}

export function priceByContent(
	row: RowToPrice,
	{ span, scope }: Pick<SpanContent, "span" | "scope">,
	priceOf: PriceSpan,
): Cost | null {
	const attributes = toPlainMap(decodeSpan(span).attributes);
	const { request_model: requested } = readFacts(row.name, decodeScope(scope).name, attributes);
	return requested === undefined ? null : priceOf({ ...factsOf(row), request_model: requested }, row.start_micros);
}

/** The column values for a cost; undefined when the row has them already. */
export function changedCost(row: CostValues, cost: Cost | null): CostValues | undefined {
	const values: CostValues = {
		cost_source: cost === null ? null : COST_OF_TABLE,
		cost_total: cost?.total ?? null,
		cost_prompt: cost?.prompt ?? null,
		cost_completion: cost?.completion ?? null,
		cost_cache_read: cost?.cache_read ?? null,
		cost_cache_write: cost?.cache_write ?? null,
		cost_reasoning: cost?.reasoning ?? null,
	};
	return COST_COLUMNS.some((column) => values[column] !== row[column]) ? values : undefined;
}

function factsOf(row: RowToPrice): SpanFacts {
	const counted: [keyof TokenCounts, number | null][] = [
		["prompt", row.tokens_prompt],
		["completion", row.tokens_completion],
		["total", row.tokens_total],
		["cache_read", row.tokens_cache_read],
		["cache_write", row.tokens_cache_write],
		["reasoning", row.tokens_reasoning],
	];
	return {
		convention: "plain",
		kind: "LLM",
		tokens: Object.fromEntries(counted.filter(([, count]) => count !== null)),
		tokens_are_aggregate: isAggregate(row.flags),
		...(row.model === null ? {} : { model: row.model }),
		...(row.provider === null ? {} : { provider: row.provider }),
	};
}

/** The result of pricing a limited number of spans, before it is written. */
export interface PricedBatch {
	readonly projectId: number;
	readonly afterSpan: number;
	readonly seen: number;
	/** New costs by row number of the span. */
	readonly costs: ReadonlyMap<number, CostValues>;
}
