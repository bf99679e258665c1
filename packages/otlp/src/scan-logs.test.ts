import { expect, test } from "vitest";
import { decodeLogRecord } from "./decode.ts";
import { scanLogsRequest } from "./scan-logs.ts";
import { bytesField, fixed64Field, keyValue, nested, SPAN_ID, TRACE_ID } from "./testing/wire.ts";

const LIMITS = { attributesPerSpan: 10, attributeBytes: 20, depth: 64 };
const ids = Buffer.concat([bytesField(9, TRACE_ID), bytesField(10, SPAN_ID)]);
const text = (value: string) => bytesField(1, value);

function scan(...records: Uint8Array[][]) {
	const scoped = bytesField(2, ...records.map((record) => bytesField(2, ...record)));
	return scanLogsRequest(bytesField(1, scoped), { limits: LIMITS });
}

test("a GenAI event of a span is kept, wherever its name is", () => {
	const { records, ignored } = scan(
		[ids, bytesField(12, "gen_ai.choice"), fixed64Field(1, 1_000_001_500n)],
		[ids, bytesField(6, keyValue("event.name", text("gen_ai.user.message"))), fixed64Field(11, 2_000_000_001n)],
	);
	expect(ignored).toBe(0);
	expect(records).toMatchObject([
		{ traceId: TRACE_ID.toString("hex"), spanId: SPAN_ID.toString("hex"), eventName: "gen_ai.choice", resource: 0 },
		{ eventName: "gen_ai.user.message", timeMicros: 2_000_000, timeNanos: 1 },
	]);
	expect(records[0]).toMatchObject({ timeMicros: 1_000_001, timeNanos: 500 });
});

test("records of no span and other events are counted as ignored", () => {
	const { records, ignored, resources, rejected } = scan(
		[bytesField(12, "gen_ai.choice")],
		[ids, bytesField(12, "http.request")],
		[ids, bytesField(5, text("a line of a log"))],
		[bytesField(9, "short"), bytesField(10, SPAN_ID), bytesField(12, "gen_ai.choice")],
		[bytesField(9, TRACE_ID), bytesField(10, Buffer.alloc(8)), bytesField(12, "gen_ai.choice")],
	);
	expect({ records, ignored, resources, rejected }).toEqual({ records: [], ignored: 5, resources: [], rejected: [] });
});

test("events of their own are kept wherever their name is, cut like others, whatever ids they carry", () => {
	const named = (name: string) => bytesField(6, keyValue("event.name", text(name)));
	const scope = bytesField(1, bytesField(1, "agent"));
	const isEvent = (name: string) => name.startsWith("agent.");
	const records = [
		[named("agent.prompt"), bytesField(12, "event at line 7")],
		[ids, bytesField(12, "agent.answer"), bytesField(5, text("x".repeat(21)))],
		[named("result"), bytesField(5, text("agent.result"))],
		[ids, named("gen_ai.choice")],
		[named("other"), bytesField(5, text("another body"))],
	].map((record) => bytesField(2, ...record));
	// The Collector sends the scope after its records.
	const scanned = scanLogsRequest(bytesField(1, bytesField(2, ...records, scope)), { limits: LIMITS, isEvent });
	expect(scanned).toMatchObject({
		events: [
			{ eventName: "agent.prompt", scope: 0 },
			{ eventName: "agent.answer", scope: 0 },
			{ eventName: "agent.result", scope: 0 },
		],
		scopes: [{ name: "agent", resource: 0 }],
		records: [{ eventName: "gen_ai.choice", resource: 0 }],
		ignored: 1,
	});
	const { body } = decodeLogRecord(scanned.events[1]?.bytes ?? new Uint8Array(0));
	expect(body).toEqual({ type: "string", value: "x".repeat(20) });
});

test("a malformed or too deep record is left out alone", () => {
	const { records, ignored, rejected } = scan(
		[bytesField(5, Buffer.of(0x0a, 0x09))],
		[ids, bytesField(12, "gen_ai.choice"), bytesField(5, nested(65))],
		[ids, bytesField(12, "gen_ai.choice"), bytesField(5, nested(64))],
	);
	expect([records.length, ignored]).toEqual([1, 0]);
	expect(rejected).toMatchObject([
		{ reason: "malformed", message: expect.stringContaining("Log record 0 ") },
		{ reason: "too_deep", message: expect.stringContaining("Log record 1 ") },
	]);
});

test("a long body is cut, and says so", () => {
	const { records } = scan([ids, bytesField(12, "gen_ai.choice"), bytesField(5, text("x".repeat(21)))]);
	const record = decodeLogRecord(records[0]?.bytes ?? new Uint8Array(0));
	expect(record.body).toEqual({ type: "string", value: "x".repeat(20) });
	expect(record.attributes).toEqual([
		{ key: "spanward.cut", value: { type: "array", value: [{ type: "string", value: "body" }] } },
	]);
});
