import { describe, expect, it } from "vitest";
import { eventCounter } from "./event-sizes.ts";

/** The longest event, as it is seen when the answer comes in pieces of this size. */
function longest(type: string, body: Uint8Array, pieceBytes: number): number | undefined {
	const count = eventCounter(type);
	if (count === undefined) return undefined;
	let most = 0;
	for (let at = 0; at < body.length; at += pieceBytes) most = Math.max(most, count(body.subarray(at, at + pieceBytes)));
	return most;
}

function frame(length: number): Buffer {
	const bytes = Buffer.alloc(length);
	bytes.writeUInt32BE(length);
	return bytes;
}

describe.each([1, 3, 1_000])("in pieces of %i bytes", (pieceBytes) => {
	it.each([
		["text/event-stream", "data: a\n\ndata: bcd\n\n", 11],
		["text/event-stream", "data: a\r\n\r\ndata: bcd\r\n\r\n", 13],
		["text/event-stream", "data: a\r\rdata: bcd\r\r", 11],
		["Text/Event-Stream; charset=utf-8", "data: a\ndata: b\n\n", 17],
		["text/event-stream", ": never ends\n: never ends\n", 26],
		["application/x-ndjson", "1\n22\n333", 3],
		["text/html", "<p>\n<body>", 6],
		["", "x", 1],
	])("%s: %j has %i", (type, body, expected) => {
		expect(longest(type, Buffer.from(body), pieceBytes)).toBe(expected);
	});

	it("frames are as long as they say, before they are there", () => {
		const type = "application/vnd.amazon.eventstream";
		expect(longest(type, Buffer.concat([frame(16), frame(20), frame(17)]), pieceBytes)).toBe(20);
		expect(longest(type, Buffer.concat([frame(16), Buffer.from([0xff, 0xff, 0xff, 0xff])]), pieceBytes)).toBe(
			2 ** 32 - 1,
		);
	});
});

it.each(["application/json", "application/json; charset=utf-8", "application/problem+json"])(
	"%s has no events",
	(type) => {
		expect(eventCounter(type)).toBeUndefined();
	},
);
