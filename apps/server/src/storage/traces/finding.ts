/** A defect of a database, or the stage that its check begins. */
export type Finding =
	| { readonly wrong: string; readonly stage?: never }
	| { readonly wrong?: never; readonly stage: Stage };

/**
 * In this order; the first two are of SQLite alone. Schemas of former versions have everything that the stages before
 * `rows` need.
 */
export type Stage = "the schema" | "the file" | "contents" | "rows" | "totals";
