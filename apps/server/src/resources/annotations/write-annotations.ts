import type { Insertable, Transaction } from "kysely";
import { sql } from "kysely";
import type { Actor } from "#http/actor.ts";
import type { AnnotationTarget, Tables } from "#storage/schema.ts";
import type { Entity } from "#storage/traces/entity.ts";
import { mayReplaceOthers } from "./own-annotations.ts";
import type { NewAnnotation } from "./schemas.ts";

/** Annotations per transaction, and characters of their texts: about 10 ms during which no span is written. */
const CHUNK = 500;
const CHUNK_LENGTH = 1_048_576;

/** Who annotates, and when. */
export interface Authorship {
	readonly source: "API" | "APP";
	readonly userId: number | null;
	/** Microseconds since 1970. */
	readonly at: number;
}

/** An annotation with its target. */
export interface TargetedAnnotation {
	readonly target: AnnotationTarget;
	readonly item: Omit<NewAnnotation, "targetId">;
	readonly entity: Entity;
	readonly authorship: Authorship;
}

/** Which existing annotations may be replaced. */
export interface Replacing {
	/** Replace only the author's own; otherwise everybody's. */
	readonly onlyOwn: boolean;
	/** Keep an existing annotation that was written after the time of the new one. */
	readonly onlyNewer?: boolean;
}

/**
 * Inserts annotations, and replaces those with the same name and identifier on the same target: the row keeps its id
 * and `created_at`. The keys of `annotations` have to be distinct.
 * @returns row numbers of the written annotations, by {@link keyOf}; those that were not written are absent
 */
export async function upsertAnnotations(
	transaction: Transaction<Tables>,
	annotations: readonly TargetedAnnotation[],
	{ onlyOwn, onlyNewer = false }: Replacing,
): Promise<ReadonlyMap<string, number>> {
	if (annotations.length === 0) return new Map();
	const written = await transaction
		.insertInto("annotations")
		.values(annotations.map(toRow))
		.onConflict((conflict) => {
			const update = conflict
				.columns(["target", "target_row_id", "document_position", "name", "identifier"])
				.doUpdateSet((row) => ({
					annotator_kind: row.ref("excluded.annotator_kind"),
					label: row.ref("excluded.label"),
					score: row.ref("excluded.score"),
					explanation: row.ref("excluded.explanation"),
					metadata: row.ref("excluded.metadata"),
					source: row.ref("excluded.source"),
					user_id: row.ref("excluded.user_id"),
					updated_at: sql<number>`case when excluded.updated_at > annotations.updated_at
						then excluded.updated_at else annotations.updated_at + 1 end`,
				}));
			const own = onlyOwn
				? update.where(sql<boolean>`annotations.user_id is not distinct from excluded.user_id`)
				: update;
			return onlyNewer ? own.whereRef("annotations.updated_at", "<=", "excluded.updated_at") : own;
		})
		.returning(["id", "target_row_id", "document_position", "name", "identifier"])
		.execute();
	return new Map(
		written.map((row) => [keyOf(row.target_row_id, { ...row, documentPosition: row.document_position }), row.id]),
	);
}

/**
 * As {@link upsertAnnotations}, for an actor who may annotate in the projects of the targets: those of others are replaced
 * where the actor is an editor, and become the actor's own.
 * @returns as there; what somebody else wrote and may not be replaced is absent
 */
export async function replaceAnnotations(
	transaction: Transaction<Tables>,
	actor: Pick<Actor, "rights" | "enter">,
	annotations: readonly TargetedAnnotation[],
): Promise<ReadonlyMap<string, number>> {
	const own = await upsertAnnotations(transaction, annotations, { onlyOwn: true });
	const others = annotations.filter(
		({ entity, item }) =>
			!own.has(keyOf(entity.rowId, item)) && mayReplaceOthers(actor.rights.roleAt(entity.projectId)),
	);
	for (const { entity } of others) actor.enter(entity.projectId, "editor");
	const replaced = await upsertAnnotations(transaction, others, { onlyOwn: false });
	return new Map([...own, ...replaced]);
}

/** Splits annotations into chunks, each for one transaction. */
export function* chunksOf<T extends { readonly metadata: string; readonly explanation: string | null }>(
	items: readonly T[],
): Generator<readonly T[]> {
	let chunk: T[] = [];
	let length = 0;
	for (const item of items) {
		chunk.push(item);
		length += item.metadata.length + (item.explanation?.length ?? 0);
		if (chunk.length < CHUNK && length < CHUNK_LENGTH) continue;
		yield chunk;
		chunk = [];
		length = 0;
	}
	if (chunk.length > 0) yield chunk;
}

/** The key under which an annotation replaces another one of the same kind. */
export function keyOf(
	target: number | string,
	{ documentPosition, name, identifier }: Pick<NewAnnotation, "documentPosition" | "name" | "identifier">,
): string {
	return JSON.stringify([target, documentPosition, name, identifier]);
}

function toRow({ target, item, entity, authorship }: TargetedAnnotation): Insertable<Tables["annotations"]> {
	return {
		target,
		target_row_id: entity.rowId,
		document_position: item.documentPosition,
		project_id: entity.projectId,
		span_row_id: target === "span" || target === "document" ? entity.rowId : null,
		trace_row_id: entity.traceRowId,
		session_row_id: target === "session" ? entity.rowId : null,
		...contentColumns(item, authorship),
		created_at: authorship.at,
		updated_at: authorship.at,
	};
}

/** The columns of the content and its author, which annotations and waiting annotations share. */
export function contentColumns(
	item: TargetedAnnotation["item"],
	{ source, userId }: TargetedAnnotation["authorship"],
): Pick<
	Tables["annotations"],
	"name" | "identifier" | "annotator_kind" | "label" | "score" | "explanation" | "metadata" | "source" | "user_id"
> {
	return {
		name: item.name,
		identifier: item.identifier,
		annotator_kind: item.annotatorKind,
		label: item.label,
		score: item.score,
		explanation: item.explanation,
		metadata: item.metadata,
		source,
		user_id: userId,
	};
}
