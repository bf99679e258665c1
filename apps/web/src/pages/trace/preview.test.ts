import type { SpanDetail } from "@spanward/client";
import { expect, test } from "vitest";
import { previewParts } from "./preview.ts";

const parts = (semantic: Partial<SpanDetail["semantic"]>) =>
	previewParts({ convention: "openinference", kind: "UNKNOWN", ...semantic }).map((part) =>
		"title" in part ? `${part.part} ${part.title}` : part.part,
	);
const user = { role: "user", text: "Hi" };
const value = { attribute: "input.value", value: "{}" };

test("an LLM call is its messages; the raw values are not shown again", () => {
	expect(parts({ kind: "LLM", input_messages: [user], output_messages: [user], input: value, output: value })).toEqual([
		"messages input",
		"messages output",
	]);
});

test("without messages the raw values are shown, or the human text", () => {
	expect(parts({ kind: "CHAIN", input: value, output_text: "done" })).toEqual(["value input", "value output"]);
});

test("a retriever shows its query and documents, not the raw output that repeats them", () => {
	expect(parts({ kind: "RETRIEVER", input: value, output: value, documents: [{ content: "a" }] })).toEqual([
		"value query",
		"documents",
	]);
	expect(parts({ kind: "RETRIEVER", input: value, output: value })).toEqual(["value query", "value output"]);
});

test("an embedding shows its texts, not the numbers", () => {
	expect(parts({ kind: "EMBEDDING", input: value, output: value, embeddings: { texts: ["a"] } })).toEqual([
		"embeddings",
	]);
	expect(parts({ kind: "EMBEDDING", input: value, embeddings: { vectors: 1 } })).toEqual(["value input", "embeddings"]);
});

test("a tool shows what it is, its arguments and its result", () => {
	expect(parts({ kind: "TOOL", tool: { name: "t" }, input: value, output: value })).toEqual([
		"tool",
		"value arguments",
		"value result",
	]);
});

test("an error comes first, and content that was not captured is mentioned", () => {
	expect(parts({ kind: "LLM", error: { message: "429" }, content_not_captured: true })).toEqual([
		"error",
		"not-captured",
	]);
});

test("a span without content says so, whether it failed or not", () => {
	expect(parts({})).toEqual(["nothing"]);
	expect(parts({ error: {} })).toEqual(["error", "nothing"]);
});

test("a conversation is shown when there are no input messages", () => {
	expect(parts({ conversation: [user] })).toEqual(["messages conversation"]);
	expect(parts({ conversation: [user], input_messages: [user] })).toEqual(["messages input"]);
});
