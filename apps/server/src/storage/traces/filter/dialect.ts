import type { ArithmeticOperator, Attribute, CompareOperator, Condition, ValueType } from "@spanward/filter-language";
import type { Sql } from "./sql.ts";

/** A span whose content is needed: its row number, and the place of its content if that is known. */
export interface SpanPlaceSql {
	readonly id: Sql;
	readonly block: Sql;
	readonly ordinal: Sql;
}

/** SQL that differs between the databases; everything else of a compiled filter is the same in all. */
export interface Dialect {
	/**
	 * A condition on the attributes of one span only, for databases whose SQL cannot read content; null where the span
	 * is. Without this, attributes are read one by one.
	 */
	readonly decided?: (span: SpanPlaceSql, condition: Condition) => Sql;
	/** An attribute of a span. With `any`, only null checks and {@link comparePair} can use the result. */
	attribute(span: SpanPlaceSql, path: readonly string[], as: Attribute["as"]): Sql;
	/** An attribute of any type, converted to a number or text if possible. */
	castAttribute(span: SpanPlaceSql, path: readonly string[], to: "number" | "text"): Sql;
	/** Whether one of the tags of a span is this text; null where there are none. */
	hasTag(span: SpanPlaceSql, tag: string): Sql;
	/** Compares attributes of any type. Values of different types, lists and objects compare as null. */
	comparePair(left: Sql, operator: CompareOperator, right: Sql): Sql;
	/**
	 * The text of a span that lists of traces show, given its row number; null without one. For a trace whose root has the
	 * attribute `input.value` or `output.value` the result may be null, as that comes first.
	 */
	shownText(span: Sql, side: "input" | "output"): Sql;
	/** Totals of a span including its descendants. */
	cumulative(span: { id: Sql; trace: Sql }, total: "prompt" | "completion" | "total" | "errors"): Sql;
	/** Booleans are 0 and 1. */
	literal(value: string | number | boolean, type: ValueType): Sql;
	/** Makes a condition a selectable value. */
	flag(condition: Sql): Sql;
	/** Makes a text compare by its bytes. */
	byBytes(text: Sql): Sql;
	/** Case-insensitive in every script. */
	contains(text: Sql, within: Sql): Sql;
	/** Null for a text that is not a number. */
	toNumber(value: Sql): Sql;
	numberToText(value: Sql): Sql;
	datetimeToText(value: Sql): Sql;
	booleanToText(value: Sql): Sql;
	/** On floating-point numbers. A remainder has the sign of the divisor; division by 0 gives null. */
	arithmetic(operator: ArithmeticOperator, left: Sql, right: Sql): Sql;
	/** Aggregate: whether the condition is true for any row; null when it is null for all. */
	anyOf(condition: Sql): Sql;
	/** Bytes as lower-case hex digits; null stays null. */
	hex(bytes: Sql): Sql;
	isOneOf(value: Sql, list: readonly (string | number)[]): Sql;
	/** True, or fails when the time for one row is used up. Evaluated for each row of a collection. */
	isInTime(): Sql;
	/** An inner join that reads its left side first, where the database might choose otherwise. */
	readonly join: Sql;
	/** Hint to use an index. */
	indexedBy(name: string): Sql;
}
