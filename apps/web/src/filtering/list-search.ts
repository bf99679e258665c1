/** The search of a list, as in the address. */
export interface ListSearch {
	/** Words. */
	readonly q?: string;
	/** An expression of the filter language. */
	readonly filter?: string;
}

/** The search after a change in the field, which shows the expression if there is one. */
export function nextListSearch(before: ListSearch, typed: ListSearch): ListSearch {
	const beside = before.filter !== undefined && before.q !== undefined && typed.q === undefined;
	return beside ? { ...typed, q: before.q } : typed;
}
