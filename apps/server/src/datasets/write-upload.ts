import { type Kysely, sql, type Transaction } from "kysely";
import { assertStillAllowed } from "../auth/authorize.ts";
import type { Principal } from "../auth/principals/principal.ts";
import type { Context } from "../context.ts";
import { UserError } from "../errors.ts";
import { decodeGlobalId } from "../http/global-ids.ts";
import { listed } from "../storage/listed.ts";
import type { Tables } from "../storage/schema.ts";
import { bytesOfHex, hexOf, jsonListOf, table } from "../storage/sql-pieces.ts";
import { BUSY, type Counts, insertVersion, reserveVersion, whenFree } from "./change-dataset.ts";
import { duplicateExampleId } from "./json-upload.ts";
import { cut, type DatasetRow, datasetExists, datasetNotFound, findDataset, listDatasets } from "./queries.ts";
import { uploadTooLarge } from "./receive-form.ts";
import { RowSet } from "./row-set.ts";
import { discardUpload, leaseOf, TAKEN_BACK } from "./unfinished.ts";
import { assertRowCount, type Upload, type UploadedRow } from "./uploaded-rows.ts";
import {
	addSplits,
	endRevisions,
	insertExamples,
	insertRevisions,
	type NewVersion,
	type SpanLink,
	setSplits,
	showSplits,
	splitsByName,
} from "./version-writer.ts";

/**
 * What one transaction writes at most; the write lock is free for spans in between. What is under way outlives the young
 * generation of the heap, so that larger batches cost several times their size in memory.
 */
const BATCH_ROWS = 500;
const BATCH_BYTES = 128 * 1_024;
/** Old examples that one look for equal contents finds. */
const CANDIDATES = 32;

export interface UploadResult {
	readonly datasetId: number;
	readonly versionId: number;
	readonly counts: Counts;
}

/**
 * Writes an upload in many short transactions. Nobody sees anything of it before its version is there, which is made last;
 * when it fails, or the process ends, nothing of it stays.
 * @throws UserError 409 when the name is taken, or another upload to the dataset takes long
 */
export async function writeUpload(context: Context, upload: Upload, principal: Principal): Promise<UploadResult> {
	const { db, log } = context;
	const begun = await whenFree(() => db.write((transaction) => begin(transaction, context, upload, principal)));
	let result: UploadResult | undefined;
	await context.cluster.exclusively(leaseOf.upload(begun.version.versionId), async (lost) => {
		try {
			result = await new UploadWriter(context, upload, begun, lost).write(principal);
		} catch (error) {
			await discardUpload(db, begun.version).catch((failure: unknown) =>
				log.error(
					{ err: failure, datasetId: begun.version.datasetId },
					"what a failed upload wrote is discarded later",
				),
			);
			throw error;
		}
	});
	if (result === undefined) throw uploadLost();
	return result;
}

/** The database was away for so long that another process took it back. */
function uploadLost(): UserError {
	return new UserError(503, "upload_lost", "The upload was interrupted and nothing of it is stored; send it again.", {
		retryAfter: 5,
	});
}

interface Begun {
	readonly version: NewVersion;
	/** As it was before; undefined for a dataset that comes with the upload. */
	readonly before: DatasetRow | undefined;
	readonly splitIds: Map<string, number>;
}

async function begin(
	transaction: Transaction<Tables>,
	{ now }: Context,
	{ name, action, description }: Upload,
	principal: Principal,
): Promise<Begun | typeof BUSY> {
	await assertStillAllowed(transaction, principal, "write");
	const taken = await transaction
		.selectFrom("datasets")
		.leftJoin("dataset_uploads", "dataset_uploads.dataset_id", "datasets.id")
		.select(["datasets.state", "dataset_uploads.version_id"])
		.where("name", "=", name)
		.where("state", "<>", "deleting")
		.executeTakeFirst();
	if (taken?.state === "ready" && action === "create") throw datasetExists(name);
	if (taken?.state === "uploading" || typeof taken?.version_id === "number") return BUSY;
	const time = now();
	const [before] = taken === undefined ? [] : await listDatasets(transaction, { limit: 1, name });
	const datasetId =
		before?.id ??
		(
			await transaction
				.insertInto("datasets")
				.values({ name, description, metadata: "{}", state: "uploading", created_at: time, updated_at: time })
				.returning("id")
				.executeTakeFirstOrThrow()
		).id;
	const versionId = await reserveVersion(transaction, datasetId);
	await transaction
		.insertInto("dataset_uploads")
		.values({ version_id: versionId, dataset_id: datasetId, started_at: time })
		.execute();
	return {
		version: { datasetId, versionId, now: time },
		before,
		splitIds: await splitsByName(transaction, datasetId),
	};
}

/** An old example that a row is about. */
interface Match {
	readonly id: number;
	/** Of its content; null when it does not live. */
	readonly hash: string | null;
}

/** What the rows of one transaction do, which counts once that is committed: it may be run again. */
interface Batch {
	readonly touched: Set<number>;
	readonly after: Map<string, number>;
	/** Row numbers by name. */
	readonly newSplits: Map<string, number>;
	created: number;
	updated: number;
}

class UploadWriter {
	readonly #context: Context;
	readonly #upload: Upload;
	readonly #begun: Begun;
	/** Old examples that rows name by their ids: equal contents of other rows do not take them. */
	readonly #named = new RowSet();
	/** Examples that were written or found unchanged. */
	readonly #touched = new RowSet();
	/** Where to look on for equal contents that several old examples have, by hash. */
	readonly #after = new Map<string, number>();
	/** Row numbers by name. */
	readonly #splits: Map<string, number>;
	readonly #newSplits: number[] = [];
	readonly #lost: AbortSignal;
	#created = 0;
	#updated = 0;
	#deleted = 0;

	/** @param lost aborts when another process may take the upload back */
	constructor(context: Context, upload: Upload, begun: Begun, lost: AbortSignal) {
		this.#lost = lost;
		this.#context = context;
		this.#upload = upload;
		this.#begun = begun;
		this.#splits = new Map(begun.splitIds);
	}

	async write(principal: Principal): Promise<UploadResult> {
		const { before } = this.#begun;
		const maxBytes = this.#context.config.SERVICE_MAX_UPLOAD_BYTES;
		if (before !== undefined && this.#upload.hasExampleIds) {
			for await (const rows of inBatches(this.#upload.rows(), maxBytes)) await this.#noteNamed(rows);
		}
		for await (const rows of inBatches(this.#upload.rows(), maxBytes)) {
			this.#note(await this.#inTurn((transaction) => this.#writeRows(transaction, rows)));
		}
		if (before !== undefined && this.#upload.action === "update") await this.#deleteOthers(before);
		return await this.#inTurn((transaction) => this.#finish(transaction, principal));
	}

	/** @throws UserError 404 when the dataset was deleted meanwhile */
	#inTurn<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T> {
		if (this.#lost.aborted) throw uploadLost();
		return this.#context.db.write(async (transaction) => {
			const upload = await transaction
				.selectFrom("dataset_uploads")
				.select("started_at")
				.where("version_id", "=", this.#begun.version.versionId)
				.executeTakeFirst();
			if (upload === undefined) throw datasetNotFound("The dataset was deleted during the upload");
			if (upload.started_at === TAKEN_BACK) throw uploadLost();
			return await work(transaction);
		});
	}

	/** What was committed. */
	#note({ touched, after, newSplits, created, updated }: Batch): void {
		for (const id of touched) this.#touched.add(id);
		for (const [hash, id] of after) this.#after.set(hash, id);
		for (const [name, id] of newSplits) {
			this.#splits.set(name, id);
			this.#newSplits.push(id);
		}
		this.#created += created;
		this.#updated += updated;
	}

	async #noteNamed(rows: readonly UploadedRow[]): Promise<void> {
		for (const { id } of (await this.#findNamed(this.#context.db.read, rows)).values()) this.#named.add(id);
	}

	async #writeRows(transaction: Transaction<Tables>, rows: readonly UploadedRow[]): Promise<Batch> {
		const { version } = this.#begun;
		const batch: Batch = { touched: new Set(), after: new Map(), newSplits: new Map(), created: 0, updated: 0 };
		const spans = await findSpans(this.#context, transaction, rows);
		const matches = await this.#match(transaction, rows, batch);
		const created = rows.filter((row) => matches.get(row) === undefined);
		const ids = await insertExamples(
			transaction,
			version,
			created.map(({ exampleId, content, spanId }) => ({
				externalId: exampleId,
				content,
				span: spanId === undefined ? undefined : spans.get(spanId.toLowerCase()),
			})),
		);
		for (const id of ids) batch.touched.add(id);
		batch.created += ids.length;

		const changed = [...matches].flatMap(([row, match]) =>
			match === undefined || match.hash === row.content.hash ? [] : [{ row, match }],
		);
		await endRevisions(
			transaction,
			version,
			changed.map(({ match }) => match.id),
			{ splitsToo: false },
		);
		await insertRevisions(
			transaction,
			version,
			changed.map(({ row, match }) => ({ exampleId: match.id, content: row.content })),
		);
		const patched = new Set(changed.map(({ match }) => match.id));
		for (const { match } of changed) {
			if (match.hash === null) batch.created += 1;
			else batch.updated += 1;
		}

		const exampleOf = new Map<UploadedRow, number>(created.map((row, position) => [row, ids[position] ?? 0]));
		for (const [row, match] of matches) if (match !== undefined) exampleOf.set(row, match.id);
		const isNew = new Set(ids);
		for (const id of await this.#putIntoSplits(transaction, exampleOf, batch)) {
			if (!isNew.has(id) && !patched.has(id)) batch.updated += 1;
		}
		return batch;
	}

	async #putIntoSplits(
		transaction: Transaction<Tables>,
		exampleOf: ReadonlyMap<UploadedRow, number>,
		batch: Batch,
	): Promise<Set<number>> {
		const { version } = this.#begun;
		const splitIds = new Map(this.#splits);
		const names = [...exampleOf.keys()].flatMap(({ splits }) => splits ?? []);
		await addSplits(transaction, version, splitIds, names, { hidden: true });
		for (const [name, id] of splitIds) if (!this.#splits.has(name)) batch.newSplits.set(name, id);
		const wanted = new Map<number, number[]>();
		for (const [{ splits }, id] of exampleOf) {
			if (splits !== undefined)
				wanted.set(
					id,
					splits.flatMap((name) => splitIds.get(name) ?? []),
				);
		}
		return await setSplits(transaction, version, wanted);
	}

	/** The old example of each row; undefined for those that are new. */
	async #match(
		transaction: Transaction<Tables>,
		rows: readonly UploadedRow[],
		batch: Batch,
	): Promise<Map<UploadedRow, Match | undefined>> {
		const matches = new Map<UploadedRow, Match | undefined>();
		const named = await this.#findNamed(transaction, rows);
		const newIds = new Set<string>();
		for (const row of rows) {
			const { exampleId } = row;
			if (exampleId === undefined) continue;
			const match = named.get(exampleId);
			if (newIds.has(exampleId) || (match !== undefined && this.#isTouched(match.id, batch))) {
				throw duplicateExampleId(exampleId);
			}
			newIds.add(exampleId);
			if (match !== undefined) batch.touched.add(match.id);
			matches.set(row, match);
		}
		const unnamed = rows.filter(({ exampleId }) => exampleId === undefined);
		const isNewDataset = this.#begun.before === undefined;
		for (const row of unnamed) matches.set(row, undefined);
		if (!isNewDataset) await this.#matchByContent(transaction, unnamed, matches, batch);
		return matches;
	}

	#isTouched(id: number, { touched }: Batch): boolean {
		return touched.has(id) || this.#touched.has(id);
	}

	/** Old examples by the ids that rows have. */
	async #findNamed(db: Kysely<Tables>, rows: readonly UploadedRow[]): Promise<Map<string, Match>> {
		const texts = rows.flatMap(({ exampleId }) => exampleId ?? []);
		const found = new Map<string, Match>();
		if (texts.length === 0) return found;
		const { datasetId } = this.#begun.version;
		const numbers = new Map(texts.map((text) => [text, decodeGlobalId(text, "DatasetExample")]));
		const examples = db
			.selectFrom("dataset_examples as example")
			.leftJoin("dataset_example_revisions as revision", (join) =>
				join.onRef("revision.example_id", "=", "example.id").on("revision.to_version", "is", null),
			)
			.select(["example.id", "example.external_id", "revision.content_hash"])
			.where("example.dataset_id", "=", datasetId);
		const external = texts.filter((text) => numbers.get(text) === undefined);
		const ids = texts.flatMap((text) => numbers.get(text) ?? []);
		const byExternalId = await examples.where("example.external_id", "in", listed(external)).execute();
		for (const row of byExternalId) if (row.external_id !== null) found.set(row.external_id, toMatch(row));
		const byId = new Map((await examples.where("example.id", "in", listed(ids)).execute()).map((row) => [row.id, row]));
		const unknown: string[] = [];
		for (const [text, number] of numbers) {
			if (number === undefined) continue;
			const row = byId.get(number);
			if (row === undefined) unknown.push(text);
			else found.set(text, toMatch(row));
		}
		if (unknown.length === 0) return found;
		throw new UserError(
			422,
			"example_not_found",
			`No examples found in this dataset with the following IDs: ${unknown
				.slice(0, 20)
				.map((text) => `'${cut(text)}'`)
				.join(", ")}`,
		);
	}

	/** Gives each row the first old example of the same content that no other row has. */
	async #matchByContent(
		transaction: Transaction<Tables>,
		rows: readonly UploadedRow[],
		matches: Map<UploadedRow, Match | undefined>,
		batch: Batch,
	): Promise<void> {
		let open = Map.groupBy(rows, ({ content }) => content.hash);
		while (open.size > 0) {
			const rest = new Map<string, UploadedRow[]>();
			for (const { hash, candidates } of await this.#findCandidates(transaction, [...open.keys()], batch)) {
				const waiting = open.get(hash) ?? [];
				for (const id of candidates) {
					const row = waiting[0];
					if (row === undefined) break;
					if (candidates.length > 1) batch.after.set(hash, id);
					if (this.#named.has(id) || this.#isTouched(id, batch)) continue;
					batch.touched.add(id);
					matches.set(row, { id, hash });
					waiting.shift();
				}
				if (waiting.length > 0 && candidates.length === CANDIDATES) rest.set(hash, waiting);
			}
			open = rest;
		}
	}

	async #findCandidates(
		transaction: Transaction<Tables>,
		hashes: readonly string[],
		{ after }: Batch,
	): Promise<{ hash: string; candidates: number[] }[]> {
		const { datasetId, versionId } = this.#begun.version;
		const wanted = hashes.map((hash) => [hash, after.get(hash) ?? this.#after.get(hash) ?? 0]);
		const { rows } = await sql<{ hash: string; ids: string }>`
			select wanted.hash, (
				select ${jsonListOf(sql`example_id`)} from (
					select example_id from dataset_example_revisions
					where dataset_id = ${datasetId}
						and content_hash = ${bytesOfHex(sql`wanted.hash`)}
						and example_id > wanted.after
						and to_version is null
						and from_version < ${versionId}
					order by example_id
					limit ${CANDIDATES}
				) as candidates
			) as ids
			from ${table("wanted", { hash: "text", after: "bigint" }, wanted)}`.execute(transaction);
		return rows.map(({ hash, ids }) => ({ hash, candidates: JSON.parse(ids) }));
	}

	/** Deletes the old examples that no row was about. */
	async #deleteOthers({ latest_version }: DatasetRow): Promise<void> {
		const { version } = this.#begun;
		if (latest_version === null) return;
		for (let after = 0; ; ) {
			const rows = await this.#context.db.read
				.selectFrom("dataset_example_revisions")
				.select("example_id")
				.where("dataset_id", "=", version.datasetId)
				.where("example_id", ">", after)
				.where("from_version", "<", version.versionId)
				.where("to_version", "is", null)
				.orderBy("example_id")
				.limit(BATCH_ROWS)
				.execute();
			const last = rows.at(-1);
			if (last === undefined) return;
			after = last.example_id;
			const others = rows.map(({ example_id }) => example_id).filter((id) => !this.#touched.has(id));
			if (others.length === 0) continue;
			await this.#inTurn((transaction) => endRevisions(transaction, version, others, { splitsToo: true }));
			this.#deleted += others.length;
		}
	}

	async #finish(transaction: Transaction<Tables>, principal: Principal): Promise<UploadResult> {
		await assertStillAllowed(transaction, principal, "write");
		const { version, before } = this.#begun;
		const { datasetId, versionId } = version;
		const counts = { created: this.#created, updated: this.#updated, deleted: this.#deleted };
		await transaction.deleteFrom("dataset_uploads").where("version_id", "=", versionId).execute();
		const latest = before?.latest_version ?? null;
		if (latest !== null && counts.created + counts.updated + counts.deleted === 0) {
			return { datasetId, versionId: latest, counts };
		}
		await transaction.updateTable("datasets").set({ state: "ready" }).where("id", "=", datasetId).execute();
		await showSplits(transaction, this.#newSplits);
		const { description } = this.#upload;
		const dataset = await findDataset(transaction, datasetId);
		if (dataset === undefined) throw datasetNotFound("The dataset was deleted during the upload");
		await insertVersion(transaction, version, dataset, { counts, description, principal });
		return { datasetId, versionId, counts };
	}
}

function toMatch({ id, content_hash }: { id: number; content_hash: Uint8Array | null }): Match {
	return { id, hash: content_hash === null ? null : Buffer.from(content_hash).toString("hex") };
}

/** The stored spans that rows name, by hex id; with none, or several of the same id, the first. */
async function findSpans(
	{ traces }: Context,
	transaction: Transaction<Tables>,
	rows: readonly UploadedRow[],
): Promise<Map<string, SpanLink>> {
	const hexes = rows.flatMap(({ spanId }) =>
		spanId === undefined || !/^[0-9a-f]{16}$/i.test(spanId) ? [] : spanId.toLowerCase(),
	);
	if (hexes.length === 0) return new Map();
	const ids = await traces.findSpanRows([...new Set(hexes)]);
	const { rows: spans } = await sql<{ rowId: number; traceId: string; spanId: string }>`
		select spans.id as "rowId", ${hexOf(sql`traces.trace_id`)} as "traceId", ${hexOf(sql`spans.span_id`)} as "spanId"
		from spans
		join traces on traces.id = spans.trace_row_id
		where spans.id in ${listed(ids)}
		order by spans.id desc`.execute(transaction);
	return new Map(spans.map((span) => [span.spanId, span]));
}

/** @throws UserError 413 when the examples are together larger than `maxBytes`: short cells may have long names */
async function* inBatches(
	rows: AsyncIterable<UploadedRow> | Iterable<UploadedRow>,
	maxBytes: number,
): AsyncGenerator<UploadedRow[]> {
	let total = 0;
	let batch: UploadedRow[] = [];
	let bytes = 0;
	let count = 0;
	for await (const row of rows) {
		count += 1;
		assertRowCount(count);
		batch.push(row);
		const { input, output, metadata } = row.content;
		const length = input.length + output.length + metadata.length;
		bytes += length;
		total += length;
		if (total > maxBytes) throw uploadTooLarge();
		if (batch.length < BATCH_ROWS && bytes < BATCH_BYTES) continue;
		yield batch;
		batch = [];
		bytes = 0;
	}
	if (batch.length > 0) yield batch;
}
