import { SPAN_KINDS } from "@spanward/semconv";
import type { NormalizedSpan } from "../span-batch.ts";
import { type TestSpan, testSpan } from "../test-spans.ts";

/** Pseudo-random numbers, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	};
}

/** Spans with everything that totals can get wrong: orphans, cycles, ties, twins, several roots, sessions and users. */
export function randomSpans(random: () => number, count: number, projects: readonly string[]): NormalizedSpan[] {
	return randomTestSpans(random, count, projects).map(testSpan);
}

/** As `randomSpans`, to be changed before they are made. */
export function randomTestSpans(random: () => number, count: number, projects: readonly string[]): TestSpan[] {
	const below = (limit: number) => Math.floor(random() * limit);
	const maybe = <T>(share: number, value: () => T) => (random() < share ? value() : undefined);
	const traceCount = Math.max(1, Math.floor(count / 12));
	return Array.from({ length: count }, () => {
		const span = 1 + below(14);
		const wanted: { -readonly [Key in keyof TestSpan]: TestSpan[Key] | undefined } = {
			project: projects[below(projects.length)],
			trace: 1 + below(traceCount),
			span,
			parent: maybe(0.8, () => (random() < 0.03 ? span : 1 + below(16))),
			// Few start times, so that spans tie; some in another hour.
			start: below(4) * 1_000 + (random() < 0.1 ? 3_600_000_000 : 0),
			startNanos: below(2),
			duration: below(50) * 1_000 - 2_000,
			isRunning: random() < 0.08,
			name: `step ${below(4)}`,
			kind: random() < 0.4 ? "LLM" : SPAN_KINDS[below(SPAN_KINDS.length)],
			status: ([0, 1, 2] as const)[below(3)],
			model: maybe(0.5, () => `model-${below(3)}`),
			tokens: maybe(0.5, () => ({
				prompt: below(100),
				completion: below(100),
				...(random() < 0.5 ? { total: below(300) } : {}),
			})),
			aggregate: random() < 0.15,
			cost: maybe(0.4, () => ({ total: below(1_000) / 7_000, source: random() < 0.5 ? "sent" : "table" })),
			session: maybe(0.25, () => `session-${below(3)}`),
			user: maybe(0.3, () => `user-${below(3)}`),
			// The same for all that are sent of one span.
			apiKey: [undefined, 7, 8][span % 3],
			release: maybe(0.3, () => `1.${below(3)}`),
			environment: maybe(0.3, () => ["production", "staging"][below(2)]),
			input: maybe(0.4, () => `question ${below(1_000)}`),
			output: maybe(0.4, () => `answer ${below(1_000)}`),
		};
		return withoutUndefined(wanted);
	});
}

function withoutUndefined(wanted: { [Key in keyof TestSpan]: TestSpan[Key] | undefined }): TestSpan {
	return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
}

export function shuffled<T>(items: readonly T[], random: () => number): T[] {
	const result = [...items];
	for (let i = result.length - 1; i > 0; i -= 1) {
		const j = Math.floor(random() * (i + 1));
		[result[i], result[j]] = [result[j] as T, result[i] as T];
	}
	return result;
}

/** Splits a list into batches of random sizes. */
export function batches<T>(items: readonly T[], largest: number, random: () => number): T[][] {
	const result: T[][] = [];
	for (let start = 0; start < items.length; ) {
		const size = 1 + Math.floor(random() * largest);
		result.push(items.slice(start, start + size));
		start += size;
	}
	return result;
}
