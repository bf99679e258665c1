import { binOf, numberOfBin } from "./value-bins.ts";

/** Bins of the first window of a histogram. */
const FIRST_WIDTH = 8;
/** Beyond so wide a window, bins are looked up one by one: numbers of one measure mostly are within a few hundred. */
const MOST_WIDTH = 2_048;

/** Counts of numbers in the bins of {@link binOf}. */
export class Histogram {
	/** The bin of the first count of the window. */
	#first = 0;
	/** Counts of neighbouring bins, while the numbers are so near to each other. */
	#window: number[] | undefined;
	#sparse: Map<number, number> | undefined;
	#total = 0;

	/** Adds a number. */
	add(value: number): void {
		this.addToBin(binOf(value), 1);
	}

	addToBin(bin: number, count: number): void {
		this.#total += count;
		const place = this.#window === undefined ? -1 : bin - this.#first;
		if (this.#window !== undefined && place >= 0 && place < this.#window.length) {
			this.#window[place] = (this.#window[place] ?? 0) + count;
			return;
		}
		if (this.#sparse === undefined) this.#widen(bin);
		if (this.#sparse !== undefined) this.#sparse.set(bin, (this.#sparse.get(bin) ?? 0) + count);
		else if (this.#window !== undefined) this.#window[bin - this.#first] = count;
	}

	addAll(other: Histogram): void {
		other.#each((bin, count) => this.addToBin(bin, count));
	}

	/** The number that this share of the numbers does not exceed, within 4 %; null without any. */
	quantile(share: number): number | null {
		if (this.#total === 0) return null;
		const rank = Math.max(1, Math.ceil(share * this.#total));
		let seen = 0;
		let found: number | null = null;
		this.#each((bin, count) => {
			seen += count;
			if (found === null && seen >= rank) found = numberOfBin(bin);
		});
		return found;
	}

	/** Hands out each bin that has a count, in the order of bins. */
	#each(use: (bin: number, count: number) => void): void {
		if (this.#sparse !== undefined) {
			for (const [bin, count] of [...this.#sparse].sort(([a], [b]) => a - b)) use(bin, count);
			return;
		}
		const window = this.#window ?? [];
		for (let place = 0; place < window.length; place += 1) {
			const count = window[place] ?? 0;
			if (count > 0) use(this.#first + place, count);
		}
	}

	/** Makes room for a bin that is outside of the window. */
	#widen(bin: number): void {
		const window = this.#window;
		if (window === undefined) {
			this.#first = bin - FIRST_WIDTH / 2;
			this.#window = new Array<number>(FIRST_WIDTH).fill(0);
			return;
		}
		const [low, high] = [Math.min(bin, this.#first), Math.max(bin + 1, this.#first + window.length)];
		if (high - low > MOST_WIDTH) {
			const sparse = new Map<number, number>();
			this.#each((each, count) => sparse.set(each, count));
			this.#sparse = sparse;
			this.#window = undefined;
			return;
		}
		// Twice as wide at the least, towards where the numbers grow.
		const width = Math.max(high - low, 2 * window.length);
		const first = bin < this.#first ? high - width : low;
		const wider = new Array<number>(width).fill(0);
		for (const [place, count] of window.entries()) wider[this.#first - first + place] = count;
		this.#first = first;
		this.#window = wider;
	}
}
