import type { SpanFacts } from "@spanward/semconv";
import { describe, expect, test } from "vitest";
import { SpanPrices } from "./price-of.ts";

const prices = new SpanPrices();
const priceOf = prices.priceOf.bind(prices);
const START = Date.parse("2026-11-01T12:00:00Z") * 1_000;

function facts(members: Partial<SpanFacts>): SpanFacts {
	return { convention: "openinference", kind: "LLM", tokens: {}, tokens_are_aggregate: false, ...members };
}

describe("a span's cost by the table", () => {
	test("prices cached tokens at their own price and the rest of the prompt at the input price", () => {
		const cost = priceOf(
			facts({
				model: "gpt-4o",
				provider: "openai",
				tokens: { prompt: 100, completion: 50, total: 150, cache_read: 40 },
			}),
			START,
		);
		expect(cost).toEqual({ total: 0.0007, prompt: 0.0002, completion: 0.0005, cache_read: 0.00005, source: "table" });
	});

	test("finds a dated name, a name with its provider in front, and a name alone", () => {
		const tokens = { prompt: 1_000_000, completion: 0 };
		expect(priceOf(facts({ model: "gpt-4o-2024-08-06", tokens }), START)?.total).toBe(2.5);
		expect(priceOf(facts({ model: "openai/gpt-4o", provider: "litellm", tokens }), START)?.total).toBe(2.5);
		expect(priceOf(facts({ model: "gpt-4o", provider: "openai.chat", tokens }), START)?.total).toBe(2.5);
		expect(priceOf(facts({ model: "gpt-4o", provider: "my-gateway", tokens }), START)?.total).toBe(2.5);
		expect(priceOf(facts({ model: "claude-sonnet-4-5", provider: "anthropic", tokens }), START)?.total).toBeGreaterThan(
			0,
		);
	});

	test("finds a name as gateways write it", () => {
		const tokens = { prompt: 1_000_000, completion: 0 };
		expect(priceOf(facts({ model: "gpt-5-20250807", provider: "openai", tokens }), START)?.total).toBe(1.25);
		expect(priceOf(facts({ model: "us.anthropic.claude-3-5-sonnet-20240620-v1:0", tokens }), START)?.total).toBe(3);
	});

	test("is null for an unknown model, for aggregates and without tokens", () => {
		const tokens = { prompt: 10, completion: 1 };
		expect(priceOf(facts({ model: "my-model-1", tokens }), START)).toBeNull();
		expect(priceOf(facts({ tokens }), START)).toBeNull();
		expect(priceOf(facts({ model: "gpt-4o", tokens, tokens_are_aggregate: true }), START)).toBeNull();
		expect(priceOf(facts({ model: "gpt-4o" }), START)).toBeNull();
		expect(priceOf(facts({ model: "x".repeat(1_000_000), tokens }), START)).toBeNull();
	});

	test("takes the price of the day the span started", () => {
		const of = (day: string): number | undefined =>
			priceOf(
				facts({ model: "claude-opus-4-6", provider: "anthropic", tokens: { prompt: 300_000 } }),
				Date.parse(day) * 1_000,
			)?.total;
		// Until 2026-03-12 prompts beyond 200,000 tokens cost double.
		expect(of("2026-03-12T23:59:59Z")).toBe(3);
		expect(of("2026-03-13T00:00:00Z")).toBe(1.5);
	});

	test("adds cached tokens to a prompt that was counted without them", () => {
		const beside = priceOf(
			facts({
				model: "gpt-4o",
				provider: "openai",
				tokens: { prompt: 60, completion: 50, total: 150, cache_read: 40 },
			}),
			START,
		);
		expect(beside?.total).toBe(0.0007);
	});

	test("prices reasoning as output where it has no price of its own", () => {
		const cost = priceOf(
			facts({ model: "o3", provider: "openai", tokens: { prompt: 0, completion: 10, reasoning: 6 } }),
			START,
		);
		expect(cost?.reasoning).toBeCloseTo((cost?.completion ?? 0) * 0.6, 12);
	});
});

describe("a cost that was sent", () => {
	test("wins over the table, even when it is zero", () => {
		const tokens = { prompt: 100, completion: 50 };
		expect(priceOf(facts({ model: "gpt-4o", tokens, cost_sent: { total: 0 } }), START)).toEqual({
			total: 0,
			source: "sent",
		});
		expect(priceOf(facts({ cost_sent: { prompt: 0.1, completion: 0.2 } }), START)?.total).toBeCloseTo(0.3);
	});
});
