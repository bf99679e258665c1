import type { Kysely } from "kysely";
import { chunksOf } from "#base/chunks.ts";
import type { Actor } from "#http/actor.ts";
import type { ReadableDatabase } from "#storage/database.ts";
import { listed } from "#storage/listed.ts";
import type { AnnotatorKind, Tables } from "#storage/schema.ts";
import type { AnnotationKind } from "./kinds.ts";
import { changeable } from "./own-annotations.ts";

/** Rows deleted per transaction. */
const CHUNK = 1_000;
/** Row numbers looked up at a time, outside of write transactions. */
const READ_AT_ONCE = 20_000;

/** Which annotations of a project to delete; absent filters match all. */
export interface Deletion {
	readonly kind: AnnotationKind;
	readonly projectId: number;
	readonly name?: string | undefined;
	readonly identifier?: string | undefined;
	readonly annotator_kind?: AnnotatorKind | undefined;
	/** On `created_at`, inclusive. */
	readonly start_time?: number | undefined;
	/** On `created_at`, exclusive. */
	readonly end_time?: number | undefined;
}

/** Deletes the matching annotations that the principal may delete, in several transactions. */
export async function deleteAnnotations(db: ReadableDatabase, actor: Actor, deletion: Deletion): Promise<void> {
	for (let afterId = 0; ; ) {
		const found = await listMatching(db.read, deletion, changeable(actor.principal), afterId);
		for (const chunk of chunksOf(found, CHUNK)) {
			const ids = chunk.map((row) => row.id);
			await actor.change(async (transaction, principal) => {
				const whose = changeable(principal);
				const query = transaction.deleteFrom("annotations").where("id", "in", listed(ids));
				await (whose === "everybody" ? query : query.where("user_id", "=", whose)).execute();
			});
		}
		const last = found.at(-1);
		if (last === undefined || found.length < READ_AT_ONCE) return;
		afterId = last.id;
	}
}

async function listMatching(
	db: Kysely<Tables>,
	deletion: Deletion,
	whose: "everybody" | number,
	afterId: number,
): Promise<readonly { readonly id: number }[]> {
	const { kind, projectId, name, identifier, annotator_kind, start_time, end_time } = deletion;
	let query = db
		.selectFrom("annotations")
		.select("id")
		.where("project_id", "=", projectId)
		.where("target", "=", kind.target)
		.where("id", ">", afterId)
		.orderBy("id")
		.limit(READ_AT_ONCE);
	if (whose !== "everybody") query = query.where("user_id", "=", whose);
	if (name !== undefined) query = query.where("name", "=", name);
	if (identifier !== undefined) query = query.where("identifier", "=", identifier);
	if (annotator_kind !== undefined) query = query.where("annotator_kind", "=", annotator_kind);
	if (start_time !== undefined) query = query.where("created_at", ">=", start_time);
	if (end_time !== undefined) query = query.where("created_at", "<", end_time);
	return await query.execute();
}
