import type { ArithmeticOperator } from "@spanward/filter-language";
import type { Dialect } from "#storage/traces/filter/dialect.ts";
import { join, raw, type Sql, sql } from "#storage/traces/filter/sql.ts";
import type { Question, Questions } from "./questions.ts";

/** Placeholder in a compiled condition for the answers to its questions: `{"<span row>": [answer, …]}`. */
export const ANSWERS = "{answers}";

/**
 * The dialect of PostgreSQL. What SQL cannot evaluate there becomes a question, whose answers are bound as a value.
 * @param lower the collation that lower-cases every script
 */
export function postgresDialect(questions: Questions, lower: string): Dialect {
	const answer = (id: Sql, question: Question) =>
		sql`(${raw(ANSWERS)} -> (${id})::text ->> ${raw(String(questions.ask(question)))})`;
	const lowered = (text: Sql) => sql`lower((${text}) collate ${raw(lower)})`;
	return {
		decided: ({ id }, condition) => sql`${answer(id, { type: "condition", condition })}::boolean`,
		attribute: ({ id }, path, as) => {
			const value = answer(id, { type: "value", path, as });
			if (as === "number") return sql`${value}::float8`;
			return as === "boolean" ? sql`${value}::int` : byBytes(value);
		},
		castAttribute: ({ id }, path, to) => {
			const value = answer(id, { type: "cast", path, to });
			return to === "number" ? sql`${value}::float8` : byBytes(value);
		},
		hasTag: ({ id }, tag) =>
			sql`${answer(id, { type: "condition", condition: { type: "has_tag", row: 0, tag } })}::boolean`,
		comparePair: (left, operator, right) => {
			const name = raw(operator === "==" ? "=" : operator === "!=" ? "<>" : operator);
			return sql`(select case when (left(pair.a, 1) = left(pair.b, 1)) is not true or left(pair.a, 1) = 'x' then null
					when left(pair.a, 1) = 't' then ${byBytes(sql`pair.a`)} ${name} pair.b
					else substr(pair.a, 2)::float8 ${name} substr(pair.b, 2)::float8 end
				from (select ${left} as a, ${right} as b offset 0) as pair)`;
		},
		shownText: (span, side) => byBytes(answer(span, { type: "text", side })),
		cumulative: ({ id }, total) => sql`${answer(id, { type: "cumulative", total })}::float8`,
		literal: (value, type) => {
			if (typeof value === "boolean") return sql`${Number(value)}::int`;
			if (typeof value === "string") return byBytes(sql`${value}::text`);
			return type === "datetime" && Number.isSafeInteger(value) ? sql`${value}::bigint` : sql`${value}::float8`;
		},
		flag: (condition) => sql`(${condition})::int`,
		byBytes,
		contains: (text, within) => sql`(strpos(${lowered(within)}, ${lowered(text)}) > 0)`,
		toNumber,
		numberToText,
		datetimeToText: (value) =>
			byBytes(sql`to_char(timestamp 'epoch' + (${value}) * interval '1 microsecond', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`),
		booleanToText: (value) => byBytes(sql`(case ${value} when 0 then 'False' when 1 then 'True' end)`),
		arithmetic,
		anyOf: (condition) => sql`bool_or(${condition})`,
		hex: (bytes) => sql`nullif(encode(${bytes}, 'hex'), '')`,
		isOneOf: (value, list) => {
			const type = raw(typeof list[0] === "string" ? "text" : "float8");
			return sql`${value} = any(${arrayOf(list)}::${type}[])`;
		},
		isInTime: () => raw("true"),
		join: raw("join"),
		indexedBy: () => raw(""),
	};
}

function byBytes(text: Sql): Sql {
	return sql`(${text} collate "C")`;
}

function arrayOf(list: readonly (string | number)[]): string {
	const items = list.map((item) => (typeof item === "number" ? item : `"${item.replaceAll(/["\\]/g, "\\$&")}"`));
	return `{${items.join(",")}}`;
}

/** Beyond these limits a product or quotient is 0 or infinite, which PostgreSQL refuses to compute. */
const LEAST_LN = -745.1;
const GREATEST_LN = 709.78;
const LARGE = "8e307";

function arithmetic(operator: ArithmeticOperator, left: Sql, right: Sql): Sql {
	const [a, b] = [raw("pair.a"), raw("pair.b")];
	const result = {
		"+": extremes(sql`${a} + ${b}`, sql`sign(${b})`),
		"-": extremes(sql`${a} - ${b}`, sql`- sign(${b})`),
		"*": sql`case when ${a} = 0 and abs(${b}) < 'Infinity' or ${b} = 0 and abs(${a}) < 'Infinity' then 0
			when ${a} = 0 or ${b} = 0 then 'NaN'
			${bounded(sql`ln(abs(${a})) + ln(abs(${b}))`)} else ${a} * ${b} end`,
		"/": sql`case when ${b} = 0 or abs(${a}) = 'Infinity' and abs(${b}) = 'Infinity' then null when ${a} = 0 then 0
			${bounded(sql`ln(abs(${a})) - ln(abs(${b}))`)} else ${a} / ${b} end`,
		"%": sql`case when ${b} = 0 or abs(${a}) = 'Infinity' or abs(${b}) = 'Infinity' then null when ${a} = 0 then 0
			when ln(abs(${a})) - ln(abs(${b})) > ${raw(String(GREATEST_LN))} then - sign(${a}) * 'Infinity'
			when ln(abs(${a})) - ln(abs(${b})) < ${raw(String(LEAST_LN))} then ${a}
			else ${a} - ${b} * floor(${a} / ${b}) end`,
	}[operator];
	return sql`(select case when ${a} is not null and ${b} is not null then nullif((${result})::float8, 'NaN') end
		from (select (${left})::float8 as a, (${right})::float8 as b offset 0) as pair)`;
}

function bounded(magnitude: Sql): Sql {
	const sign = raw("sign(pair.a) * sign(pair.b)");
	return sql`when ${magnitude} > ${raw(String(GREATEST_LN))} then ${sign} * 'Infinity'
		when ${magnitude} < ${raw(String(LEAST_LN))} then 0`;
}

function extremes(usual: Sql, signOfRight: Sql): Sql {
	const isLarge = join(
		["pair.a", "pair.b"].map((side) => raw(`abs(${side}) > ${LARGE}`)),
		" or ",
	);
	return sql`case when (${isLarge}) and abs(pair.a) < 'Infinity' and abs(pair.b) < 'Infinity'
		then case when abs(pair.a) >= abs(pair.b) then sign(pair.a) else ${signOfRight} end * 'Infinity' else ${usual} end`;
}

/** The characters that `\s` matches. */
const SPACES = `\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff${String.fromCodePoint(...Array.from({ length: 11 }, (_, index) => 0x2000 + index))}`;
/** With longer exponents the number is 0 or infinite. */
const NUMBER = "^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)(e[+-]?0*[0-9]{1,4})?$";

/** Parses texts as `Number` does. `numeric` has no limits that a text could exceed. */
function toNumber(value: Sql): Sql {
	return sql`(select case when abs(exact.number) > 1.7976931348623157e308 then null
			when abs(exact.number) < 5e-324 then 0 else exact.number::float8 end
		from (select case when length(given.text) <= 400 and btrim(given.text, ${SPACES}) ~* ${NUMBER}
				then btrim(given.text, ${SPACES})::numeric end as number
			from (select ${value} as text offset 0) as given offset 0) as exact)`;
}

/** Formats numbers as `String` does. */
function numberToText(value: Sql): Sql {
	const number = raw("shown.number");
	return byBytes(sql`(select case when ${number} = 0 then '0'
			when abs(${number}) >= 1e21 or abs(${number}) < 1e-6 then regexp_replace(${number}::text, 'e([+-])0+', 'e\\1')
			else ${number}::text::numeric::text end
		from (select (${value})::float8 as number offset 0) as shown)`);
}
