import type { Transaction } from "kysely";
import { livesAt } from "#access/rights/reasons.ts";
import { UserError } from "#base/errors.ts";
import { present } from "#base/present.ts";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import type { Principal } from "#http/principal.ts";
import { toHome } from "#http/seen-homes.ts";
import { widenIn } from "#resources/projects/homes.ts";
import type { Tables } from "#storage/schema.ts";
import { storedSpanId } from "#storage/traces/sent-ids/sent-ids.ts";
import { type Counts, insertVersion, whenFree } from "../change-dataset.ts";
import { findLinkedSpans } from "../linked-spans.ts";
import { type DatasetRow, datasetNotFound, findDataset } from "../queries.ts";
import { DISCARDED, discardUpload, leaseOf } from "../unfinished.ts";
import { addSplits, endRevisions, insertExamples, insertRevisions, setSplits, showSplits } from "../version-writer.ts";
import { BATCH_ROWS, inBatches } from "./batches.ts";
import { type BegunUpload, beginUpload, findDestination, sourcesOf, type Uploader } from "./begin-upload.ts";
import { ExampleMatcher, type Taken } from "./match-examples.ts";
import { deleteUpload, findUpload, listOldExamples, showDataset } from "./queries.ts";
import type { Upload, UploadedRow } from "./uploaded-rows.ts";

export interface UploadResult {
	readonly datasetId: number;
	readonly versionId: number;
	readonly counts: Counts;
}

/**
 * Writes an upload in many short transactions. It becomes visible with its version, which is inserted last; when it
 * fails, or the process ends, its rows are deleted.
 * @throws UserError 409 when the name is taken, or another upload to the dataset takes too long; those of
 * {@link findDestination}
 */
export async function writeUpload(context: Context, upload: Upload, uploader: Uploader): Promise<UploadResult> {
	const { log } = context;
	const { actor } = uploader;
	const sources = await sourcesOf(context, actor, upload);
	const begun = await whenFree(async () => {
		const destination = await findDestination(context, actor, upload, sources);
		return await actor.change((transaction) => beginUpload(transaction, context, upload, { uploader, destination }));
	});
	let result: UploadResult | undefined;
	await context.cluster.withLease(leaseOf.upload(begun.version.versionId), async (lost) => {
		try {
			result = await new UploadWriter(context, upload, begun, { uploader, lost }).write();
		} catch (error) {
			await discardUpload(context, begun.version).catch((failure: unknown) =>
				log.error(
					{ err: failure, datasetId: begun.version.datasetId },
					"what a failed upload wrote will be discarded later",
				),
			);
			throw error;
		}
	});
	if (result === undefined) throw uploadLost();
	return result;
}

/** For an upload that another process has discarded, as the database was unreachable for too long. */
function uploadLost(): UserError {
	return new UserError(503, "upload_lost", "The upload was interrupted, and nothing of it was stored; send it again.", {
		retryAfter: 5,
	});
}

/** What the rows of one transaction changed. Noted only after the commit, as a transaction may be run again. */
interface Batch extends Taken {
	/** Row numbers by name. */
	readonly newSplits: Map<string, number>;
	/** Projects of spans. */
	readonly sources: ReadonlySet<number>;
	created: number;
	updated: number;
}

class UploadWriter {
	readonly #context: Context;
	readonly #upload: Upload;
	readonly #begun: BegunUpload;
	readonly #matcher: ExampleMatcher;
	/** Row numbers by name. */
	readonly #splits: Map<string, number>;
	readonly #newSplits: number[] = [];
	readonly #actor: Actor;
	readonly #lost: AbortSignal;
	readonly #uploader: Uploader;
	/** The projects of the spans that its examples are linked to. */
	readonly #sources = new Set<number>();
	#created = 0;
	#updated = 0;
	#deleted = 0;

	/** @param lost aborts when the lease is lost, so that another process may discard the upload */
	constructor(
		context: Context,
		upload: Upload,
		begun: BegunUpload,
		{ uploader, lost }: { readonly uploader: Uploader; readonly lost: AbortSignal },
	) {
		this.#uploader = uploader;
		this.#actor = uploader.actor;
		this.#lost = lost;
		this.#context = context;
		this.#upload = upload;
		this.#begun = begun;
		this.#matcher = new ExampleMatcher(begun.version, begun.before !== undefined);
		this.#splits = new Map(begun.splitIds);
	}

	async write(): Promise<UploadResult> {
		const { before } = this.#begun;
		const maxBytes = this.#context.config.SERVICE_MAX_UPLOAD_BYTES;
		if (before !== undefined && this.#upload.hasExampleIds) {
			for await (const rows of inBatches(this.#upload.rows(), maxBytes)) {
				await this.#matcher.noteNamed(this.#context.db.read, rows);
			}
		}
		for await (const rows of inBatches(this.#upload.rows(), maxBytes)) {
			this.#note(await this.#inTurn((transaction) => this.#writeRows(transaction, rows)));
		}
		if (before !== undefined && this.#upload.action === "update") await this.#deleteOthers(before);
		return await this.#inTurn((transaction, principal) => this.#finish(transaction, principal));
	}

	/** @throws UserError 404 when the dataset was deleted meanwhile */
	#inTurn<T>(work: (transaction: Transaction<Tables>, principal: Principal) => Promise<T>): Promise<T> {
		if (this.#lost.aborted) throw uploadLost();
		return this.#actor.change(async (transaction, principal) => {
			const upload = await findUpload(transaction, this.#begun.version.versionId);
			if (upload === undefined) throw datasetNotFound("The dataset was deleted during the upload");
			if (upload.started_at === DISCARDED) throw uploadLost();
			return await work(transaction, principal);
		});
	}

	/** Notes what a committed transaction changed. */
	#note(batch: Batch): void {
		this.#matcher.note(batch);
		const { newSplits, sources, created, updated } = batch;
		for (const id of sources) this.#sources.add(id);
		for (const [name, id] of newSplits) {
			this.#splits.set(name, id);
			this.#newSplits.push(id);
		}
		this.#created += created;
		this.#updated += updated;
	}

	async #writeRows(transaction: Transaction<Tables>, rows: readonly UploadedRow[]): Promise<Batch> {
		const { version } = this.#begun;
		const spans = await findLinkedSpans(this.#actor, rows);
		const sources = new Set(Array.from(spans.values(), ({ projectId }) => projectId));
		const batch: Batch = {
			...{ touched: new Set(), after: new Map(), newSplits: new Map(), sources },
			...{ created: 0, updated: 0 },
		};
		const matches = await this.#matcher.match(transaction, rows, batch);
		const created = rows.filter((row) => matches.get(row) === undefined);
		const ids = await insertExamples(
			this.#actor.traces,
			transaction,
			version,
			created.map(({ exampleId, content, spanId }) => ({
				externalId: exampleId,
				content,
				span: spanId === undefined ? undefined : spans.get(storedSpanId(spanId)),
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

		const exampleOf = new Map<UploadedRow, number>(
			created.map((row, position) => [row, present(ids[position], "the row number of an example")]),
		);
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

	/** Deletes the old examples that no row matched. */
	async #deleteOthers({ latest_version }: DatasetRow): Promise<void> {
		const { version } = this.#begun;
		if (latest_version === null) return;
		for (let after = 0; ; ) {
			const old = await listOldExamples(this.#context.db.read, version, { after, limit: BATCH_ROWS });
			const last = old.at(-1);
			if (last === undefined) return;
			after = last;
			const others = old.filter((id) => !this.#matcher.wasTouched(id));
			if (others.length === 0) continue;
			await this.#inTurn((transaction) => endRevisions(transaction, version, others, { splitsToo: true }));
			this.#deleted += others.length;
		}
	}

	async #finish(transaction: Transaction<Tables>, principal: Principal): Promise<UploadResult> {
		const { version, before } = this.#begun;
		const { datasetId, versionId } = version;
		const counts = { created: this.#created, updated: this.#updated, deleted: this.#deleted };
		await deleteUpload(transaction, versionId);
		const latest = before?.latest_version ?? null;
		if (latest !== null && counts.created + counts.updated + counts.deleted === 0) {
			return { datasetId, versionId: latest, counts };
		}
		await showDataset(transaction, datasetId);
		await showSplits(transaction, this.#newSplits);
		const { description } = this.#upload;
		const dataset = await findDataset(transaction, this.#actor, datasetId);
		if (dataset === undefined) throw datasetNotFound("The dataset was deleted during the upload");
		await this.#widen(transaction, dataset);
		await insertVersion(transaction, version, dataset, { counts, description, principal });
		return { datasetId, versionId, counts };
	}

	/** Now others see it: what its spans are in may have been restricted since the upload began. */
	async #widen(transaction: Transaction<Tables>, { id, name, project_id }: DatasetRow): Promise<void> {
		const state = await this.#context.auth.rights.stateIn(transaction);
		const from = new Set(Array.from(this.#sources, (project) => livesAt(state, project)));
		const widening = { from, to: toHome(project_id), isAllowed: this.#upload.isWiderAllowed };
		const about = { action: "upload", target: { type: "dataset", id, name }, request: this.#uploader } as const;
		await widenIn(transaction, this.#context, this.#actor, widening, about);
	}
}
