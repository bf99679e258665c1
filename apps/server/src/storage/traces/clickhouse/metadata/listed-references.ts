import type { Kysely } from "kysely";
import type { Tables } from "#storage/schema.ts";

/** Of row numbers. */
export interface NumberRange {
	/** Both ends included. */
	readonly first: number;
	readonly last: number;
}

/** Row numbers within a range of what is annotated, in pages: traces by themselves or by a span, or sessions. */
export function listTargets(
	db: Kysely<Tables>,
	column: "trace_row_id" | "session_row_id",
	range: NumberRange,
	page: number,
): AsyncGenerator<readonly number[]> {
	return paged(range, page, async (after) => {
		const rows = await db
			.selectFrom("annotations")
			.select(`${column} as id`)
			.distinct()
			.where(column, ">=", after)
			.where(column, "<=", range.last)
			.orderBy("id")
			.limit(page)
			.execute();
		return rows.flatMap(({ id }) => id ?? []);
	});
}

/** Row numbers within a range of spans that examples of datasets were made of, in pages. */
export function listExampleSpans(
	db: Kysely<Tables>,
	range: NumberRange,
	page: number,
): AsyncGenerator<readonly number[]> {
	return paged(range, page, async (after) => {
		const rows = await db
			.selectFrom("dataset_examples")
			.select("span_row_id as id")
			.distinct()
			.where("span_row_id", ">=", after)
			.where("span_row_id", "<=", range.last)
			.orderBy("id")
			.limit(page)
			.execute();
		return rows.flatMap(({ id }) => id ?? []);
	});
}

async function* paged(
	{ first, last }: NumberRange,
	page: number,
	read: (from: number) => Promise<readonly number[]>,
): AsyncGenerator<readonly number[]> {
	for (let from = first; from <= last; ) {
		const ids = await read(from);
		if (ids.length > 0) yield ids;
		const highest = ids.at(-1);
		if (highest === undefined || ids.length < page) return;
		from = highest + 1;
	}
}
