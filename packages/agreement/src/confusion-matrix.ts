import { CellCounter, type Cells } from "./cells.ts";
import type { Item, Steps, Value } from "./model.ts";
import { runInOneGo } from "./steps.ts";
import { checkRaters } from "./values.ts";

/** What one said against what the other said, of the items that both answered. */
export interface ConfusionMatrix {
	readonly labels: readonly Value[];
	/** `counts[first][second]`: items to which the first gave `labels[first]` and the second `labels[second]`. */
	readonly counts: readonly (readonly number[])[];
	/** Items in all. */
	readonly pairs: number;
}

/** A first and a second answer to the same item: two raters', or gold and a rater's. */
export type AnswerPair = readonly [first: Value, second: Value];

export interface RaterPair {
	/** In the order of their names' UTF-16 code units; the first has the rows. */
	readonly raters: readonly [first: string, second: string];
	readonly matrix: ConfusionMatrix;
}

/** The most labels that a matrix has; numbers without steps have no matrix worth reading. */
export const MAX_LABELS = 200;

/**
 * @param labels those that come first, in this order, whether they were given or not; the others ascend
 * @throws RangeError for more than `MAX_LABELS` labels
 */
export function confusionMatrix(pairs: Iterable<AnswerPair>, labels: readonly Value[] = []): ConfusionMatrix {
	return runInOneGo(countPairs(pairs, labels));
}

const PAIRS_A_STEP = 20_000;

/** `confusionMatrix` in steps. */
export function* countPairs(pairs: Iterable<AnswerPair>, labels: readonly Value[] = []): Steps<ConfusionMatrix> {
	const counter = new CellCounter();
	let counted = 0;
	for (const [first, second] of pairs) {
		counter.add(first, second);
		counted++;
		if (counted % PAIRS_A_STEP === 0) yield;
	}
	return toMatrix(counter.finish(labels));
}

function toMatrix({ labels, firsts, seconds, counts }: Cells): ConfusionMatrix {
	if (labels.length > MAX_LABELS) throw new RangeError(`${labels.length} labels, of ${MAX_LABELS} at the most`);
	const matrix = labels.map(() => labels.map(() => 0));
	let pairs = 0;
	for (const [cell, count] of counts.entries()) {
		const row = matrix[firsts[cell] ?? 0];
		if (row !== undefined) row[seconds[cell] ?? 0] = count;
		pairs += count;
	}
	return { labels, counts: matrix, pairs };
}

const ITEMS_A_STEP = 2_000;

/**
 * A matrix for each two raters who answered an item both, in the order of their names. All have the same labels: those
 * given, and before the others any that somebody else gave too.
 *
 * @throws RangeError for more than `MAX_LABELS` labels, for a rater's second answer to an item
 */
export function* confusionByRaters(items: readonly Item[], labels: readonly Value[] = []): Steps<RaterPair[]> {
	const counted = new RaterPairs();
	for (const [place, item] of items.entries()) {
		checkRaters(item);
		counted.add(item);
		if (place % ITEMS_A_STEP === ITEMS_A_STEP - 1) yield;
	}
	return counted.finish(labels);
}

class RaterPairs {
	readonly #codes = new Map<Value, number>();
	readonly #counters = new Map<string, Map<string, CellCounter>>();

	add(item: Item): void {
		for (const [place, left] of item.entries()) {
			for (let next = place + 1; next < item.length; next++) {
				const right = item[next];
				if (right === undefined) continue;
				const [first, second] = left.rater < right.rater ? [left, right] : [right, left];
				this.#counterOf(first.rater, second.rater).add(first.value, second.value);
			}
		}
	}

	finish(labels: readonly Value[]): RaterPair[] {
		const pairs = [...this.#counters].flatMap(([first, seconds]) =>
			Array.from(seconds, ([second, counter]) => ({
				raters: [first, second] as const,
				matrix: toMatrix(counter.finish(labels)),
			})),
		);
		return pairs.sort(
			(left, right) => compareTexts(left.raters[0], right.raters[0]) || compareTexts(left.raters[1], right.raters[1]),
		);
	}

	#counterOf(first: string, second: string): CellCounter {
		const seconds = this.#counters.get(first) ?? new Map<string, CellCounter>();
		if (seconds.size === 0) this.#counters.set(first, seconds);
		const counter = seconds.get(second) ?? new CellCounter(this.#codes);
		if (!seconds.has(second)) seconds.set(second, counter);
		return counter;
	}
}

function compareTexts(left: string, right: string): number {
	if (left === right) return 0;
	return left < right ? -1 : 1;
}
