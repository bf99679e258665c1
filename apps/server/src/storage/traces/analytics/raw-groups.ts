import type { GroupIndex } from "./group-index.ts";
import type { AnalyticsPlan } from "./plan.ts";
import { groupReaders, type RawRow } from "./row-columns.ts";

/** In place of the number of a group: it is not among those that are told apart. */
export const OTHER = -1;
/** In place of the number of a group: rows without a value are none. */
export const NO_GROUP = -2;

/** Finds the groups of rows by what their columns have, which is read as values once for each group. */
export class RawGroups {
	/** How many values a row has for its group. */
	readonly width: number;
	readonly #readers: ReturnType<typeof groupReaders>;
	readonly #index: GroupIndex;
	readonly #leavesOutNull: boolean;
	readonly #numbers = new Map<unknown, number>();
	/** By the first value of two, then by the second. */
	readonly #pairs = new Map<unknown, Map<unknown, number>>();

	constructor(plan: AnalyticsPlan, index: GroupIndex) {
		this.#readers = groupReaders(plan);
		this.width = this.#readers.length;
		this.#index = index;
		this.#leavesOutNull = plan.query.leavesOutNull === true;
	}

	/** The number of the group of a row, {@link OTHER} or {@link NO_GROUP}. */
	find(row: RawRow, mayAdd: boolean): number {
		const numbers = this.width === 1 ? this.#numbers : this.#secondOf(row[1]);
		const last = row[this.width];
		const known = numbers.get(last);
		if (known !== undefined) return known;
		const number = this.#read(row, mayAdd);
		numbers.set(last, number);
		return number;
	}

	#secondOf(first: unknown): Map<unknown, number> {
		const known = this.#pairs.get(first);
		if (known !== undefined) return known;
		const made = new Map<unknown, number>();
		this.#pairs.set(first, made);
		return made;
	}

	#read(row: RawRow, mayAdd: boolean): number {
		const values = this.#readers.map((read, at) => read(row[1 + at]));
		if (this.#leavesOutNull && values.includes(null)) return NO_GROUP;
		return this.#index.find(values, mayAdd) ?? OTHER;
	}
}
