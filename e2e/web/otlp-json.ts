import type { Receiver } from "../fixture-sources.ts";

/** What the tests of the trace page send of a span; the rest is filled in. */
export interface SentSpan {
	readonly traceId: string;
	readonly spanId: string;
	readonly parentSpanId?: string;
	readonly name: string;
	/** Milliseconds after the start of the trace. */
	readonly startMs: number;
	/** Undefined for a span that still runs. */
	readonly endMs: number | undefined;
	readonly error?: string;
	/** Texts; bigints are sent as 64-bit integers. */
	readonly attributes?: Readonly<Record<string, string | bigint>>;
	readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
}

const STARTED_MS = Date.now() - 600_000;
const STARTED = BigInt(STARTED_MS) * 1_000_000n;

/** The current time as `startMs` and `endMs` count it; the tests of a file may take minutes. */
export function msOfNow(): number {
	return Date.now() - STARTED_MS;
}

function toNanos(ms: number): string {
	return String(STARTED + BigInt(Math.round(ms * 1000)) * 1000n);
}

/** Sends spans as OTLP/JSON to the default project, 2,000 a request. @throws when an answer is not 2xx */
export async function sendSpans({ url, headers }: Receiver, spans: readonly SentSpan[]): Promise<void> {
	for (let from = 0; from < spans.length; from += 2000) {
		const scopeSpans = [{ scope: { name: "e2e" }, spans: spans.slice(from, from + 2000).map(toOtlp) }];
		const response = await fetch(`${url}/v1/traces`, {
			method: "POST",
			headers: { ...headers, "content-type": "application/json" },
			body: JSON.stringify({ resourceSpans: [{ resource: { attributes: [] }, scopeSpans }] }),
		});
		if (!response.ok) throw new Error(`the export was answered with ${response.status}: ${await response.text()}`);
	}
}

function toOtlp({ startMs, endMs, error, attributes = {}, ...span }: SentSpan) {
	return {
		...span,
		kind: 1,
		startTimeUnixNano: toNanos(startMs),
		endTimeUnixNano: endMs === undefined ? "0" : toNanos(endMs),
		status: error === undefined ? {} : { code: 2, message: error },
		attributes: Object.entries(attributes).map(([key, value]) => ({
			key,
			value: typeof value === "bigint" ? { intValue: String(value) } : { stringValue: value },
		})),
	};
}

/** The id of the nth span of a made trace. */
export function spanIdOf(index: number): string {
	return (index + 1).toString(16).padStart(16, "0");
}

/** A trace of so many spans, each the parent of five. */
export function largeTrace(traceId: string, count: number): SentSpan[] {
	return Array.from({ length: count }, (_, index) => ({
		traceId,
		spanId: spanIdOf(index),
		...(index === 0 ? {} : { parentSpanId: spanIdOf(Math.floor((index - 1) / 5)) }),
		name: `step-${index}`,
		startMs: index,
		endMs: index === 0 ? count : index + 40,
		attributes: { "openinference.span.kind": index % 5 === 0 ? "LLM" : "CHAIN", "input.value": `question ${index}` },
	}));
}
