import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { formatPrompt } from "./prompts.ts";

interface Case {
	readonly format?: "MUSTACHE" | "F_STRING" | "NONE";
	readonly text: string;
	readonly variables: Readonly<Record<string, unknown>>;
	readonly rendered?: string;
	readonly missing?: readonly string[];
}

/** The Python client is held to the same. */
const cases: readonly Case[] = JSON.parse(
	readFileSync(new URL("../../../prompt-rendering.json", import.meta.url), "utf8"),
);

test.each(cases)("renders $text", ({ format = "MUSTACHE", text, variables, rendered, missing }) => {
	const messages = [{ role: "user" as const, content: text }];
	const render = () => formatPrompt({ template: { type: "chat", messages }, template_format: format }, variables);
	if (missing === undefined) expect(render()).toEqual([{ role: "user", content: rendered }]);
	else expect(render).toThrow(`the prompt needs ${missing.join(", ")}`);
});
