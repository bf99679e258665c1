import { describe, expect, test } from "vitest";
import { FACT_KEYS, readFacts } from "./facts.ts";
import type { Semantic, SpanInput } from "./model.ts";
import { readRequest } from "./request/read-request.ts";
import { readSemantic, readTexts } from "./semantic.ts";
import { type ExpectedSpan, expectedSpans, recordedSpans, SOURCES } from "./testing/recorded-spans.ts";

/** Members of `expect.json` about the span as it was sent, independent of conventions. */
const AS_SENT = new Set([
	"traceId",
	"spanId",
	"parentSpanId",
	"orphan",
	"request",
	"name",
	"otelKind",
	"startUnixNano",
	"endUnixNano",
	"scope",
	"attributeCount",
	"eventNames",
	"links",
	"status",
	"emptyValuedAttributes",
	"idsLevel",
	"documentsLevel",
	"kindAccept",
	"modelRequest",
]);

interface ModelRequest {
	readonly model?: string;
	readonly parameters?: object;
	readonly toolChoice?: "auto";
	readonly output?: "json";
	readonly isWhole?: true;
}

/** Members with data of the application, whose keys keep their names. */
const DATA = new Set(["arguments", "metadata", "metadataFlattened", "variables", "value"]);

describe.each(SOURCES)("%s", (source) => {
	const spans = recordedSpans(source);
	const expected = expectedSpans(source);

	test.each(expected.map((span) => [`${span.name} ${span.spanId}`, span] as const))("%s", (_name, span) => {
		const input = spanOf(spans, span);
		const semantic = readSemantic(input);
		expect(span.kindAccept).toContain(semantic.kind);
		expect(comparable(semantic, span)).toEqual(expectation(span, input, semantic));
		expect(readTexts(input)).toEqual(textsOf(semantic));
	});

	const calls = expected.filter(({ kind }) => kind === "LLM");
	test.runIf(calls.length > 0)("requests to models are read for sending them again", () => {
		for (const span of calls) {
			const { model, parameters, tool_choice, response_format, isWhole, tools } = readRequest(spanOf(spans, span));
			const { others, ...known } = parameters ?? {};
			const sent = (span["modelRequest"] ?? {}) as ModelRequest;
			const where = `${span.name} ${span.spanId}`;
			expect(model, where).toBe(sent.model ?? span["requestModel"] ?? span["model"]);
			expect({ ...known, ...others }, where).toEqual(sent.parameters ?? {});
			expect(tool_choice?.type, where).toBe(sent.toolChoice === "auto" ? "zero_or_more" : undefined);
			expect(response_format, where).toEqual(sent.output === "json" ? {} : undefined);
			expect(isWhole, where).toBe(sent.isWhole ?? false);
			expect(
				tools?.map((tool) => ("name" in tool ? tool.name : undefined)),
				where,
			).toEqual(span["toolDefinitions"]);
			for (const tool of tools ?? []) expect(tool, where).toMatchObject({ parameters: { type: "object" } });
		}
	});

	test.each(expected.map((span) => [`${span.name} ${span.spanId}`, span] as const))(
		"the facts of %s come from the promoted keys alone",
		(_name, span) => {
			const input = spanOf(spans, span);
			const promoted = new Map(
				FACT_KEYS.flatMap((key) => (input.attributes.has(key) ? [[key, input.attributes.get(key) ?? null]] : [])),
			);
			const facts = readFacts(input.name, input.scopeName, promoted);
			expect(facts).toEqual(readFacts(input.name, input.scopeName, input.attributes));
			const semantic = readSemantic(input);
			expect(facts.tokens).toEqual(semantic.tokens ?? {});
			for (const key of ["kind", "kind_from", "model", "request_model", "provider", "session_id", "user_id"] as const) {
				expect(facts[key], key).toEqual(semantic[key]);
			}
		},
	);
});

function spanOf(spans: ReadonlyMap<string, SpanInput>, { traceId, spanId }: ExpectedSpan): SpanInput {
	const span = spans.get(`${traceId}/${spanId}`);
	if (span === undefined) throw new Error(`no request carries the span ${traceId}/${spanId}`);
	return span;
}

function textsOf({ input_text: input, output_text: output }: Semantic): { input?: string; output?: string } {
	return { ...(input === undefined ? {} : { input }), ...(output === undefined ? {} : { output }) };
}

/** The expected members of `expect.json`, under the names of our model. */
function expectation(span: ExpectedSpan, input: SpanInput, semantic: Semantic): Record<string, unknown> {
	const keys = Object.keys(span).filter((key) => !AS_SENT.has(key));
	const expected = Object.fromEntries(keys.map((key) => [snakeCase(key), inSnakeCase(span[key], DATA.has(key))]));
	if (span.kindAccept.includes(semantic.kind)) expected["kind"] = semantic.kind;
	// Messages that came over /v1/logs count as captured.
	if (input.logs.length > 0) delete expected["content_not_captured"];
	const cost = span["cost"] as { input?: number; output?: number; total?: number } | undefined;
	if (cost !== undefined)
		expected["cost"] = { prompt: cost.input, completion: cost.output, total: cost.total, source: "sent" };
	return expected;
}

/** The values read under those keys, without members that SCHEMA.md does not define. */
function comparable(semantic: Semantic, span: ExpectedSpan): Record<string, unknown> {
	const known: Record<string, unknown> = {
		...semantic,
		error: without(semantic.error, "stacktrace"),
		tool: without(semantic.tool, "parameters"),
		input_messages: semantic.input_messages?.map((message) => without(message, "image_urls")),
		output_messages: semantic.output_messages?.map((message) => without(message, "reasoning")),
	};
	const keys = Object.keys(span)
		.filter((key) => !AS_SENT.has(key))
		.map(snakeCase);
	return Object.fromEntries(keys.flatMap((key) => (known[key] === undefined ? [] : [[key, known[key]]])));
}

function without<T extends object>(object: T | undefined, key: keyof T): Partial<T> | undefined {
	if (object === undefined) return undefined;
	const { [key]: _left, ...rest } = object;
	return rest as Partial<T>;
}

function snakeCase(key: string): string {
	return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function inSnakeCase(value: unknown, isData: boolean): unknown {
	if (Array.isArray(value)) return value.map((item) => inSnakeCase(item, isData));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, item]) => [
			isData ? key : snakeCase(key),
			inSnakeCase(item, isData || DATA.has(key)),
		]),
	);
}
