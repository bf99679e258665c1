import { expect, test } from "vitest";
import { ModelPriceFinder } from "./model-prices.ts";
import { compileRule, readPriceTable } from "./price-table.ts";

const table = readPriceTable();

test("every rule of the bundled table compiles, and every price is a number that is not negative", () => {
	for (const provider of table.providers) {
		for (const rule of [provider.provider, provider.model]) if (rule !== undefined) compileRule(rule);
		for (const model of provider.models) {
			compileRule(model.match)("some-model");
			for (const { from, between, ...prices } of model.prices) {
				if (from !== undefined) expect(Date.parse(from)).not.toBeNaN();
				for (const price of Object.values(prices)) {
					for (const amount of [price].flat(2)) expect(amount).toBeGreaterThanOrEqual(0);
				}
			}
		}
	}
});

test("names where the prices come from, from when they are and their licence", () => {
	expect(table.source).toMatch(/^genai-prices \d/);
	expect(table.date).toMatch(/^\d{4}-\d\d-\d\d$/);
	expect(table).toHaveProperty("licence", expect.stringContaining("MIT License"));
});

test("prefers the named provider's price over that of others who offer the same model", () => {
	const finder = new ModelPriceFinder({
		source: "test",
		date: "2026-01-01",
		providers: [
			{ id: "cheap", provider: ["~", "cheap"], models: [{ id: "m", match: ["=", "m"], prices: [{ input: 1 }] }] },
			{ id: "maker", model: ["^", "m"], models: [{ id: "m", match: ["=", "m"], prices: [{ input: 2 }] }] },
			{ id: "host", provider: ["=", "host"], fallback: ["maker"], models: [] },
		],
	});
	expect(finder.find("cheap.chat", "m")).toEqual([{ input: 1 }]);
	expect(finder.find(undefined, "M")).toEqual([{ input: 2 }]);
	expect(finder.find("host", "m")).toEqual([{ input: 2 }]);
	expect(finder.find("host", "n")).toBeNull();
});

test("finds an embedding model by its name alone, and from a host that is not in the table", () => {
	const finder = new ModelPriceFinder(table);
	const prices = finder.find("openai", "text-embedding-3-small");
	expect(prices).not.toBeNull();
	expect(finder.find(undefined, "text-embedding-3-small")).toBe(prices);
	expect(finder.find("openailike", "text-embedding-3-small")).toBe(prices);
	expect(finder.find(undefined, "my-model")).toBeNull();
});
