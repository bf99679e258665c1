import { expect, test } from "vitest";
import { readAttribute, toColumns } from "./table-columns.ts";

test("keys of the conventions are columns, messages a list of objects", () => {
	expect(
		toColumns({
			"llm.token_count.prompt": 3,
			"llm.input_messages.0.message.role": "user",
			"llm.input_messages.0.message.tool_calls.0.tool_call.function.name": "f",
			"llm.input_messages.1.message.role": "tool",
		}),
	).toEqual({
		"attributes.llm.token_count.prompt": 3,
		"attributes.llm.input_messages": [
			{ "message.role": "user", "message.tool_calls": [{ "tool_call.function.name": "f" }] },
			{ "message.role": "tool" },
		],
	});
});

test("other keys are an object under their first segment, as is metadata", () => {
	expect(toColumns({ "http.method": "GET", "http.route.name": "x", "metadata.team.name": "a", plain: 1 })).toEqual({
		"attributes.http": { method: "GET", route: { name: "x" } },
		"attributes.metadata": { team: { name: "a" } },
		"attributes.plain": 1,
	});
});

test("a key below another key with a value is a separate column", () => {
	expect(toColumns({ a: 1, "a.b": 2 })).toEqual({ "attributes.a": 1, "attributes.a.b": 2 });
});

test("large list positions do not make long lists", () => {
	expect(toColumns({ "llm.input_messages.99999999.message.role": "user" })).toEqual({
		"attributes.llm.input_messages": { 99999999: { "message.role": "user" } },
	});
});

test("the keys below a key are read as an object or a list", () => {
	const attributes = {
		"llm.input_messages.0.message.role": "user",
		"retrieval.documents.0.document.metadata.page.number": 1,
		"app.steps.1.name": "b",
		"app.steps": "kept",
	};
	expect(readAttribute(attributes, "llm.input_messages")).toEqual([{ "message.role": "user" }]);
	expect(readAttribute(attributes, "retrieval.documents")).toEqual([{ "document.metadata": { page: { number: 1 } } }]);
	expect(readAttribute(attributes, "app.steps")).toBe("kept");
	expect(readAttribute(attributes, "app.steps.1")).toEqual({ name: "b" });
	expect(readAttribute(attributes, "app.step")).toBeNull();
});
