import type { Transaction } from "kysely";
import { mayWiden } from "#access/rights/wider-access.ts";
import { notFound, UserError } from "#base/errors.ts";
import { present } from "#base/present.ts";
import type { Context, WritingContext } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import { enterSeen } from "#http/enter-seen.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { userOf } from "#http/principal.ts";
import { toHome } from "#http/seen-homes.ts";
import type { Tables } from "#storage/schema.ts";
import type { Keyset, Page, StoredSpan } from "#storage/traces/trace-store.ts";
import { keyOf, replaceAnnotations } from "../annotations/write-annotations.ts";
import { changeDataset } from "../datasets/change-dataset.ts";
import { exampleOfSpan } from "../datasets/span-examples.ts";
import { putIntoSplits } from "../datasets/splits/members.ts";
import { insertExamples } from "../datasets/version-writer.ts";
import { findProject } from "../projects/queries.ts";
import { FULL, insertFitting } from "../review-queues/items.ts";
import { getOpenQueue } from "../review-queues/queues.ts";
import { positionOf, type SelectedItem } from "../selections/selection.ts";
import { type Advance, advance, type BulkRunRow, type Failure, parametersOf, type Step } from "./bulk-runs.ts";

/** The most items of a step. */
export const STEP_ITEMS: Readonly<Record<BulkRunRow["action"], number>> = {
	delete: 500,
	move: 500,
	annotate: 500,
	add_to_dataset: 500,
	add_to_review_queue: 1_000,
};
/** About the most spans of a step of traces. */
export const STEP_SPANS = 1_000;
/** Traces of a session that are deleted at a time. */
const SESSION_TRACES = 500;
/** Characters of examples after which a step ends. */
const EXAMPLE_BYTES = 8 * 1_024 * 1_024;
/** Spans, and bytes of them, that are read at a time to make examples. */
const CHUNK = 50;
const CHUNK_BYTES = 4 * 1_024 * 1_024;

export interface StepOfRun {
	readonly run: BulkRunRow;
	readonly actor: Actor;
	readonly step: Step;
	/** The step had begun before the server stopped. */
	readonly isResumed: boolean;
	/** Called after each transaction of a deletion; false when the run must end. */
	readonly onBatch: (current: BulkRunRow) => Promise<boolean>;
}

/**
 * Applies the action of a run to the items of a step, and records the progress.
 *
 * Annotations, examples and items of review queues are written in the transaction of the progress. Deleting and moving take several, so their
 * items are recorded before: after a crash the same ones are deleted or moved again, which changes nothing.
 * @throws UserError when the run cannot go on
 */
export async function applyStep(context: WritingContext, work: StepOfRun): Promise<void> {
	switch (work.run.action) {
		case "delete":
			return await withRecord(context, work, (run) => deleteItems(context, work, run));
		case "move":
			return await withRecord(context, work, () => moveTraces(context, work));
		case "annotate":
			return await annotateItems(context, work);
		case "add_to_dataset":
			return await addExamples(context, work);
		case "add_to_review_queue":
			return await addReviewItems(context, work);
	}
}

/** @param act returns false when it was ended early; the step is done again if the run goes on */
async function withRecord(
	{ db, now }: WritingContext,
	{ run, actor, step, isResumed }: StepOfRun,
	act: (current: BulkRunRow) => Promise<boolean>,
): Promise<void> {
	const current = isResumed
		? run
		: await actor.change(async (transaction) => {
				return await advance(transaction, run, { step: JSON.stringify(step) }, { now: now() });
			});
	if (current === undefined) return;
	if (step.items.length > 0 && !(await act(current))) return;
	await db.write((transaction) =>
		advance(transaction, current, progressOf(current, step, step.items.length), { now: now() }),
	);
}

async function deleteItems(
	{ traces }: WritingContext,
	{ actor, step: { items }, onBatch }: StepOfRun,
	run: BulkRunRow,
): Promise<boolean> {
	const { project_id: projectId, kind } = run;
	let goesOn = true;
	const next = async () => {
		goesOn = await onBatch(run);
		return goesOn;
	};
	const rowIds = items.map(({ rowId }) => rowId);
	if (kind === "span") await actor.changeTraces((changed) => changed.deleteSpans(projectId, rowIds, next));
	else if (kind === "trace") await deleteTraces(rowIds);
	else
		for (const sessionRowId of rowIds) {
			await deleteTracesOfSession(sessionRowId);
			if (!goesOn) return false;
			await actor.changeTraces((changed) => changed.deleteSession(sessionRowId));
		}
	return goesOn;

	function deleteTraces(traceRowIds: readonly number[]): Promise<void> {
		return actor.changeTraces((changed) => changed.deleteTraces(projectId, traceRowIds, next));
	}

	async function deleteTracesOfSession(sessionRowId: number): Promise<void> {
		while (goesOn) {
			const { items: members } = await traces.listTraces({
				projectId,
				sessionRowIds: [sessionRowId],
				withTexts: false,
				sort: "start_time",
				order: "asc",
				limit: SESSION_TRACES,
			});
			if (members.length === 0) return;
			await deleteTraces(members.map(({ id }) => id));
		}
	}
}

async function moveTraces(context: Context, { actor, run, step: { items } }: StepOfRun): Promise<boolean> {
	const { destinationProjectId, allowWiderAccess: isAllowed } = parametersOf(run);
	const destination = await findProject(context.db.read, present(destinationProjectId, "the destination of a move"));
	if (destination === undefined || !enterSeen(actor, destination.id, "editor"))
		throw notFound("project_not_found", "The destination project was deleted.");
	const rowIds = items.map(({ rowId }) => rowId);
	const leaving = { from: run.project_id, to: destination.id, isAllowed };
	await actor.changeTraces(async (changed) => {
		// The project may have been restricted since the run was started.
		await mayWiden(context, context.db.read, leaving);
		await changed.transferTraces(rowIds, destination.id);
	});
	return true;
}

async function annotateItems({ now, traces }: WritingContext, { run, actor, step }: StepOfRun): Promise<void> {
	const { annotation, source } = parametersOf(run);
	const item = { ...present(annotation, "the annotation of a run"), documentPosition: -1 };
	await actor.change(async (transaction, author) => {
		const rowIds = step.items.map(({ rowId }) => rowId);
		const found = await traces.findEntities(run.kind, rowIds, transaction);
		const entities = found.filter(({ projectId }) => projectId === run.project_id);
		const authorship = { source, userId: userOf(author)?.id ?? null, at: now() };
		const annotations = entities.map((entity) => ({ target: run.kind, item, entity, authorship }));
		const written = await replaceAnnotations(transaction, actor, annotations);
		const failures = entities
			.filter(({ rowId }) => !written.has(keyOf(rowId, item)))
			.map(({ rowId }) => ({ rowId, reason: "Somebody else's annotation has this name and identifier." }));
		await record(transaction, run, progressOf(run, step, written.size), failures, now());
	});
}

async function addExamples(context: WritingContext, { run, actor, step }: StepOfRun): Promise<void> {
	const { db, now, traces } = context;
	const { datasetId, splits, allowWiderAccess: isAllowed } = parametersOf(run);
	const { taken, examples, failures } = await readExamples(context, run, step.items);
	const last = taken.at(-1);
	const done: Step =
		taken.length === step.items.length || last === undefined ? step : { items: taken, next: positionOf(last) };
	const change = progressOf(run, done, examples.length);
	if (examples.length === 0) {
		await db.write((transaction) => record(transaction, run, change, failures, now()));
		return;
	}
	const id = encodeGlobalId("Dataset", present(datasetId, "the dataset of a run"));
	await changeDataset(context, { datasetId: id, actor }, async (transaction, version, { project_id }) => {
		await mayWiden(context, transaction, { from: run.project_id, to: toHome(project_id), isAllowed });
		const ids = await insertExamples(traces, transaction, version, examples);
		await putIntoSplits(transaction, version, ids, splits);
		await record(transaction, run, change, failures, now());
		return { counts: { created: ids.length, updated: 0, deleted: 0 }, result: undefined };
	});
}

async function addReviewItems({ now, traces }: WritingContext, { run, actor, step }: StepOfRun): Promise<void> {
	const { reviewQueueId, priority = 0 } = parametersOf(run);
	const id = encodeGlobalId("ReviewQueue", present(reviewQueueId, "the review queue of a run"));
	await actor.change(async (transaction) => {
		const queue = await getOpenQueue(transaction, id);
		const rowIds = step.items.map(({ rowId }) => rowId);
		const found = await traces.findEntities(run.kind, rowIds, transaction);
		const entities = found.filter(({ projectId }) => projectId === run.project_id);
		const at = now();
		const { left } = await insertFitting(transaction, queue, entities, { priority, now: at });
		const change = progressOf(run, step, entities.length - left.length);
		const end = { state: "failed", error: `${FULL} What fitted was added; make another queue for the rest.` } as const;
		await record(transaction, run, left.length === 0 ? change : { ...change, ...end }, [], at);
	});
}

type Example = ReturnType<typeof exampleOfSpan>;

/** Examples of the first items, as many as fit into one step. */
async function readExamples(context: WritingContext, run: BulkRunRow, items: readonly SelectedItem[]) {
	const examples: Example[] = [];
	const failures: Failure[] = [];
	const taken: SelectedItem[] = [];
	let bytes = 0;
	for (let start = 0; start < items.length && bytes < EXAMPLE_BYTES; start += CHUNK) {
		const chunk = items.slice(start, start + CHUNK);
		const rowIds = chunk.flatMap(({ spanRowId }) => spanRowId ?? []);
		const made = await examplesOf(context, run.project_id, rowIds);
		for (const item of chunk) {
			taken.push(item);
			const example = made.get(item.spanRowId ?? 0) ?? `The ${run.kind} was deleted or moved meanwhile.`;
			if (typeof example === "string") failures.push({ rowId: item.rowId, reason: example });
			else {
				examples.push(example);
				const { input, output, metadata } = example.content;
				bytes += input.length + output.length + metadata.length;
			}
		}
	}
	return { taken, examples, failures };
}

/** The examples of existing spans, or why one cannot be made, by row number. */
async function examplesOf({ traces }: WritingContext, projectId: number, rowIds: readonly number[]) {
	const made = new Map<number, Example | string>();
	let from: Keyset | undefined;
	do {
		const page: Page<StoredSpan> = await traces.listStoredSpans({
			...{ projectId, rowIds, sort: "id", order: "asc", limit: CHUNK, maxContentBytes: CHUNK_BYTES },
			...(from === undefined ? {} : { from }),
		});
		for (const span of page.items) made.set(span.summary.id, exampleOrReason(span));
		from = page.next;
	} while (from !== undefined);
	return made;
}

function exampleOrReason(span: StoredSpan): Example | string {
	try {
		return exampleOfSpan(span);
	} catch (error) {
		if (error instanceof UserError) return error.message;
		throw error;
	}
}

/** The row of a run after `done` items of a step succeeded. */
function progressOf(run: BulkRunRow, { items, next: following }: Step, done: number) {
	const last = items.at(-1);
	const { limit } = parametersOf(run);
	const next = limit !== undefined && run.done_items + done >= limit ? undefined : following;
	const position = next ?? (last === undefined ? undefined : positionOf(last));
	return {
		state: next === undefined ? ("done" as const) : ("running" as const),
		position: position === undefined ? run.position : JSON.stringify(position),
		step: null,
		done_items: run.done_items + done,
	};
}

/** Undoes the transaction when the run was cancelled, or advanced by another process, meanwhile. */
async function record(
	transaction: Transaction<Tables>,
	run: BulkRunRow,
	change: Advance,
	failures: readonly Failure[],
	now: number,
): Promise<void> {
	if ((await advance(transaction, run, change, { failures, now })) === undefined) throw new RunEnded();
}

/** The run was cancelled, or another process has advanced it. */
export class RunEnded extends Error {
	override readonly name = "RunEnded";
}
