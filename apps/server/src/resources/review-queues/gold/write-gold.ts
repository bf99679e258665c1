import type { Transaction } from "kysely";
import { UserError } from "#base/errors.ts";
import type { WritingContext } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import type { Principal } from "#http/principal.ts";
import { toHome } from "#http/seen-homes.ts";
import { insertVersion } from "#resources/datasets/change-dataset.ts";
import { findDataset } from "#resources/datasets/queries.ts";
import { DISCARDED } from "#resources/datasets/unfinished.ts";
import { deleteUpload, findUpload, showDataset } from "#resources/datasets/upload/queries.ts";
import { endRevisions, insertExamples, insertRevisions, type NewVersion } from "#resources/datasets/version-writer.ts";
import { checkWidening, homesOfProjects } from "#resources/projects/homes.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import type { QueueRow } from "../queues.ts";
import type { GoldExample } from "./gold-examples.ts";
import { projectsOfGold, readGold } from "./gold-items.ts";
import { type Advance, advanceGoldRun, type GoldRunRow, type LeftOut, parametersOf } from "./gold-runs.ts";
import { makeExamples } from "./make-examples.ts";

/** Items of a step. */
const STEP = 200;

/** The run was cancelled, or another process has advanced it. */
export class GoldRunEnded extends Error {
	override readonly name = "GoldRunEnded";
}

/** A run at work, with the rights of now of who started it. */
interface GoldWork {
	readonly run: GoldRunRow;
	readonly queue: QueueRow;
	readonly actor: Actor;
}

/**
 * Makes examples of the next items, in one transaction with the progress; or shows the version after the last ones.
 * @throws UserError when the run cannot go on; GoldRunEnded
 */
export async function advanceWork(context: WritingContext, work: GoldWork): Promise<void> {
	const { run, queue, actor } = work;
	const { onlyDecisions, outputConfigId } = parametersOf(run);
	const query = { queue, rights: actor.rights, onlyDecisions };
	const found = await readGold(context.db.read, query, { after: run.position, limit: STEP });
	if (found.length === 0) return await showVersion(context, work, await projectsOfGold(context.db.read, query));
	const { taken, examples, leftOut } = await makeExamples(actor.traces, queue, found, outputConfigId);
	const progress = { position: found[taken - 1]?.item.id ?? run.position, done_items: run.done_items + taken };
	for (const { span } of examples) actor.enter(span.projectId, "viewer");
	await writeVersion(context, work, async (transaction, version) => {
		await mayTake(context, transaction, work, new Set(examples.map(({ span }) => span.projectId)));
		const { created, updated } = await putExamples(actor, transaction, version, examples);
		const counts = {
			created_examples: run.created_examples + created,
			updated_examples: run.updated_examples + updated,
			unchanged_examples: run.unchanged_examples + taken - leftOut.length - created - updated,
		};
		return { change: { ...progress, ...counts }, leftOut };
	});
}

/** The version becomes visible, and with it a dataset that it is the first one of. */
async function showVersion(context: WritingContext, work: GoldWork, projects: readonly number[]): Promise<void> {
	const { run, actor } = work;
	if (run.created_examples + run.updated_examples + run.unchanged_examples === 0)
		throw new UserError(409, "no_gold", "No item has a gold answer that becomes an example.");
	await writeVersion(context, work, async (transaction, version, principal) => {
		await mayTake(context, transaction, work, projects);
		await deleteUpload(transaction, version.versionId);
		await showDataset(transaction, version.datasetId);
		const dataset = await findDataset(transaction, actor, version.datasetId);
		if (dataset === undefined) throw datasetGone();
		const counts = { created: run.created_examples, updated: run.updated_examples, deleted: 0 };
		const description = `Gold answers of the review queue ${work.queue.name}`;
		await insertVersion(transaction, version, dataset, { counts, description, principal });
		return { change: { state: "done" as const } };
	});
}

interface Written {
	readonly change: Advance;
	readonly leftOut?: readonly LeftOut[];
}

/** @param write gets the principal as it is now */
async function writeVersion(
	{ now }: WritingContext,
	{ run, actor }: GoldWork,
	write: (transaction: Transaction<Tables>, version: NewVersion, principal: Principal) => Promise<Written>,
): Promise<void> {
	const { dataset_id: datasetId, version_id: versionId } = run;
	await actor.change(async (transaction, principal) => {
		const upload = await findUpload(transaction, versionId);
		if (datasetId === null || upload === undefined) throw datasetGone();
		if (upload.started_at === DISCARDED) throw new GoldRunEnded();
		const at = now();
		const { change, leftOut = [] } = await write(transaction, { datasetId, versionId, now: at }, principal);
		if (!(await advanceGoldRun(transaction, run, change, { leftOut, now: at }))) throw new GoldRunEnded();
	});
}

/** Looks whether examples of these projects may go to the dataset. @throws UserError 403, 404, 409 `wider_access` */
async function mayTake(
	context: WritingContext,
	transaction: Transaction<Tables>,
	{ run, actor }: GoldWork,
	projects: Iterable<number>,
): Promise<void> {
	const dataset = await transaction
		.selectFrom("datasets")
		.select("project_id")
		.where("id", "=", run.dataset_id)
		.where("state", "<>", "deleting")
		.executeTakeFirst();
	if (dataset === undefined) throw datasetGone();
	const to = toHome(dataset.project_id);
	actor.enter(to, "editor");
	const from = await homesOfProjects(context, projects);
	await checkWidening(context, transaction, actor, { from, to, isAllowed: parametersOf(run).allowWiderAccess });
}

/** New examples, and other contents of those that the dataset has of the same spans. */
async function putExamples(
	{ traces }: Pick<Actor, "traces">,
	transaction: Transaction<Tables>,
	version: NewVersion,
	examples: readonly GoldExample[],
): Promise<{ readonly created: number; readonly updated: number }> {
	const present = await findPresent(transaction, version, examples);
	const changed = examples.flatMap(({ span, content }) => {
		const old = present.get(span.rowId);
		return old === undefined || old.isOfRun || old.hash === content.hash ? [] : { exampleId: old.id, content };
	});
	const added = examples.filter(({ span }) => !present.has(span.rowId));
	await endRevisions(
		transaction,
		version,
		changed.map(({ exampleId }) => exampleId),
		{ splitsToo: false },
	);
	await insertRevisions(transaction, version, changed);
	await insertExamples(traces, transaction, version, added);
	return { created: added.length, updated: changed.length };
}

interface PresentExample {
	readonly id: number;
	readonly hash: string;
	/** Another item with the same span has given its content. */
	readonly isOfRun: boolean;
}

/** The first example of each span that the dataset has; by row number of the span. */
async function findPresent(
	transaction: Transaction<Tables>,
	{ datasetId, versionId }: NewVersion,
	examples: readonly GoldExample[],
): Promise<ReadonlyMap<number, PresentExample>> {
	const rows = await transaction
		.selectFrom("dataset_examples as example")
		.innerJoin("dataset_example_revisions as revision", "revision.example_id", "example.id")
		.select(["example.id", "example.span_row_id", "revision.content_hash", "revision.from_version"])
		.where("example.dataset_id", "=", datasetId)
		.where("example.span_row_id", "in", listed(examples.map(({ span }) => span.rowId)))
		.where("revision.to_version", "is", null)
		.orderBy("example.id", "desc")
		.execute();
	return new Map(
		rows.flatMap(({ id, span_row_id, content_hash, from_version }) => {
			if (span_row_id === null) return [];
			const hash = Buffer.from(content_hash).toString("hex");
			return [[span_row_id, { id, hash, isOfRun: from_version === versionId }] as const];
		}),
	);
}

function datasetGone(): UserError {
	return new UserError(404, "dataset_not_found", "The dataset was deleted during the run");
}
