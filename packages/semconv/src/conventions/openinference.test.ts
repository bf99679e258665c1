import { expect, test } from "vitest";
import { readSemantic } from "../semantic.ts";
import { span } from "../testing/span.ts";

test("messages with gaps in their indexes, several tool calls and images", () => {
	const semantic = readSemantic(
		span({
			"openinference.span.kind": "llm",
			"llm.input_messages.1.message.role": "user",
			"llm.input_messages.1.message.contents.0.message_content.type": "text",
			"llm.input_messages.1.message.contents.0.message_content.text": "one",
			"llm.input_messages.1.message.contents.2.message_content.type": "image",
			"llm.input_messages.1.message.contents.2.message_content.image.image.url": "data:image/png;base64,AAAA",
			"llm.input_messages.1.message.contents.3.message_content.type": "text",
			"llm.input_messages.1.message.contents.3.message_content.text": "two",
			"llm.input_messages.10.message.role": "assistant",
			"llm.input_messages.10.message.tool_calls.0.tool_call.function.name": "f",
			"llm.input_messages.10.message.tool_calls.0.tool_call.function.arguments": '"{\\"a\\": 1}"',
			"llm.input_messages.10.message.tool_calls.1.tool_call.function.name": "g",
			"llm.input_messages.10.message.tool_calls.1.tool_call.function.arguments": "not JSON",
			"llm.input_messages.2.message.role": "tool",
			"llm.input_messages.2.message.name": "f",
			"llm.input_messages.2.message.content": "text",
		}),
	);
	expect(semantic.kind).toBe("LLM");
	expect(semantic.input_messages).toEqual([
		{ role: "user", text: "one\ntwo", images: 1, image_urls: ["data:image/png;base64,AAAA"] },
		{ role: "tool", name: "f", text: "text" },
		{
			role: "assistant",
			tool_calls: [
				{ name: "f", arguments: { a: 1 } },
				{ name: "g", arguments: "not JSON" },
			],
		},
	]);
});

test("messages, documents and tools as structured values", () => {
	const semantic = readSemantic(
		span({
			"openinference.span.kind": "LLM",
			"llm.input_messages": [{ "message.role": "user", "message.content": "hi" }],
			"llm.output_messages": '[{"message":{"role":"assistant","content":"hello"}}]',
			"llm.tools": [{ "tool.json_schema": '{"type":"function","function":{"name":"f"}}' }],
			"retrieval.documents": [{ "document.id": "d1", "document.content": "text", "document.score": 1 }],
		}),
	);
	expect(semantic).toMatchObject({
		input_messages: [{ role: "user", text: "hi" }],
		output_messages: [{ role: "assistant", text: "hello" }],
		tool_definitions: ["f"],
		documents: [{ id: "d1", content: "text", score: 1 }],
	});
});

test("text completions", () => {
	const semantic = readSemantic(
		span({
			"openinference.span.kind": "LLM",
			"llm.prompts.0.prompt.text": "Once",
			"llm.choices.0.completion.text": "upon a time",
		}),
	);
	expect([semantic.input_text, semantic.output_text]).toEqual(["Once", "upon a time"]);
});

test("cost, reranked documents, a single vector as JSON, and an unknown kind", () => {
	expect(
		readSemantic(
			span({
				"openinference.span.kind": "LLM",
				"llm.cost.prompt": 0.1,
				"llm.cost.completion": 0.2,
				"llm.cost.total": 0.31,
				"llm.cost.prompt_details.cache_read": 0.05,
			}),
		).cost,
	).toEqual({ total: 0.31, prompt: 0.1, completion: 0.2, cache_read: 0.05, source: "sent" });
	expect(
		readSemantic(
			span({
				"openinference.span.kind": "RERANKER",
				"reranker.model_name": "rerank-1",
				"reranker.output_documents.0.document.content": "best",
			}),
		),
	).toMatchObject({ kind: "RERANKER", model: "rerank-1", documents: [{ content: "best" }] });
	expect(
		readSemantic(
			span({
				"openinference.span.kind": "EMBEDDING",
				"embedding.model_name": "e",
				"embedding.embeddings.0.embedding.vector": "[0.1, 0.2]",
				"embedding.embeddings.0.embedding.text": "a",
			}),
		),
	).toMatchObject({ model: "e", embeddings: { texts: ["a"], vectors: 1, dimension: 2 } });
	expect(readSemantic(span({ "openinference.span.kind": "SOMETHING" })).kind).toBe("UNKNOWN");
});

test("input and output without a kind", () => {
	const semantic = readSemantic(span({ "input.value": "question", "output.value": "answer" }));
	expect(semantic).toMatchObject({
		convention: "openinference",
		kind: "UNKNOWN",
		input_text: "question",
		output_text: "answer",
	});
});
