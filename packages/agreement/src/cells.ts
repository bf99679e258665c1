import type { Value } from "./model.ts";
import { sortValues } from "./values.ts";

/** How often a first and a second answer were given together; only what was given is a cell. */
export interface Cells {
	/** The labels of both, by their codes. */
	readonly labels: readonly Value[];
	/** By cell: the code of the first answer, of the second, and how many items have both. */
	readonly firsts: Uint32Array;
	readonly seconds: Uint32Array;
	readonly counts: Uint32Array;
}

/** More than there can be labels. */
const LABELS = 2 ** 26;

export class CellCounter {
	/** By code of the first × `LABELS` + code of the second, codes in the order in which they were seen. */
	readonly #counts = new Map<number, number>();
	readonly #codes: Map<Value, number>;

	/** @param codes shared with other counters, which adds labels to them */
	constructor(codes = new Map<Value, number>()) {
		this.#codes = codes;
	}

	add(first: Value, second: Value): void {
		const cell = this.#codeOf(first) * LABELS + this.#codeOf(second);
		this.#counts.set(cell, (this.#counts.get(cell) ?? 0) + 1);
	}

	/** @param first labels that come first, in this order, whether they were given or not; the others ascend */
	finish(first: readonly Value[] = []): Cells {
		const others = new Set(this.#codes.keys());
		for (const label of first) others.delete(label);
		const labels = [...new Set(first), ...sortValues(others)];
		const seen = [...this.#codes.keys()];
		const codes = new Map(labels.map((label, code) => [label, code]));
		const codeOfSeen = seen.map((label) => codes.get(label) ?? 0);
		const cells = Array.from(this.#counts, ([cell, count]) => ({
			first: codeOfSeen[Math.floor(cell / LABELS)] ?? 0,
			second: codeOfSeen[cell % LABELS] ?? 0,
			count,
		}));
		return {
			labels,
			firsts: Uint32Array.from(cells, (cell) => cell.first),
			seconds: Uint32Array.from(cells, (cell) => cell.second),
			counts: Uint32Array.from(cells, (cell) => cell.count),
		};
	}

	#codeOf(label: Value): number {
		const known = this.#codes.get(label);
		if (known !== undefined) return known;
		const code = this.#codes.size;
		this.#codes.set(label, code);
		return code;
	}
}
