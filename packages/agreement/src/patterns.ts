import type { Item, Level, Steps, Value } from "./model.ts";
import { checkRaters, sortValues } from "./values.ts";

/**
 * Items with two answers or more, those with the same answers as one pattern: no statistic of several raters asks which
 * of them said what. Values are known by their code, which is their place in `values`.
 */
export interface Patterns {
	/** Each value of these items, ascending. */
	readonly values: readonly Value[];
	/** How many items have each pattern. */
	readonly counts: Uint32Array;
	/** The answers of pattern `p` are `codes` from `starts[p]` to before `starts[p + 1]`, ascending. */
	readonly starts: Uint32Array;
	readonly codes: Uint32Array;
}

/** Some milliseconds. */
export const ITEMS_A_STEP = 5_000;

/** @throws RangeError for a rater's second answer to an item, for what is no finite number where numbers are wanted */
export function* findPatterns(items: readonly Item[], level: Level): Steps<Patterns> {
	const values = sortValues(yield* collectValues(items, level));
	yield;
	const codes = new Map(values.map((value, code) => [value, code]));
	const collected = new PatternCollector();
	for (const [place, item] of items.entries()) {
		if (item.length > 1) collected.add(item.map(({ value }) => codes.get(value) ?? 0));
		if (place % ITEMS_A_STEP === ITEMS_A_STEP - 1) yield;
	}
	return { values, ...collected.finish() };
}

function* collectValues(items: readonly Item[], level: Level): Steps<Set<Value>> {
	const values = new Set<Value>();
	for (const [place, item] of items.entries()) {
		checkRaters(item);
		for (const { value } of item) {
			if (level !== "nominal" && !Number.isFinite(value)) throw new RangeError(`not a finite number: ${value}`);
			if (item.length > 1) values.add(value);
		}
		if (place % ITEMS_A_STEP === ITEMS_A_STEP - 1) yield;
	}
	return values;
}

class PatternCollector {
	/** By the sorted codes of the answers. */
	readonly #patterns = new Map<string, number>();
	readonly #counts: number[] = [];
	readonly #starts: number[] = [0];
	readonly #codes: number[] = [];

	add(codes: number[]): void {
		codes.sort((left, right) => left - right);
		const key = codes.join();
		const pattern = this.#patterns.get(key) ?? this.#append(key, codes);
		this.#counts[pattern] = (this.#counts[pattern] ?? 0) + 1;
	}

	finish(): Omit<Patterns, "values"> {
		return {
			counts: new Uint32Array(this.#counts),
			starts: new Uint32Array(this.#starts),
			codes: new Uint32Array(this.#codes),
		};
	}

	#append(key: string, codes: readonly number[]): number {
		const pattern = this.#patterns.size;
		this.#patterns.set(key, pattern);
		this.#codes.push(...codes);
		this.#starts.push(this.#codes.length);
		return pattern;
	}
}
