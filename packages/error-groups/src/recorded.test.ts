import { describe, expect, test } from "vitest";
import { findOccurrences } from "./find-occurrences.ts";
import { type ExpectedOccurrence, expectedOccurrences, recordedTraces, SOURCES } from "./testing/recorded-traces.ts";
import { randomNumbers, shuffled } from "./testing/trace.ts";

const random = randomNumbers(5);

describe.each(SOURCES)("%s", (source) => {
	const traces = recordedTraces(source);

	test("has the occurrences of errors.json", () => {
		const found: ExpectedOccurrence[] = [...traces].flatMap(([traceId, spans]) =>
			findOccurrences(shuffled(spans, random)).map(({ spanId, kind, fingerprint, grouping, title }) => ({
				traceId,
				spanId,
				kind,
				fingerprint,
				rule: grouping.rule,
				parts: grouping.parts.map(({ name, value }) => `${name}: ${value}`),
				title,
			})),
		);
		expect(found).toEqual(expectedOccurrences(source));
	});

	test("counts each failing trace", () => {
		const withoutOccurrence = [...traces].filter(
			([, spans]) => spans.some(({ statusCode }) => statusCode === 2) && findOccurrences(spans).length === 0,
		);
		expect(withoutOccurrence).toEqual([]);
	});
});

test("one failure that four instrumentations of one client recorded is one group", () => {
	const groups = ["py-openai-otel-v2", "py-openai-otel-v2-default", "py-traceloop", "py-pydantic-ai"].map((source) =>
		expectedOccurrences(source).find(({ kind }) => kind === "provider_error"),
	);
	expect(new Set(groups.map((group) => group?.fingerprint)).size).toBe(1);
});
