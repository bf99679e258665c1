import type { NewEvaluation } from "../experiments/evaluations.ts";
import type { RunRow } from "../experiments/runs.ts";
import type { PauseReason } from "./jobs.ts";
import type { TaskEnd } from "./tasks.ts";

export interface TaskOutcome {
	/** The job cannot go on: why. The task is given back. */
	readonly pause?: { readonly reason: PauseReason; readonly error: string };
	/** The task succeeded, or failed in a way that may pass. */
	readonly mayRepeat: boolean;
}

/** How a task ended, with what came of it. */
export interface TaskResult extends TaskOutcome {
	readonly end: TaskEnd;
	/** Of a task that ran an example. */
	readonly run?: Omit<RunRow, "id">;
	/** Of one that evaluated a run. */
	readonly evaluations?: readonly NewEvaluation[];
}

/** The result of a task whose example, run or evaluator was deleted meanwhile. */
export function gone(error: string): TaskResult {
	return { mayRepeat: true, end: { state: "skipped", code: "deleted", error } };
}
