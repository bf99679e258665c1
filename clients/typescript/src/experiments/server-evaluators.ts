import type { ExperimentJob } from "../generated/api.ts";
import type { Spanward } from "../spanward.ts";
import type { Evaluator } from "./evaluators.ts";
import type { Progress } from "./progress.ts";

/** An evaluator of the server by its name: `server:correctness`. */
export type ServerEvaluator = `server:${string}`;

const PREFIX = "server:";

/** The server does not go on with its work: it is paused, as at a limit of costs, has failed or was cancelled. */
export class JobNotDoneError extends Error {
	override readonly name = "JobNotDoneError";
	readonly job: ExperimentJob;

	constructor(job: ExperimentJob) {
		super(`the job ${job.name} is ${job.state}${job.error === null ? "" : `: ${job.error}`}`);
		this.job = job;
	}
}

/** Those that run in this program, and the names of those that the server runs. */
export function sortEvaluators(evaluators: readonly (Evaluator | ServerEvaluator)[]): {
	readonly own: readonly Evaluator[];
	readonly ofServer: readonly string[];
} {
	return {
		own: evaluators.filter((one) => typeof one !== "string"),
		ofServer: evaluators.filter((one) => typeof one === "string").map((one) => one.slice(PREFIX.length)),
	};
}

export interface ServerEvaluation {
	readonly names: readonly string[];
	/** US dollars. */
	readonly maxCost?: number | undefined;
	readonly onProgress?: ((progress: Progress) => void) | undefined;
	readonly signal?: AbortSignal | undefined;
}

/**
 * Has the server judge the runs that have no evaluation of these evaluators yet, and waits for it.
 * @throws JobNotDoneError when the server does not go on
 */
export async function evaluateOnServer(
	client: Spanward,
	experimentId: string,
	{ names, maxCost, onProgress, signal }: ServerEvaluation,
): Promise<void> {
	const { id } = await startEvaluation(client, experimentId, { names, maxCost });
	const job = await client.experimentJobs.wait(id, {
		...(signal === undefined ? {} : { signal }),
		onProgress: ({ evaluations }) => onProgress?.(progressOf("evaluations", evaluations)),
	});
	if (job.state !== "done") throw new JobNotDoneError(job);
}

/** Has the server judge the runs that have no evaluation of these evaluators yet. */
export async function startEvaluation(
	client: Spanward,
	experimentId: string,
	{ names, maxCost }: Pick<ServerEvaluation, "names" | "maxCost">,
): Promise<ExperimentJob> {
	return await client.experimentJobs.create({
		kind: "evaluate",
		experiment_id: experimentId,
		evaluators: names.map((name) => ({ evaluator_id: name })),
		...(maxCost === undefined ? {} : { max_cost_usd: maxCost }),
	});
}

/** Of the tasks or evaluations of a job. */
export function progressOf(phase: Progress["phase"], counts: ExperimentJob["runs"]): Progress {
	const { done, failed, skipped, total } = counts;
	return { phase, done: done + failed + skipped, failed, total };
}
