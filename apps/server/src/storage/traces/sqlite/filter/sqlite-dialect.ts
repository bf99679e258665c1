import type { Dialect } from "../../filter/dialect.ts";
import { raw, sql } from "../../filter/sql.ts";

/** The functions are those of `functions.ts`. */
export const SQLITE: Dialect = {
	attribute: ({ id, block, ordinal }, path, as) =>
		sql`filter_attribute(${id}, ${block}, ${ordinal}, ${JSON.stringify(path)}, ${as})`,
	cumulative: ({ id, trace }, total) => sql`filter_cumulative(${id}, ${trace}, ${total})`,
	contains: (text, within) => sql`filter_contains(${text}, ${within})`,
	typeOf: (value) => sql`typeof(${value})`,
	toNumber: (value) => sql`filter_number(${value})`,
	numberToText: (value) => sql`filter_text(${value}, 'number')`,
	datetimeToText: (value) => sql`filter_text(${value}, 'datetime')`,
	booleanToText: (value) => sql`filter_text(${value}, 'boolean')`,
	anyToText: (value) => sql`filter_text(${value}, typeof(${value}))`,
	modulo: (left, right) => sql`filter_modulo(${left}, ${right})`,
	hex: (bytes) => sql`nullif(lower(hex(${bytes})), '')`,
	isOneOf: (value, list) => sql`${value} in (select value from json_each(${JSON.stringify(list)}))`,
	isInTime: () => raw("filter_in_time()"),
};
