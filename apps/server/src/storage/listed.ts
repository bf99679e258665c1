import { type RawBuilder, sql } from "kysely";
import { either } from "./either.ts";

/**
 * The right side of `in`, for lists that may be longer than the number of parameters a statement allows. For an empty
 * list neither `in` nor `not in` selects anything.
 */
export function listed<T extends string | number>(values: readonly T[]): RawBuilder<T> {
	const [first, ...others] = values;
	if (first === undefined) return sql<T>`(null)`;
	// PostgreSQL plans for this value, not for a list that may have any length.
	if (others.length === 0) return sql<T>`(${first})`;
	const isNumbers = typeof first === "number";
	return either({
		sqlite: sql<T>`(select value from json_each(${JSON.stringify(values)}))`,
		postgres: isNumbers ? sql<T>`(select unnest(${values}::bigint[]))` : sql<T>`(select unnest(${values}::text[]))`,
	});
}
