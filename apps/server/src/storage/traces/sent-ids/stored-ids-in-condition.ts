import type { Condition, Literal, Rows, Value } from "@spanward/filter-language";
import { storedSpanId, storedTraceId } from "./sent-ids.ts";

const STORED: Readonly<Record<string, (text: string) => string>> = {
	trace_id: storedTraceId,
	span_id: storedSpanId,
	parent_id: storedSpanId,
};

/** Replaces the ids in a condition, written as they were sent, by stored ids. */
export function withStoredIds(condition: Condition): Condition {
	switch (condition.type) {
		case "and":
		case "or":
			return { ...condition, conditions: condition.conditions.map(withStoredIds) };
		case "not":
			return { ...condition, condition: withStoredIds(condition.condition) };
		case "any":
		case "all":
			return { ...condition, rows: inRows(condition.rows), condition: withStoredIds(condition.condition) };
		case "compare": {
			const [left, right] = [inValue(condition.left), inValue(condition.right)];
			const isEquality = condition.operator === "==" || condition.operator === "!=";
			if (!isEquality) return { ...condition, left, right };
			return { ...condition, left: asStored(left, right), right: asStored(right, left) };
		}
		case "in": {
			const value = inValue(condition.value);
			return { ...condition, value, list: condition.list.map((literal) => literalAsStored(literal, value)) };
		}
		case "is_none":
			return { ...condition, value: inValue(condition.value) };
		case "contains":
			return { ...condition, text: inValue(condition.text), within: inValue(condition.within) };
		default:
			return condition;
	}
}

function asStored(value: Value, other: Value): Value {
	return value.type === "literal" ? literalAsStored(value, other) : value;
}

function literalAsStored(literal: Literal, other: Value): Literal {
	const stored = other.type === "field" && Object.hasOwn(STORED, other.name) ? STORED[other.name] : undefined;
	if (stored === undefined || typeof literal.value !== "string") return literal;
	return { ...literal, value: stored(literal.value) };
}

/** The rows of sums have conditions, too. */
function inValue(value: Value): Value {
	switch (value.type) {
		case "arithmetic":
			return { ...value, left: inValue(value.left), right: inValue(value.right) };
		case "negative":
		case "cast":
			return { ...value, value: inValue(value.value) };
		case "sum":
		case "max":
		case "min":
			return { ...value, rows: inRows(value.rows), value: inValue(value.value) };
		case "count":
			return { ...value, rows: inRows(value.rows) };
		default:
			return value;
	}
}

function inRows(rows: Rows): Rows {
	return rows.condition === undefined ? rows : { ...rows, condition: withStoredIds(rows.condition) };
}
