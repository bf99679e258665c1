import { type Kysely, sql } from "kysely";
import { countThatFits } from "#http/page-size.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import type { TraceReader } from "#storage/traces/trace-store.ts";
import { findTargetsByRow } from "./find-targets.ts";
import type { AnnotationKind } from "./kinds.ts";
import type { WireAnnotation } from "./schemas.ts";
import { type AnnotationRow, toAnnotation } from "./to-annotation.ts";

/** Bytes of text of one page. */
export const MAX_PAGE_BYTES = 16 * 1_048_576;

/** SQL for the length of a row's texts, which the database knows without reading them. */
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
	read: Kysely<Tables>,
	traces: TraceReader,
	kind: AnnotationKind,
	list: AnnotationList,
): Promise<{ readonly items: readonly WireAnnotation[]; readonly nextId: number | undefined }> {
	const { rowIds, identifiers, includeNames, excludeNames, fromId, limit } = list;
	let query = read
		.selectFrom("annotations")
		.select(["id", TEXT_BYTES.as("bytes")])
		.where("target", "=", kind.target)
		.orderBy("id", "desc")
		.limit(limit + 1);
	// With the project as well, SQLite would scan all annotations of the project.
	if (rowIds === undefined) query = query.where("project_id", "=", list.projectId);
	else query = query.where("target_row_id", "in", listed(rowIds));
	if (identifiers.length > 0) query = query.where("identifier", "in", listed(identifiers));
	if (includeNames.length > 0) query = query.where("name", "in", listed(includeNames));
	if (excludeNames.length > 0) query = query.where("name", "not in", listed(excludeNames));
	if (fromId !== undefined) query = query.where("id", "<=", fromId);
	const found = await query.execute();
	const count = countThatFits(found.slice(0, limit), MAX_PAGE_BYTES);
	const shown = found.slice(0, count).map((row) => row.id);
	return { items: await findAnnotations(read, traces, kind, shown), nextId: found[count]?.id };
}

async function findAnnotations(
	db: Kysely<Tables>,
	traces: TraceReader,
	kind: AnnotationKind,
	ids: readonly number[],
): Promise<WireAnnotation[]> {
	const rows: AnnotationRow[] = await db
		.selectFrom("annotations")
		.selectAll()
		.where("id", "in", listed(ids))
		.orderBy("id", "desc")
		.execute();
	const rowIds = rows.map((row) => row.target_row_id);
	const entities = await findTargetsByRow(traces, kind.entity, rowIds);
	return rows.flatMap((row) => {
		const entity = entities.get(row.target_row_id);
		return entity === undefined ? [] : [toAnnotation(row, entity)];
	});
}
