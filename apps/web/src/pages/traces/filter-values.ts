import { quoted, withCondition, withoutCondition } from "../../filtering/conditions.ts";
import type { TracesSearch } from "./search.ts";

/** Fields whose filter is a list of exact values. */
export const LISTS = ["name", "user", "session", "model", "kind"] as const;
type ListField = (typeof LISTS)[number];

/** Changes the address; unless `replace`, the Back button returns to what it was. */
export type ChangeSearch = (change: (before: TracesSearch) => TracesSearch, replace?: boolean) => void;

/** Only rows with the value, or for which the expression holds. */
export function addValue(search: TracesSearch, field: ListField | "filter", value: string): TracesSearch {
	if (field !== "filter") {
		const rest = withFilter(search, withoutCondition(search.filter, exclusion(field, value)));
		return { ...rest, [field]: [...new Set([...(search[field] ?? []), value])] };
	}
	return { ...search, filter: withCondition(withoutCondition(search.filter, `not ${value}`), value) };
}

/** No rows with the value, or for which the expression holds. */
export function excludeValue(search: TracesSearch, field: ListField | "filter", value: string): TracesSearch {
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

function withFilter({ filter: _filter, ...rest }: TracesSearch, filter: string | undefined): TracesSearch {
	return filter === undefined ? rest : { ...rest, filter };
}

export function removeValue(search: TracesSearch, field: ListField, value: string): TracesSearch {
	const left = (search[field] ?? []).filter((each) => each !== value);
	const { [field]: _removed, ...rest } = search;
	return left.length > 0 ? { ...rest, [field]: left } : rest;
}

export function hasFilters(search: TracesSearch): boolean {
	const { q, error, min, max } = search;
	return (
		[q, error, min, max, search.filter].some((each) => each !== undefined) ||
		LISTS.some((field) => search[field] !== undefined)
	);
}

export function withoutFilters(search: TracesSearch): TracesSearch {
	const {
		q: _q,
		error: _error,
		min: _min,
		max: _max,
		name: _n,
		user: _u,
		session: _s,
		model: _m,
		kind: _k,
		filter: _f,
		...rest
	} = search;
	return rest;
}
