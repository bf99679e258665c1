import type { SpanFacts, TokenCounts } from "@spanward/semconv";
import type { Cost } from "./cost.ts";
import { hasImplausibleCost, isPlausibleCost } from "./max-cost.ts";
import { type DatedPrices, ModelPriceFinder } from "./model-prices.ts";
import { type OwnPrice, OwnPriceFinder } from "./own-prices.ts";
import type { Price } from "./price-table.ts";

/** What spans cost: the bundled prices, and own ones, which win over them. */
export class SpanPrices {
	#bundled: ModelPriceFinder | undefined;
	#own = new OwnPriceFinder([]);
	#ownText = "[]";

	/** Uses these own prices from now on. */
	useOwn(prices: readonly OwnPrice[]): void {
		const text = JSON.stringify(prices);
		if (text === this.#ownText) return;
		this.#own = new OwnPriceFinder(prices);
		this.#ownText = text;
	}

	/**
	 * What a span cost in US dollars: what the application sent, else its tokens by the prices at its start. Null when
	 * the tokens repeat those of other spans, and when the model or its prices are unknown. A cost beyond
	 * `MAX_SPAN_COST` counts as unknown.
	 * @param startMicros start of the span, microseconds since 1970
	 */
	priceOf(facts: SpanFacts, startMicros: number): Cost | null {
		const sent = sentCost(facts);
		if (sent !== null) return sent;
		const { model, provider, request_model: requested, tokens } = facts;
		if (facts.tokens_are_aggregate || model === undefined || !hasCounts(tokens)) return null;
		const names = requested === undefined ? [model] : [model, requested];
		for (const name of names) {
			const own = this.#own.find(provider, name, startMicros);
			if (own !== undefined) return costOf(tokens, own.prices);
		}
		this.#bundled ??= new ModelPriceFinder();
		for (const name of names) {
			const prices = this.#bundled.find(provider, name);
			if (prices !== null) return costOf(tokens, pricesAt(prices, startMicros));
		}
		return null;
	}
}

function sentCost(facts: SpanFacts): Cost | null {
	const { cost_sent: sent } = facts;
	if (sent === undefined || hasImplausibleCost(facts)) return null;
	const { total, prompt, completion } = sent;
	if (total === undefined && prompt === undefined && completion === undefined) return null;
	return {
		total: total ?? (prompt ?? 0) + (completion ?? 0),
		...(prompt === undefined ? {} : { prompt }),
		...(completion === undefined ? {} : { completion }),
		source: "sent",
	};
}

function hasCounts(tokens: TokenCounts): boolean {
	return tokens.prompt !== undefined || tokens.completion !== undefined || tokens.total !== undefined;
}

const DAY_SECONDS = 86_400;

/** The last price in force at a time; before any is in force, the first one. */
function pricesAt(prices: readonly DatedPrices[], micros: number): DatedPrices {
	return prices.findLast((candidate) => isInForce(candidate, micros)) ?? prices[0] ?? {};
}

function isInForce({ fromMicros, between }: DatedPrices, micros: number): boolean {
	if (fromMicros !== undefined) return micros >= fromMicros;
	if (between === undefined) return true;
	const second = Math.floor(micros / 1_000_000) % DAY_SECONDS;
	const [start, end] = between;
	return start <= end ? second >= start && second < end : second >= start || second < end;
}

/** Counts in which nothing is counted twice: the parts of the prompt and of the completion lie inside them. */
interface BilledTokens {
	prompt: number;
	completion: number;
	cacheRead: number;
	cacheWrite: number;
	reasoning: number;
}

function billedTokens(tokens: TokenCounts): BilledTokens {
	const { cache_read: cacheRead = 0, cache_write: cacheWrite = 0, reasoning = 0 } = tokens;
	let { prompt = 0, completion = 0 } = tokens;
	const surplus = (tokens.total ?? 0) - prompt - completion;
	const cached = cacheRead + cacheWrite;
	// Some providers count cached tokens, or reasoning, beside the prompt and the completion.
	if (cached > prompt || (cached > 0 && surplus === cached)) prompt += cached;
	else if (surplus > 0 && prompt === 0) prompt = surplus;
	else if (surplus > 0) completion += surplus;
	return { prompt, completion: Math.max(completion, reasoning), cacheRead, cacheWrite, reasoning };
}

const PER = 1_000_000;

function costOf(tokens: TokenCounts, prices: DatedPrices): Cost | null {
	const billed = billedTokens(tokens);
	const rate = (price: Price | undefined): number | undefined => rateOf(price, billed.prompt);
	const input = rate(prices.input);
	const output = rate(prices.output);
	if (input === undefined && output === undefined) return null;
	const cacheRead = billed.cacheRead * (rate(prices.cache_read) ?? input ?? 0);
	const cacheWrite = billed.cacheWrite * (rate(prices.cache_write) ?? input ?? 0);
	const reasoning = billed.reasoning * (rate(prices.reasoning) ?? output ?? 0);
	const prompt = (billed.prompt - billed.cacheRead - billed.cacheWrite) * (input ?? 0) + cacheRead + cacheWrite;
	const completion = (billed.completion - billed.reasoning) * (output ?? 0) + reasoning;
	const total = (prompt + completion) / PER;
	if (!isPlausibleCost(total)) return null;
	return {
		total,
		prompt: prompt / PER,
		completion: completion / PER,
		...(billed.cacheRead > 0 ? { cache_read: cacheRead / PER } : {}),
		...(billed.cacheWrite > 0 ? { cache_write: cacheWrite / PER } : {}),
		...(billed.reasoning > 0 ? { reasoning: reasoning / PER } : {}),
		source: "table",
	};
}

/** A tier's price counts for the whole call once it has more input tokens than the tier's start. */
function rateOf(price: Price | undefined, inputTokens: number): number | undefined {
	if (price === undefined || typeof price === "number") return price;
	const [base, ...tiers] = price;
	return tiers.findLast(([start]) => inputTokens > start)?.[1] ?? base;
}
