import type { Dialect } from "#storage/traces/filter/dialect.ts";
import { raw, type Sql, sql } from "#storage/traces/filter/sql.ts";

/** Uses the functions of `functions.ts`. Numbers are floating-point, booleans integers, lists and objects blobs. */
export const SQLITE_DIALECT: Dialect = {
	attribute: attributeOf,
	castAttribute: (span, path, to) => {
		const value = attributeOf(span, path, "any");
		if (to === "number") return sql`filter_number(${value})`;
		return sql`(select filter_text(attribute.value, typeof(attribute.value)) from (select ${value} as value) as attribute)`;
	},
	hasTag: ({ id, block, ordinal }, tag) => sql`filter_has_tag(${id}, ${block}, ${ordinal}, ${tag})`,
	comparePair: (left, operator, right) => {
		const name = raw(operator === "==" ? "=" : operator === "!=" ? "<>" : operator);
		return sql`(select case when typeof(pair.a) = typeof(pair.b) and typeof(pair.a) <> 'blob' then pair.a ${name} pair.b end
			from (select ${left} as a, ${right} as b) as pair)`;
	},
	shownText: (span, side) => sql`filter_shown_text(${span}, ${side})`,
	cumulative: ({ id, trace }, total) => sql`filter_cumulative(${id}, ${trace}, ${total})`,
	literal: (value) => sql`${typeof value === "boolean" ? Number(value) : value}`,
	flag: (condition) => condition,
	byBytes: (text) => text,
	contains: (text, within) => sql`filter_contains(${text}, ${within})`,
	toNumber: (value) => sql`filter_number(${value})`,
	numberToText: (value) => sql`filter_text(${value}, 'number')`,
	datetimeToText: (value) => sql`filter_text(${value}, 'datetime')`,
	booleanToText: (value) => sql`filter_text(${value}, 'boolean')`,
	arithmetic: (operator, left, right) => {
		// On integers SQLite would divide without remainder, and sums beyond 64 bits would fail.
		if (operator === "%") return sql`filter_modulo(${left}, ${right})`;
		if (operator === "/") return sql`(cast(${left} as real) / nullif(cast(${right} as real), 0.0))`;
		return sql`(cast(${left} as real) ${raw(operator)} ${right})`;
	},
	anyOf: (condition) => sql`max(${condition})`,
	hex: (bytes) => sql`nullif(lower(hex(${bytes})), '')`,
	isOneOf: (value, list) => sql`${value} in (select value from json_each(${JSON.stringify(list)}))`,
	isInTime: () => raw("filter_in_time()"),
	join: raw("cross join"),
	indexedBy: (name) => raw(`indexed by ${name}`),
};

function attributeOf(
	{ id, block, ordinal }: Parameters<Dialect["attribute"]>[0],
	path: readonly string[],
	as: string,
): Sql {
	return sql`filter_attribute(${id}, ${block}, ${ordinal}, ${JSON.stringify(path)}, ${as})`;
}
