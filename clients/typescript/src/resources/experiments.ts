import type { Client } from "../client.ts";
import type {
	Experiment,
	ExperimentComparison,
	ExperimentGate,
	ExperimentRun,
	ExperimentRunDetails,
	ExperimentRunRecord,
	ExperimentTag,
	Operations,
} from "../generated/api.ts";
import { Paged } from "../paged.ts";
import type { Datasets } from "./datasets.ts";

export type NewExperiment = Operations["post"]["/v1/datasets/{dataset_id}/experiments"]["body"];
export type NewRun = Operations["post"]["/v1/experiments/{experiment_id}/runs"]["body"];
export type NewEvaluation = Operations["post"]["/v1/experiment_evaluations"]["body"];

export interface GateOptions {
	/** Id of an experiment on the same dataset, or `tag:` and the name of a tag. */
	baseline?: string;
	/** Where the baseline is not there, what needs it is left out, not failed. */
	baselineOptional?: boolean;
	/** The experiment need not be finished. */
	allowIncomplete?: boolean;
}

/** Experiments as they are stored. `runExperiment` makes and runs one. */
export class Experiments {
	readonly #api: Client;
	readonly #datasets: Datasets;

	constructor(api: Client, datasets: Datasets) {
		this.#api = api;
		this.#datasets = datasets;
	}

	/** Newest first, of one dataset or of all. */
	list({ datasetId }: { datasetId?: string } = {}): Paged<Experiment> {
		return new Paged((cursor) =>
			this.#api.get("/v1/experiments", {
				query: { ...(datasetId && { dataset_id: datasetId }), ...(cursor && { cursor }) },
			}),
		);
	}

	async get(experimentId: string): Promise<Experiment> {
		return (await this.#api.get("/v1/experiments/{experiment_id}", { path: { experiment_id: experimentId } })).data;
	}

	/** On a dataset by id or name; without running anything. */
	async create(dataset: string | { readonly id: string }, body: NewExperiment = {}): Promise<Experiment> {
		const path = { dataset_id: await this.#datasets.idOf(dataset) };
		return (await this.#api.post("/v1/datasets/{dataset_id}/experiments", { path, body })).data;
	}

	async update(
		experimentId: string,
		body: Operations["patch"]["/v1/experiments/{experiment_id}"]["body"],
	): Promise<Experiment> {
		const path = { experiment_id: experimentId };
		return (await this.#api.patch("/v1/experiments/{experiment_id}", { path, body })).data;
	}

	/** `deleteProject`: with the traces of its runs. */
	async delete(experimentId: string, { deleteProject = false }: { deleteProject?: boolean } = {}): Promise<void> {
		await this.#api.delete("/v1/experiments/{experiment_id}", {
			path: { experiment_id: experimentId },
			query: { delete_project: deleteProject },
		});
	}

	runs(experimentId: string): Paged<ExperimentRun> {
		return new Paged((cursor) =>
			this.#api.get("/v1/experiments/{experiment_id}/runs", {
				path: { experiment_id: experimentId },
				query: { limit: 100, ...(cursor && { cursor }) },
			}),
		);
	}

	/** Every run with its example and what evaluators said about it. */
	async results(experimentId: string): Promise<ExperimentRunRecord[]> {
		return await this.#api.get("/v1/experiments/{experiment_id}/json", { path: { experiment_id: experimentId } });
	}

	/** A run with its example, what evaluators said of it, and what people answered about it in review queues. */
	async getRun(runId: string): Promise<ExperimentRunDetails> {
		const path = { experiment_run_id: runId };
		return (await this.#api.get("/v1/experiment_runs/{experiment_run_id}", { path })).data;
	}

	/** Stores a run that was done elsewhere. @returns its id */
	async logRun(experimentId: string, body: NewRun): Promise<string> {
		const path = { experiment_id: experimentId };
		return (await this.#api.post("/v1/experiments/{experiment_id}/runs", { path, body })).data.id;
	}

	/** Stores what somebody or something says about a run; one with the same name is written over. @returns its id */
	async logEvaluation(body: NewEvaluation): Promise<string> {
		return (await this.#api.post("/v1/experiment_evaluations", { body })).data.id;
	}

	async tags(experimentId: string): Promise<ExperimentTag[]> {
		return (await this.#api.get("/v1/experiments/{experiment_id}/tags", { path: { experiment_id: experimentId } }))
			.data;
	}

	/** Moves the tag from another experiment of the dataset. */
	async tag(experimentId: string, body: { name: string; description?: string }): Promise<ExperimentTag> {
		const path = { experiment_id: experimentId };
		return (await this.#api.post("/v1/experiments/{experiment_id}/tags", { path, body })).data;
	}

	async untag(experimentId: string, tag: string): Promise<void> {
		const path = { experiment_id: experimentId, tag_identifier: tag };
		await this.#api.delete("/v1/experiments/{experiment_id}/tags/{tag_identifier}", { path });
	}

	/** A page of a comparison with the first of the experiments; the largest regressions come first unless told otherwise. */
	async compare(
		dataset: string,
		query: Operations["get"]["/v1/datasets/{dataset_id}/experiments/compare"]["query"],
	): Promise<ExperimentComparison> {
		const path = { dataset_id: await this.#datasets.idOf(dataset) };
		return await this.#api.get("/v1/datasets/{dataset_id}/experiments/compare", { path, query });
	}

	/**
	 * Whether the experiment meets all of these requirements.
	 * @example
	 * const { passed, requirements } = await spanward.experiments.gate(id, ["mean('correctness') >= 0.8", "errors == 0"]);
	 */
	async gate(
		experimentId: string,
		requirements: readonly string[],
		options: GateOptions = {},
	): Promise<ExperimentGate> {
		const path = { experiment_id: experimentId };
		return await this.#api.get("/v1/experiments/{experiment_id}/gate", { path, query: toQuery(requirements, options) });
	}

	/** The same as text: `markdown` for a comment, `junit` for the test report of a build. */
	async gateReport(
		experimentId: string,
		requirements: readonly string[],
		{ format, ...options }: GateOptions & { format: "markdown" | "junit" },
	): Promise<string> {
		const parts = { path: { experiment_id: experimentId }, query: { ...toQuery(requirements, options), format } };
		const address = this.#api.url("/v1/experiments/{experiment_id}/gate", parts);
		const response = await this.#api.fetch(address.slice(this.#api.url("").length));
		return await response.text();
	}
}

function toQuery(requirements: readonly string[], { baseline, baselineOptional, allowIncomplete }: GateOptions) {
	return {
		require: [...requirements],
		...(baseline === undefined ? {} : { baseline }),
		...(baselineOptional === undefined ? {} : { baseline_optional: baselineOptional }),
		...(allowIncomplete === undefined ? {} : { allow_incomplete: allowIncomplete }),
	};
}
