import { expect, test } from "vitest";
import type { ChatMessage } from "../../../ui/content/message.ts";
import { alignMessages, messageText } from "./message-differences.ts";

const say = (role: string, text: string): ChatMessage => ({ role, text });
const outline = (left: ChatMessage[], right: ChatMessage[]) =>
	alignMessages(left, right).map(({ left, right, isEqual }) =>
		isEqual ? `= ${left?.text}` : `${left?.text ?? ""} | ${right?.text ?? ""}`,
	);

test("puts equal messages beside each other, and between them those of the same role", () => {
	const left = [say("system", "be brief"), say("user", "hello"), say("assistant", "hi"), say("user", "bye")];
	const right = [
		say("system", "be kind"),
		say("user", "hello"),
		say("user", "again"),
		say("assistant", "hi"),
		say("user", "bye"),
	];
	expect(outline(left, right)).toEqual(["be brief | be kind", "= hello", " | again", "= hi", "= bye"]);
	expect(outline([say("user", "a")], [say("assistant", "a")])).toEqual(["a | ", " | a"]);
});

test("says what a message calls, without the ids of calls", () => {
	const call = (id: string): ChatMessage => ({
		role: "assistant",
		tool_calls: [{ id, name: "weather", arguments: { city: "Lyon" } }],
	});
	expect(messageText(call("1"))).toContain('"city": "Lyon"');
	expect(alignMessages([call("1")], [call("2")])[0]?.isEqual).toBe(true);
});
