import { findWrongReferences, type Wrong } from "#storage/traces/clickhouse/integrity/check-references.ts";
import type { ReferringTable } from "#storage/traces/clickhouse/integrity/damage.ts";
import { MetadataReferences } from "#storage/traces/clickhouse/metadata/references.ts";
import type { RepairTools } from "./repair-tools.ts";

/**
 * Puts right what an annotation says of the place of its target, deletes one whose target is gone, and detaches an
 * example from a span that is gone. Occurrences of errors that are elsewhere are found anew. @returns whether something was wrong
 */
export async function repairReference(tools: RepairTools, table: ReferringTable, id: number): Promise<boolean> {
	const [wrong] = await findWrongReferences({ shards: tools.shards, db: tools.db.read }, table, [id]);
	if (wrong === undefined) return false;
	if (wrong.entity === undefined) return await forgetGone(tools, wrong);
	if (table === "error_occurrences") return await findAnew(tools, id, wrong.entity);
	return await putRight(tools, id, wrong.entity);
}

/** Numbers are never used again, so what is gone stays so. */
async function forgetGone({ db }: RepairTools, { kind, rowId }: Wrong): Promise<boolean> {
	const gone = { spans: [], traces: [], sessions: [], [`${kind}s`]: [rowId] };
	await new MetadataReferences(db).deleted(gone);
	return true;
}

/** The failures of a trace that was moved. */
async function findAnew(
	{ db }: RepairTools,
	id: number,
	{ traceRowId }: NonNullable<Wrong["entity"]>,
): Promise<boolean> {
	const row = await db.read
		.selectFrom("error_occurrences")
		.select("trace_row_id")
		.where("id", "=", id)
		.executeTakeFirst();
	if (row === undefined || traceRowId === null) return false;
	await new MetadataReferences(db).regroup(row.trace_row_id, traceRowId);
	return true;
}

/** While nobody moves the trace. Of two annotations that would have the same key the later one stays, as elsewhere. */
async function putRight(
	{ shards, db, turns }: RepairTools,
	id: number,
	{ traceId, storedId }: NonNullable<Wrong["entity"]>,
): Promise<boolean> {
	const keys = [traceId ?? `session ${storedId}`];
	return await turns.take({ projects: [], keys, spans: 0, traces: 0 }, async () => {
		const [wrong] = await findWrongReferences({ shards, db: db.read }, "annotations", [id]);
		if (wrong?.entity === undefined) return false;
		const { rowId, projectId, traceRowId } = wrong.entity;
		await db.write(async (transaction) => {
			const annotation = await transaction
				.selectFrom("annotations")
				.selectAll()
				.where("id", "=", id)
				.executeTakeFirst();
			if (annotation === undefined) return;
			const { target, document_position, name, identifier, updated_at } = annotation;
			const other = await transaction
				.selectFrom("annotations")
				.select(["id", "updated_at"])
				.where("id", "<>", id)
				.where("target", "=", target)
				.where("target_row_id", "=", rowId)
				.where("document_position", "=", document_position)
				.where("name", "=", name)
				.where("identifier", "=", identifier)
				.executeTakeFirst();
			const goes = other === undefined ? undefined : other.updated_at > updated_at ? id : other.id;
			if (goes !== undefined) await transaction.deleteFrom("annotations").where("id", "=", goes).execute();
			if (goes === id) return;
			await transaction
				.updateTable("annotations")
				.set({ target_row_id: rowId, project_id: projectId, trace_row_id: traceRowId })
				.where("id", "=", id)
				.execute();
		});
		return true;
	});
}
