import { MAX_SPAN_COST } from "#pricing/max-cost.ts";

const PICO = 1e12;
const MICRO = 1e6;
/** Picodollars in a microdollar. */
const PICO_OF_MICRO = 1e6;

/**
 * A sum of costs: microdollars plus picodollars, both integers. Sums are the same in any order, and exact up to nine
 * billion dollars and nine billion spans; picodollars alone would be exact only up to $9,007.20. How a cost is split
 * between the two has no meaning.
 */
export interface SummedCost {
	readonly micro: number;
	readonly pico: number;
}

export const NO_COST: SummedCost = { micro: 0, pico: 0 };

/** @param dollars clamped to the maximum cost of a span */
export function toSummedCost(dollars: number): SummedCost {
	const bounded = Math.max(-MAX_SPAN_COST, Math.min(MAX_SPAN_COST, dollars));
	const all = Math.round(bounded * PICO);
	if (Number.isSafeInteger(all)) {
		const pico = all % PICO_OF_MICRO;
		return { micro: (all - pico) / PICO_OF_MICRO, pico };
	}
	const micro = Math.round(bounded * MICRO);
	return { micro, pico: Math.round((bounded - micro / MICRO) * PICO) };
}

/** @param dollars of each cost */
export function summedCostOf(dollars: Iterable<number>): SummedCost {
	let [micro, pico] = [0, 0];
	for (const amount of dollars) {
		const cost = toSummedCost(amount);
		micro += cost.micro;
		pico += cost.pico;
	}
	return { micro, pico };
}

/** The difference when a cost changes from `before` to `after`; null counts as zero. */
export function costGain(before: SummedCost | null, after: SummedCost | null): SummedCost {
	const [from, to] = [before ?? NO_COST, after ?? NO_COST];
	return { micro: to.micro - from.micro, pico: to.pico - from.pico };
}

/** Has the same result as the SQL in `filter/fields.ts`. */
export function toDollars({ micro, pico }: SummedCost): number {
	const all = micro * PICO_OF_MICRO + pico;
	return Number.isSafeInteger(all) ? all / PICO : micro / MICRO + pico / PICO;
}

/** The picodollars of a sum, independent of how it is split; undefined beyond the exact range. */
export function exactPico({ micro, pico }: SummedCost): bigint | undefined {
	if (!Number.isSafeInteger(micro) || !Number.isSafeInteger(pico)) return undefined;
	return BigInt(micro) * BigInt(PICO_OF_MICRO) + BigInt(pico);
}
