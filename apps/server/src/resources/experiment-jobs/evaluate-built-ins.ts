import { setImmediate as nextTurn } from "node:timers/promises";
import type { WritingContext } from "#context.ts";
import { countTargetsThatFit } from "../experiments/run-target.ts";
import { evaluateRun, findRunsToEvaluate } from "./evaluate-run.ts";
import { FailuresInARow } from "./failing.ts";
import type { JobAtWork } from "./plan.ts";
import { type DoneTask, recordResults } from "./record-results.ts";
import type { TaskOutcome } from "./task-result.ts";
import { giveBackTasks, type TaskRow } from "./tasks.ts";

/** Bytes of runs and examples that are read at a time. */
const MAX_BYTES = 8 * 1_024 * 1_024;
/** How long evaluating may keep requests waiting. */
const TURN_MS = 10;
/** How often results are recorded at least. */
const RECORD_MS = 200;

/**
 * Has built-in evaluators look at runs, many at a time: they ask nobody, so that reading and recording is most of the work.
 * Tasks that are left when the signal aborts, or when the job is failing, are given back.
 * @returns why the job has to be paused
 */
export async function evaluateBuiltIns(
	context: WritingContext,
	job: JobAtWork,
	tasks: readonly TaskRow[],
	{ holder, signal }: { readonly holder: string; readonly signal: AbortSignal },
): Promise<TaskOutcome["pause"]> {
	const { db, now } = context;
	const failures = await FailuresInARow.find(db.read, job);
	let pause: TaskOutcome["pause"];
	let left = tasks;
	const mayGoOn = () => left.length > 0 && pause === undefined && !signal.aborted;
	while (mayGoOn()) {
		const runIds = left.map(({ run_id: id }) => id ?? 0);
		const part = left.slice(0, await countTargetsThatFit(db.read, runIds, MAX_BYTES));
		const found = await findRunsToEvaluate(context, job, part);
		const turns = new Turns();
		let done: DoneTask[] = [];
		const record = async () => {
			const these = done;
			done = [];
			if (these.length > 0) await db.write((transaction) => recordResults(transaction, these, { holder, now: now() }));
		};
		for (const task of part) {
			if (!mayGoOn()) break;
			const result = await evaluateRun(context, { job, toEvaluate: found.get(task.id) }, signal);
			if (result === undefined) break;
			done.push({ task, job, result });
			left = left.slice(1);
			pause = failures.note(result);
			if (await turns.pass()) await record();
		}
		await record();
	}
	const ids = left.map(({ id }) => id);
	if (ids.length > 0) await db.write((transaction) => giveBackTasks(transaction, ids, holder));
	return pause;
}

/** Lets others have their turns. */
class Turns {
	#turn = performance.now();
	#recorded = performance.now();

	/** @returns whether it is time to record */
	async pass(): Promise<boolean> {
		if (performance.now() - this.#turn > TURN_MS) {
			await nextTurn();
			this.#turn = performance.now();
		}
		if (performance.now() - this.#recorded < RECORD_MS) return false;
		this.#recorded = performance.now();
		return true;
	}
}
