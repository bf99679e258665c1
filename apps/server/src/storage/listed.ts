import { type RawBuilder, sql } from "kysely";
import { either } from "./either.ts";

/** The right side of `in`, for lists that are longer than a statement may have parameters. */
export function listed<T extends string | number>(values: readonly T[]): RawBuilder<T> {
	const isNumbers = typeof values[0] === "number";
	return either({
		sqlite: sql<T>`(select value from json_each(${JSON.stringify(values)}))`,
		postgres: isNumbers ? sql<T>`(select unnest(${values}::bigint[]))` : sql<T>`(select unnest(${values}::text[]))`,
	});
}
