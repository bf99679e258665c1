/** Longer keys and values are not offered: nobody completes them. */
const MAX_KEY_LENGTH = 200;
const MAX_VALUE_LENGTH = 100;
const MAX_KEYS = 500;
/** Different keys that are counted. */
const MAX_COUNTED_KEYS = 5_000;
const MAX_VALUES = 20;
/** Different values that are counted of one key. */
const MAX_COUNTED = 1_000;

export type SampledType = "text" | "number" | "boolean" | "other";

export interface SampledValue {
	readonly value: string;
	/** Number of spans. */
	readonly span_count: number;
}

export interface SampledAttribute {
	readonly key: string;
	/** The type of most of its values. */
	readonly type: SampledType;
	readonly span_count: number;
	/** The most frequent texts. */
	readonly values: SampledValue[];
}

/** Counts texts, up to a bound of different ones. */
export class ValueCounts {
	private readonly counts = new Map<string, number>();
	private isFull = false;

	add(value: string | null): void {
		if (value === null || value === "" || value.length > MAX_VALUE_LENGTH) return;
		const count = this.counts.get(value);
		if (count === undefined && this.counts.size >= MAX_COUNTED) this.isFull = true;
		else this.counts.set(value, (count ?? 0) + 1);
	}

	/** The most frequent, then by text. None where nearly every span has another one, as an id has. */
	top(): SampledValue[] {
		const sorted = [...this.counts].toSorted(([a, ofA], [b, ofB]) => ofB - ofA || (a < b ? -1 : 1));
		const isUnique = sorted[0]?.[1] === 1 && (this.isFull || sorted.length > MAX_VALUES);
		if (isUnique) return [];
		return sorted.slice(0, MAX_VALUES).map(([value, span_count]) => ({ value, span_count }));
	}
}

interface Counted {
	spans: number;
	readonly types: Map<SampledType, number>;
	readonly values: ValueCounts;
}

/** Counts the attributes of spans, by flattened key. Keys with an index of a list (`….0.…`) are left out. */
export class AttributeCounts {
	private readonly byKey = new Map<string, Counted>();

	add(attributes: Readonly<Record<string, unknown>>): void {
		for (const [key, value] of Object.entries(attributes)) {
			if (key.length > MAX_KEY_LENGTH || /\.\d+(?:\.|$)/.test(key)) continue;
			const known = this.byKey.get(key);
			if (known === undefined && this.byKey.size >= MAX_COUNTED_KEYS) continue;
			const counted = known ?? { spans: 0, types: new Map(), values: new ValueCounts() };
			if (known === undefined) this.byKey.set(key, counted);
			const type = typeOf(value);
			counted.spans += 1;
			counted.types.set(type, (counted.types.get(type) ?? 0) + 1);
			if (typeof value === "string") counted.values.add(value);
		}
	}

	/** The keys of most spans first. */
	top(): SampledAttribute[] {
		return [...this.byKey]
			.toSorted(([a, ofA], [b, ofB]) => ofB.spans - ofA.spans || (a < b ? -1 : 1))
			.slice(0, MAX_KEYS)
			.map(([key, { spans, types, values }]) => {
				const [[type] = ["other" as const]] = [...types].toSorted(([, a], [, b]) => b - a);
				return { key, type, span_count: spans, values: values.top() };
			});
	}
}

function typeOf(value: unknown): SampledType {
	if (typeof value === "string") return "text";
	if (typeof value === "boolean") return "boolean";
	return typeof value === "number" || isRawNumber(value) ? "number" : "other";
}

/** Integers beyond 2^53 are objects of `JSON.rawJSON`. */
function isRawNumber(value: unknown): boolean {
	return typeof value === "object" && value !== null && JSON.isRawJSON(value);
}
