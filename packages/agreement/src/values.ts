import type { Item, Value } from "./model.ts";

/** Each value once, ascending: numbers by size, labels by their UTF-16 code units, numbers before labels. */
export function sortValues(values: ReadonlySet<Value>): Value[] {
	const numbers: number[] = [];
	const labels: string[] = [];
	for (const value of values) {
		if (typeof value === "number") numbers.push(value);
		else labels.push(value);
	}
	return [...Float64Array.from(numbers).sort(), ...labels.sort()];
}

/** @throws RangeError for a rater's second answer */
export function checkRaters(item: Item): void {
	for (const [place, { rater }] of item.entries()) {
		for (let before = 0; before < place; before++) {
			if (item[before]?.rater === rater) throw new RangeError(`two answers of rater ${rater} to the same item`);
		}
	}
}
