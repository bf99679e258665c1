import { expect, test } from "vitest";
import { checkJsonTokens, checkMessageCount, RequestTooDetailed } from "./request-size.ts";
import { encodeSpans, makeSpan } from "./test-receiver.ts";

function lengthOf(bytes: number): number[] {
	return bytes < 128 ? [bytes] : [(bytes & 0x7f) | 0x80, ...lengthOf(Math.floor(bytes / 128))];
}

/** One message in a field of a message. */
function field(number: number, content: Uint8Array): Uint8Array {
	return Buffer.concat([Buffer.from([(number << 3) | 2, ...lengthOf(content.byteLength)]), content]);
}

function emptyMessages(number: number, count: number): Uint8Array {
	return Buffer.alloc(2 * count, Buffer.from([(number << 3) | 2, 0]));
}

test.each([
	["resources", emptyMessages(1, 100_001)],
	["scopes", field(1, emptyMessages(2, 100_001))],
	["spans", field(1, field(2, emptyMessages(2, 100_001)))],
	["spans behind a group", field(1, field(2, Buffer.concat([Buffer.from([0x1b]), emptyMessages(2, 100_001)])))],
	["spans of several scopes", field(1, Buffer.concat([1, 2, 3].map(() => field(2, emptyMessages(2, 40_000)))))],
])("refuses too many %s", (_what, request) => {
	expect(() => checkMessageCount(request)).toThrow(RequestTooDetailed);
});

test("takes large batches, and many attributes", () => {
	expect(() => checkMessageCount(encodeSpans(Array.from({ length: 5_000 }, () => makeSpan())))).not.toThrow();
	expect(() => checkMessageCount(field(1, field(2, field(2, emptyMessages(9, 200_000)))))).not.toThrow();
});

test("leaves malformed bytes to the scan", () => {
	const request = encodeSpans([makeSpan(), makeSpan()]);
	for (let cut = 0; cut < request.byteLength; cut++) {
		expect(() => checkMessageCount(request.subarray(0, cut))).not.toThrow();
	}
	expect(() => checkMessageCount(Buffer.alloc(1_000, 0xff))).not.toThrow();
	expect(() => checkMessageCount(Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]))).not.toThrow();
});

test.each(["[],", "{},", "1e5,", "[", '{"a":1},'])("refuses JSON of too many %s", (piece) => {
	expect(() => checkJsonTokens(Buffer.from(`[${piece.repeat(2_000_001)}`))).toThrow(RequestTooDetailed);
});

test("does not count what stands in strings of JSON", () => {
	const text = JSON.stringify({ a: "[{,".repeat(1_000_000), 'b"\\': '\\"[,'.repeat(1_000_000), c: '"' });
	expect(() => checkJsonTokens(Buffer.from(text))).not.toThrow();
	expect(() => checkJsonTokens(Buffer.from(`"${"[".repeat(3_000_000)}`))).not.toThrow();
});
