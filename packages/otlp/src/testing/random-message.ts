import type {
	AnyValue,
	KeyValue,
	LogRecord,
	Resource,
	ResourceLogs,
	ResourceSpans,
	Scope,
	Span,
	SpanEvent,
	SpanLink,
} from "../model.ts";

/** Keys that the scans in the tests promote. */
export const PROMOTED_KEYS = [
	"openinference.span.kind",
	"llm.model_name",
	"llm.token_count.prompt",
	"__proto__",
	"ключ",
];

const KEYS = [
	...PROMOTED_KEYS,
	"",
	"a",
	"a.b",
	"constructor.prototype",
	"hasOwnProperty",
	"llm.token_count.promPt",
	"llm.model_namf",
	"openinference.project.name",
	".".repeat(10_000),
	"k".repeat(127),
	"k".repeat(128),
];
const TEXTS = [
	"",
	"a",
	"chat",
	"Café Vélo",
	"東京の天気",
	"🚲🏔️",
	'\u0000\n\t"\\',
	"\ufeffbom",
	"x".repeat(127),
	"é".repeat(9_000),
];
const INTS = [
	0n,
	1n,
	-1n,
	127n,
	128n,
	2n ** 31n,
	2n ** 53n - 1n,
	2n ** 53n,
	-(2n ** 53n),
	2n ** 63n - 1n,
	-(2n ** 63n),
];
const DOUBLES = [0, -0, 1.5, -1e300, 5e-324, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 3];
const TIMES = [0n, 1n, 999n, 1_000n, 1_795_245_521_367_000_123n, 4_102_444_800_000_000_999n, 2n ** 63n, 2n ** 64n - 1n];

/** Random messages with unusual content; the same seed gives the same ones. */
export class RandomMessages {
	#state: number;

	constructor(seed: number) {
		this.#state = seed;
	}

	/** A number from 0 to `below` - 1 (mulberry32). */
	below(below: number): number {
		this.#state = (this.#state + 0x6d2b79f5) | 0;
		let value = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
		value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
		return ((value ^ (value >>> 14)) >>> 0) % below;
	}

	chance(percent: number): boolean {
		return this.below(100) < percent;
	}

	pick<T>(items: readonly T[]): T {
		const item = items[this.below(items.length)];
		if (item === undefined) throw new Error("nothing to pick from");
		return item;
	}

	many<T>(most: number, make: () => T): T[] {
		return Array.from({ length: this.below(most + 1) }, make);
	}

	bytes(length: number): Uint8Array {
		return Uint8Array.from({ length }, () => this.below(256));
	}

	traces(): ResourceSpans[] {
		return this.many(2, () => ({
			resource: this.resource(),
			scopeSpans: this.many(2, () => ({
				scope: this.scope(),
				spans: this.many(3, () => this.span()),
				schemaUrl: this.#text(),
			})),
			schemaUrl: this.#text(),
		}));
	}

	logs(): ResourceLogs[] {
		return this.many(2, () => ({
			resource: this.resource(),
			scopeLogs: this.many(2, () => ({
				scope: this.scope(),
				logRecords: this.many(3, () => this.logRecord()),
				schemaUrl: this.#text(),
			})),
			schemaUrl: this.#text(),
		}));
	}

	resource(): Resource {
		return {
			...this.#owner(),
			...(this.chance(20) && {
				entityRefs: [
					{
						schemaUrl: this.#text(),
						type: this.#text(),
						idKeys: this.many(2, () => this.pick(KEYS)),
						descriptionKeys: this.many(2, () => this.pick(KEYS)),
					},
				],
			}),
		};
	}

	scope(): Scope {
		return { ...this.#owner(), name: this.#text(), version: this.#text() };
	}

	span(): Span {
		return {
			...this.#owner(),
			traceId: this.#id(16),
			spanId: this.#id(8),
			parentSpanId: this.pick(["", this.#id(8), "0000000000000000"]),
			traceState: this.#text(),
			flags: this.#uint32(),
			name: this.#text(),
			kind: this.pick([0, 1, 2, 3, 4, 5, 6, -1]),
			startTimeUnixNano: this.pick(TIMES),
			endTimeUnixNano: this.pick(TIMES),
			events: this.many(2, () => this.#event()),
			droppedEventsCount: this.#uint32(),
			links: this.many(2, () => this.#link()),
			droppedLinksCount: this.#uint32(),
			status: { code: this.pick([0, 1, 2, 3, -5]), message: this.#text() },
		};
	}

	logRecord(): LogRecord {
		return {
			...this.#owner(),
			timeUnixNano: this.pick(TIMES),
			observedTimeUnixNano: this.pick(TIMES),
			severityNumber: this.pick([0, 9, 24, -1]),
			severityText: this.#text(),
			body: this.#value(3),
			flags: this.#uint32(),
			traceId: this.pick(["", this.#id(16)]),
			spanId: this.pick(["", this.#id(8)]),
			eventName: this.pick(["", "gen_ai.choice", "other"]),
		};
	}

	#owner() {
		return { attributes: this.many(4, () => this.#keyValue(3)), droppedAttributesCount: this.#uint32() };
	}

	#event(): SpanEvent {
		return { ...this.#owner(), timeUnixNano: this.pick(TIMES), name: this.#text() };
	}

	#link(): SpanLink {
		return {
			...this.#owner(),
			traceId: this.#id(16),
			spanId: this.#id(8),
			traceState: this.#text(),
			flags: this.#uint32(),
		};
	}

	#keyValue(depth: number): KeyValue {
		return { key: this.pick(KEYS), value: this.#value(depth) };
	}

	#value(depth: number): AnyValue {
		switch (this.below(depth > 0 ? 9 : 7)) {
			case 0:
				return { type: "empty" };
			case 1:
				return { type: "bool", value: this.chance(50) };
			case 2:
				return { type: "int", value: this.pick(INTS) };
			case 3:
				return { type: "double", value: this.pick(DOUBLES) };
			case 4:
				return { type: "bytes", value: this.bytes(this.pick([0, 1, 200])) };
			case 7:
				return { type: "array", value: this.many(3, () => this.#value(depth - 1)) };
			case 8:
				return { type: "kvlist", value: this.many(3, () => this.#keyValue(depth - 1)) };
			default:
				return { type: "string", value: this.#text() };
		}
	}

	#text(): string {
		return this.pick(TEXTS);
	}

	#uint32(): number {
		return this.pick([0, 1, 127, 128, 2 ** 31, 2 ** 32 - 1]);
	}

	#id(length: number): string {
		return Buffer.from(this.bytes(length)).toString("hex");
	}
}
