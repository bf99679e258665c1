import { type Condition, FilterError, parseFilter, splitFilter, type Value } from "@spanward/filter-language";
import { quoted } from "../filtering/conditions.ts";
import { isWords } from "../filtering/list-condition.ts";
import type { RowFilters } from "../filtering/row-filters.ts";
import { type FacetField, type FacetRows, TARGETS } from "./facet-fields.ts";

export type FacetValue = string | number | boolean | null;

/** What a filter says of one field: only rows with one of these values, and none with one of those. */
export interface Choice {
	readonly chosen: readonly FacetValue[];
	readonly excluded: readonly FacetValue[];
}

const NOTHING: Choice = { chosen: [], excluded: [] };

/** One part of a filter that is about the values of one field. */
interface Said {
	/** Names what is compared, however it is written. */
	readonly key: string;
	readonly values: readonly FacetValue[];
	readonly isExcluded: boolean;
}

/** A part of a filter, and what it says of one field. */
interface Part {
	readonly text: string;
	readonly said: Said | undefined;
}

/** What the search of a list says of a field, in its filter and in the parameters beside it. */
export function choiceOf(of: FacetRows, search: RowFilters, field: FacetField): Choice {
	const key = keyOf(of, field);
	const said = partsOf(of, search.filter)
		.map((part) => part.said)
		.filter((each) => each?.key === key);
	const values = (isExcluded: boolean) => said.flatMap((each) => (each?.isExcluded === isExcluded ? each.values : []));
	const beside = besideFilter(search, field);
	return {
		chosen: [...new Set([...beside.chosen, ...values(false)])],
		excluded: [...new Set([...beside.excluded, ...values(true)])],
	};
}

/** The choice after a click on a value: it is added, or taken back where it was there. */
export function toggled({ chosen, excluded }: Choice, value: FacetValue, isExcluded: boolean): Choice {
	const without = (values: readonly FacetValue[]) => values.filter((each) => each !== value);
	const flipped = (values: readonly FacetValue[]) => (values.includes(value) ? without(values) : [...values, value]);
	return isExcluded
		? { chosen: without(chosen), excluded: flipped(excluded) }
		: { chosen: flipped(chosen), excluded: without(excluded) };
}

/** The search with another choice of a field, which stands in the filter where the former one stood, or else last. */
export function withChoice<Search extends RowFilters>(
	of: FacetRows,
	search: Search,
	field: FacetField,
	choice: Choice,
): Search {
	const key = keyOf(of, field);
	const words = search.filter !== undefined && isWords(TARGETS[of], search.filter) ? search.filter : undefined;
	const parts = partsOf(of, search.filter);
	const found = parts.findIndex(({ said }) => said?.key === key);
	const at = found < 0 ? parts.length : found;
	const others = (some: readonly Part[]) => some.filter(({ said }) => said?.key !== key).map(({ text }) => text);
	const texts = [...others(parts.slice(0, at)), ...toConditions(field, choice), ...others(parts.slice(at))];
	const { filter: _filter, ...rest } = withoutBeside(search, field);
	const q = [search.q, words].filter((text) => text !== undefined).join(" ");
	return {
		...rest,
		...(q === "" ? {} : { q }),
		...(texts.length === 0 ? {} : { filter: texts.join(" and ") }),
	} as Search;
}

/** The search with all that is said of these fields in its filter, and nothing beside it. */
export function intoFilter(of: FacetRows, search: RowFilters, fields: readonly FacetField[]): RowFilters {
	return fields.reduce((before, field) => {
		const beside = besideFilter(before, field);
		const isSaid = beside.chosen.length + beside.excluded.length > 0;
		return isSaid ? withChoice(of, before, field, choiceOf(of, before, field)) : before;
	}, search);
}

/** What parameters of the address say of a field beside the filter. */
function besideFilter(search: RowFilters, { name, parameter }: FacetField): Choice {
	if (name === "status" && search.error !== undefined)
		return search.error === "1" ? { ...NOTHING, chosen: ["ERROR"] } : { ...NOTHING, excluded: ["ERROR"] };
	return parameter === undefined ? NOTHING : { ...NOTHING, chosen: search[parameter] ?? [] };
}

function withoutBeside<Search extends RowFilters>(search: Search, { name, parameter }: FacetField): Search {
	const left = Object.entries(search).filter(
		([each]) => each !== parameter && !(name === "status" && each === "error"),
	);
	return Object.fromEntries(left) as Search;
}

/** The parts of a filter; none of words, and of what cannot be read. */
function partsOf(of: FacetRows, filter: string | undefined): readonly Part[] {
	if (filter === undefined || isWords(TARGETS[of], filter)) return [];
	try {
		return splitFilter(filter).map((text) => ({ text, said: saidBy(parseFilter(TARGETS[of], text).condition) }));
	} catch (error) {
		if (error instanceof FilterError) return [];
		throw error;
	}
}

function keyOf(of: FacetRows, { compared }: FacetField): string | undefined {
	if (compared === "tags") return TAGS;
	return saidBy(parseFilter(TARGETS[of], `${compared} is None`).condition)?.key;
}

const TAGS = "tags";

function saidBy(condition: Condition | undefined): Said | undefined {
	switch (condition?.type) {
		case "compare": {
			const { operator, left, right } = condition;
			if (operator !== "==" && operator !== "!=") return undefined;
			const [value, other] = right.type === "literal" ? [left, right] : [right, left];
			return other.type === "literal" ? saidOf(value, [other.value], operator === "!=") : undefined;
		}
		case "in":
			return saidOf(
				condition.value,
				condition.list.map(({ value }) => value),
			);
		case "is_none":
			return saidOf(condition.value, [null]);
		case "has_tag":
			return condition.row === 0 ? { key: TAGS, values: [condition.tag], isExcluded: false } : undefined;
		case "not": {
			const said = saidBy(condition.condition);
			return said && { ...said, isExcluded: !said.isExcluded };
		}
		case "or":
			return saidByAny(condition.conditions.map(saidBy));
		default:
			return undefined;
	}
}

/** One of several values, or another than one or none at all. */
function saidByAny(all: readonly (Said | undefined)[]): Said | undefined {
	const [first, second] = all;
	if (first === undefined || all.some((each) => each?.key !== first.key)) return undefined;
	if (all.every((each) => each?.isExcluded === false))
		return { ...first, values: all.flatMap((each) => each?.values ?? []) };
	const isElse = all.length === 2 && first.isExcluded && second?.isExcluded === false;
	return isElse && second.values.length === 1 && second.values[0] === null ? first : undefined;
}

function saidOf(value: Value, values: readonly FacetValue[], isExcluded = false): Said | undefined {
	if (value.type === "field" && value.row === 0 && !value.ofParent && value.valueType !== "datetime")
		return { key: `field ${value.name}`, values, isExcluded };
	if (value.type === "attribute" && value.row === 0)
		return { key: `attribute ${value.path.join(".")}`, values, isExcluded };
	return undefined;
}

/** A choice as conditions that have to hold together. */
function toConditions({ compared, isNeverMissing }: FacetField, { chosen, excluded }: Choice): string[] {
	const wanted = compared === "tags" ? chosen.map((tag) => `${literal(tag)} in tags`) : oneOf(compared, chosen);
	const unwanted = excluded.map((value) => {
		if (compared === "tags") return `${literal(value)} not in tags`;
		if (value === null) return `${compared} is not None`;
		const other = `${compared} != ${literal(value)}`;
		return isNeverMissing ? other : `(${other} or ${compared} is None)`;
	});
	return [...(wanted.length > 1 ? [`(${wanted.join(" or ")})`] : wanted), ...unwanted];
}

/** Conditions of which one has to hold: the values of a list are of one type. */
function oneOf(compared: string, values: readonly FacetValue[]): string[] {
	const byType = Map.groupBy(
		values.filter((value) => value !== null),
		(value) => typeof value,
	);
	const conditions = [...byType.values()].map((same) =>
		same.length === 1
			? `${compared} == ${same.map(literal).join()}`
			: `${compared} in [${same.map(literal).join(", ")}]`,
	);
	return values.includes(null) ? [...conditions, `${compared} is None`] : conditions;
}

function literal(value: FacetValue): string {
	if (typeof value === "string") return quoted(value);
	if (typeof value === "boolean") return value ? "True" : "False";
	return value === null ? "None" : String(value);
}
