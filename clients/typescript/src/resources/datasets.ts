import { NotFoundError } from "../api-error.ts";
import type { Client } from "../client.ts";
import type { Dataset, DatasetExampleInSplits, DatasetSplit, DatasetVersion, Operations } from "../generated/api.ts";
import { Paged } from "../paged.ts";

/** An example as it is given to the server. */
export interface NewExample {
	input: Record<string, unknown>;
	output?: Record<string, unknown>;
	metadata?: Record<string, unknown>;
	/** Names; those that are not there are made. */
	splits?: string | string[];
	/** Your own id: an example with the same one is changed instead of added. */
	id?: string;
	/** Hex id of the span it was made of. */
	spanId?: string;
}

interface ExamplesOptions {
	/** The newest one when absent. */
	versionId?: string;
	/** Ids or names. */
	splits?: string[];
}

/** Datasets, by id or name. */
export class Datasets {
	readonly #api: Client;

	constructor(api: Client) {
		this.#api = api;
	}

	/** Newest first. */
	list(): Paged<Dataset> {
		return new Paged((cursor) => this.#api.get("/v1/datasets", { query: { limit: 100, ...(cursor && { cursor }) } }));
	}

	async get(dataset: string): Promise<Dataset> {
		return (await this.#api.get("/v1/datasets/{id}", { path: { id: await this.idOf(dataset) } })).data;
	}

	/** The id of a dataset that is named by its id, its name, or itself. */
	async idOf(dataset: string | { readonly id: string }): Promise<string> {
		if (typeof dataset !== "string") return dataset.id;
		const { data } = await this.#api.get("/v1/datasets", { query: { name: dataset, limit: 1 } });
		const id = data[0]?.id ?? (isId(dataset) ? dataset : undefined);
		if (id === undefined) throw new NotFoundError(404, "dataset_not_found", `there is no dataset "${dataset}"`);
		return id;
	}

	/** @throws ConflictError when the name is taken; `append` and `replace` change a dataset */
	async create(dataset: { name: string; description?: string; examples?: readonly NewExample[] }): Promise<Dataset> {
		return await this.#upload(dataset, "create");
	}

	/** Adds examples. Those with the id of one that is there change it, those that are there already do nothing. */
	async append(dataset: string, examples: readonly NewExample[]): Promise<Dataset> {
		const { name } = await this.get(dataset);
		return await this.#upload({ name, examples }, "append");
	}

	/** Makes these the examples of the dataset of this name, in a new version; makes the dataset when there is none. */
	async replace(
		name: string,
		examples: readonly NewExample[],
		{ description }: { description?: string } = {},
	): Promise<Dataset> {
		return await this.#upload({ name, examples, ...(description === undefined ? {} : { description }) }, "update");
	}

	/** The dataset itself, not its examples. */
	async update(dataset: string, body: Operations["patch"]["/v1/datasets/{id}"]["body"]): Promise<Dataset> {
		return (await this.#api.patch("/v1/datasets/{id}", { path: { id: await this.idOf(dataset) }, body })).data;
	}

	/** With its experiments. */
	async delete(dataset: string): Promise<void> {
		await this.#api.delete("/v1/datasets/{id}", { path: { id: await this.idOf(dataset) } });
	}

	/** Newest first. */
	async versions(dataset: string): Promise<DatasetVersion[]> {
		const path = { id: await this.idOf(dataset) };
		return await new Paged<DatasetVersion>((cursor) =>
			this.#api.get("/v1/datasets/{id}/versions", { path, query: { limit: 100, ...(cursor && { cursor }) } }),
		).toArray();
	}

	async examples(dataset: string, { versionId, splits }: ExamplesOptions = {}): Promise<DatasetExampleInSplits[]> {
		const { data } = await this.#api.get("/v1/datasets/{id}/examples", {
			path: { id: await this.idOf(dataset) },
			query: {
				...(versionId === undefined ? {} : { version_id: versionId }),
				...(splits === undefined ? {} : { split: splits }),
			},
		});
		return data.examples;
	}

	/** Changes one example, in a new version. */
	async updateExample(
		dataset: string,
		exampleId: string,
		body: Operations["patch"]["/v1/datasets/{id}/examples/{example_id}"]["body"],
	): Promise<DatasetExampleInSplits> {
		const path = { id: await this.idOf(dataset), example_id: exampleId };
		return (await this.#api.patch("/v1/datasets/{id}/examples/{example_id}", { path, body })).data;
	}

	/** In a new version; older ones keep it. */
	async deleteExample(dataset: string, exampleId: string): Promise<void> {
		const path = { id: await this.idOf(dataset), example_id: exampleId };
		await this.#api.delete("/v1/datasets/{id}/examples/{example_id}", { path });
	}

	/** Examples with the inputs and outputs of spans. */
	async addSpans(
		dataset: string,
		body: Operations["post"]["/v1/datasets/{id}/examples/from_spans"]["body"],
	): Promise<void> {
		await this.#api.post("/v1/datasets/{id}/examples/from_spans", { path: { id: await this.idOf(dataset) }, body });
	}

	splits(dataset: string): Paged<DatasetSplit> {
		return new Paged((cursor) =>
			this.#api.get("/v1/datasets/{dataset_identifier}/splits", {
				path: { dataset_identifier: dataset },
				query: { limit: 100, ...(cursor && { cursor }) },
			}),
		);
	}

	async createSplit(
		dataset: string,
		body: Operations["post"]["/v1/datasets/{dataset_identifier}/splits"]["body"],
	): Promise<DatasetSplit> {
		const path = { dataset_identifier: dataset };
		return (await this.#api.post("/v1/datasets/{dataset_identifier}/splits", { path, body })).data;
	}

	async #upload(
		{ name, description, examples = [] }: { name: string; description?: string; examples?: readonly NewExample[] },
		action: "create" | "append" | "update",
	): Promise<Dataset> {
		const given = <T>(of: (example: NewExample) => T | undefined): (T | null)[] | undefined =>
			examples.some((example) => of(example) !== undefined) ? examples.map((one) => of(one) ?? null) : undefined;
		const [splits, ids, spanIds] = [
			given(({ splits }) => splits),
			given(({ id }) => id),
			given(({ spanId }) => spanId),
		];
		const answer = await this.#api.post("/v1/datasets/upload", {
			query: { sync: true },
			body: {
				name,
				action,
				inputs: examples.map(({ input }) => input),
				outputs: examples.map(({ output }) => output ?? {}),
				metadata: examples.map(({ metadata }) => metadata ?? {}),
				...(description === undefined ? {} : { description }),
				...(splits === undefined ? {} : { splits }),
				...(ids === undefined ? {} : { example_ids: ids }),
				...(spanIds === undefined ? {} : { span_ids: spanIds }),
			},
		});
		if (answer === null) throw new Error("the server did not say what became of the upload");
		return (await this.#api.get("/v1/datasets/{id}", { path: { id: answer.data.dataset_id } })).data;
	}
}

/** Base64 of `Dataset:` and a number. */
function isId(text: string): boolean {
	return /^RGF0YXNldD[o-r][A-Za-z0-9+/]*=*$/.test(text);
}
