import { expect, test } from "vitest";
import { type Match, matches } from "./price-match.ts";

test.each<[Match, string, boolean | undefined]>([
	["exact", "GPT-4o-mini", true],
	["exact", "gpt-4o", false],
	["prefix", "gpt-4o", true],
	["suffix", "-MINI", true],
	["contains", "4o", true],
	["contains", "claude", false],
	["regex", "^gpt-4o(-mini)?$", true],
	["regex", "^4o", false],
	["regex", "(", undefined],
])("%s %s", (match, pattern, expected) => {
	expect(matches(match, pattern, "gpt-4o-mini")).toBe(expected);
});
