import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { decodeTraceRequest, parseTraceRequestJson, type ResourceSpans, toPlainMap } from "@spanward/otlp";
import type { TraceSpan } from "../model.ts";

const FIXTURES = join(import.meta.dirname, "../../../../fixtures");

/** The sources whose exports were recorded. */
export const SOURCES: readonly string[] = readdirSync(FIXTURES, { withFileTypes: true })
	.filter((entry) => entry.isDirectory() && entry.name !== "agents")
	.map(({ name }) => name);

/** An occurrence in `errors.json`; see `fixtures/SCHEMA.md`. */
export interface ExpectedOccurrence {
	readonly traceId: string;
	readonly spanId: string;
	readonly kind: string;
	readonly fingerprint: string;
	readonly rule: string;
	readonly parts: readonly string[];
	readonly title: string;
}

/** The content of a source's `errors.json`; no occurrences where it has none. */
export function expectedOccurrences(source: string): readonly ExpectedOccurrence[] {
	const folder = join(FIXTURES, source);
	if (!readdirSync(folder).includes("errors.json")) return [];
	return JSON.parse(readFileSync(join(folder, "errors.json"), "utf8")).occurrences;
}

/** A source's spans by trace id. */
export function recordedTraces(source: string): Map<string, TraceSpan[]> {
	const traces = new Map<string, TraceSpan[]>();
	for (const { scopeSpans } of bodies(join(FIXTURES, source)).flatMap(decode)) {
		for (const { scope, spans } of scopeSpans) {
			for (const span of spans) {
				const trace = traces.get(span.traceId) ?? [];
				traces.set(span.traceId, trace);
				trace.push({
					spanId: span.spanId,
					parentSpanId: span.parentSpanId,
					startTimeUnixNano: span.startTimeUnixNano,
					name: span.name,
					scopeName: scope.name,
					statusCode: span.status.code,
					statusMessage: span.status.message,
					attributes: toPlainMap(span.attributes),
					events: span.events.map(({ name, attributes }) => ({ name, attributes: toPlainMap(attributes) })),
					logs: [],
				});
			}
		}
	}
	return traces;
}

function bodies(folder: string): Buffer[] {
	return readdirSync(folder)
		.filter((file) => /^\d+\.bin$/.test(file))
		.toSorted()
		.map((file) => {
			const { contentEncoding } = JSON.parse(readFileSync(join(folder, file.replace(".bin", ".json")), "utf8"));
			const body = readFileSync(join(folder, file));
			return contentEncoding === "gzip" ? gunzipSync(body) : body;
		});
}

function decode(body: Buffer): readonly ResourceSpans[] {
	return body[0] === 0x7b ? parseTraceRequestJson(body.toString()).resourceSpans : decodeTraceRequest(body);
}
