import { mayHaveFailed } from "@spanward/error-groups";
import { encodeLogRecord, encodeResource, encodeScope, encodeSpan, type KeyValue } from "@spanward/otlp";
import type { SpanKind, TokenCounts } from "@spanward/semconv";
import type { Cost } from "#pricing/cost.ts";
import type { NormalizedLogRecord, NormalizedSpan } from "./span-batch.ts";
import { readStoredTexts } from "./span-meaning.ts";

/** 2023-11-14T22:00:00Z in microseconds: the start of an hour. */
export const HOUR_0 = 1_699_999_200_000_000;

export interface TestSpan {
	readonly project?: string;
	/** Any number; padded to 32 digits. */
	readonly trace?: number;
	readonly span?: number;
	readonly parent?: number;
	/** Microseconds after `HOUR_0`. */
	readonly start?: number;
	readonly startNanos?: number;
	readonly duration?: number;
	/** It is sent without an end. */
	readonly isRunning?: boolean;
	readonly name?: string;
	readonly kind?: SpanKind;
	readonly status?: 0 | 1 | 2;
	/** Of its status; "it broke" for an error when absent. */
	readonly message?: string;
	readonly model?: string;
	readonly tokens?: TokenCounts;
	readonly aggregate?: boolean;
	readonly cost?: Cost;
	readonly session?: string;
	readonly user?: string;
	/** Row number of the key that it came with. */
	readonly apiKey?: number;
	readonly release?: string;
	readonly environment?: string;
	readonly input?: string;
	readonly output?: string;
	readonly attributes?: Readonly<Record<string, TestValue>>;
	/** Attributes of its resource, instead of the name of a service. */
	readonly resource?: Readonly<Record<string, TestValue>>;
}

type TestValue = string | number | boolean | Uint8Array | readonly (string | number | boolean)[];

export function traceHex(trace: number): string {
	return trace.toString(16).padStart(32, "0");
}

export function spanHex(span: number): string {
	return span.toString(16).padStart(16, "0");
}

const scope = {
	bytes: encodeScope({ name: "test", version: "1", attributes: [], droppedAttributesCount: 0 }),
	schemaUrl: "",
};
const resource = resourceOf({ "service.name": "tests" });

function resourceOf(attributes: Readonly<Record<string, TestValue>>) {
	return {
		bytes: encodeResource({
			attributes: Object.entries(attributes).map(([key, value]) => attribute(key, value)),
			droppedAttributesCount: 0,
		}),
		schemaUrl: "https://opentelemetry.io/schemas/1.30.0",
	};
}

/** A normalized span with the wanted fields and little else. */
export function testSpan(wanted: TestSpan): NormalizedSpan {
	const { trace = 1, span = 1, start = 0, startNanos = 0, duration = 1_000, kind = "CHAIN", name = "step" } = wanted;
	const parentSpanId = wanted.parent === undefined ? null : spanHex(wanted.parent);
	const micros = HOUR_0 + start;
	const { isRunning = false } = wanted;
	const ofGenAi = wanted.attributes?.["gen_ai.operation.name"] !== undefined;
	const attributes: KeyValue[] = ofGenAi ? [] : [text("openinference.span.kind", kind)];
	if (wanted.release !== undefined) attributes.push(text("release", wanted.release));
	if (wanted.environment !== undefined) attributes.push(text("deployment.environment.name", wanted.environment));
	if (wanted.input !== undefined) attributes.push(text("input.value", wanted.input));
	if (wanted.output !== undefined) attributes.push(text("output.value", wanted.output));
	for (const [key, value] of Object.entries(wanted.attributes ?? {})) attributes.push(attribute(key, value));
	const message = wanted.message ?? (wanted.status === 2 ? "it broke" : "");
	const bytes = encodeSpan({
		traceId: traceHex(trace),
		spanId: spanHex(span),
		parentSpanId: parentSpanId ?? "",
		traceState: "",
		flags: 0,
		name,
		kind: 1,
		startTimeUnixNano: BigInt(micros) * 1_000n + BigInt(startNanos),
		endTimeUnixNano: isRunning ? 0n : BigInt(Math.max(0, micros + duration)) * 1_000n,
		attributes,
		droppedAttributesCount: 0,
		events: [],
		droppedEventsCount: 0,
		links: [],
		droppedLinksCount: 0,
		status: { code: wanted.status ?? 0, message },
	});
	return {
		projectName: wanted.project ?? "default",
		traceId: traceHex(trace),
		spanId: spanHex(span),
		parentSpanId,
		name,
		otelKind: 1,
		start: { micros, nanos: startNanos },
		end: isRunning ? { micros, nanos: startNanos } : { micros: micros + duration, nanos: 0 },
		isRunning,
		statusCode: wanted.status ?? 0,
		statusMessage: message,
		mayHaveFailed: mayHaveFailed(wanted.status ?? 0, bytes),
		facts: {
			convention: "openinference",
			kind,
			...(wanted.model === undefined ? {} : { model: wanted.model }),
			tokens: wanted.tokens ?? {},
			tokens_are_aggregate: wanted.aggregate ?? false,
			...(wanted.session === undefined ? {} : { session_id: wanted.session }),
			...(wanted.user === undefined ? {} : { user_id: wanted.user }),
			...(wanted.release === undefined ? {} : { release: wanted.release }),
			...(wanted.environment === undefined ? {} : { environment: wanted.environment }),
		},
		...(wanted.apiKey === undefined ? {} : { apiKeyId: wanted.apiKey }),
		cost: wanted.cost ?? null,
		texts: (logs) => {
			const { input, output } = readStoredTexts({
				span: bytes,
				scope: scope.bytes,
				scopeSchemaUrl: "",
				resource: resource.bytes,
				resourceSchemaUrl: resource.schemaUrl,
				logs,
			});
			return { input, output };
		},
		bytes,
		scope,
		resource: wanted.resource === undefined ? resource : resourceOf(wanted.resource),
	};
}

/** A GenAI event with a user's message. */
export function testLog(wanted: {
	project?: string;
	trace?: number;
	span?: number;
	content: string;
	at?: number;
}): NormalizedLogRecord {
	const { project = "default", trace = 1, span = 1, at = 0 } = wanted;
	const micros = HOUR_0 + at;
	const bytes = encodeLogRecord({
		timeUnixNano: BigInt(micros) * 1_000n,
		observedTimeUnixNano: 0n,
		severityNumber: 0,
		severityText: "",
		body: { type: "kvlist", value: [text("content", wanted.content), text("role", "user")] },
		attributes: [text("gen_ai.system", "openai")],
		droppedAttributesCount: 0,
		flags: 0,
		traceId: traceHex(trace),
		spanId: spanHex(span),
		eventName: "gen_ai.user.message",
	});
	return {
		projectName: project,
		traceId: traceHex(trace),
		spanId: spanHex(span),
		time: { micros, nanos: 0 },
		bytes,
	};
}

function text(key: string, value: string): KeyValue {
	return { key, value: { type: "string", value } };
}

function attribute(key: string, value: TestValue): KeyValue {
	if (value instanceof Uint8Array) return { key, value: { type: "bytes", value } };
	if (typeof value === "object")
		return { key, value: { type: "array", value: value.map((item) => attribute(key, item).value) } };
	if (typeof value === "string") return text(key, value);
	if (typeof value === "boolean") return { key, value: { type: "bool", value } };
	return { key, value: Number.isInteger(value) ? { type: "int", value: BigInt(value) } : { type: "double", value } };
}
