import protobuf from "protobufjs";
import { expect, test } from "vitest";
import {
	encodeLogsResponse,
	encodeRpcStatus,
	encodeTraceResponse,
	formatLogsResponseJson,
	formatRpcStatusJson,
	formatTraceResponseJson,
} from "./responses.ts";
import { decodeOfficialLogsResponse, decodeOfficialTraceResponse } from "./testing/official-schema.ts";

const STATUS_PROTO = `
	syntax = "proto3";
	message Any { string type_url = 1; bytes value = 2; }
	message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
	message Duration { int64 seconds = 1; int32 nanos = 2; }
	message RetryInfo { Duration retry_delay = 1; }
`;
const { root } = protobuf.parse(STATUS_PROTO);

function decode(type: string, bytes: Uint8Array) {
	const messages = root.lookupType(type);
	return messages.toObject(messages.decode(bytes), { longs: Number });
}

test("nothing rejected is an empty answer", () => {
	expect(encodeTraceResponse({ rejectedSpans: 0, errorMessage: "" })).toEqual(new Uint8Array(0));
	expect(encodeLogsResponse({ rejectedLogRecords: 0, errorMessage: "" })).toEqual(new Uint8Array(0));
	expect(formatTraceResponseJson({ rejectedSpans: 0, errorMessage: "" })).toBe("{}");
	expect(formatLogsResponseJson({ rejectedLogRecords: 0, errorMessage: "" })).toBe("{}");
});

test("rejected spans and log records are a partial success", () => {
	const traces = { rejectedSpans: 300, errorMessage: "Span 3 …" };
	expect(decodeOfficialTraceResponse(encodeTraceResponse(traces))).toEqual({
		partialSuccess: { rejectedSpans: "300", errorMessage: "Span 3 …" },
	});
	expect(JSON.parse(formatTraceResponseJson(traces))).toEqual({
		partialSuccess: { rejectedSpans: "300", errorMessage: "Span 3 …" },
	});
	const logs = { rejectedLogRecords: 1, errorMessage: "x".repeat(20_000) };
	expect(decodeOfficialLogsResponse(encodeLogsResponse(logs))).toEqual({
		partialSuccess: { rejectedLogRecords: "1", errorMessage: "x".repeat(20_000) },
	});
	expect(JSON.parse(formatLogsResponseJson(logs)).partialSuccess.rejectedLogRecords).toBe("1");
});

test("an error says when to try again", () => {
	const error = { code: 14, message: "The storage is full.", retryDelaySeconds: 2.5 };
	const status = decode("Status", encodeRpcStatus(error));
	expect(status).toMatchObject({ code: 14, message: "The storage is full." });
	expect(status["details"][0].type_url ?? status["details"][0].typeUrl).toBe(
		"type.googleapis.com/google.rpc.RetryInfo",
	);
	expect(decode("RetryInfo", status["details"][0].value)).toEqual({ retryDelay: { seconds: 2, nanos: 500_000_000 } });
	expect(JSON.parse(formatRpcStatusJson(error))).toEqual({
		code: 14,
		message: "The storage is full.",
		details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "2.5s" }],
	});
});

test("an error without a delay has no details", () => {
	expect(decode("Status", encodeRpcStatus({ code: 3, message: "No." }))).toEqual({ code: 3, message: "No." });
	expect(formatRpcStatusJson({ code: 3, message: "No." })).toBe('{"code":3,"message":"No."}');
});
