import type { NumberValue } from "./analytics-query.ts";
import type { Quantity } from "./measures.ts";

/**
 * What a cell keeps of a quantity. `cost` is exact in any order of adding; `bins` are a histogram for percentiles;
 * `distinct` are the different values.
 */
export type PartKind = "sum" | "count" | "cost" | "min" | "max" | "bins" | "distinct";

/** Where a part is in a cell, among those that are kept alike. */
export type Place = number;

export interface NumberPart {
	readonly kind: "sum" | "count" | "cost" | "min" | "max";
	/** The place of its quantity among those of a row. */
	readonly quantity: number;
	/** The place in the cell; a cost has the next place, too. */
	readonly place: number;
}

/** A number that is read from a field or an attribute of a row. */
export type RowValue = Exclude<NumberValue, { readonly type: "score" }>;

/** What the measures of a question need of each row, and what of it a cell keeps: each thing once. */
export class Parts {
	/** Names of the numbers of a row. */
	readonly quantities: Quantity[] = [];
	/** Names of what is told apart. */
	readonly identities: Quantity[] = [];
	/** The numbers of rows that are read from a field or an attribute, by the name of their quantity. */
	readonly values = new Map<Quantity, RowValue>();
	readonly numbers: NumberPart[] = [];
	/** Places of the quantities of each histogram. */
	readonly bins: number[] = [];
	readonly #known = new Map<`${PartKind} ${string}`, number>();
	numberPlaces = 0;

	add(kind: PartKind, of: Quantity): Place {
		const key = `${kind} ${of}` as const;
		const known = this.#known.get(key);
		if (known !== undefined) return known;
		const place = this.#place(kind, of);
		this.#known.set(key, place);
		return place;
	}

	/** Kinds and quantities of all parts, separated by a blank. */
	get keys(): `${PartKind} ${string}`[] {
		return [...this.#known.keys()];
	}

	/** Undefined where a question has no such part. */
	placeOf(key: `${PartKind} ${string}`): number | undefined {
		return this.#known.get(key);
	}

	addValue(value: NumberValue): Quantity {
		if (value.type === "score") return "score";
		const quantity = `value ${JSON.stringify(value)}`;
		this.values.set(quantity, value);
		return quantity;
	}

	#place(kind: PartKind, of: Quantity): number {
		if (kind === "distinct") return this.identities.push(of) - 1;
		const quantity = this.#quantity(of);
		if (kind === "bins") return this.bins.push(quantity) - 1;
		const place = this.numberPlaces;
		this.numberPlaces += kind === "cost" ? 2 : 1;
		this.numbers.push({ kind, quantity, place });
		return place;
	}

	#quantity(name: Quantity): number {
		const known = this.quantities.indexOf(name);
		return known === -1 ? this.quantities.push(name) - 1 : known;
	}
}
