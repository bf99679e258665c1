import { quoted, withCondition, withoutCondition } from "./conditions.ts";
import type { RowFilters } from "./row-filters.ts";

/** Fields whose filter is a list of exact values. */
export const LISTS = ["name", "user", "session", "model", "kind"] as const;
type ListField = (typeof LISTS)[number];

/** All filters of rows; the view is none. */
export const FILTERS = ["q", "filter", "error", "min", "max", ...LISTS] as const;

/** Changes the address; unless `replace`, the Back button returns to what it was. */
export type ChangeSearch<S extends RowFilters = RowFilters> = (change: (before: S) => S, replace?: boolean) => void;

/** Only rows with the value, or for which the expression holds. */
export function addValue<S extends RowFilters>(search: S, field: ListField | "filter", value: string): S {
	if (field !== "filter") {
		const rest = withFilter(search, withoutCondition(search.filter, exclusion(field, value)));
		return { ...rest, [field]: [...new Set([...(search[field] ?? []), value])] };
	}
	return { ...search, filter: withCondition(withoutCondition(search.filter, `not ${value}`), value) };
}

/** No rows with the value, or for which the expression holds. */
export function excludeValue<S extends RowFilters>(search: S, field: ListField | "filter", value: string): S {
	if (field === "filter")
		return { ...search, filter: withCondition(withoutCondition(search.filter, value), `not ${value}`) };
	const rest = removeValue(search, field, value);
	return { ...rest, filter: withCondition(rest.filter, exclusion(field, value)) };
}

/** A condition that excludes a value. A missing value never matches, so the condition includes rows without one. */
function exclusion(field: ListField, value: string): string {
	if (field === "name") return `name != ${quoted(value)}`;
	if (field === "kind") return `span_kind != ${quoted(value)}`;
	const name = field === "model" ? "model" : `${field}.id`;
	return `(${name} != ${quoted(value)} or ${name} is None)`;
}

function withFilter<S extends RowFilters>(search: S, filter: string | undefined): S {
	const rest = without(search, ["filter"]);
	return filter === undefined ? rest : { ...rest, filter };
}

export function removeValue<S extends RowFilters>(search: S, field: ListField, value: string): S {
	const left = (search[field] ?? []).filter((each) => each !== value);
	const rest = without(search, [field]);
	return left.length > 0 ? { ...rest, [field]: left } : rest;
}

export function hasFilters(search: RowFilters): boolean {
	return FILTERS.some((field) => search[field] !== undefined);
}

export function withoutFilters<S extends RowFilters>(search: S): S {
	return without(search, FILTERS);
}

/** The search without some of its filters, all of which are optional. */
export function without<S extends RowFilters>(search: S, fields: readonly (keyof RowFilters)[]): S {
	const left = Object.entries(search).filter(([field]) => !(fields as readonly string[]).includes(field));
	return Object.fromEntries(left) as S;
}
