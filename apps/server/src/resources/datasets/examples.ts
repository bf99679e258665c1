import { type Kysely, type Selectable, sql } from "kysely";
import type { z } from "zod";
import { notFound, UserError } from "#base/errors.ts";
import type { Actor } from "#http/actor.ts";
import { decodeGlobalId, encodeGlobalId } from "#http/global-ids.ts";
import { objectFromJsonText } from "#http/json-values.ts";
import { formatTime } from "#http/wire-times.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { cut } from "./cut-text.ts";
import { isPartOfVersion } from "./part-of-version.ts";
import type { DatasetExample } from "./schemas.ts";

/** Selects the examples of a version: all, or those in any of these splits. */
export interface ExamplesQuery {
	readonly datasetId: number;
	readonly versionId: number;
	/** Row numbers. */
	readonly splitIds?: readonly number[] | undefined;
}

/** An example with its content in one version. */
export type ExampleRow = Pick<
	Selectable<Tables["dataset_example_revisions"]>,
	"from_version" | "input" | "output" | "metadata" | "content_hash" | "created_at"
> &
	Pick<Selectable<Tables["dataset_examples"]>, "id" | "external_id" | "span_row_id" | "span_id"> & {
		readonly revision_id: number;
	};

/** The query for the examples of a version, without an order: revisions as `revision`, examples as `example`. */
export function examplesOfVersion(db: Kysely<Tables>, { datasetId, versionId, splitIds }: ExamplesQuery) {
	const query = db
		.selectFrom("dataset_example_revisions as revision")
		.innerJoin("dataset_examples as example", "example.id", "revision.example_id")
		.where("revision.dataset_id", "=", datasetId)
		.where(isPartOfVersion("revision", versionId))
		.select([
			"example.id",
			"example.external_id",
			"example.span_row_id",
			"example.span_id",
			"revision.id as revision_id",
			"revision.from_version",
			"revision.input",
			"revision.output",
			"revision.metadata",
			"revision.content_hash",
			"revision.created_at",
		]);
	if (splitIds === undefined) return query;
	return query.where(({ exists, selectFrom }) =>
		exists(
			selectFrom("dataset_split_examples as member")
				.select("member.split_id")
				.whereRef("member.example_id", "=", "revision.example_id")
				.where("member.split_id", "in", listed(splitIds))
				.where(isPartOfVersion("member", versionId)),
		),
	);
}

/** SQL for the bytes of an example's content, in {@link examplesOfVersion}. */
export const exampleBytes = sql<number>`octet_length(revision.input) + octet_length(revision.output)
	+ octet_length(revision.metadata)`;

/** Bytes of content read at a time. */
const MAX_BYTES = 8 * 1_024 * 1_024;

/**
 * The next examples by row number: at most `limit`, and no more than {@link MAX_BYTES} of content, but at least one if
 * there is any.
 */
export async function readExamples(
	db: Kysely<Tables>,
	query: ExamplesQuery,
	{ from, limit }: { from: number; limit: number },
): Promise<{ rows: ExampleRow[]; next: { id: number } | undefined }> {
	const sizes = await examplesOfVersion(db, query)
		.clearSelect()
		.select(["revision.example_id as id", "revision.id as revision_id", exampleBytes.as("bytes")])
		.where("revision.example_id", ">=", from)
		.orderBy("revision.example_id")
		.limit(limit + 1)
		.execute();
	let bytes = 0;
	const end = sizes.findIndex((row, position) => {
		bytes += row.bytes;
		return position === limit || (position > 0 && bytes > MAX_BYTES);
	});
	const read = end === -1 ? sizes : sizes.slice(0, end);
	const rows = await examplesOfVersion(db, query)
		.where("revision.id", "in", listed(read.map((row) => row.revision_id)))
		.orderBy("revision.example_id")
		.execute();
	return { rows, next: end === -1 ? undefined : sizes[end] };
}

const CHUNK = 200;
/** Examples that one page of a search looks at. */
const MAX_SEARCHED = 20_000;

/** Whether the example contains all words, in its id or its content, ignoring case. */
export function exampleMatcher(words: string): (row: ExampleRow) => boolean {
	// As the words stand in JSON text.
	const wanted = [...new Set(words.toLowerCase().split(/\s+/).filter(Boolean))].map((word) =>
		JSON.stringify(word).slice(1, -1),
	);
	return ({ id, external_id, input, output, metadata }) => {
		const ids = `${external_id ?? ""}\n${encodeGlobalId("DatasetExample", id)}`;
		const text = `${ids}\n${input}\n${output}\n${metadata}`.toLowerCase();
		return wanted.every((word) => text.includes(word));
	};
}

/**
 * As {@link readExamples}, those that match. Ends after {@link MAX_SEARCHED} examples, perhaps with none found, while
 * there may be more from `next`.
 */
export async function searchExamples(
	db: Kysely<Tables>,
	query: ExamplesQuery,
	{ from, limit, matches }: { from: number; limit: number; matches: (row: ExampleRow) => boolean },
): Promise<{ rows: ExampleRow[]; next: { id: number } | undefined }> {
	const rows: ExampleRow[] = [];
	let next: { id: number } | undefined = { id: from };
	let bytes = 0;
	for (let searched = 0; next !== undefined && searched < MAX_SEARCHED && bytes < MAX_BYTES; searched += CHUNK) {
		const chunk: Awaited<ReturnType<typeof readExamples>> = await readExamples(db, query, {
			from: next.id,
			limit: CHUNK,
		});
		next = chunk.next;
		for (const row of chunk.rows) {
			if (!matches(row)) continue;
			if (rows.length === limit) return { rows, next: row };
			rows.push(row);
			bytes += row.input.length + row.output.length + row.metadata.length;
		}
	}
	return { rows, next };
}

/** All examples of a version by row number, a chunk at a time, as long as `mayContinue` does not throw. */
export async function* exampleChunks(
	db: Kysely<Tables>,
	query: ExamplesQuery,
	mayContinue: () => Promise<unknown>,
): AsyncGenerator<ExampleRow[]> {
	for (let from: number | undefined = 0; from !== undefined; ) {
		if (from > 0) await mayContinue();
		const chunk: Awaited<ReturnType<typeof readExamples>> = await readExamples(db, query, { from, limit: CHUNK });
		if (chunk.rows.length > 0) yield chunk.rows;
		from = chunk.next?.id;
	}
}

/** The value of an example's ETag: the last version, up to this one, that changed its content or its splits. */
export async function stateOf(
	db: Kysely<Tables>,
	{ id, from_version }: ExampleRow,
	versionId: number,
): Promise<{ id: number; updated_at: number }> {
	const members = await db
		.selectFrom("dataset_split_examples")
		.select(["from_version", "to_version"])
		.where("example_id", "=", id)
		.where("from_version", "<=", versionId)
		.execute();
	const changes = members.flatMap((member) => [member.from_version, member.to_version ?? 0]);
	return { id, updated_at: Math.max(from_version, ...changes.filter((change) => change <= versionId)) };
}

/** The examples, with the spans they were made of only where the actor sees these. */
export async function withSeenSources(
	{ rights, traces }: Pick<Actor, "rights" | "traces">,
	rows: readonly ExampleRow[],
): Promise<readonly ExampleRow[]> {
	if (rights.projects === "all") return rows;
	const sources = rows.flatMap(({ span_row_id }) => span_row_id ?? []);
	if (sources.length === 0) return rows;
	const seen = new Set((await traces.findEntities("span", sources)).map(({ rowId }) => rowId));
	return rows.map((row) =>
		row.span_row_id === null || seen.has(row.span_row_id) ? row : { ...row, span_row_id: null, span_id: null },
	);
}

/** The wire form of an example. */
export function toExample(row: ExampleRow): z.output<typeof DatasetExample> {
	const nodeId = encodeGlobalId("DatasetExample", row.id);
	return {
		id: row.external_id ?? nodeId,
		node_id: nodeId,
		input: objectFromJsonText(row.input),
		output: objectFromJsonText(row.output),
		metadata: objectFromJsonText(row.metadata),
		updated_at: formatTime(row.created_at),
		source:
			row.span_row_id === null || row.span_id === null
				? null
				: { span_id: row.span_id, span_node_id: encodeGlobalId("Span", row.span_row_id) },
	};
}

/**
 * The row number in an example's global id.
 * @throws UserError 422
 */
export function parseExampleId(text: string): number {
	const id = decodeGlobalId(text, "DatasetExample");
	if (id === undefined) throw new UserError(422, "invalid_example_id", `Invalid dataset example ID: ${cut(text)}`);
	return id;
}

/**
 * The row number of an example of the dataset, by its global id or by the id that the caller gave it.
 * @throws UserError 422 when it is neither
 */
export async function findExampleId(db: Kysely<Tables>, datasetId: number, text: string): Promise<number> {
	const row = await db
		.selectFrom("dataset_examples")
		.select("id")
		.where("dataset_id", "=", datasetId)
		.where("external_id", "=", text)
		.executeTakeFirst();
	return row?.id ?? parseExampleId(text);
}

/**
 * The example in a version.
 * @throws UserError 404
 */
export async function getExample(db: Kysely<Tables>, query: ExamplesQuery, exampleId: number): Promise<ExampleRow> {
	const row = await examplesOfVersion(db, query).where("revision.example_id", "=", exampleId).executeTakeFirst();
	if (row === undefined) throw exampleNotFound();
	return row;
}

export function exampleNotFound(): UserError {
	return notFound("example_not_found", "Dataset example not found");
}
