import type { Client } from "../client.ts";
import type { ExperimentJob, ExperimentJobEstimate, Operations } from "../generated/api.ts";
import { Paged } from "../paged.ts";
import { wait } from "../wait.ts";

export type NewExperimentJob = Operations["post"]["/v1/experiment_jobs"]["body"];
type Changes = Operations["patch"]["/v1/experiment_jobs/{job_id}"]["body"];

const FIRST_LOOK_MS = 200;
const LONGEST_BETWEEN_LOOKS_MS = 2_000;

export interface JobWait {
	/** Called with the job each time that it was looked at. */
	onProgress?: (job: ExperimentJob) => void;
	signal?: AbortSignal;
}

/** Work of the server on experiments: prompts run over a dataset, evaluators over the runs. */
export class ExperimentJobs {
	readonly #api: Client;

	constructor(api: Client) {
		this.#api = api;
	}

	/** Newest first. */
	list(
		query: Omit<NonNullable<Operations["get"]["/v1/experiment_jobs"]["query"]>, "cursor"> = {},
	): Paged<ExperimentJob> {
		return new Paged((cursor) =>
			this.#api.get("/v1/experiment_jobs", { query: { ...query, ...(cursor && { cursor }) } }),
		);
	}

	async get(jobId: string): Promise<ExperimentJob> {
		return (await this.#api.get("/v1/experiment_jobs/{job_id}", { path: { job_id: jobId } })).data;
	}

	/** Starts a job, which goes on whether or not anybody waits for it. */
	async create(body: NewExperimentJob): Promise<ExperimentJob> {
		return (await this.#api.post("/v1/experiment_jobs", { body })).data;
	}

	/** What a job would cost, and how long it would take. */
	async estimate(body: NewExperimentJob): Promise<ExperimentJobEstimate> {
		return (await this.#api.post("/v1/experiment_jobs/estimate", { body })).data;
	}

	/** Pauses it, lets it go on, or changes what it may cost. */
	async update(jobId: string, body: Changes): Promise<ExperimentJob> {
		return (await this.#api.patch("/v1/experiment_jobs/{job_id}", { path: { job_id: jobId }, body })).data;
	}

	/** What it has recorded stays. */
	async cancel(jobId: string): Promise<void> {
		await this.#api.delete("/v1/experiment_jobs/{job_id}", { path: { job_id: jobId } });
	}

	/** Does again what failed, and nothing else. */
	async retry(jobId: string): Promise<ExperimentJob> {
		return (await this.#api.post("/v1/experiment_jobs/{job_id}/retry", { path: { job_id: jobId } })).data;
	}

	/** Waits until the server does not work on the job any more: until it is done, paused, has failed or was cancelled. */
	async wait(jobId: string, { onProgress, signal }: JobWait = {}): Promise<ExperimentJob> {
		for (let pause = FIRST_LOOK_MS; ; pause = Math.min(pause * 1.5, LONGEST_BETWEEN_LOOKS_MS)) {
			signal?.throwIfAborted();
			const job = await this.get(jobId);
			onProgress?.(job);
			if (job.state !== "waiting" && job.state !== "running") return job;
			await wait(pause, signal);
		}
	}
}
