import { type Kysely, sql } from "kysely";
import type { z } from "zod";
import { encodeGlobalId } from "#http/global-ids.ts";
import { objectFromJsonText } from "#http/json-values.ts";
import { countThatFits } from "#http/page-size.ts";
import { formatTime } from "#http/wire-times.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { flag } from "#storage/sql-pieces.ts";
import type { DatasetRow } from "./queries.ts";
import type { ExampleRevision } from "./schemas.ts";

interface RevisionRow {
	readonly id: number;
	readonly example_id: number;
	readonly from_version: number;
	readonly to_version: number | null;
	readonly input: string;
	readonly output: string;
	readonly metadata: string;
	readonly created_at: number;
	/** Whether it replaced an earlier content. */
	readonly is_patch: 0 | 1;
}

/**
 * The revisions of an example up to the newest version, newest first, from `fromId` downwards: at most `limit`, and as
 * many as stay below `maxBytes`.
 */
export async function listRevisions(
	db: Kysely<Tables>,
	{ id, latest_version }: DatasetRow,
	query: { exampleId: number; fromId: number | undefined; limit: number; maxBytes: number },
): Promise<{ items: RevisionRow[]; next: number | undefined }> {
	const latest = latest_version ?? 0;
	let keys = db
		.selectFrom("dataset_example_revisions")
		.select(["id", sql<number>`octet_length(input) + octet_length(output) + octet_length(metadata)`.as("bytes")])
		.where("dataset_id", "=", id)
		.where("example_id", "=", query.exampleId)
		.where("from_version", "<=", latest)
		.orderBy("id", "desc")
		.limit(query.limit + 1);
	if (query.fromId !== undefined) keys = keys.where("id", "<=", query.fromId);
	const found = await keys.execute();
	const count = countThatFits(found.slice(0, query.limit), query.maxBytes);
	const items = await db
		.selectFrom("dataset_example_revisions as revision")
		.select(["id", "example_id", "from_version", "input", "output", "metadata", "created_at"])
		// A version that is still being made does not end a revision yet.
		.select([
			sql<number | null>`case when to_version <= ${latest} then to_version end`.as("to_version"),
			flag(sql`exists (
				select 1 from dataset_example_revisions as older
				where older.example_id = revision.example_id and older.to_version = revision.from_version
			)`).as("is_patch"),
		])
		.where("revision.id", "in", listed(found.slice(0, count).map((key) => key.id)))
		.orderBy("revision.id", "desc")
		.execute();
	return { items, next: found[count]?.id };
}

/** The wire form of a revision. */
export function toRevision(row: RevisionRow): z.output<typeof ExampleRevision> {
	return {
		id: encodeGlobalId("DatasetExampleRevision", row.id),
		example_id: encodeGlobalId("DatasetExample", row.example_id),
		version_id: encodeGlobalId("DatasetVersion", row.from_version),
		until_version_id: row.to_version === null ? null : encodeGlobalId("DatasetVersion", row.to_version),
		kind: row.is_patch === 1 ? "PATCH" : "CREATE",
		input: objectFromJsonText(row.input),
		output: objectFromJsonText(row.output),
		metadata: objectFromJsonText(row.metadata),
		created_at: formatTime(row.created_at),
	};
}
