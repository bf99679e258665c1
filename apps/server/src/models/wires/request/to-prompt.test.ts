import { describe, expect, it } from "vitest";
import type { ModelMessage } from "#models/model-request.ts";
import type { Wire } from "../wire.ts";
import { toPrompt } from "./to-prompt.ts";

const IMAGE = { type: "image", media_type: "image/png", data: "aW1hZ2U=" } as const;

function call(id: string, text = "{}") {
	const tool_call = { type: "function", name: `tool_${id}`, arguments: text } as const;
	return { type: "tool_call", tool_call_id: id, tool_call } as const;
}

function result(id: string) {
	return { type: "tool_result", tool_call_id: id, tool_result: { of: id } } as const;
}

/** Roles with what is in each message, and the sentences about it. */
function outline(wire: Wire, messages: readonly ModelMessage[]) {
	const prompt = toPrompt(messages, wire);
	const said = prompt.messages.map(({ role, content }) => {
		if (typeof content === "string") return `${role}: ${content}`;
		const parts = content.map((part) => {
			switch (part.type) {
				case "text":
					return part.text;
				case "tool-call":
					return `call ${part.toolCallId} ${JSON.stringify(part.input)}`;
				case "tool-result":
					return `result ${part.toolCallId} of ${part.toolName}`;
				default:
					return part.type;
			}
		});
		return `${role}: ${parts.join(", ")}`;
	});
	return [said, prompt.warnings];
}

describe("messages for the libraries", () => {
	it("puts results of tools before what the user says with them, and names the tools", () => {
		const messages: readonly ModelMessage[] = [
			{ role: "ai", content: [call("a"), call("b")] },
			{ role: "user", content: [{ type: "text", text: "Go on" }, result("a"), result("b")] },
		];
		expect(outline("messages", messages)).toEqual([
			["assistant: call a {}, call b {}", "tool: result a of tool_a, result b of tool_b", "user: Go on"],
			[],
		]);
	});

	it("takes text of a tool for the result of the oldest call without one, else for the user's", () => {
		const messages: readonly ModelMessage[] = [
			{ role: "tool", content: "Nobody asked" },
			{ role: "model", content: [call("a"), call("b")] },
			{ role: "tool", content: "First" },
			{ role: "tool", content: [result("b"), IMAGE] },
		];
		expect(outline("chat", messages)).toEqual([
			[
				"user: Nobody asked",
				'assistant: call a "{}", call b "{}"',
				"tool: result a of tool_a",
				"tool: result b of tool_b",
				"user: file",
			],
			[
				"Text in a message of a tool is sent as a message of the user: no call has it as its result.",
				"An image in the result of a tool is sent as a message of the user after it.",
			],
		]);
	});

	it("has system messages where the wire has them", () => {
		const messages: readonly ModelMessage[] = [
			{ role: "user", content: "Hello" },
			{ role: "developer", content: [{ type: "text", text: "Be" }, { type: "text", text: "brief" }, IMAGE] },
		];
		const onlyText = "Only the text of a system message is sent: it cannot have anything else.";
		expect(outline("responses", messages)).toEqual([["user: Hello", "system: Be\nbrief"], [onlyText]]);
		expect(outline("gemini", messages)).toEqual([
			["system: Be\nbrief", "user: Hello"],
			[onlyText, "A system message amid the conversation is sent before it: Gemini has no other place for it."],
		]);
		expect(outline("messages", [{ role: "system", content: "Alone" }])).toEqual([
			["user: Alone"],
			["The system message is sent as the user's: Anthropic's Messages API answers no conversation without one."],
		]);
	});

	it("has images where the wire has them", () => {
		const messages: readonly ModelMessage[] = [{ role: "assistant", content: [{ type: "text", text: "See" }, IMAGE] }];
		expect(outline("gemini", messages)).toEqual([["assistant: See, file"], []]);
		expect(outline("converse", messages)).toEqual([
			["assistant: See"],
			["An image in a message of the assistant is not sent: Bedrock's Converse API does not have it."],
		]);
	});

	it.each([
		["chat", '{"a": 1}', '"{\\"a\\": 1}"', 0],
		["messages", '{"a": 1}', '{"a":1}', 0],
		["chat", "[1]", '"{}"', 1],
		["gemini", "no JSON", "{}", 1],
		["converse", "", "{}", 0],
	] as const)("says arguments of calls as %s takes them: %s", (wire, text, sent, warnings) => {
		const [said, sentences] = outline(wire, [{ role: "assistant", content: [call("a", text)] }]);
		expect(said).toEqual([`assistant: call a ${sent}`]);
		expect(sentences).toHaveLength(warnings);
	});
});
