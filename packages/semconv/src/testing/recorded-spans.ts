import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import {
	decodeLogsRequest,
	decodeTraceRequest,
	type LogRecord,
	parseLogsRequestJson,
	parseTraceRequestJson,
	type ResourceSpans,
	toPlain,
	toPlainMap,
} from "@spanward/otlp";
import type { SpanInput } from "../model.ts";

const FIXTURES = join(import.meta.dirname, "../../../../fixtures");

/** The sources whose exports were recorded. */
export const SOURCES: readonly string[] = readdirSync(FIXTURES, { withFileTypes: true })
	.filter((entry) => entry.isDirectory() && entry.name !== "agents")
	.map(({ name }) => name);

export interface ExpectedSpan {
	readonly [key: string]: unknown;
	readonly traceId: string;
	readonly spanId: string;
	readonly name: string;
	readonly kindAccept: readonly string[];
}

/** The content of `expect.json` for a source's spans; see `fixtures/SCHEMA.md`. */
export function expectedSpans(source: string): readonly ExpectedSpan[] {
	return JSON.parse(readFileSync(join(FIXTURES, source, "expect.json"), "utf8")).spans;
}

/** A source's spans by `trace id/span id`, with their log records. */
export function recordedSpans(source: string): Map<string, SpanInput> {
	const folder = join(FIXTURES, source);
	const logs = bodies(folder, /^logs-\d+\.bin$/).flatMap(decodeLogs);
	const spans = new Map<string, SpanInput>();
	for (const { scopeSpans } of bodies(folder, /^\d+\.bin$/).flatMap(decodeTraces)) {
		for (const { scope, spans: sent } of scopeSpans) {
			for (const span of sent) {
				spans.set(`${span.traceId}/${span.spanId}`, {
					name: span.name,
					scopeName: scope.name,
					statusCode: span.status.code,
					statusMessage: span.status.message,
					attributes: toPlainMap(span.attributes),
					events: span.events.map(({ name, attributes }) => ({ name, attributes: toPlainMap(attributes) })),
					logs: logs
						.filter((log) => log.traceId === span.traceId && log.spanId === span.spanId)
						.map((log) => ({
							eventName: log.eventName,
							body: toPlain(log.body),
							attributes: toPlainMap(log.attributes),
						})),
				});
			}
		}
	}
	return spans;
}

function bodies(folder: string, name: RegExp): Buffer[] {
	return readdirSync(folder)
		.filter((file) => name.test(file))
		.toSorted()
		.map((file) => {
			const { contentEncoding } = JSON.parse(readFileSync(join(folder, file.replace(".bin", ".json")), "utf8"));
			const body = readFileSync(join(folder, file));
			return contentEncoding === "gzip" ? gunzipSync(body) : body;
		});
}

function decodeTraces(body: Buffer): readonly ResourceSpans[] {
	return isJson(body) ? parseTraceRequestJson(body.toString()).resourceSpans : decodeTraceRequest(body);
}

function decodeLogs(body: Buffer): LogRecord[] {
	const resources = isJson(body) ? parseLogsRequestJson(body.toString()).resourceLogs : decodeLogsRequest(body);
	return resources.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords));
}

function isJson(body: Buffer): boolean {
	return body[0] === 0x7b;
}
