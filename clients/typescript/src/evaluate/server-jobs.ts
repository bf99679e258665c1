import type { Progress } from "../experiments/progress.ts";
import { JobNotDoneError, progressOf } from "../experiments/server-evaluators.ts";
import type { ExperimentJob } from "../generated/api.ts";
import type { Spanward } from "../spanward.ts";
import type { NewExperimentArguments, RunArguments } from "./arguments.ts";
import { usageFailure } from "./exit.ts";

type Prompt = NonNullable<NewExperimentArguments["prompt"]>;

/** Has the server run a prompt on the examples. @returns the id of the experiment */
export async function startPrompt(
	client: Spanward,
	given: NewExperimentArguments & { readonly prompt: Prompt },
	{ names, maxCost }: Pick<RunArguments, "names" | "maxCost">,
): Promise<string> {
	const { prompt } = given;
	const [datasetId, connectionId, version] = await Promise.all([
		client.datasets.idOf(given.dataset),
		findConnection(client, prompt.connection),
		client.prompts.get(prompt.name, prompt.tag === undefined ? {} : { tag: prompt.tag }),
	]);
	const { experiments } = await client.experimentJobs.create({
		kind: "run",
		dataset_id: datasetId,
		variants: [
			{
				connection_id: connectionId,
				prompt_version_id: version.id,
				...(prompt.model === undefined ? {} : { model: prompt.model }),
			},
		],
		repetitions: given.repetitions,
		...(given.versionId === undefined ? {} : { version_id: given.versionId }),
		...(given.splits.length === 0 ? {} : { splits: [...given.splits] }),
		...(given.name === undefined ? {} : { name: given.name }),
		...(names.length === 0 ? {} : { evaluators: names.map((name) => ({ evaluator_id: name })) }),
		...(maxCost === undefined ? {} : { max_cost_usd: maxCost }),
	});
	const [experiment] = experiments;
	if (experiment === undefined) throw new Error("the job has no experiment");
	return experiment.id;
}

async function findConnection({ modelConnections }: Spanward, named: string): Promise<string> {
	const connections = await modelConnections.list().toArray();
	const found = connections.find(({ id, name }) => id === named || name === named);
	if (found !== undefined) return found.id;
	const known = connections.map(({ name }) => name).join(", ") || "none";
	throw usageFailure(`There is no connection ${named}. Connections: ${known}.`);
}

/** Lets paused jobs of an experiment go on, and has what failed done again. */
export async function goOnWithJobs(client: Spanward, experimentId: string, maxCost: number | undefined): Promise<void> {
	for (const job of await client.experimentJobs.list({ experiment_id: experimentId }).toArray()) {
		if (job.state === "cancelled" || job.state === "failed") continue;
		if (maxCost !== undefined && maxCost !== job.max_cost_usd && job.state !== "done")
			await client.experimentJobs.update(job.id, { max_cost_usd: maxCost });
		if (job.runs.failed + job.evaluations.failed > 0) await client.experimentJobs.retry(job.id);
		else if (job.state === "paused") await client.experimentJobs.update(job.id, { state: "running" });
	}
}

/**
 * Waits until the server works on none of the experiment's jobs any more, those included that it has started by itself.
 * Where that is interrupted, they are paused, so that they spend no more.
 * @throws JobNotDoneError when one of them does not go on
 */
export async function waitForJobs(
	client: Spanward,
	experimentId: string,
	{ onProgress, signal }: { readonly onProgress: (progress: Progress) => void; readonly signal: AbortSignal },
): Promise<void> {
	const list = async () => await client.experimentJobs.list({ experiment_id: experimentId }).toArray();
	try {
		for (let active = (await list()).filter(isActive); active.length > 0; active = (await list()).filter(isActive)) {
			for (const { id } of active) {
				const job = await client.experimentJobs.wait(id, { signal, onProgress: reporter(onProgress) });
				if (job.state !== "done") throw new JobNotDoneError(job);
			}
		}
	} catch (error) {
		if (signal.aborted)
			for (const { id } of (await list()).filter(isActive)) await client.experimentJobs.update(id, { state: "paused" });
		throw error;
	}
	const paused = (await list()).find(({ state }) => state === "paused");
	if (paused !== undefined) throw new JobNotDoneError(paused);
}

function isActive({ state }: ExperimentJob): boolean {
	return state === "waiting" || state === "running";
}

/** Shows the tasks of a job until all are done, then the evaluations. */
function reporter(onProgress: (progress: Progress) => void): (job: ExperimentJob) => void {
	let hasTasks = true;
	return ({ runs, evaluations }) => {
		if (hasTasks && runs.total > 0) onProgress(progressOf("tasks", runs));
		hasTasks &&= runs.done + runs.failed + runs.skipped < runs.total;
		if (!hasTasks && evaluations.total > 0) onProgress(progressOf("evaluations", evaluations));
	};
}
