import type { Kysely, Selectable } from "kysely";
import { chunksOf } from "#base/chunks.ts";
import type { UserError } from "#base/errors.ts";
import { listed } from "#storage/listed.ts";
import type { AnnotationTarget, ProjectRole, Tables } from "#storage/schema.ts";
import type { AnnotationKind } from "./kinds.ts";
import { ofAnother } from "./own-annotations.ts";
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
			.select(["target_row_id", ...KEY_AND_AUTHOR])
			.where("target", "=", target)
			.where("target_row_id", "in", listed([...new Set(chunk.map(({ rowId }) => rowId))]))
			.where("name", "in", listed([...new Set(chunk.map(({ item }) => item.name))]))
			.execute();
		for (const row of rows) noteAuthor(authors, row.target_row_id, row);
	}
	return authors;
}

/** As {@link findAuthors}, of annotations that wait for their target; by {@link keyOf} on the ids of the targets. */
export async function findWaitingAuthors(
	db: Kysely<Tables>,
	{ target, projectId }: { readonly target: AnnotationTarget; readonly projectId: number },
	targetIds: readonly string[],
): Promise<ReadonlyMap<string, number | null>> {
	const authors = new Map<string, number | null>();
	for (const chunk of chunksOf([...new Set(targetIds)], CHUNK)) {
		const rows = await db
			.selectFrom("waiting_annotations")
			.select(["target_id", ...KEY_AND_AUTHOR])
			.where("target", "=", target)
			.where("project_id", "=", projectId)
			.where("target_id", "in", listed(chunk))
			.execute();
		for (const row of rows) noteAuthor(authors, row.target_id, row);
	}
	return authors;
}

const KEY_AND_AUTHOR = ["document_position", "name", "identifier", "user_id"] as const;

type AuthorRow = Pick<Selectable<Tables["annotations"]>, (typeof KEY_AND_AUTHOR)[number]>;

function noteAuthor(authors: Map<string, number | null>, target: number | string, row: AuthorRow): void {
	authors.set(keyOf(target, { ...row, documentPosition: row.document_position }), row.user_id);
}

/**
 * The annotation with this name and identifier is somebody else's. `targetId` is the id as the request named it.
 * @param role in the project of its target; undefined where that is not known
 */
export function notOwn(
	{ entity }: AnnotationKind,
	{ targetId, name, identifier }: Pick<NewAnnotation, "targetId" | "name" | "identifier">,
	role: ProjectRole | undefined,
): UserError {
	const which = identifier === "" ? "" : ` with the identifier '${identifier.slice(0, 100)}'`;
	const replacing =
		role === undefined
			? "admins replace what others wrote for any project"
			: "editors of the project replace annotations of others";
	return ofAnother(
		role,
		`Only ${replacing}: '${name.slice(0, 100)}'${which} on ${entity} ${targetId.slice(0, 300)} is somebody else's. Use another name or identifier.`,
	);
}
