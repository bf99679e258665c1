import type { ArithmeticOperator } from "@spanward/filter-language";
import pg from "pg";
import { expect } from "vitest";
import { connectionConfig } from "#storage/postgres/connection.ts";
import { createTestSchema, testWithPostgres } from "#storage/postgres/test-postgres.ts";
import { raw, type Sql } from "#storage/traces/filter/sql.ts";
import { contains, modulo, toNumber, toText } from "#storage/traces/filter/values.ts";
import { query } from "../read/query.ts";
import { postgresDialect } from "./dialect.ts";
import { lowerCollation } from "./lower-collation.ts";
import { Questions } from "./questions.ts";

const NUMBERS = [
	0,
	-0,
	1,
	-1,
	7,
	0.1,
	0.25,
	-2.5,
	1e15,
	1e16,
	123456789012345680000,
	1e21,
	1.5e300,
	-1e300,
	1e-6,
	1e-7,
	1.5e-9,
	5e-324,
	1.7976931348623157e308,
	Number.POSITIVE_INFINITY,
	Number.NEGATIVE_INFINITY,
	1704067200000000,
];
const NUMBER_TEXTS = [
	"",
	" ",
	"7",
	" 7.50 ",
	"\u00a07\ufeff",
	"+.5",
	"5.",
	".",
	"-1e3",
	"1E+3",
	"1e400",
	"-1e400",
	"1e-400",
	"1e-310",
	"0x10",
	"1_000",
	"٣",
	"7 8",
	"Infinity",
	"NaN",
	`${"9".repeat(310)}`,
	"1".repeat(401),
	"gold",
];
const TEXTS = [
	"",
	"gold",
	"GOLD mine",
	"Ünsterblich BLUE",
	"ΌΔΟΣ",
	"όδος",
	"İstanbul",
	"Kelvin",
	"Straße",
	"日本語",
	"ДОМ",
	"%_",
];

testWithPostgres(
	"computes, casts and searches as JavaScript does, also at the ends of numbers and in every script",
	async () => {
		await using schema = await createTestSchema();
		const client = new pg.Client(connectionConfig(schema.settings, schema.settings.primary, { name: "test" }));
		await client.connect();
		try {
			const dialect = postgresDialect(new Questions(), await lowerCollation(client));
			const [a, b] = [raw("given.a"), raw("given.b")];
			const evaluate = async <T>(
				compiled: Sql,
				type: string,
				rows: readonly (readonly [T, T])[],
			): Promise<unknown[]> => {
				const found = await query<{ value: unknown }>(
					client,
					`select ${compiled.text} as value
				from unnest(?::${type}[], ?::${type}[]) with ordinality as given (a, b, position) order by position`,
					[...compiled.values, ...[0, 1].map((side) => rows.map((row) => String(row[side])))],
				);
				return found.map((row) => row.value);
			};
			const single = <T>(values: readonly T[]) => values.map((value) => [value, value] as const);

			expect(await evaluate(dialect.numberToText(a), "float8", single(NUMBERS))).toEqual(
				NUMBERS.map((value) => toText(value, "number")),
			);
			expect(await evaluate(dialect.toNumber(a), "text", single(NUMBER_TEXTS))).toEqual(NUMBER_TEXTS.map(toNumber));
			const micros = 1_704_067_200_000_001;
			expect(await evaluate(dialect.datetimeToText(a), "bigint", single([micros]))).toEqual([
				toText(micros, "datetime"),
			]);
			const texts = TEXTS.flatMap((text) => TEXTS.map((within) => [text, within] as const));
			expect(await evaluate(dialect.contains(a, b), "text", texts)).toEqual(
				texts.map(([text, within]) => contains(text, within)),
			);
			// Near the largest number, a sum may overflow to infinity too early.
			const usual = NUMBERS.filter((value) => Math.abs(value) < 8e307 || !Number.isFinite(value));
			const pairs = usual.flatMap((left) => usual.map((right) => [left, right] as const));
			for (const [operator, compute] of Object.entries(ARITHMETIC)) {
				const found = await evaluate(dialect.arithmetic(operator as ArithmeticOperator, a, b), "float8", pairs);
				const differing = pairs.flatMap(([left, right], index) => {
					const wanted = compute(left, right) ?? Number.NaN;
					const isSame = found[index] === (Number.isNaN(wanted) ? null : wanted);
					return isSame ? [] : [`${left} ${operator} ${right} = ${wanted}, not ${found[index]}`];
				});
				expect(differing).toEqual([]);
			}
		} finally {
			await client.end();
		}
	},
);

const ARITHMETIC: Readonly<Record<string, (a: number, b: number) => number | null>> = {
	"+": (a, b) => a + b,
	"-": (a, b) => a - b,
	"*": (a, b) => a * b,
	"/": (a, b) => (b === 0 ? null : a / b),
	"%": modulo,
};
