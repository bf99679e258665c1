import type { Transaction } from "kysely";
import type { z } from "zod";
import { notFound, UserError } from "#base/errors.ts";
import type { Actor } from "#http/actor.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import type { ReadableDatabase } from "#storage/database.ts";
import type { AnnotationTarget, Tables } from "#storage/schema.ts";
import type { TraceReader } from "#storage/traces/trace-store.ts";
import { ANNOTATION_KINDS, kindOf } from "./kinds.ts";
import type { UpdateAnnotationBody, WireAnnotation } from "./schemas.ts";
import { type AnnotationRow, toAnnotation } from "./to-annotation.ts";

interface AnnotationId {
	readonly target: AnnotationTarget;
	readonly rowId: number;
}

interface OneAnnotation {
	readonly row: AnnotationRow;
	/** Of its target. */
	readonly projectId: number;
	readonly wire: WireAnnotation;
}

/** @throws UserError 422 when the text is not the id of an annotation */
export function parseAnnotationId(text: string): AnnotationId {
	for (const { target, idType } of ANNOTATION_KINDS) {
		const rowId = decodeGlobalId(text, idType);
		if (rowId !== undefined) return { target, rowId };
	}
	throw new UserError(422, "invalid_annotation_id", `Invalid annotation id: ${text.slice(0, 100)}`);
}

/** One that the actor sees, who enters its project. @throws UserError 404, or 403 `project_role_needed` */
export async function getAnnotation(
	db: ReadableDatabase,
	actor: Actor,
	{ target, rowId }: AnnotationId,
	transaction?: Transaction<Tables>,
): Promise<OneAnnotation> {
	const row = await (transaction ?? db.read)
		.selectFrom("annotations")
		.selectAll()
		.where("id", "=", rowId)
		.where("target", "=", target)
		.executeTakeFirst();
	const shown = row === undefined ? undefined : await show(actor.traces, row, transaction);
	if (shown === undefined) throw notFound("annotation_not_found", "There is no such annotation");
	actor.enter(shown.projectId);
	return shown;
}

/** Absent members stay, null clears. @throws UserError 422 for a note without a text, and when all members are absent */
export async function updateAnnotation(
	transaction: Transaction<Tables>,
	traces: TraceReader,
	before: AnnotationRow,
	{ annotator_kind, result, metadata }: z.output<typeof UpdateAnnotationBody>,
	now: number,
): Promise<OneAnnotation> {
	// `result: null` clears all of it.
	const { label, score, explanation } =
		result === null ? { label: null, score: null, explanation: null } : (result ?? {});
	if ([annotator_kind, metadata, label, score, explanation].every((value) => value === undefined)) {
		throw new UserError(422, "nothing_to_update", "No fields to update");
	}
	if (before.name === "note" && explanation !== undefined && (explanation ?? "").trim() === "") {
		throw new UserError(422, "empty_note", "A note needs a text: to remove it, delete the note.");
	}
	const row = await transaction
		.updateTable("annotations")
		.set({
			...(annotator_kind === undefined ? {} : { annotator_kind }),
			...(label === undefined ? {} : { label }),
			...(score === undefined ? {} : { score }),
			...(explanation === undefined ? {} : { explanation }),
			...(metadata === undefined ? {} : { metadata: metadata ?? "{}" }),
			updated_at: Math.max(now, before.updated_at + 1),
		})
		.where("id", "=", before.id)
		.returningAll()
		.executeTakeFirst();
	const shown = row === undefined ? undefined : await show(traces, row, transaction);
	if (shown === undefined) throw new Error("an annotation went within the transaction that changes it");
	return shown;
}

export async function deleteAnnotation(transaction: Transaction<Tables>, id: number): Promise<void> {
	await transaction.deleteFrom("annotations").where("id", "=", id).execute();
}

/** @returns undefined when its target is being deleted */
async function show(
	traces: TraceReader,
	row: AnnotationRow,
	transaction?: Transaction<Tables>,
): Promise<OneAnnotation | undefined> {
	const [entity] = await traces.findEntities(kindOf(row.target).entity, [row.target_row_id], transaction);
	return entity === undefined ? undefined : { row, projectId: entity.projectId, wire: toAnnotation(row, entity) };
}
