import type { Condition, FilterTarget, Value } from "@spanward/filter-language";
import { annotationsIn, promotedColumn } from "./compile.ts";
import { isQuick } from "./fields.ts";

/** A part of a condition, with the cost of evaluating it. */
export interface Part {
	readonly part: Condition;
	readonly effort: number;
}

/** The parts of a conjunction, cheapest first. */
export function partsByEffort(target: FilterTarget, condition: Condition): Part[] {
	const least = isLarge(condition) ? OTHER_ROWS : QUICK;
	return partsOf(condition)
		.map((part) => ({ part, effort: Math.max(effortOf(target, part), least) }))
		.sort((a, b) => a.effort - b.effort);
}

function partsOf(condition: Condition): readonly Condition[] {
	return condition.type === "and" ? condition.conditions.flatMap(partsOf) : [condition];
}

/** Terms of a condition that counts as quick: those are evaluated without checking the time. */
const MOST_QUICK_TERMS = 40;

function isLarge(condition: Condition): boolean {
	const withoutLists = JSON.stringify(condition, (key, value) => (key === "list" ? undefined : value));
	return withoutLists.split('"type"').length > MOST_QUICK_TERMS;
}

/** Evaluated from the row alone. */
export const QUICK = 0;
const ANNOTATION = 1;
const OTHER_ROWS = 2;
/** Needs the content of a span. */
export const CONTENT = 3;
const CONTENT_OF_OTHERS = 4;

function effortOf(target: FilterTarget, condition: Condition): number {
	switch (condition.type) {
		case "and":
		case "or":
			return Math.max(...condition.conditions.map((part) => effortOf(target, part)));
		case "not":
			return effortOf(target, condition.condition);
		case "compare":
			return Math.max(effortOfValue(target, condition.left), effortOfValue(target, condition.right));
		case "contains":
			return Math.max(effortOfValue(target, condition.text), effortOfValue(target, condition.within));
		case "in":
		case "is_none":
			return effortOfValue(target, condition.value);
		case "has_tag":
			return condition.row === 0 && target === "span" ? CONTENT : CONTENT_OF_OTHERS;
		case "is_root":
			return OTHER_ROWS;
		case "has_annotation":
			return ANNOTATION;
		case "any":
		case "all":
			return OTHER_ROWS + Math.max(0, effortOf(target, condition.condition) - OTHER_ROWS);
	}
}

function effortOfValue(target: FilterTarget, value: Value): number {
	if (annotationsIn(value).length > 0) return ANNOTATION;
	switch (value.type) {
		case "literal":
			return QUICK;
		case "field":
			if (value.row === 0 && !value.ofParent && isQuick(target, value)) return QUICK;
			return CONTENT_FIELDS.has(value.name) ? CONTENT : OTHER_ROWS;
		case "attribute":
			if (target === "span" && value.row === 0 && promotedColumn(value) !== undefined) return QUICK;
			return value.row === 0 && target === "span" ? CONTENT : CONTENT_OF_OTHERS;
		case "arithmetic":
			return Math.max(effortOfValue(target, value.left), effortOfValue(target, value.right));
		case "negative":
		case "cast":
			return effortOfValue(target, value.value);
		default:
			return OTHER_ROWS;
	}
}

const CONTENT_FIELDS: ReadonlySet<string> = new Set(
	"input output first_input last_output any_input any_output".split(" "),
);
