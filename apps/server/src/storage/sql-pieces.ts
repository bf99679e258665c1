import { type RawBuilder, sql } from "kysely";
import { either } from "./either.ts";

/** Lower-case hex digits of bytes. */
export function hexOf(bytes: RawBuilder<unknown>): RawBuilder<string> {
	return either({ sqlite: sql`lower(hex(${bytes}))`, postgres: sql`encode(${bytes}, 'hex')` });
}

/** The bytes of hex digits. For any other text null, on PostgreSQL an error. */
export function bytesOfHex(text: RawBuilder<unknown>): RawBuilder<Uint8Array> {
	return either({ sqlite: sql`unhex(${text})`, postgres: sql`decode(${text}, 'hex')` });
}

/** The right side of `in` for bytes, given as hex digits. */
export function listedBytes(hex: readonly string[]): RawBuilder<Uint8Array> {
	return either({
		sqlite: sql`(select unhex(value) from json_each(${JSON.stringify(hex)}))`,
		postgres: sql`(select decode(hex, 'hex') from unnest(${hex}::text[]) as hexes (hex))`,
	});
}

/** JSON text of a list of the values of `expression`; an aggregate. */
export function jsonListOf(expression: RawBuilder<unknown>): RawBuilder<string> {
	return either({
		sqlite: sql`json_group_array(${expression})`,
		postgres: sql`coalesce(json_agg(${expression}), '[]')::text`,
	});
}

/** A text member of the JSON object whose text is in `column`; null when it is missing. */
export function jsonMember(column: string, member: string): RawBuilder<string | null> {
	return either({
		sqlite: sql`json_extract(${sql.ref(column)}, ${`$.${member}`})`,
		postgres: sql`(${sql.ref(column)}::json ->> ${member})`,
	});
}

/** The least of several values of one row. */
export function least(...values: readonly RawBuilder<number>[]): RawBuilder<number> {
	return either({ sqlite: sql`min(${sql.join(values)})`, postgres: sql`least(${sql.join(values)})` });
}

/** 1 where the condition holds, else 0: selected conditions have a different type in each database. */
export function flag(condition: RawBuilder<unknown>): RawBuilder<0 | 1> {
	return sql<0 | 1>`case when ${condition} then 1 else 0 end`;
}

/** Joins the right side to each row of the left one, in this order; PostgreSQL chooses its own. */
export const joinInOrder: RawBuilder<unknown> = either({ sqlite: sql`cross join`, postgres: sql`join` });

type ColumnType = "bigint" | "text" | "double precision" | "bytea";

/**
 * A list as a table of `columns`, named `name`, with each row's position as `position`; bytes are given as hex digits.
 * For lists that may be longer than the number of parameters a statement allows.
 */
export function table(
	name: string,
	columns: Readonly<Record<string, ColumnType>>,
	rows: readonly (readonly unknown[])[],
): RawBuilder<unknown> {
	const named = Object.entries(columns).map(([column, type], index) => ({ column, type, index }));
	const sqlite = named.map(({ column, type, index }) => {
		const value = sql`value ->> ${sql.lit(index)}`;
		return sql`${type === "bytea" ? sql`unhex(${value})` : value} as ${sql.ref(column)}`;
	});
	const postgres = named.map(({ column, type, index }) => {
		const value = sql`(value ->> ${sql.lit(index)})`;
		const typed = type === "bytea" ? sql`decode(${value}, 'hex')` : sql`${value}::${sql.raw(type)}`;
		return sql`${typed} as ${sql.ref(column)}`;
	});
	const json = JSON.stringify(rows);
	return either({
		sqlite: sql`(select key as position, ${sql.join(sqlite)} from json_each(${json})) as ${sql.ref(name)}`,
		postgres: sql`(
			select ordinality as position, ${sql.join(postgres)}
			from json_array_elements(${json}::json) with ordinality as elements (value, ordinality)
		) as ${sql.ref(name)}`,
	});
}
