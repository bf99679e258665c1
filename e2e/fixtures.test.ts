import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
	at,
	compareMustMeaning,
	compareSent,
	compareShouldMeaning,
	compareTrace,
	type Json,
	list,
} from "./fixture-comparison.ts";
import { type ExpectedSource, hasLogs, listSources, readExpected, replay } from "./fixture-sources.ts";
import { startServer, type TestServer } from "./server.ts";

let server: TestServer;

beforeAll(async () => {
	server = await startServer();
	await replay(server, listSources());
});
afterAll(async () => server[Symbol.asyncDispose]());

describe.each(listSources())("K05 recorded exports of %s", (source) => {
	const expected = readExpected(source);
	let spans: ReadonlyMap<string, Json>;
	let otlpSpans: ReadonlyMap<string, Json>;
	let traces: ReadonlyMap<string, Json>;

	beforeAll(async () => {
		spans = await readSpans(expected, "/spans?include=semantic");
		otlpSpans = await readSpans(expected, "/spans/otlpv1?");
		traces = await readTraces(expected);
	});

	test("are all there once, in their project", () => {
		const key = (traceId: string, spanId: string) => `${traceId}/${spanId}`;
		expect([...spans.keys()].sort()).toEqual(expected.spans.map((span) => key(span.traceId, span.spanId)).sort());
		expect([...traces.keys()].sort()).toEqual(expected.traces.map((trace) => trace.traceId).sort());
	});

	test("are kept as they were sent", () => {
		const differences = expected.spans.flatMap((span) => {
			const key = `${span.traceId}/${span.spanId}`;
			return compareSent(span, spans.get(key) ?? null, otlpSpans.get(key) ?? null, expected);
		});
		expect(differences).toEqual([]);
	});

	test("show every meaning they must show", () => {
		const differences = expected.spans.flatMap((span) =>
			compareMustMeaning(span, at(spans.get(`${span.traceId}/${span.spanId}`), "semantic"), source),
		);
		expect(differences).toEqual([]);
	});

	test("show every meaning they should show", () => {
		const differences = expected.spans.flatMap((span) =>
			compareShouldMeaning(span, at(spans.get(`${span.traceId}/${span.spanId}`), "semantic"), source),
		);
		expect(differences).toEqual([]);
	});

	test("make traces with the right totals, root and texts", () => {
		const differences = expected.traces.flatMap((trace) => compareTrace(trace, traces.get(trace.traceId), source));
		expect(differences).toEqual([]);
	});

	test("change nothing when they are sent again", async () => {
		await replay(server, [source]);
		expect(await readSpans(expected, "/spans?include=semantic")).toEqual(spans);
		expect(await readTraces(expected)).toEqual(traces);
	});
});

test("log events give the messages to spans that were sent without content", async () => {
	const source = "py-openai-otel-v2-default";
	const expected = readExpected(source);
	const withMessages = async () => {
		const spans = await readSpans(expected, "/spans?include=semantic");
		return [...spans.values()].filter((span) => list(at(span, "semantic", "input_messages")).length > 0).length;
	};
	expect(await withMessages()).toBe(0);
	await replay(server, listSources().filter(hasLogs), "--logs");
	const llmSpans = expected.spans.filter((span) => span.contentNotCaptured === true);
	expect(await withMessages()).toBe(llmSpans.length);
});

function projectPath({ projectName }: ExpectedSource): string {
	return `/v1/projects/${encodeURIComponent(projectName ?? "default")}`;
}

/** The source's spans by "trace id/span id". */
async function readSpans(expected: ExpectedSource, path: string): Promise<ReadonlyMap<string, Json>> {
	const traces = expected.traces.map((trace) => `&trace_id=${trace.traceId}`).join("");
	const page = await getExactJson(`${projectPath(expected)}${path}${traces}&limit=1000`);
	const key = (span: Json) =>
		`${String(at(span, "context", "trace_id") ?? at(span, "trace_id"))}/${String(at(span, "context", "span_id") ?? at(span, "span_id"))}`;
	return new Map(list(at(page, "data")).map((span) => [key(span), span]));
}

async function readTraces(expected: ExpectedSource): Promise<ReadonlyMap<string, Json>> {
	const wanted = new Set(expected.traces.map((trace) => trace.traceId));
	const page = await getExactJson(`${projectPath(expected)}/traces?limit=1000`);
	const traces = list(at(page, "data")).map((trace) => [String(at(trace, "trace_id")), trace] as const);
	return new Map(traces.filter(([traceId]) => wanted.has(traceId)));
}

/** Nanoseconds have more digits than a number holds, so they are read as text. */
async function getExactJson(path: string): Promise<Json> {
	const response = await server.fetch(path);
	const text = await response.text();
	if (!response.ok) throw new Error(`GET ${path} answered ${response.status}: ${text.slice(0, 500)}`);
	return JSON.parse(text.replaceAll(/(_unix_nano":)(\d+)/g, '$1"$2"')) as Json;
}
