import type { Kysely } from "kysely";
import { chunksOf } from "#base/chunks.ts";
import { UserError } from "#base/errors.ts";
import { listed } from "#storage/listed.ts";
import type { AnnotationTarget, Tables } from "#storage/schema.ts";
import type { AnnotationKind } from "./kinds.ts";
import type { NewAnnotation } from "./schemas.ts";
import { keyOf } from "./write-annotations.ts";

/** Keys per statement, so that other readers get their turn in between. */
const CHUNK = 2_000;

/** An annotation to be written, with the row number of its target. */
export interface Keyed {
	readonly rowId: number;
	readonly item: Pick<NewAnnotation, "documentPosition" | "name" | "identifier">;
}

/** The authors of the annotations that exist already, by {@link keyOf} on row numbers; null for an unknown author. */
export async function findAuthors(
	db: Kysely<Tables>,
	target: AnnotationTarget,
	keys: readonly Keyed[],
): Promise<Map<string, number | null>> {
	const authors = new Map<string, number | null>();
	for (const chunk of chunksOf(keys, CHUNK)) {
		const rows = await db
			.selectFrom("annotations")
			.select(["target_row_id", "document_position", "name", "identifier", "user_id"])
			.where("target", "=", target)
			.where("target_row_id", "in", listed([...new Set(chunk.map(({ rowId }) => rowId))]))
			.where("name", "in", listed([...new Set(chunk.map(({ item }) => item.name))]))
			.execute();
		for (const row of rows) {
			authors.set(keyOf(row.target_row_id, { ...row, documentPosition: row.document_position }), row.user_id);
		}
	}
	return authors;
}

/** The annotation with this name and identifier is somebody else's. `targetId` is the id as the request named it. */
export function notOwn(
	{ entity }: AnnotationKind,
	{ targetId, name, identifier }: Pick<NewAnnotation, "targetId" | "name" | "identifier">,
): UserError {
	const which = identifier === "" ? "" : ` with the identifier '${identifier.slice(0, 100)}'`;
	return new UserError(
		403,
		"not_own_annotation",
		`Only admins change the annotations of others: '${name.slice(0, 100)}'${which} on ${entity} ${targetId.slice(0, 300)} is somebody else's. Use another name or identifier.`,
	);
}
