import { type RawBuilder, sql } from "kysely";

/** The right side of `in`, for lists that are longer than a statement may have parameters. */
export function listed<T extends string | number>(values: readonly T[]): RawBuilder<T> {
	return sql<T>`(select value from json_each(${JSON.stringify(values)}))`;
}
