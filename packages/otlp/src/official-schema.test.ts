import { expect, test } from "vitest";
import { decodeLogsRequest, decodeSpan, decodeTraceRequest } from "./decode.ts";
import { encodeLogsRequest, encodeTraceRequest } from "./encode.ts";
import { OtlpDecodeError } from "./errors.ts";
import { createKeyTable } from "./key-table.ts";
import type { Span } from "./model.ts";
import { toPlainMap } from "./plain.ts";
import { scanLogsRequest } from "./scan-logs.ts";
import type { ScannedTraces } from "./scan-model.ts";
import { scanTraceRequest } from "./scan-traces.ts";
import { mutate } from "./testing/mutate.ts";
import { decodeOfficialLogs, decodeOfficialTraces, type OfficialRequest } from "./testing/official-schema.ts";
import { PROMOTED_KEYS, RandomMessages } from "./testing/random-message.ts";
import { bytesField, keyValue, request, span, varintField } from "./testing/wire.ts";

const OPTIONS = {
	limits: { attributesPerSpan: 1_000, attributeBytes: 1_000_000, depth: 64 },
	keys: createKeyTable(PROMOTED_KEYS),
};

test("random traces are the same in the official library, encoded by either", () => {
	const random = new RandomMessages(1);
	for (let round = 0; round < 1_000; round++) {
		const traces = random.traces();
		const official = decodeOfficialTraces(encodeTraceRequest(traces));
		expect(official.groups).toEqual(traces);
		expect(decodeTraceRequest(official.bytes)).toEqual(traces);
	}
});

test("random logs are the same in the official library, encoded by either", () => {
	const random = new RandomMessages(2);
	for (let round = 0; round < 1_000; round++) {
		const logs = random.logs();
		const official = decodeOfficialLogs(encodeLogsRequest(logs));
		expect(official.groups).toEqual(logs);
		expect(decodeLogsRequest(official.bytes)).toEqual(logs);
	}
});

test("the scan sees what decoding sees", () => {
	const random = new RandomMessages(3);
	for (let round = 0; round < 1_000; round++) {
		const traces = random.traces();
		const scanned = scanTraceRequest(encodeTraceRequest(traces), OPTIONS);
		expect(scanned.rejected).toEqual([]);
		expectScanOf(scanned);
		expect(scanned.spans.map(({ bytes }) => decodeSpan(bytes))).toEqual(
			traces.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
		);
	}
});

test("values in pieces merge as the official decoder merges them", () => {
	const random = new RandomMessages(8);
	for (let round = 0; round < 3_000; round++) {
		const pieces = random.many(3, () => bytesField(2, ...random.many(3, () => valueMember(random))));
		const bytes = request(span(bytesField(9, bytesField(1, "__proto__"), ...pieces)));
		const ours = decodeTraceRequest(bytes);
		expect(ours).toEqual(decodeOfficialTraces(bytes).groups);
		expectScanOf(scanTraceRequest(bytes, OPTIONS));
	}
});

test.each([0, 1, 126, 127, 128, 16_370, 16_383, 16_384, 2_097_140, 2_097_151, 2_097_152])(
	"a message with a text of %i bytes has the right length",
	(size) => {
		const text = "x".repeat(size);
		const [first] = decodeTraceRequest(request(span(bytesField(5, text))));
		const official = decodeOfficialTraces(encodeTraceRequest(first === undefined ? [] : [first]));
		expect(official.groups[0]?.scopeSpans[0]?.spans[0]?.name === text).toBe(true);
	},
);

test("damaged traces are rejected or read as by the official decoder, with no other error", () => {
	const random = new RandomMessages(4);
	let read = 0;
	for (let round = 0; round < 4_000; round++) {
		const bytes = mutate(encodeTraceRequest(random.traces()), random);
		const ours = attempt(() => decodeTraceRequest(bytes));
		const scanned = attempt(() => scanTraceRequest(bytes, OPTIONS));
		if (ours !== undefined) {
			read++;
			// Every well-formed span is kept, unless its ids are invalid.
			expect(scanned?.rejected.filter(({ reason }) => !reason.startsWith("invalid_"))).toEqual([]);
		}
		if (scanned !== undefined) expectScanOf(scanned);
		expectSameAs(() => decodeOfficialTraces(bytes), ours, bytes);
	}
	expect(read).toBeGreaterThan(200);
});

test("damaged logs are rejected or read as by the official decoder, with no other error", () => {
	const random = new RandomMessages(5);
	for (let round = 0; round < 4_000; round++) {
		const bytes = mutate(encodeLogsRequest(random.logs()), random);
		const ours = attempt(() => decodeLogsRequest(bytes));
		const scanned = attempt(() => scanLogsRequest(bytes, OPTIONS));
		if (ours !== undefined) expect(scanned?.rejected).toEqual([]);
		expectSameAs(() => decodeOfficialLogs(bytes), ours, bytes);
	}
});

test("arbitrary bytes are rejected or read, with no other error", () => {
	const random = new RandomMessages(6);
	for (let round = 0; round < 10_000; round++) {
		const bytes = random.bytes(random.below(60));
		attempt(() => decodeTraceRequest(bytes));
		attempt(() => decodeLogsRequest(bytes));
		attempt(() => scanTraceRequest(bytes, OPTIONS));
		attempt(() => scanLogsRequest(bytes, OPTIONS));
	}
});

/** A member of AnyValue's oneof; a value may have several. */
function valueMember(random: RandomMessages): Uint8Array {
	const text = bytesField(1, random.pick(["a", "b"]));
	switch (random.below(4)) {
		case 0:
			return text;
		case 1:
			return varintField(3, random.below(300));
		case 2:
			return bytesField(5, ...random.many(2, () => bytesField(1, text)));
		default:
			return bytesField(6, ...random.many(2, () => bytesField(1, keyValue("k", text))));
	}
}

/** The result of `run`, or undefined when it rejects the bytes; any other error fails the test. */
function attempt<T>(run: () => T): T | undefined {
	try {
		return run();
	} catch (error) {
		if (error instanceof OtlpDecodeError) return undefined;
		throw error;
	}
}

function expectSameAs<T>(official: () => OfficialRequest<T>, ours: readonly T[] | undefined, bytes: Uint8Array): void {
	let theirs: readonly T[] | undefined;
	try {
		theirs = official().groups;
	} catch (error) {
		// We keep a span whose text is not UTF-8, see `WireCursor`.
		if (error instanceof Error && /utf-?8/i.test(error.message)) return;
	}
	expect(ours, Buffer.from(bytes).toString("hex")).toEqual(theirs);
}

function expectScanOf(scanned: ScannedTraces): void {
	for (const span of scanned.spans) {
		const full = decodeSpan(span.bytes);
		expect(span).toMatchObject({
			traceId: full.traceId,
			spanId: full.spanId,
			parentSpanId: /^0*$/.test(full.parentSpanId) ? null : full.parentSpanId,
			name: full.name,
			kind: full.kind >= 0 && full.kind <= 5 ? full.kind : 0,
			startNanos: Number(full.startTimeUnixNano % 1000n),
			endNanos: Number(full.endTimeUnixNano % 1000n),
			startMicros: Number(full.startTimeUnixNano / 1000n),
			endMicros: Number(full.endTimeUnixNano / 1000n),
			statusCode: full.status.code >= 0 && full.status.code <= 2 ? full.status.code : 0,
			statusMessage: full.status.message,
		});
		expect(span.promoted).toEqual(promotedOf(full));
	}
}

function promotedOf({ attributes }: Span) {
	return toPlainMap(attributes.filter(({ key }) => PROMOTED_KEYS.includes(key)));
}
