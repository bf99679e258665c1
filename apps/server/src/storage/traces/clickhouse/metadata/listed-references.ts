import type { Kysely } from "kysely";
import type { Tables } from "#storage/schema.ts";
import { openItems } from "./references.ts";

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

/** As {@link listTargets}, of the items of review queues that are not archived. */
export function listReviewed(
	db: Kysely<Tables>,
	kind: "trace" | "session",
	range: NumberRange,
	page: number,
): AsyncGenerator<readonly number[]> {
	const column = kind === "trace" ? "trace_row_id" : "target_row_id";
	return paged(range, page, async (after) => {
		const rows = await openItems(db)
			.select(`${column} as id`)
			.distinct()
			.where("trace_row_id", kind === "trace" ? "is not" : "is", null)
			.where(column, ">=", after)
			.where(column, "<=", range.last)
			.orderBy("id")
			.limit(page)
			.execute();
		return rows.flatMap(({ id }) => id ?? []);
	});
}

/** Row numbers within a range of spans that examples of datasets were made of, or that failed, in pages. */
export function listReferredSpans(
	db: Kysely<Tables>,
	table: "dataset_examples" | "error_occurrences",
	range: NumberRange,
	page: number,
): AsyncGenerator<readonly number[]> {
	return paged(range, page, async (after) => {
		const rows = await db
			.selectFrom(table)
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
