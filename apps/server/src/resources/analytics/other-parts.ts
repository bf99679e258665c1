import type { Condition, Value } from "@spanward/filter-language";
import type { AnalyticsRows, GroupBy } from "#storage/traces/analytics/analytics-query.ts";
import { TARGET_OF } from "#storage/traces/analytics/annotation-reader.ts";
import { GROUP_FIELDS } from "./group-fields.ts";
import { OCCURRENCE_GROUPS } from "./occurrence-groups.ts";

/**
 * A condition without those of its parts, at the top level, that compare nothing but one field with literals: what
 * selects rows when another value of this field is chosen. Undefined when nothing is left.
 */
export function withoutField(of: AnalyticsRows, condition: Condition, by: GroupBy): Condition | undefined {
	const parts = partsOf(condition);
	const others = parts.filter((part) => !comparesOnly(part, by, of));
	const [only] = others;
	if (others.length <= 1) return only;
	return others.length === parts.length ? condition : { type: "and", conditions: others };
}

function partsOf(condition: Condition): readonly Condition[] {
	return condition.type === "and" ? condition.conditions.flatMap(partsOf) : [condition];
}

function comparesOnly(condition: Condition, by: GroupBy, of: AnalyticsRows): boolean {
	switch (condition.type) {
		case "and":
		case "or":
			return condition.conditions.every((part) => comparesOnly(part, by, of));
		case "not":
			return comparesOnly(condition.condition, by, of);
		case "compare":
			return areOnly([condition.left, condition.right], by, of);
		case "in":
		case "is_none":
			return areOnly([condition.value], by, of);
		case "contains":
			return areOnly([condition.text, condition.within], by, of);
		case "has_tag":
			return by.type === "tag" && condition.row === 0;
		default:
			return false;
	}
}

/** Whether these values are the field and literals, and not literals alone. */
function areOnly(values: readonly Value[], by: GroupBy, of: AnalyticsRows): boolean {
	return values.some((value) => value.type !== "literal") && values.every((value) => isOnly(value, by, of));
}

function isOnly(value: Value, by: GroupBy, of: AnalyticsRows): boolean {
	switch (value.type) {
		case "literal":
			return true;
		case "field":
			return value.row === 0 && !value.ofParent && value.name === filterField(of, by);
		case "attribute":
			return by.type === "attribute" && value.row === 0 && value.path.join(".") === by.path.join(".");
		case "annotation": {
			const { row, target, name } = value.annotation;
			const isOfGroup = by.type === "label" && name === by.name && target === TARGET_OF[by.on];
			return isOfGroup && row === 0 && value.name === "label";
		}
		case "cast":
		case "negative":
			return isOnly(value.value, by, of);
		case "arithmetic":
			return isOnly(value.left, by, of) && isOnly(value.right, by, of);
		default:
			return false;
	}
}

function filterField(of: AnalyticsRows, by: GroupBy): string | undefined {
	if (by.type === "occurrence") return OCCURRENCE_GROUPS[by.name].filterField;
	return by.type === "field" ? GROUP_FIELDS[by.name].filterField[of] : undefined;
}
