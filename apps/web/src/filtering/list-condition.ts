import { type FilterTarget, parseFilter } from "@spanward/filter-language";
import { quoted } from "./conditions.ts";
import type { RowFilters } from "./row-filters.ts";

/** The filters of a list as one condition, and the words that have to occur as well. */
export function conditionOf(of: FilterTarget, search: RowFilters): { condition?: string; words?: string } {
	const { error, min, max, filter } = search;
	const isCondition = filter !== undefined && !isWords(of, filter);
	const conditions = [
		...(isCondition ? [filter] : []),
		...(error === undefined ? [] : [errorCondition(of, error === "1")]),
		...(min === undefined ? [] : [`latency_ms >= ${min}`]),
		...(max === undefined ? [] : [`latency_ms <= ${max}`]),
		...oneOf("name", search.name),
		...oneOf("user.id", search.user),
		...oneOf("session.id", search.session),
		...oneOf("span_kind", of === "span" ? search.kind : undefined),
		...oneOf("model", search.model).map((each) => (of === "span" ? each : `any(x.${each} for x in spans)`)),
	];
	const words = [search.q, isCondition ? undefined : filter].filter((text) => text !== undefined && text.trim() !== "");
	const joined = conditions.length === 1 ? conditions[0] : conditions.map(bracketed).join(" and ");
	return {
		...(joined ? { condition: joined } : {}),
		...(words.length === 0 ? {} : { words: words.join(" ") }),
	};
}

function errorCondition(of: FilterTarget, isError: boolean): string {
	if (of === "span") return `status_code ${isError ? "==" : "!="} 'ERROR'`;
	return `error_count ${isError ? ">" : "=="} 0`;
}

/** Nothing, or the one condition that a field has one of these values. */
export function oneOf(field: string, values: readonly string[] | undefined): string[] {
	if (values === undefined || values.length === 0) return [];
	const [first] = values;
	if (first !== undefined && values.length === 1) return [`${field} == ${quoted(first)}`];
	return [`${field} in [${values.map(quoted).join(", ")}]`];
}

function bracketed(condition: string): string {
	return /\bor\b|\bif\b/.test(condition) ? `(${condition})` : condition;
}

/** Whether the filter language takes a text for words. One that is wrong is none: its error says where. */
export function isWords(of: FilterTarget, text: string): boolean {
	try {
		return parseFilter(of, text).condition === undefined;
	} catch {
		return false;
	}
}
