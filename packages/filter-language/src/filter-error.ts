import type { RowKind } from "./condition.ts";

/** Something about an expression, with where it is and what may have been meant. */
export interface FilterProblem {
	readonly message: string;
	/** Of the first character, 0-based, in UTF-16 code units. */
	readonly position: number;
	readonly length: number;
	/** Names or texts to write there instead. */
	readonly suggestions: readonly string[];
}

export class FilterError extends Error implements FilterProblem {
	override readonly name = "FilterError";
	readonly position: number;
	readonly length: number;
	readonly suggestions: readonly string[];

	constructor({ message, position, length, suggestions }: FilterProblem) {
		super(message);
		this.position = position;
		this.length = length;
		this.suggestions = suggestions;
	}
}

/** Where an {@link UnknownField} stands. */
export interface FieldPlace {
	/** The variable before the name; empty without one. */
	readonly owner: string;
	/** The name as it was written. */
	readonly written: string;
	/** The variables that may be used there, outermost first. */
	readonly variables: readonly { readonly name: string; readonly kind: RowKind }[];
}

/** A name that is no field of the rows it is asked of. */
export class UnknownField extends FilterError {
	readonly field: FieldPlace;

	constructor(problem: FilterProblem, field: FieldPlace) {
		super(problem);
		this.field = field;
	}
}
