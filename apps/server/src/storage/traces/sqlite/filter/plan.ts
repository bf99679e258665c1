import type { DatabaseSync } from "node:sqlite";
import type { Condition, FilterTarget, Value } from "@spanward/filter-language";
import { annotationsIn, compileCondition, promotedColumn } from "../../filter/compile.ts";
import { Conditions } from "../../filter/conditions.ts";
import { isQuick } from "../../filter/fields.ts";
import type { Sql } from "../../filter/sql.ts";
import type { SpanContents } from "../read/span-content.ts";
import type { FilterFunctions } from "./functions.ts";
import { narrow } from "./narrow.ts";
import { SQLITE } from "./sqlite-dialect.ts";

/** How a list finds the rows that a condition selects. */
export interface FilterPlan {
	/** All of these hold; each of one look at the row. */
	readonly quick: Conditions;
	/** Hold too, and take reading other rows or content. */
	readonly slow: readonly Sql[];
	/** Only these rows can match. */
	readonly rows?: readonly number[];
}

export function planFilter(
	db: DatabaseSync,
	functions: FilterFunctions,
	contents: SpanContents,
	query: { readonly projectId: number; readonly condition?: Condition },
	target: FilterTarget,
): FilterPlan | undefined {
	const { condition, projectId } = query;
	if (condition === undefined) return undefined;
	const least = isLarge(condition) ? OTHER_ROWS : QUICK;
	const parts = partsOf(condition)
		.map((part) => ({ part, effort: Math.max(effortOf(target, part), least) }))
		.sort((a, b) => a.effort - b.effort);
	const { rows, mayMatchBlock } = narrow(
		db,
		projectId,
		target,
		parts.map(({ part }) => part),
	);
	functions.begin(contents, mayMatchBlock ?? (() => true));
	const quick = new Conditions();
	const slow: Sql[] = [];
	for (const { part, effort } of parts) {
		const compiled = compileCondition(target, part, SQLITE);
		if (effort === QUICK) quick.add(compiled.text, ...compiled.values);
		else slow.push(compiled);
	}
	if (mayMatchBlock !== undefined && rows === undefined && target === "span")
		quick.add("filter_may_match(spans.block_id)");
	return {
		quick,
		slow,
		...(rows === undefined ? {} : { rows }),
	};
}

function partsOf(condition: Condition): readonly Condition[] {
	return condition.type === "and" ? condition.conditions.flatMap(partsOf) : [condition];
}

/** Of conditions and values in what is looked at without looking at the clock. */
const MOST_QUICK_TERMS = 40;

function isLarge(condition: Condition): boolean {
	const withoutLists = JSON.stringify(condition, (key, value) => (key === "list" ? undefined : value));
	return withoutLists.split('"type"').length > MOST_QUICK_TERMS;
}

const QUICK = 0;
const ANNOTATION = 1;
const OTHER_ROWS = 2;
const CONTENT = 3;
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
