import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { RenderedTooLong, renderMessages } from "./render-template.ts";

interface Case {
	readonly format?: "MUSTACHE" | "F_STRING" | "NONE";
	readonly text: string;
	readonly variables: Readonly<Record<string, unknown>>;
	readonly rendered?: string;
	readonly missing?: readonly string[];
}

const cases: readonly Case[] = JSON.parse(
	readFileSync(new URL("../../../../clients/prompt-rendering.json", import.meta.url), "utf8"),
);

describe("E26 the server renders as both clients do", () => {
	test.each(cases)("$text", ({ format = "MUSTACHE", text, variables, rendered, missing }) => {
		const asText = renderMessages({ messages: [{ role: "user", content: text }], template_format: format }, variables);
		const asPart = renderMessages(
			{ messages: [{ role: "user", content: [{ type: "text", text }] }], template_format: format },
			variables,
		);
		if (missing !== undefined) {
			expect(asText).toEqual({ missing });
			expect(asPart).toEqual({ missing });
			return;
		}
		expect(asText).toEqual({ messages: [{ role: "user", content: rendered }] });
		expect(asPart).toEqual({ messages: [{ role: "user", content: [{ type: "text", text: rendered }] }] });
	});
});

test("integers beyond 2^53 keep their digits", () => {
	const messages = [{ role: "user" as const, content: "{{order}}" }];
	expect(renderMessages({ messages }, { order: { id: 9_007_199_254_740_993n } })).toEqual({
		messages: [{ role: "user", content: '{"id":9007199254740993}' }],
	});
});

test("a short template with a long value does not become larger than memory", () => {
	const messages = [{ role: "user" as const, content: "{{a}}".repeat(10_000) }];
	expect(() => renderMessages({ messages }, { a: "x".repeat(1_000_000) })).toThrow(RenderedTooLong);
});
