import { type Kysely, sql } from "kysely";
import type { Tables } from "../storage/schema.ts";
import type { AnnotationKind } from "./kinds.ts";
import { findPlacesByRow } from "./places.ts";
import type { WireAnnotation } from "./schemas.ts";
import { type AnnotationRow, toAnnotation } from "./to-annotation.ts";

/** A page ends with the annotation that reaches so many bytes of text. */
const MAX_PAGE_BYTES = 16 * 1_048_576;

/** Known without reading the texts. */
export const TEXT_BYTES = sql<number>`coalesce(octet_length(explanation), 0) + octet_length(metadata)`;

export interface AnnotationList {
	readonly projectId: number;
	/** Of spans, traces or sessions of the project; undefined for all. */
	readonly rowIds: readonly number[] | undefined;
	/** Empty for all. */
	readonly identifiers: readonly string[];
	/** Empty for all. */
	readonly includeNames: readonly string[];
	readonly excludeNames: readonly string[];
	readonly fromId: number | undefined;
	readonly limit: number;
}

/** Annotations of one kind with the newest first, from `fromId` downwards. */
export async function listAnnotations(
	db: Kysely<Tables>,
	kind: AnnotationKind,
	list: AnnotationList,
): Promise<{ readonly items: readonly WireAnnotation[]; readonly nextId: number | undefined }> {
	const { rowIds, identifiers, includeNames, excludeNames, fromId, limit } = list;
	let query = db
		.selectFrom("annotations")
		.select(["id", TEXT_BYTES.as("bytes")])
		.where("target", "=", kind.target)
		.orderBy("id", "desc")
		.limit(limit + 1);
	// With the project too, SQLite would look through all that the project has.
	if (rowIds === undefined) query = query.where("project_id", "=", list.projectId);
	else query = query.where("target_row_id", "in", among<number>(rowIds));
	if (identifiers.length > 0) query = query.where("identifier", "in", among<string>(identifiers));
	if (includeNames.length > 0) query = query.where("name", "in", among<string>(includeNames));
	if (excludeNames.length > 0) query = query.where("name", "not in", among<string>(excludeNames));
	if (fromId !== undefined) query = query.where("id", "<=", fromId);
	const found = await query.execute();
	const count = countFitting(found, limit);
	const shown = found.slice(0, count).map((row) => row.id);
	return { items: await findAnnotations(db, kind, shown), nextId: found[count]?.id };
}

/** How many of the rows of a page, which has one more than `limit` when there are more, its bytes let in. */
export function countFitting(found: readonly { readonly bytes: number }[], limit: number): number {
	let bytes = 0;
	const last = found.findIndex((row) => {
		bytes += row.bytes;
		return bytes >= MAX_PAGE_BYTES;
	});
	return Math.min(limit, last === -1 ? found.length : last + 1);
}

async function findAnnotations(
	db: Kysely<Tables>,
	kind: AnnotationKind,
	ids: readonly number[],
): Promise<WireAnnotation[]> {
	const rows: AnnotationRow[] = await db
		.selectFrom("annotations")
		.selectAll()
		.where("id", "in", among<number>(ids))
		.orderBy("id", "desc")
		.execute();
	const rowIds = [...new Set(rows.map((row) => row.target_row_id))];
	const places = new Map((await findPlacesByRow(db, kind.place, rowIds)).map((place) => [place.rowId, place]));
	return rows.flatMap((row) => {
		const place = places.get(row.target_row_id);
		return place === undefined ? [] : [toAnnotation(row, place)];
	});
}

/** Any number of values, as one parameter. */
export function among<T extends string | number>(values: readonly T[]) {
	return sql<T>`(select value from json_each(${JSON.stringify(values)}))`;
}
