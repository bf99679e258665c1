import { expect, test } from "vitest";
import { textOf, withText } from "./example-text.ts";

const MESSAGES = {
	messages: [
		{ role: "user", content: "Hi" },
		{ role: "assistant", content: "Hello" },
	],
	tools: [],
};

test("the text of a part is that of its last message, or its only member", () => {
	expect(textOf(MESSAGES)).toBe("Hello");
	expect(textOf({ output: "so" })).toBe("so");
	for (const part of [{}, { output: 1 }, { a: "b", c: "d" }, { messages: [{ role: "assistant", content: null }] }])
		expect(textOf(part)).toBeUndefined();
});

test("another text takes its place, and the rest stays", () => {
	expect(withText(MESSAGES, "Bye")).toEqual({
		messages: [
			{ role: "user", content: "Hi" },
			{ role: "assistant", content: "Bye" },
		],
		tools: [],
	});
	expect(withText({ answer: "so" }, "no")).toEqual({ answer: "no" });
});
