import type { RowKind } from "./condition.ts";

/** A problem of an expression, its place, and what may have been meant. */
export interface FilterProblem {
	readonly message: string;
	/** Index of the first character, in UTF-16 code units. */
	readonly position: number;
	readonly length: number;
	/** Names or texts to replace it with. */
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

/** The place of an {@link UnknownField}. */
export interface FieldPlace {
	/** The variable before the name; empty if there is none. */
	readonly owner: string;
	/** The name as it was written. */
	readonly written: string;
	/** The variables in scope, outermost first. */
	readonly variables: readonly { readonly name: string; readonly kind: RowKind }[];
}

/** A name that is no field of its rows. */
export class UnknownField extends FilterError {
	readonly field: FieldPlace;

	constructor(problem: FilterProblem, field: FieldPlace) {
		super(problem);
		this.field = field;
	}
}
