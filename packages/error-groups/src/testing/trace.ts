import type { Plain } from "@spanward/semconv";
import type { TraceSpan } from "../model.ts";

/** What a test says of a span; the rest is of a span that failed without a word. */
export interface SpanDraft {
	readonly id?: string;
	readonly parent?: string;
	readonly start?: bigint;
	readonly name?: string;
	/** OpenInference's kind; UNKNOWN by default. */
	readonly kind?: string;
	/** 2, ERROR, by default. */
	readonly status?: number;
	readonly message?: string;
	readonly attributes?: Record<string, Plain>;
	readonly exception?: {
		readonly type?: string;
		readonly message?: string;
		readonly stack?: string;
		readonly fingerprint?: string;
	};
}

export function failed(draft: SpanDraft): TraceSpan {
	const { kind, exception } = draft;
	const attributes = { ...(kind === undefined ? {} : { "openinference.span.kind": kind }), ...draft.attributes };
	return {
		spanId: draft.id ?? "1111111111111111",
		parentSpanId: draft.parent ?? "",
		startTimeUnixNano: draft.start ?? 1_000n,
		name: draft.name ?? "work",
		scopeName: "test",
		statusCode: draft.status ?? 2,
		statusMessage: draft.message ?? "",
		attributes: new Map<string, Plain>(Object.entries(attributes)),
		events: exception === undefined ? [] : [{ name: "exception", attributes: exceptionAttributes(exception) }],
		logs: [],
	};
}

function exceptionAttributes(exception: NonNullable<SpanDraft["exception"]>): Map<string, Plain> {
	const entries: [string, string | undefined][] = [
		["exception.type", exception.type],
		["exception.message", exception.message],
		["exception.stacktrace", exception.stack],
		["error.fingerprint", exception.fingerprint],
	];
	return new Map(entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])));
}

/** Numbers from 0 to 1 that are the same in each run (mulberry32). */
export function randomNumbers(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

export function shuffled<T>(items: readonly T[], random: () => number): T[] {
	return items
		.map((item) => ({ item, at: random() }))
		.sort((a, b) => a.at - b.at)
		.map(({ item }) => item);
}
