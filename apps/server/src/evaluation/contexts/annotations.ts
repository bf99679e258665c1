import type { ReadableDatabase } from "#storage/database.ts";
import type { Tables } from "#storage/schema.ts";

const MOST = 1_000;

/** Annotations of a target as its context has them, oldest first. */
export async function readAnnotations(
	db: ReadableDatabase,
	target: Tables["annotations"]["target"],
	rowId: number,
): Promise<readonly object[]> {
	return await db.read
		.selectFrom("annotations")
		.where("target", "=", target)
		.where("target_row_id", "=", rowId)
		.select(["name", "label", "score", "explanation", "annotator_kind"])
		.orderBy("id")
		.limit(MOST)
		.execute();
}
