import type { Transaction } from "kysely";
import { assertStillAllowed } from "../auth/authorize.ts";
import type { Principal } from "../auth/principals/principal.ts";
import type { Database } from "../storage/database.ts";
import type { AnnotatorKind, Tables } from "../storage/schema.ts";
import type { AnnotationKind } from "./kinds.ts";
import { changeable } from "./own-annotations.ts";

/** Rows that go in one transaction. */
const CHUNK = 1_000;

/** Which annotations of a project go; absent filters match all. */
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

/** Deletes what matches of the annotations that the principal may delete, a part at a time. */
export async function deleteAnnotations(db: Database, principal: Principal, deletion: Deletion): Promise<void> {
	for (;;) {
		const deleted = await db.write(async (transaction) => {
			const current = await assertStillAllowed(transaction, principal, "write");
			return await deleteSome(transaction, deletion, changeable(current));
		});
		if (deleted < CHUNK) return;
	}
}

async function deleteSome(
	transaction: Transaction<Tables>,
	deletion: Deletion,
	whose: "everybody" | number,
): Promise<number> {
	const { kind, projectId, name, identifier, annotator_kind, start_time, end_time } = deletion;
	let found = transaction
		.selectFrom("annotations")
		.select("id")
		.where("project_id", "=", projectId)
		.where("target", "=", kind.target)
		.limit(CHUNK);
	if (whose !== "everybody") found = found.where("user_id", "=", whose);
	if (name !== undefined) found = found.where("name", "=", name);
	if (identifier !== undefined) found = found.where("identifier", "=", identifier);
	if (annotator_kind !== undefined) found = found.where("annotator_kind", "=", annotator_kind);
	if (start_time !== undefined) found = found.where("created_at", ">=", start_time);
	if (end_time !== undefined) found = found.where("created_at", "<", end_time);
	const result = await transaction.deleteFrom("annotations").where("id", "in", found).executeTakeFirst();
	return Number(result.numDeletedRows);
}
