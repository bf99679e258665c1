import { expect, test } from "vitest";
import { toChatMessages } from "./chat-messages.ts";

test("messages of OpenAI's form, with parts of text and calls of tools", () => {
	expect(
		toChatMessages([
			{ role: "user", content: [{ type: "text", text: "Hi" }] },
			{
				role: "assistant",
				content: null,
				tool_calls: [{ id: "c1", type: "function", function: { name: "find", arguments: '{"q":1}' } }],
			},
			{ role: "tool", tool_call_id: "c1", content: "found" },
		]),
	).toEqual([
		{ role: "user", text: "Hi" },
		{ role: "assistant", text: "", tool_calls: [{ id: "c1", name: "find", arguments: { q: 1 } }] },
		{ role: "tool", text: "found", tool_call_id: "c1" },
	]);
});

test.each([
	["an empty list", []],
	["other objects", [{ role: "user" }]],
	["contents with more than text", [{ role: "user", content: [{ type: "image_url" }] }]],
	["no list", { role: "user", content: "Hi" }],
])("%s is no conversation", (_, value) => {
	expect(toChatMessages(value)).toBeUndefined();
});
