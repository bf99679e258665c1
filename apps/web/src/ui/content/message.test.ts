import { expect, test } from "vitest";
import { argumentsLine, foldConversation, imagesOf, inlineBytes, toolNames } from "./message.ts";

test("names a tool result by the call that asked for it", () => {
	const names = toolNames([{ role: "assistant", tool_calls: [{ id: "c1", name: "get_weather" }, { name: "no_id" }] }]);
	expect([...names]).toEqual([["c1", "get_weather"]]);
});

test("folds the middle of a long conversation only", () => {
	const messages = Array.from({ length: 40 }, (_, i) => ({ role: "user", text: String(i) }));
	expect(foldConversation(messages.slice(0, 16))).toHaveLength(1);
	const parts = foldConversation(messages);
	expect(parts.map((part) => [part.type, part.messages.length])).toEqual([
		["messages", 2],
		["folded", 30],
		["messages", 8],
	]);
	expect(parts.flatMap((part) => part.messages)).toEqual(messages);
});

test("shows data images only; says what was not sent", () => {
	const png = "data:image/png;base64,AAAA";
	const images = imagesOf({
		role: "user",
		images: 4,
		image_urls: [png, "https://example.com/a.png", "data:text/html,x"],
	});
	expect(images).toEqual({ inline: [png], remote: ["https://example.com/a.png", "data:text/html,x"], notSent: 1 });
	expect(imagesOf({ role: "user" })).toEqual({ inline: [], remote: [], notSent: 0 });
});

test.each([
	[{ city: "Berlin", days: 3 }, 'city: "Berlin", days: 3'],
	[{ filter: { a: 1 }, ids: [1, 2], none: null, empty: [] }, "filter: {…}, ids: [2], none: null, empty: []"],
	["not json", '"not json"'],
	[undefined, ""],
	[{}, ""],
])("writes arguments on one line", (value, line) => {
	expect(argumentsLine(value)).toBe(line);
});

test("cuts a long line", () => {
	expect(argumentsLine({ text: "x".repeat(500) }, 20)).toHaveLength(21);
});

test("the bytes of a data: address are counted, of other addresses there are none", () => {
	expect(inlineBytes("data:audio/wav;base64,AAECAw==")).toBe(4);
	expect(inlineBytes("data:text/plain,a%20b")).toBe(3);
	expect(inlineBytes("data:text/plain;charset=utf-8;base64,AAEC")).toBe(3);
	expect(inlineBytes("https://media.example/a")).toBeUndefined();
	expect(inlineBytes(undefined)).toBeUndefined();
});
