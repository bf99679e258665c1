import { sql, type Transaction } from "kysely";
import { UserError } from "#base/errors.ts";
import { present } from "#base/present.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { table } from "#storage/sql-pieces.ts";
import type { Entity } from "#storage/traces/entity.ts";
import type { TraceReader } from "#storage/traces/trace-store.ts";
import type { Content } from "./content.ts";
import { cut } from "./cut-text.ts";

/** Splits per dataset: a column of free text that is mistaken for splits exceeds it. */
const MAX_SPLITS = 1_000;
const SPLIT_COLOR = "#808080";

const REVISION_COLUMNS = {
	example_id: "bigint",
	input: "text",
	output: "text",
	metadata: "text",
	content_hash: "bytea",
} as const;
const MEMBER_COLUMNS = { split_id: "bigint", example_id: "bigint" } as const;

/** The version that is being made. */
export interface NewVersion {
	readonly datasetId: number;
	readonly versionId: number;
	/** Microseconds since 1970. */
	readonly now: number;
}

/** A stored span that an example is made of. */
export interface SpanLink {
	readonly rowId: number;
	readonly traceId: string;
	readonly spanId: string;
	readonly projectId: number;
}

export function linkTo({ rowId, id, traceId, projectId }: Entity): SpanLink {
	return { rowId, projectId, traceId: present(traceId, "the trace of a span"), spanId: id };
}

interface NewExample {
	readonly externalId?: string | undefined;
	readonly span?: SpanLink | undefined;
	readonly content: Content;
}

/**
 * Inserts examples with their content. An example whose span was deleted meanwhile is stored without a span.
 * @returns their row numbers, in the same order
 */
export async function insertExamples(
	traces: TraceReader,
	transaction: Transaction<Tables>,
	version: NewVersion,
	examples: readonly NewExample[],
): Promise<number[]> {
	if (examples.length === 0) return [];
	const present = await traces.holdSpans(
		transaction,
		examples.flatMap(({ span }) => span?.rowId ?? []),
	);
	const rows = examples.map(({ externalId, span }) => [
		externalId ?? null,
		span !== undefined && present.has(span.rowId) ? span.rowId : null,
		span?.traceId ?? null,
		span?.spanId ?? null,
	]);
	const { rows: inserted } = await sql<{ id: number }>`
		insert into dataset_examples (dataset_id, external_id, span_row_id, trace_id, span_id, created_at)
		select ${version.datasetId}, external_id, span_row_id, trace_id, span_id, ${version.now}
		from ${table("new", { external_id: "text", span_row_id: "bigint", trace_id: "text", span_id: "text" }, rows)}
		order by position
		returning id`.execute(transaction);
	// SQL promises no order for `returning`; the numbers were assigned in the order of the rows.
	const ids = inserted.map(({ id }) => id).sort((a, b) => a - b);
	await insertRevisions(
		transaction,
		version,
		examples.map(({ content }, position) => ({ exampleId: ids[position] ?? 0, content })),
	);
	return ids;
}

/** Inserts contents of examples that are valid from this version on. */
export async function insertRevisions(
	transaction: Transaction<Tables>,
	{ datasetId, versionId, now }: NewVersion,
	revisions: readonly { readonly exampleId: number; readonly content: Content }[],
): Promise<void> {
	if (revisions.length === 0) return;
	const rows = revisions.map(({ exampleId, content }) => [
		exampleId,
		content.input,
		content.output,
		content.metadata,
		content.hash,
	]);
	await sql`
		insert into dataset_example_revisions
			(dataset_id, example_id, from_version, input, output, metadata, content_hash, created_at)
		select ${datasetId}, example_id, ${versionId}, input, output, metadata, content_hash, ${now}
		from ${table("new", REVISION_COLUMNS, rows)}`.execute(transaction);
}

/** Ends the contents of examples with this version, and with `splitsToo` their memberships. */
export async function endRevisions(
	transaction: Transaction<Tables>,
	{ versionId }: NewVersion,
	exampleIds: readonly number[],
	{ splitsToo }: { splitsToo: boolean },
): Promise<void> {
	if (exampleIds.length === 0) return;
	const ids = listed(exampleIds);
	for (const table of splitsToo
		? (["dataset_example_revisions", "dataset_split_examples"] as const)
		: (["dataset_example_revisions"] as const)) {
		await transaction
			.updateTable(table)
			.set({ to_version: versionId })
			.where("example_id", "in", ids)
			.where("to_version", "is", null)
			.execute();
	}
}

/** Puts examples into exactly these splits. @returns the examples whose splits changed */
export async function setSplits(
	transaction: Transaction<Tables>,
	{ versionId }: NewVersion,
	wanted: ReadonlyMap<number, readonly number[]>,
): Promise<Set<number>> {
	const changed = new Set<number>();
	if (wanted.size === 0) return changed;
	const members = await transaction
		.selectFrom("dataset_split_examples")
		.select(["split_id", "example_id"])
		.where("example_id", "in", listed([...wanted.keys()]))
		.where("to_version", "is", null)
		.execute();
	const present = Map.groupBy(members, ({ example_id }) => example_id);
	const added: [number, number][] = [];
	const removed: [number, number][] = [];
	for (const [exampleId, splitIds] of wanted) {
		const before = new Set(present.get(exampleId)?.map(({ split_id }) => split_id));
		const after = new Set(splitIds);
		for (const id of after) if (!before.has(id)) added.push([id, exampleId]);
		for (const id of before) if (!after.has(id)) removed.push([id, exampleId]);
		if (before.size !== after.size || [...after].some((id) => !before.has(id))) changed.add(exampleId);
	}
	await addMembers(transaction, versionId, added);
	await endMembers(transaction, versionId, removed);
	return changed;
}

/** @param members pairs of split and example that are not members yet */
export async function addMembers(
	transaction: Transaction<Tables>,
	versionId: number,
	members: readonly (readonly [splitId: number, exampleId: number])[],
): Promise<void> {
	if (members.length === 0) return;
	// An example that left the split in this same version stays a member throughout.
	await sql`
		insert into dataset_split_examples (split_id, example_id, from_version)
		select split_id, example_id, ${versionId} from ${table("members", MEMBER_COLUMNS, members)}
		where true
		on conflict (split_id, example_id, from_version) do update set to_version = null`.execute(transaction);
}

/** @param members pairs of split and example */
export async function endMembers(
	transaction: Transaction<Tables>,
	versionId: number,
	members: readonly (readonly [splitId: number, exampleId: number])[],
): Promise<void> {
	if (members.length === 0) return;
	await sql`
		update dataset_split_examples set to_version = ${versionId}
		where to_version is null
			and (split_id, example_id) in (
				select split_id, example_id from ${table("members", MEMBER_COLUMNS, members)}
			)`.execute(transaction);
}

/** The row numbers of a dataset's splits by name. */
export async function splitsByName(transaction: Transaction<Tables>, datasetId: number): Promise<Map<string, number>> {
	const rows = await transaction
		.selectFrom("dataset_splits")
		.select(["id", "name"])
		.where("dataset_id", "=", datasetId)
		.where("deleted_at", "is", null)
		.execute();
	return new Map(rows.map(({ id, name }) => [name, id]));
}

/**
 * Makes the splits that are missing in `byName`, and adds them to it. With `hidden`, nobody sees them until
 * {@link showSplits}.
 * @returns the row numbers of the new splits
 * @throws UserError 422 when the dataset would have too many
 */
export async function addSplits(
	transaction: Transaction<Tables>,
	{ datasetId, now }: NewVersion,
	byName: Map<string, number>,
	names: readonly string[],
	{ hidden }: { hidden: boolean },
): Promise<number[]> {
	const missing = [...new Set(names)].filter((name) => !byName.has(name));
	if (missing.length === 0) return [];
	assertRoomForSplits(byName.size + missing.length, missing[0] ?? "");
	const inserted = await transaction
		.insertInto("dataset_splits")
		.values(
			missing.map((name) => ({
				dataset_id: datasetId,
				name,
				color: SPLIT_COLOR,
				metadata: "{}",
				created_at: now,
				updated_at: now,
				deleted_at: hidden ? now : null,
			})),
		)
		.returning(["id", "name"])
		.execute();
	for (const { id, name } of inserted) byName.set(name, id);
	return inserted.map(({ id }) => id);
}

/**
 * @param name of a split that would exceed the limit, for the error
 * @throws UserError 422
 */
export function assertRoomForSplits(count: number, name: string): void {
	if (count <= MAX_SPLITS) return;
	throw new UserError(
		422,
		"too_many_splits",
		`A dataset has at most ${MAX_SPLITS} splits; "${cut(name)}" would be one more.`,
	);
}

/** Shows splits that were made hidden. */
export async function showSplits(transaction: Transaction<Tables>, ids: readonly number[]): Promise<void> {
	if (ids.length === 0) return;
	await transaction.updateTable("dataset_splits").set({ deleted_at: null }).where("id", "in", listed(ids)).execute();
}
