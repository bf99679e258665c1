import { describe, expect, test } from "vitest";
import { inputText, outputText } from "./human-text.ts";

describe("the text of an input", () => {
	test.each([
		["a text", "hi", "hi"],
		["a text in JSON quotes", '"hi"', "hi"],
		[
			"the last question of messages",
			'{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}',
			"a",
		],
		["LangChain's messages", '{"messages":[{"type":"human","data":{"content":"a"}}]}', "a"],
		["a call with one argument", '{"args": ["a"], "kwargs": {}}', "a"],
		[
			"a call with named arguments",
			'{"args": [], "kwargs": {"city": "Paris", "days": 2}}',
			'{"city": "Paris", "days": 2}',
		],
		[
			"smolagents' call",
			'{"args": [], "sanitize_inputs_outputs": true, "kwargs": {"city": "Paris"}}',
			'{"city": "Paris"}',
		],
		["a question alone", '{"question": "a"}', "a"],
		[
			"a question with settings and nothing else",
			'{"task": "a", "stream": false, "max_steps": 3, "images": null}',
			"a",
		],
		["LlamaIndex' query", '{"query_bundle": {"query_str": "a", "embedding": null}}', "a"],
		["a question beside other data", '{"question": "a", "context": "b"}', '{"question": "a", "context": "b"}'],
		["data", '{"city":"Paris"}', '{"city":"Paris"}'],
		["a list of data", '[{"id": 1}]', '[{"id": 1}]'],
		[
			"an answer of the assistant is no input",
			'{"type":"ai","data":{"content":"a"}}',
			'{"type":"ai","data":{"content":"a"}}',
		],
		["broken JSON", '{"question": "a"', '{"question": "a"'],
		["a number", "5", "5"],
	])("%s", (_name, sent, text) => {
		expect(inputText(sent, "CHAIN")).toBe(text);
	});

	test("is absent for a call without arguments", () => {
		expect(inputText('{"args": [], "kwargs": {}}', "CHAIN")).toBeUndefined();
		expect(inputText("", "CHAIN")).toBeUndefined();
		expect(inputText(null, "CHAIN")).toBeUndefined();
	});

	test("a tool's arguments stay data", () => {
		expect(inputText('{"query": "a"}', "TOOL")).toBe('{"query": "a"}');
	});
});

describe("the text of an output", () => {
	test.each([
		["a text in JSON quotes", '"a\\nb"', "a\nb"],
		[
			"the assistant's last message",
			'{"messages":[{"role":"assistant","content":"a"},{"role":"tool","content":"b"}]}',
			"a",
		],
		["a tool's message", '{"type":"tool","data":{"content":"a","tool_call_id":"c"}}', "a"],
		["OpenAI's response", '{"choices":[{"message":{"role":"assistant","content":"a"}}]}', "a"],
		["Anthropic's response", '{"role":"assistant","content":[{"type":"text","text":"a"}]}', "a"],
		["Gemini's response", '{"candidates":[{"content":{"role":"model","parts":[{"text":"a"}]}}]}', "a"],
		[
			"OpenAI's responses",
			'{"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}]}',
			"a",
		],
		["a result beside its question", '{"query": "q", "result": "a"}', "a"],
		["parts of text", '[{"text": "a"}, {"type": "text", "text": "b"}]', "a\nb"],
		["MCP's result", '{"content": [{"type": "text", "text": "a"}], "isError": false}', "a"],
		["documents", '[{"id": "d1", "text": "a"}]', '[{"id": "d1", "text": "a"}]'],
		["data", '{"context": "a", "question": "b"}', '{"context": "a", "question": "b"}'],
	])("%s", (_name, sent, text) => {
		expect(outputText(sent, "CHAIN")).toBe(text);
	});
});
