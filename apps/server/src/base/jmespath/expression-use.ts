/** What expressions are evaluated on: how much of it there may be, and how messages call it. */
export interface ExpressionUse {
	/** What nests deeper counts as null. */
	readonly maxDepth: number;
	readonly maxValues: number;
	readonly maxCharacters: number;
	/** Continues "they are too large" and "it takes too many steps on … of this size". */
	readonly values: string;
	/** Ends a sentence about a value of the wrong type. */
	readonly whenMissing: string;
	/** How to write names with other characters than letters, digits and `_`. */
	readonly keyHint: string;
	/** A text in single quotes. */
	readonly textExample: string;
}

/** Claims of an identity provider. */
export const CLAIMS: ExpressionUse = {
	maxDepth: 32,
	maxValues: 10_000,
	maxCharacters: 1_048_576,
	values: "claims",
	whenMissing: "as happens when a claim is missing",
	keyHint:
		'put claim names with other characters than letters, digits and _ in double quotes, as in "cognito:groups" or resource_access."my-client".roles',
	textExample: "'ADMIN'",
};
