import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { decodeTraceRequest } from "./decode.ts";
import { encodeLogsRequest, encodeTraceRequest } from "./encode.ts";
import { parseLogsRequestJson, parseTraceRequestJson } from "./json.ts";
import { createKeyTable } from "./key-table.ts";
import { scanLogsRequest } from "./scan-logs.ts";
import { scanTraceRequest } from "./scan-traces.ts";

const FIXTURES = join(import.meta.dirname, "../../../fixtures");
const OPTIONS = {
	limits: { attributesPerSpan: 10_000, attributeBytes: 1_000_000, depth: 64 },
	keys: createKeyTable([]),
};

const sources = readdirSync(FIXTURES, { withFileTypes: true })
	.filter((entry) => entry.isDirectory() && entry.name !== "agents")
	.map(({ name }) => name);

test.each(sources)("every span of %s is read", (source) => {
	const folder = join(FIXTURES, source);
	const spans = exportsOf(folder, /^\d+\.bin$/).flatMap((bytes) => {
		const message = bytes[0] === 0x7b ? jsonTraces(bytes) : bytes;
		const scanned = scanTraceRequest(message, OPTIONS);
		expect(scanned.rejected).toEqual([]);
		expect(decodeTraceRequest(encodeTraceRequest(decodeTraceRequest(message)))).toEqual(decodeTraceRequest(message));
		return scanned.spans;
	});
	const expected = JSON.parse(readFileSync(join(folder, "expect.json"), "utf8"));
	expect(spans.map(({ traceId, spanId, name }) => `${traceId} ${spanId} ${name}`).toSorted()).toEqual(
		expected.spans
			.map(({ traceId, spanId, name }: Record<string, string>) => `${traceId} ${spanId} ${name}`)
			.toSorted(),
	);
	expect(spans.length).toBe(expected.spanCount);
});

test("the recorded log exports hold GenAI events of spans", () => {
	const kept = sources.flatMap((source) =>
		exportsOf(join(FIXTURES, source), /^logs-\d+\.bin$/).map((bytes) => {
			const message =
				bytes[0] === 0x7b ? encodeLogsRequest(parseLogsRequestJson(bytes.toString()).resourceLogs) : bytes;
			const { records, rejected } = scanLogsRequest(message, OPTIONS);
			expect(rejected).toEqual([]);
			return records.length;
		}),
	);
	expect(Math.min(...kept)).toBeGreaterThan(0);
});

function jsonTraces(bytes: Buffer): Uint8Array {
	const { resourceSpans, rejected } = parseTraceRequestJson(bytes.toString());
	expect(rejected).toEqual([]);
	return encodeTraceRequest(resourceSpans);
}

function exportsOf(folder: string, name: RegExp): Buffer[] {
	return readdirSync(folder)
		.filter((file) => name.test(file))
		.map((file) => {
			const body = readFileSync(join(folder, file));
			const { contentEncoding } = JSON.parse(readFileSync(join(folder, file.replace(".bin", ".json")), "utf8"));
			return contentEncoding === "gzip" ? gunzipSync(body) : body;
		});
}
