/**
 * Up to so many known rows, a list looks them up by their numbers and sorts them. With more, it is faster to read the
 * project in the order of the list until a page is full; of few, that would read all that is stored.
 */
const FEW_ROWS = 2_000;

/** Compares a column with the project, in a list of rows of which some conditions know the numbers. */
export function ofProject(column: string, known: readonly (readonly number[] | undefined)[]): string {
	const comparison = `${column} = ?`;
	return known.some((rows) => rows !== undefined && rows.length <= FEW_ROWS) ? withoutIndex(comparison) : comparison;
}

/**
 * A comparison that only filters what another one finds: for a list of ids, SQLite would rather read a whole project.
 * Source: https://www.sqlite.org/optoverview.html#disqualifying_where_clause_terms_using_unary_
 */
export function withoutIndex(comparison: string): string {
	return `+${comparison}`;
}
