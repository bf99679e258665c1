import { toDollars, toSummedCost } from "../totals/cost-pico.ts";
import { Histogram } from "./histogram.ts";
import type { NumberPart, Parts, Place } from "./parts.ts";

/** Beyond this many different values of a measure they are not counted. */
export const MOST_DISTINCT = 1_000_000;

/** What is known of the rows of one group in one bucket. */
export class Cell {
	rows = 0;
	readonly #parts: Parts;
	readonly #numbers: number[];
	readonly #histograms: Histogram[];
	readonly #sets: Set<string | number>[];

	constructor(parts: Parts) {
		this.#parts = parts;
		this.#numbers = new Array<number>(parts.numberPlaces).fill(0);
		for (const { kind, place } of parts.numbers) {
			if (kind === "min") this.#numbers[place] = Number.POSITIVE_INFINITY;
			if (kind === "max") this.#numbers[place] = Number.NEGATIVE_INFINITY;
		}
		this.#histograms = parts.bins.map(() => new Histogram());
		this.#sets = parts.identities.map(() => new Set());
	}

	/**
	 * Adds a row.
	 * @param quantities those of `parts`, from a place on; numbers, and null where the row has none
	 * @param identities those of `parts`, from a place on; texts or numbers, and null
	 * @returns how many values are new among those that are told apart
	 */
	add(
		quantities: readonly unknown[],
		firstQuantity: number,
		identities: readonly unknown[],
		firstIdentity: number,
	): number {
		this.rows += 1;
		const { numbers: parts, bins } = this.#parts;
		for (let at = 0; at < parts.length; at += 1) {
			const part = parts[at];
			const value = part === undefined ? null : quantities[firstQuantity + part.quantity];
			if (part !== undefined && typeof value === "number") this.#addNumber(part, value);
		}
		for (let place = 0; place < bins.length; place += 1) {
			const value = quantities[firstQuantity + (bins[place] ?? 0)];
			if (typeof value === "number") this.#histograms[place]?.add(value);
		}
		let added = 0;
		for (let place = 0; place < this.#sets.length; place += 1) {
			const set = this.#sets[place];
			const value = identities[firstIdentity + place];
			if ((typeof value !== "string" && typeof value !== "number") || set === undefined || set.has(value)) continue;
			set.add(value);
			added += 1;
		}
		return added;
	}

	#addNumber({ kind, place }: Pick<NumberPart, "kind" | "place">, value: number): void {
		const numbers = this.#numbers;
		const known = numbers[place] ?? 0;
		if (kind === "sum") numbers[place] = known + value;
		else if (kind === "count") numbers[place] = known + 1;
		else if (kind === "min") numbers[place] = Math.min(known, value);
		else if (kind === "max") numbers[place] = Math.max(known, value);
		else this.#addCost(place, toSummedCost(value));
	}

	/** Adds rows that were added up before: sums, counts and extremes by the place of their part. */
	addSums(rows: number, sums: ReadonlyMap<number, number>): void {
		this.rows += rows;
		for (const { kind, place } of this.#parts.numbers) {
			const [sum, next] = [sums.get(place), sums.get(place + 1)];
			if (sum === undefined) continue;
			if (kind === "cost") this.#addCost(place, { micro: sum, pico: next ?? 0 });
			else if (kind === "count") this.#numbers[place] = (this.#numbers[place] ?? 0) + sum;
			else this.#addNumber({ kind, place }, sum);
		}
	}

	/** Adds to the histogram at a place so many numbers of a bin. */
	addToBin(place: number, bin: number, count: number): void {
		this.#histograms[place]?.addToBin(bin, count);
	}

	addCell(other: Cell): void {
		this.rows += other.rows;
		for (const { kind, place } of this.#parts.numbers) {
			const [own, added] = [this.#numbers[place] ?? 0, other.#numbers[place] ?? 0];
			if (kind === "min") this.#numbers[place] = Math.min(own, added);
			else if (kind === "max") this.#numbers[place] = Math.max(own, added);
			else if (kind === "cost") this.#addCost(place, { micro: added, pico: other.#numbers[place + 1] ?? 0 });
			else this.#numbers[place] = own + added;
		}
		for (const [place, histogram] of other.#histograms.entries()) this.#histograms[place]?.addAll(histogram);
		for (const [place, set] of other.#sets.entries()) for (const value of set) this.#sets[place]?.add(value);
	}

	/** Forgets what was told apart, when there is too much of it. */
	forgetIdentities(): void {
		for (const set of this.#sets) set.clear();
	}

	number(part: Place): number {
		return this.#numbers[part] ?? 0;
	}

	dollars(part: Place): number {
		return toDollars({ micro: this.#numbers[part] ?? 0, pico: this.#numbers[part + 1] ?? 0 });
	}

	/** The number that this share of the values does not exceed, within 4 %; null without any. */
	quantile(part: Place, share: number): number | null {
		return this.#histograms[part]?.quantile(share) ?? null;
	}

	distinct(part: Place): number {
		return this.#sets[part]?.size ?? 0;
	}

	#addCost(place: number, { micro, pico }: { readonly micro: number; readonly pico: number }): void {
		this.#numbers[place] = (this.#numbers[place] ?? 0) + micro;
		this.#numbers[place + 1] = (this.#numbers[place + 1] ?? 0) + pico;
	}
}
