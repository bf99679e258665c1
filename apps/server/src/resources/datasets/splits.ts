import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import { notFound } from "#base/errors.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { cut } from "./cut-text.ts";
import { livesIn } from "./lives-in.ts";
import { addSplits, type NewVersion, setSplits, splitsByName } from "./version-writer.ts";

export type SplitRow = Selectable<Tables["dataset_splits"]>;

/**
 * The splits of global ids or names, those that live and those that this version still has examples in.
 * @throws UserError 404 naming those that the dataset does not have
 */
export async function getSplits(
	db: Kysely<Tables>,
	{ datasetId, versionId }: { datasetId: number; versionId: number },
	identifiers: readonly string[],
): Promise<SplitRow[]> {
	const wanted = identifiers.map((text) => ({ text, id: decodeGlobalId(text, "DatasetSplit") ?? null }));
	const rows = await db
		.selectFrom("dataset_splits")
		.selectAll()
		.where("dataset_id", "=", datasetId)
		.where(
			sql<boolean>`(id in ${listed(wanted.flatMap(({ id }) => id ?? []))}
				or name in ${listed(identifiers)})`,
		)
		.where(({ or, eb, exists, selectFrom }) =>
			or([
				eb("deleted_at", "is", null),
				exists(
					selectFrom("dataset_split_examples as member")
						.select("member.example_id")
						.whereRef("member.split_id", "=", "dataset_splits.id")
						.where(livesIn("member", versionId)),
				),
			]),
		)
		.orderBy("id")
		.execute();
	const found = new Set<string | number>(rows.flatMap(({ id, name }) => [id, name]));
	const missing = wanted.filter(({ text, id }) => !found.has(text) && (id === null || !found.has(id)));
	if (missing.length === 0) return rows;
	throw notFound("split_not_found", `Dataset splits not found: ${cut(missing.map(({ text }) => text).join(", "))}`);
}

/** The names of the splits that examples are in, in a version. */
export async function splitsOfExamples(
	db: Kysely<Tables>,
	versionId: number,
	examples: readonly { readonly id: number }[],
): Promise<(exampleId: number) => string[]> {
	const rows = await db
		.selectFrom("dataset_split_examples as member")
		.innerJoin("dataset_splits as split", "split.id", "member.split_id")
		.select(["member.example_id", "split.name"])
		.where("member.example_id", "in", listed(examples.map(({ id }) => id)))
		.where(livesIn("member", versionId))
		.orderBy("split.name")
		.execute();
	const byExample = Map.groupBy(rows, ({ example_id }) => example_id);
	return (exampleId) => byExample.get(exampleId)?.map(({ name }) => name) ?? [];
}

/** Puts examples into the splits of these names, making those that are missing; nothing when there are no names. */
export async function putIntoSplits(
	transaction: Transaction<Tables>,
	version: NewVersion,
	exampleIds: readonly number[],
	names: readonly string[] | undefined,
): Promise<Set<number>> {
	if (names === undefined) return new Set();
	const trimmed = names.map((name) => name.trim());
	const byName = await splitsByName(transaction, version.datasetId);
	await addSplits(transaction, version, byName, trimmed, { hidden: false });
	const splitIds = trimmed.flatMap((name) => byName.get(name) ?? []);
	return await setSplits(transaction, version, new Map(exampleIds.map((id) => [id, splitIds])));
}
