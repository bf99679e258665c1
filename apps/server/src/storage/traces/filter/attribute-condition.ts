import type { CompareOperator, Condition, Value } from "@spanward/filter-language";
import { type SpanAttributes, toSqlValue } from "../content/attribute-values.ts";
import { contains, modulo, toNumber, toText } from "./values.ts";

type Scalar = string | number | bigint | Uint8Array | null;

/**
 * The row whose attributes a condition is about, so that decoding one span decides it; undefined when the condition
 * refers to anything else, or to no attribute.
 * @param isPromoted tells which attributes are columns
 */
export function rowOfAttributes(condition: Condition, isPromoted: (value: Value) => boolean): number | undefined {
	const values = valuesOf(condition);
	if (values === undefined) return undefined;
	const rows = new Set<number>();
	for (const value of values.flatMap(leavesOf)) {
		if (value.type === "literal") continue;
		if (value.type !== "attribute" || isPromoted(value)) return undefined;
		rows.add(value.row);
	}
	const [row] = rows;
	return rows.size === 1 ? row : undefined;
}

function valuesOf(condition: Condition): Value[] | undefined {
	switch (condition.type) {
		case "and":
		case "or": {
			const all = condition.conditions.map(valuesOf);
			return all.includes(undefined) ? undefined : all.flatMap((values) => values ?? []);
		}
		case "not":
			return valuesOf(condition.condition);
		case "compare":
			return [condition.left, condition.right];
		case "contains":
			return [condition.text, condition.within];
		case "in":
		case "is_none":
			return [condition.value];
		case "has_tag":
			return [{ type: "attribute", row: condition.row, path: ["tag", "tags"], as: "any" }];
		default:
			return undefined;
	}
}

function leavesOf(value: Value): Value[] {
	switch (value.type) {
		case "arithmetic":
			return [...leavesOf(value.left), ...leavesOf(value.right)];
		case "negative":
		case "cast":
			return leavesOf(value.value);
		default:
			return [value];
	}
}

/**
 * Decides a condition that {@link rowOfAttributes} accepts; null when the result is unknown because values are missing.
 */
export function decide(condition: Condition, attributes: SpanAttributes): boolean | null {
	switch (condition.type) {
		case "and":
		case "or": {
			const decisive = condition.type === "or";
			let result: boolean | null = !decisive;
			for (const part of condition.conditions) {
				const found = decide(part, attributes);
				if (found === decisive) return decisive;
				if (found === null) result = null;
			}
			return result;
		}
		case "not": {
			const result = decide(condition.condition, attributes);
			return result === null ? null : !result;
		}
		case "compare":
			return compare(condition.operator, scalarOf(condition.left, attributes), scalarOf(condition.right, attributes));
		case "in": {
			if (condition.list.length === 0) return false;
			const value = scalarOf(condition.value, attributes);
			return value === null ? null : condition.list.some((literal) => value === scalar(literal.value));
		}
		case "contains": {
			const [text, within] = [scalarOf(condition.text, attributes), scalarOf(condition.within, attributes)];
			return text === null || within === null ? null : contains(String(text), String(within));
		}
		case "is_none":
			return scalarOf(condition.value, attributes) === null;
		case "has_tag":
			return attributes.hasTag(condition.tag);
		default:
			throw new Error(`attributes alone do not decide ${condition.type}`);
	}
}

/** Compares as SQLite does: null for values of different types, and for lists. */
export function compare(operator: CompareOperator, a: Scalar, b: Scalar): boolean | null {
	if (a === null || b === null || typeof a !== typeof b || typeof a === "object" || typeof b === "object") return null;
	const order = a === b ? 0 : isBefore(a, b) ? -1 : 1;
	switch (operator) {
		case "==":
			return order === 0;
		case "!=":
			return order !== 0;
		case "<":
			return order < 0;
		case "<=":
			return order <= 0;
		case ">":
			return order > 0;
		case ">=":
			return order >= 0;
	}
}

function isBefore(a: string | number | bigint, b: string | number | bigint): boolean {
	return typeof a === "string" && typeof b === "string" ? Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0 : a < b;
}

/** Booleans are bigints, as from `toSqlValue`, to distinguish them from numbers. */
function scalarOf(value: Value, attributes: SpanAttributes): Scalar {
	switch (value.type) {
		case "literal":
			return scalar(value.value);
		case "attribute":
			return toSqlValue(attributes.find(value.path), value.as);
		case "negative": {
			const number = scalarOf(value.value, attributes);
			return typeof number === "number" ? -number : null;
		}
		case "arithmetic":
			return arithmetic(value.operator, scalarOf(value.left, attributes), scalarOf(value.right, attributes));
		case "cast":
			return value.to === "number"
				? castToNumber(scalarOf(value.value, attributes))
				: castToText(scalarOf(value.value, attributes));
		default:
			throw new Error(`attributes alone do not tell a ${value.type}`);
	}
}

function scalar(value: string | number | boolean): string | number | bigint {
	return typeof value === "boolean" ? BigInt(value) : value;
}

function arithmetic(operator: string, a: Scalar, b: Scalar): number | null {
	if (typeof a !== "number" || typeof b !== "number") return null;
	if (operator === "%") return modulo(a, b);
	if (operator === "/" && b === 0) return null;
	const result = operator === "+" ? a + b : operator === "-" ? a - b : operator === "*" ? a * b : a / b;
	return Number.isNaN(result) ? null : result;
}

export function castToNumber(value: Scalar): number | null {
	return typeof value === "bigint" ? Number(value) : toNumber(value);
}

export function castToText(value: Scalar): string | null {
	return typeof value === "bigint" ? toText(Number(value), "boolean") : toText(value, undefined);
}
