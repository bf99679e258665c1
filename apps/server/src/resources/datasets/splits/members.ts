import { type Kysely, sql, type Transaction } from "kysely";
import { notFound } from "#base/errors.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { table } from "#storage/sql-pieces.ts";
import { cut } from "../cut-text.ts";
import { examplesOfVersion } from "../examples.ts";
import { isPartOfVersion } from "../part-of-version.ts";
import type { DatasetRow } from "../queries.ts";
import { addMembers, addSplits, endMembers, type NewVersion, setSplits, splitsByName } from "../version-writer.ts";

/** The names of the splits of examples in a version. */
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
		.where(isPartOfVersion("member", versionId))
		.orderBy("split.name")
		.execute();
	const byExample = Map.groupBy(rows, ({ example_id }) => example_id);
	return (exampleId) => byExample.get(exampleId)?.map(({ name }) => name) ?? [];
}

/** Puts examples into the splits with these names, and makes the missing ones; does nothing without names. */
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

/** @returns how many examples were added or removed */
export async function moveMembers(
	transaction: Transaction<Tables>,
	{ versionId }: NewVersion,
	splitId: number,
	{ added, removed }: { added: readonly number[]; removed: readonly number[] },
): Promise<number> {
	const members = await transaction
		.selectFrom("dataset_split_examples")
		.select("example_id")
		.where("split_id", "=", splitId)
		.where("to_version", "is", null)
		.where("example_id", "in", listed([...added, ...removed]))
		.execute();
	const present = new Set(members.map(({ example_id }) => example_id));
	const come = added.filter((id) => !present.has(id)).map((id) => [splitId, id] as const);
	const go = removed.filter((id) => present.has(id)).map((id) => [splitId, id] as const);
	await addMembers(transaction, versionId, come);
	await endMembers(transaction, versionId, go);
	return come.length + go.length;
}

/**
 * The row numbers of examples in the newest version, by global ids or the caller's own, each once.
 * @throws UserError 404 naming those that do not exist
 */
export async function findExamples(
	db: Kysely<Tables>,
	{ id, latest_version }: DatasetRow,
	identifiers: readonly string[],
): Promise<number[]> {
	if (identifiers.length === 0) return [];
	const wanted = identifiers.map((text) => ({ text, id: decodeGlobalId(text, "DatasetExample") }));
	const named = wanted.flatMap((item) => (item.id === undefined ? [] : [[item.id]]));
	const rows = await examplesOfVersion(db, { datasetId: id, versionId: latest_version ?? 0 })
		.clearSelect()
		.select(["example.id", "example.external_id"])
		.where(
			sql<boolean>`example.id in (
				select id from dataset_examples
				where dataset_id = ${id} and external_id in ${listed(identifiers)}
				union all
				select example_id from ${table("named", { example_id: "bigint" }, named)}
			)`,
		)
		.execute();
	const byId = new Set(rows.map((row) => row.id));
	const byExternalId = new Map(rows.map((row) => [row.external_id, row.id]));
	const found = new Set<number>();
	const missing: string[] = [];
	for (const { text, id: number } of wanted) {
		const example = number !== undefined && byId.has(number) ? number : byExternalId.get(text);
		if (example === undefined) missing.push(text);
		else found.add(example);
	}
	if (missing.length === 0) return [...found];
	throw notFound("example_not_found", `Dataset examples not found in this dataset: ${cut(missing.join(", "))}`);
}
