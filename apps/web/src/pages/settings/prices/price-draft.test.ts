import { expect, test } from "vitest";
import { NEW_PRICE, priceBody, priceProblems, toTime } from "./price-draft.ts";

const prices = { ...NEW_PRICE.prices, input: "2.5" };

test("needs a pattern and a price", () => {
	expect(Object.keys(priceProblems(NEW_PRICE))).toEqual(["pattern", "prices"]);
	expect(priceProblems({ ...NEW_PRICE, pattern: "gpt", prices })).toEqual({});
	expect(priceProblems({ ...NEW_PRICE, pattern: "gpt", prices: { ...prices, output: "-1" } })).toHaveProperty("output");
});

test("reads times of UTC", () => {
	expect(toTime("2026-11-21")).toBe("2026-11-21T00:00:00.000Z");
	expect(toTime("2026-11-21 09:30")).toBe("2026-11-21T09:30:00.000Z");
	expect(toTime(" ")).toBeNull();
	expect(toTime("2026-13-41")).toBeUndefined();
	expect(toTime("tomorrow")).toBeUndefined();
});

test("sends only the prices that are there", () => {
	expect(priceBody({ ...NEW_PRICE, pattern: " my-model ", prices })).toEqual({
		name: "my-model",
		match: "exact",
		pattern: "my-model",
		provider: null,
		start_time: null,
		prices: { input: 2.5 },
	});
});
