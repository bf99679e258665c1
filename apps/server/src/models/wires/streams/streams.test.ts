import { encodeEvent, encodeException } from "@spanward/e2e/peers/model-provider/wires/event-stream.ts";
import { describe, expect, it } from "vitest";
import { AwsEventStream } from "./aws-event-stream.ts";
import { protocolOf } from "./protocol.ts";
import { ServerSentEvents } from "./server-sent-events.ts";
import type { EventReader } from "./stream-events.ts";

/** What a reader makes of bytes that arrive in pieces of this size. */
function read(reader: EventReader, bytes: Uint8Array, size = 1) {
	const found = [];
	for (let at = 0; at < bytes.length; at += size) found.push(...reader.read(bytes.subarray(at, at + size)));
	return found.map(({ name, data }) => [name, data]);
}

describe("server-sent events", () => {
	const text =
		'\uFEFF: hello\n\nevent: a\r\ndata: {"é":1}\r\n\r\ndata:x\rdata: y\r\rid: 1\nretry: 5\ndata\n\nevent: none\n\n';
	const expected = [
		["a", '{"é":1}'],
		["", "x\ny"],
		["", ""],
	];

	it.each([1, 2, 3, 7, 1_000])("are the same in pieces of %i bytes", (size) => {
		expect(read(new ServerSentEvents(), Buffer.from(text), size)).toEqual(expected);
	});

	it("go on as they came, without what is no event", () => {
		const events = new ServerSentEvents().read(Buffer.from(": ping\n\nevent: a\r\nid: 7\r\ndata: é\r\n\r\n"));
		expect(Array.from(events, ({ bytes }) => Buffer.from(bytes).toString())).toEqual(["event: a\nid: 7\ndata: é\n\n"]);
	});

	it.each([
		["data: half", "cut"],
		["data: a line but no end\n", "cut"],
		["data: [DONE]", "[DONE]"],
		["data: [DONE]\n", "[DONE]"],
		["data: whole\n\n", undefined],
		["data: whole\r\r", "whole"],
		[": comment", undefined],
	])("%j leaves %j", (text, left) => {
		const reader = new ServerSentEvents();
		read(reader, Buffer.from(text));
		const rest = reader.rest();
		expect(typeof rest === "object" ? rest.data : rest).toBe(left);
	});

	it.each(["dat: {}\n", '{"error": "x"}\n', "<html>\n"])("refuses %j, which the standard would skip", (line) => {
		expect(() => read(new ServerSentEvents(), Buffer.from(line))).toThrow("a line is not a field of an event");
	});

	it("refuses what is not UTF-8", () => {
		expect(() => read(new ServerSentEvents(), Buffer.from([0x64, 0xff, 0x0a]))).toThrow("it is not UTF-8");
	});
});

describe("AWS's event stream", () => {
	const bytes = Buffer.concat([
		encodeEvent("messageStart", { role: "assistant" }),
		encodeException("throttlingException", "slow"),
	]);

	it.each([1, 5, 64, 1_000])("is the same in pieces of %i bytes", (size) => {
		const reader = new AwsEventStream();
		expect(read(reader, bytes, size)).toEqual([
			["messageStart", '{"role":"assistant"}'],
			["!throttlingException", '{"message":"slow"}'],
		]);
		expect(reader.rest()).toBeUndefined();
	});

	it("tells that a message is cut off", () => {
		const reader = new AwsEventStream();
		read(reader, bytes.subarray(0, -1));
		expect(reader.rest()).toBe("cut");
	});

	it("refuses a message with any byte changed", () => {
		const message = encodeEvent("messageStart", { role: "assistant" });
		for (let at = 0; at < message.length; at++) {
			const damaged = Buffer.from(message);
			damaged[at] = (damaged[at] ?? 0) ^ 1;
			expect(() => read(new AwsEventStream(), damaged)).toThrow(/checksum/);
		}
	});
});

describe("the end of a stream of Chat Completions", () => {
	const meanings = (needsDone: boolean, reasons: readonly unknown[], ...rest: readonly string[]) => {
		const protocol = protocolOf("chat", { needsDone });
		const chunks = reasons.map((finish_reason) => ({ choices: [{ delta: {}, finish_reason }] }));
		return [
			...chunks.map((value) => protocol.meaningOf({ name: "", data: "", value })),
			...rest.map((data) => protocol.meaningOf({ name: "", data, value: undefined })),
		];
	};

	it("is [DONE] after a reason to finish", () => {
		expect(meanings(true, [null, "", "stop"], "[DONE]")).toEqual(["piece", "piece", "piece", "end"]);
		expect(meanings(true, [null, ""], "[DONE]")).toEqual(["piece", "piece", "foreign"]);
	});

	it("is the reason to finish where the server may say no more", () => {
		expect(meanings(false, [null, "stop"])).toEqual(["piece", "may end"]);
		expect(meanings(false, [null, "stop"], "[DONE]")).toEqual(["piece", "may end", "end"]);
		expect(meanings(false, [null, ""], "[DONE]")).toEqual(["piece", "piece", "foreign"]);
	});
});
