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
