import type { ArithmeticOperator, Attribute, CompareOperator, Condition, ValueType } from "@spanward/filter-language";
import type { Sql } from "./sql.ts";

/** A span whose content is asked for: its row number, and where its content is if that is known. */
export interface SpanPlaceSql {
	readonly id: Sql;
	readonly block: Sql;
	readonly ordinal: Sql;
}

/** What a database does in its own way. Everything else of a compiled filter is SQL that all of them read. */
export interface Dialect {
	/**
	 * A condition on attributes of one span and nothing else, where the database's SQL cannot read content; missing where
	 * the span is. Without this the attributes are asked for one by one.
	 */
	readonly decided?: (span: SpanPlaceSql, condition: Condition) => Sql;
	/** An attribute of a span. Of `any` it is known only to {@link comparePair}, whether it is null to all. */
	attribute(span: SpanPlaceSql, path: readonly string[], as: Attribute["as"]): Sql;
	/** An attribute as it is, as a number or a text if it can be written as one. */
	castAttribute(span: SpanPlaceSql, path: readonly string[], to: "number" | "text"): Sql;
	/** Attributes as they are: those of two types, and lists and objects, compare as if one were missing. */
	comparePair(left: Sql, operator: CompareOperator, right: Sql): Sql;
	/** Totals of a span with everything below it. */
	cumulative(span: { id: Sql; trace: Sql }, total: "prompt" | "completion" | "total" | "errors"): Sql;
	/** Booleans are 0 and 1. */
	literal(value: string | number | boolean, type: ValueType): Sql;
	/** A condition as a value. */
	flag(condition: Sql): Sql;
	/** A text that is to be compared by its bytes. */
	byBytes(text: Sql): Sql;
	/** Case-insensitive in every script. */
	contains(text: Sql, within: Sql): Sql;
	/** A text that is a number, else missing. */
	toNumber(value: Sql): Sql;
	numberToText(value: Sql): Sql;
	datetimeToText(value: Sql): Sql;
	booleanToText(value: Sql): Sql;
	/** Of floating numbers. The rest has the sign of the divisor; what is divided by 0 is missing. */
	arithmetic(operator: ArithmeticOperator, left: Sql, right: Sql): Sql;
	/** Aggregate: whether the condition is true for any row; missing when it is for all of them. */
	anyOf(condition: Sql): Sql;
	/** Bytes as lower-case hex; missing stays missing. */
	hex(bytes: Sql): Sql;
	isOneOf(value: Sql, list: readonly (string | number)[]): Sql;
	/** True; fails when the time for one row is over. Asked for each row of a collection. */
	isInTime(): Sql;
	/** An inner join whose left side is read first, where the database does not find that out. */
	readonly join: Sql;
	/** Hint to use an index. */
	indexedBy(name: string): Sql;
}
