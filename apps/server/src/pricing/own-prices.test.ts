import { expect, test } from "vitest";
import { type OwnPrice, OwnPriceFinder, providerKey, regexProblem } from "./own-prices.ts";

const NOW = Date.parse("2026-11-01T12:00:00Z") * 1_000;

function finderOf(...prices: Partial<OwnPrice>[]) {
	const finder = new OwnPriceFinder(
		prices.map((price, index) => ({
			id: index + 1,
			match: "exact",
			pattern: "m",
			provider: null,
			startsAt: null,
			prices: { input: 1 },
			...price,
		})),
	);
	return (model: string, provider?: string, micros = NOW) => finder.find(provider, model, micros)?.id;
}

test.each([
	["exact", "llama-3", ["llama-3", "Llama-3", "meta/llama-3"], ["llama-3.1", "my-llama-3"]],
	["prefix", "llama", ["llama-3", "meta/LLAMA-3"], ["my-llama"]],
	["suffix", "-ft", ["llama-ft"], ["llama-ft-2"]],
	["contains", "lla", ["ollama"], ["gpt"]],
	["regex", "^llama-\\d+(\\.\\d)?$", ["llama-3", "LLAMA-3.1"], ["llama-x", "xllama-3"]],
] as const)("%s %s", (match, pattern, matching, others) => {
	const find = finderOf({ match, pattern });
	expect(matching.map((name) => find(name))).toEqual(matching.map(() => 1));
	expect(others.map((name) => find(name))).toEqual(others.map(() => undefined));
});

test("a price of a provider counts for that provider alone, however it is written, and wins over one for any provider", () => {
	const find = finderOf({ match: "exact" }, { match: "contains", provider: providerKey("AWS_Bedrock") });
	expect(find("m", "aws.bedrock")).toBe(1);
	expect(find("m", "aws-bedrock")).toBe(2);
	expect(find("m", "AWS_BEDROCK")).toBe(2);
	expect(find("m")).toBe(1);
});

test("an exact name wins over a part of it, a longer part over a shorter one, and any over a regular expression", () => {
	const find = finderOf(
		{ match: "regex", pattern: "^llama-3-70b-instruct-with-a-long-name$|llama" },
		{ match: "prefix", pattern: "llama" },
		{ match: "prefix", pattern: "llama-3" },
		{ match: "exact", pattern: "llama-3-70b" },
	);
	expect([find("llama-3-70b"), find("llama-3-8b"), find("llama-2"), find("my-llama")]).toEqual([4, 3, 2, 1]);
});

test("the last price that is in force when the span starts counts", () => {
	const day = 86_400_000_000;
	const find = finderOf({ startsAt: NOW }, { startsAt: NOW - day }, { startsAt: NOW + day });
	expect(find("m", undefined, NOW - day - 1)).toBeUndefined();
	expect(find("m", undefined, NOW - 1)).toBe(2);
	expect(find("m", undefined, NOW)).toBe(1);
	expect(find("m", undefined, NOW + day)).toBe(3);
});

test("takes only regular expressions that match in linear time and are not very large", () => {
	expect(regexProblem("^gpt-4o(-mini)?$")).toBeUndefined();
	expect(regexProblem("(a+)+$")).toBeUndefined();
	expect(regexProblem("(?=x)")).toContain("invalid");
	expect(regexProblem("(")).toContain("missing closing )");
	expect(regexProblem("(a)\\1")).toContain("invalid");
	expect(regexProblem(".{1000}.{1000}")).toContain("too large");
});
