import { expect, test } from "vitest";
import { shortText } from "./short-text.ts";

test.each([
	["a\n b", "a b"],
	[{}, ""],
	[null, ""],
	[{ question: "Why?" }, "Why?"],
	[{ question: "Why?", count: 2 }, "question: Why?, count: 2"],
	[
		{
			messages: [
				{ role: "system", content: "s" },
				{ role: "user", content: "Why?" },
			],
		},
		"Why?",
	],
	[[1, 2], "[1,2]"],
	[{ a: { b: { c: "deep" } } }, "deep"],
])("%j is shown as %s", (value, text) => {
	expect(shortText(value)).toBe(text);
});
