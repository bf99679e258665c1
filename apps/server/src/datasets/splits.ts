import { type Kysely, type Selectable, sql } from "kysely";
import { notFound } from "../errors.ts";
import { decodeGlobalId } from "../http/global-ids.ts";
import type { Tables } from "../storage/schema.ts";
import { livesIn } from "./lives-in.ts";
import { cut } from "./queries.ts";

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
			sql<boolean>`(id in (select value from json_each(${JSON.stringify(wanted.map(({ id }) => id))}))
				or name in (select value from json_each(${JSON.stringify(identifiers)})))`,
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
