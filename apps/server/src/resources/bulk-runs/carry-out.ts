import { setTimeout as sleep } from "node:timers/promises";
import { accessEnded } from "#access/auth/access-errors.ts";
import { actIn } from "#access/auth/act-as.ts";
import { UserError } from "#base/errors.ts";
import type { Context, WritingContext } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import { enterSeen } from "#http/enter-seen.ts";
import type { Principal } from "#http/principal.ts";
import { leasedJob, mayContinue, wakeForOthers } from "#storage/repeated-job.ts";
import { ConditionTooSlow } from "#storage/traces/condition-too-slow.ts";
import type { Caller } from "#storage/traces/trace-store.ts";
import { listSelected, positionOf, type SelectedPage, type Selection } from "../selections/selection.ts";
import { applyStep, RunEnded, STEP_ITEMS, STEP_SPANS } from "./actions.ts";
import {
	advance,
	type BulkRunRow,
	isCurrent,
	listUnfinished,
	parametersOf,
	parsePosition,
	parseStep,
	ROLE_FOR_ACTION,
	type Step,
	StoredSelection,
} from "./bulk-runs.ts";
import { principalOfRun } from "./principal-of-run.ts";

/** Interval of polling for unfinished runs; an event announces new ones. */
const EVERY_MS = 10_000;
/**
 * How long a run rests, as a multiple of the time that it worked: after writing much, after counting, which only reads, and
 * after work that is soon done, while nothing is received and while something is.
 */
const REST = 4;
const REST_OF_READS = 1;
const REST_OF_LIGHT = { alone: 0.25, besideReceiving: 7 };
const MAX_REST_MS = 4_000;
const COUNTED_AT_A_TIME = 2_000;

/**
 * Carries out bulk runs, a step of each in turn, so that a small one does not wait for a large one. Continues those
 * that a stopped server left.
 */
export function carryOutBulkRuns(context: WritingContext): AsyncDisposable {
	const { db, events } = context;
	const work = leasedJob(context, "bulk runs", EVERY_MS, async (stopped) => {
		let failed = 0;
		for (;;) {
			const runs = await listUnfinished(db.read);
			if (runs.length === 0) break;
			for (const run of runs) {
				if (stopped.aborted) return;
				if (!(await step(context, run, stopped))) failed += 1;
			}
		}
		if (failed > 0) throw new Error(`${failed} bulk runs ended with an error`);
	});
	const wake = () => work.wake();
	events.on("bulk_run_asked", wake);
	const stopWaking = wakeForOthers(context, "bulk_run", work);
	return {
		async [Symbol.asyncDispose]() {
			events.off("bulk_run_asked", wake);
			stopWaking();
			await work[Symbol.asyncDispose]();
		},
	};
}

/** @returns whether it succeeded */
async function step(context: WritingContext, run: BulkRunRow, stopped: AbortSignal): Promise<boolean> {
	const { db, log } = context;
	const pace = new Pace(stopped);
	try {
		const actor = await actIn(context)(await principalOf(context, run), "write", "editor");
		await actor.assertStillAllowed();
		if (!enterSeen(actor, run.project_id, ROLE_FOR_ACTION[run.action])) throw accessEnded();
		const isCounted = run.total_items !== null;
		if (isCounted) await dealWithSome(context, run, actor, pace);
		else await countSome(context, run);
		await pace.rest(restAfter(run.action, isCounted, context.ingest.isBusy));
		return true;
	} catch (error) {
		if (mayContinue(error)) throw error;
		if (error instanceof RunEnded) return true;
		const isKnown = error instanceof UserError || error instanceof ConditionTooSlow;
		if (error instanceof UserError && error.code === "dataset_busy") return true;
		if (!isKnown) log.error({ err: error, run: run.id }, "a bulk run failed");
		const reason = isKnown ? error.message : "It failed; the server's log says why.";
		await db.write((transaction) =>
			advance(transaction, run, { state: "failed", step: null, error: reason }, { now: context.now() }),
		);
		return isKnown;
	}
}

function restAfter(action: BulkRunRow["action"], isCounted: boolean, isReceiving: boolean): number {
	// Rows of one table are soon stored.
	if (action === "add_to_review_queue") return isReceiving ? REST_OF_LIGHT.besideReceiving : REST_OF_LIGHT.alone;
	return isCounted ? REST : REST_OF_READS;
}

/** Who started the run, with the rights of now. @throws UserError when that is nobody any more */
function principalOf(context: Context, run: BulkRunRow): Promise<Principal> {
	const { keyId, grantId } = parametersOf(run);
	return principalOfRun(context, { userId: run.user_id, keyId, grantId }, "started the run");
}

async function countSome(context: WritingContext, run: BulkRunRow): Promise<void> {
	const { limit = Number.MAX_SAFE_INTEGER } = parametersOf(run);
	const { items, next } = await list(context, run, COUNTED_AT_A_TIME);
	const counted_items = Math.min(run.counted_items + items.length, limit);
	const change =
		next === undefined || counted_items === limit
			? { counted_items, total_items: counted_items, position: null }
			: { counted_items, position: JSON.stringify(next) };
	await context.db.write((transaction) => advance(transaction, run, change, { now: context.now() }));
}

async function dealWithSome(context: WritingContext, run: BulkRunRow, actor: Actor, pace: Pace): Promise<void> {
	const isResumed = run.step !== null;
	const { limit = Number.MAX_SAFE_INTEGER } = parametersOf(run);
	const items = Math.min(STEP_ITEMS[run.action], limit - run.done_items);
	const step = run.step === null ? bounded(run, await list(context, run, items)) : parseStep(run.step);
	const onBatch = async (current: BulkRunRow) => {
		await pace.rest();
		return !pace.stopped.aborted && (await isCurrent(context.db.read, current));
	};
	await applyStep(context, { run, actor, step, isResumed, onBatch });
}

async function list({ traces }: WritingContext, run: BulkRunRow, limit: number): Promise<SelectedPage> {
	const stored = StoredSelection.parse(JSON.parse(run.selection));
	const selection: Selection = { projectId: run.project_id, kind: run.kind, ...stored };
	const caller: Caller = { name: `bulk run ${run.id}`, isPatient: true };
	return await listSelected(traces, selection, { after: parsePosition(run.position), limit, caller });
}

/** A step that deals with the spans of traces ends early rather than have many more than {@link STEP_SPANS} of them. */
function bounded({ action, kind }: BulkRunRow, page: SelectedPage): Step {
	if (kind !== "trace" || action === "add_to_review_queue") return page;
	let spans = 0;
	const end = page.items.findIndex((item, index) => {
		spans += item.spanCount;
		return index > 0 && spans > STEP_SPANS;
	});
	const last = page.items[end - 1];
	return end === -1 || last === undefined ? page : { items: page.items.slice(0, end), next: positionOf(last) };
}

/** Lets others write: they get most of the time. */
class Pace {
	readonly stopped: AbortSignal;
	#began = performance.now();

	constructor(stopped: AbortSignal) {
		this.stopped = stopped;
	}

	/** @param times as long as the work since the last rest took */
	async rest(times = REST): Promise<void> {
		const workedMs = performance.now() - this.#began;
		try {
			await sleep(Math.min(workedMs * times, MAX_REST_MS), undefined, { signal: this.stopped });
		} catch (error) {
			if (!this.stopped.aborted) throw error;
		}
		this.#began = performance.now();
	}
}
