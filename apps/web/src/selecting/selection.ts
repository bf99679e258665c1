import type { SelectedKind } from "../texts/selecting-en.ts";

/** Query parameters of a list, which select all its rows. */
export type ListFilter = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** What actions apply to: rows by their ids, or all that fit the filter of a list. */
export interface Selected {
	/** Name or id. */
	readonly project: string;
	readonly kind: SelectedKind;
	readonly ids?: readonly string[];
	readonly filter?: ListFilter;
}

/** The most rows that are named one by one. */
export const MAX_IDS = 1_000;

/** The selected rows of a list. */
export interface Picks {
	readonly keys: ReadonlySet<string>;
	/** All that fit the filter of the list are selected, also those that are not loaded. */
	readonly isAll: boolean;
	/** The row that was selected last, where a range begins. */
	readonly anchor: string | undefined;
}

export const NOTHING: Picks = { keys: new Set(), isAll: false, anchor: undefined };

export function hasPicks({ keys, isAll }: Picks): boolean {
	return isAll || keys.size > 0;
}

/** Selects a row, or takes it out. */
export function toggle({ keys }: Picks, key: string): Picks {
	const next = new Set(keys);
	if (!next.delete(key)) next.add(key);
	return { keys: next, isAll: false, anchor: key };
}

/**
 * Selects the rows from the anchor to `key` as well.
 * @param order keys of all loaded rows
 * @param from where the range begins if no row was selected before
 */
export function extend({ keys, anchor }: Picks, order: readonly string[], key: string, from: string = key): Picks {
	const start = order.indexOf(anchor !== undefined && order.includes(anchor) ? anchor : from);
	const end = order.indexOf(key);
	if (end < 0) return { keys, isAll: false, anchor };
	const range = order.slice(Math.min(start < 0 ? end : start, end), Math.max(start, end) + 1);
	return { keys: new Set([...keys, ...range]), isAll: false, anchor: order[start < 0 ? end : start] };
}
