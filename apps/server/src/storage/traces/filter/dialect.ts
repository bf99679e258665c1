import type { Attribute } from "@spanward/filter-language";
import type { Sql } from "./sql.ts";

/** What a database does in its own way. Everything else of a compiled filter is SQL that all of them read. */
export interface Dialect {
	/**
	 * An attribute of a span: its row number, and where its content is if that is known. Numbers are floating, booleans
	 * integers, lists and objects blobs, so that values of two types differ in `typeOf`.
	 */
	attribute(span: { id: Sql; block: Sql; ordinal: Sql }, path: readonly string[], as: Attribute["as"]): Sql;
	/** Totals of a span with everything below it. */
	cumulative(span: { id: Sql; trace: Sql }, total: "prompt" | "completion" | "total" | "errors"): Sql;
	/** Case-insensitive in every script. */
	contains(text: Sql, within: Sql): Sql;
	typeOf(value: Sql): Sql;
	/** A text that is a number, else missing. */
	toNumber(value: Sql): Sql;
	numberToText(value: Sql): Sql;
	datetimeToText(value: Sql): Sql;
	booleanToText(value: Sql): Sql;
	/** An attribute as it is, as text. */
	anyToText(value: Sql): Sql;
	/** With the sign of the divisor; missing when that is 0. */
	modulo(left: Sql, right: Sql): Sql;
	/** Bytes as lower-case hex; missing stays missing. */
	hex(bytes: Sql): Sql;
	isOneOf(value: Sql, list: readonly (string | number)[]): Sql;
	/** True; fails when the time for one row is over. Asked for each row of a collection. */
	isInTime(): Sql;
}
