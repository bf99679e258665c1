import type { DistributionQuery, DistributionScale, SpreadNumbers } from "./analytics-query.ts";

/** Fine bins that are kept while numbers come; the bins of the answer are several of these each. */
const MOST_FINE = 2_048;
/** Of the first width of a fine bin, as a power of two. */
const FIRST_EXPONENT = -44;

/**
 * Counts numbers in bins that are found while they come. Fine bins are as wide as a power of two and begin at a multiple of
 * their width, so that two of them are one of the next width: whatever the order of the numbers, they are counted exactly
 * between the bounds that the answer says.
 */
export class Spread {
	readonly #scale: DistributionScale;
	readonly #columns: readonly Map<number, number>[];
	/** Numbers without a logarithm, by column. */
	readonly #low: number[];
	#exponent = FIRST_EXPONENT;
	#first = Number.POSITIVE_INFINITY;
	#last = Number.NEGATIVE_INFINITY;
	#least = Number.POSITIVE_INFINITY;
	#greatest = Number.NEGATIVE_INFINITY;

	constructor(scale: DistributionScale, columns: number) {
		this.#scale = scale;
		this.#columns = Array.from({ length: columns }, () => new Map<number, number>());
		this.#low = this.#columns.map(() => 0);
	}

	/** @param value finite */
	add(column: number, value: number): void {
		this.#least = Math.min(this.#least, value);
		this.#greatest = Math.max(this.#greatest, value);
		if (this.#scale === "log" && value <= 0) {
			this.#low[column] = (this.#low[column] ?? 0) + 1;
			return;
		}
		const place = this.#scale === "log" ? Math.log2(value) : value;
		const fine = () => Math.floor(place / 2 ** this.#exponent);
		this.#first = Math.min(this.#first, fine());
		this.#last = Math.max(this.#last, fine());
		while (this.#last - this.#first >= MOST_FINE) this.#widen();
		const counts = this.#columns[column];
		counts?.set(fine(), (counts.get(fine()) ?? 0) + 1);
	}

	/** @param isWhole whether a column was read as a whole */
	numbers({ bins }: Pick<DistributionQuery, "bins">, isWhole: (column: number) => boolean): SpreadNumbers {
		const hasLow = this.#low.some((count) => count > 0);
		const fine = this.#last < this.#first ? 0 : this.#last - this.#first + 1;
		const width = Math.max(1, Math.ceil(fine / (hasLow ? bins - 1 : bins)));
		const high = Array.from({ length: Math.ceil(fine / width) }, (_, bin) => ({
			start: this.#boundOf(this.#first + bin * width),
			end: this.#boundOf(this.#first + (bin + 1) * width),
		}));
		const low = { start: this.#least, end: high[0]?.start ?? this.#greatest };
		const columns = this.#columns.map((counts, column) => {
			const own = high.map(() => 0);
			for (const [index, count] of counts) {
				const bin = Math.floor((index - this.#first) / width);
				own[bin] = (own[bin] ?? 0) + count;
			}
			return hasLow ? [this.#low[column] ?? 0, ...own] : own;
		});
		const all = hasLow ? [low, ...high] : high;
		return {
			bins: this.#least === this.#greatest ? [{ start: this.#least, end: this.#greatest }] : all,
			totals: all.map((_bin, index) => columns.reduce((sum, counts) => sum + (counts[index] ?? 0), 0)),
			values: columns.map((counts, column) => (isWhole(column) ? counts : null)),
		};
	}

	#boundOf(fine: number): number {
		const place = fine * 2 ** this.#exponent;
		return this.#scale === "log" ? Math.min(Number.MAX_VALUE, 2 ** place) : place;
	}

	#widen(): void {
		this.#exponent += 1;
		this.#first = Math.floor(this.#first / 2);
		this.#last = Math.floor(this.#last / 2);
		for (const counts of this.#columns) {
			const former = [...counts];
			counts.clear();
			for (const [index, count] of former) {
				const wider = Math.floor(index / 2);
				counts.set(wider, (counts.get(wider) ?? 0) + count);
			}
		}
	}
}
