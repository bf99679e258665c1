import type { Client } from "../client.ts";
import type { DefaultViews, Operations, View } from "../generated/api.ts";
import { Paged } from "../paged.ts";

type ListOptions = Omit<NonNullable<Operations["get"]["/v1/views"]["query"]>, "cursor">;

/** Filters, columns, orders and ranges of lists, saved under a name. */
export class Views {
	readonly #api: Client;

	constructor(api: Client) {
		this.#api = api;
	}

	/** Newest first: shared ones and one's own, with a `project` those of it and those of every project. */
	list(query: ListOptions = {}): Paged<View> {
		return new Paged((cursor) => this.#api.get("/v1/views", { query: { ...query, ...(cursor && { cursor }) } }));
	}

	async get(viewId: string): Promise<View> {
		return (await this.#api.get("/v1/views/{view_id}", { path: { view_id: viewId } })).data;
	}

	/** `state` has the parameters of the list: `{ filter: "latency_ms > 5000", range: "7d" }`. */
	async create(body: Operations["post"]["/v1/views"]["body"]): Promise<View> {
		return (await this.#api.post("/v1/views", { body })).data;
	}

	/** What is not given stays. */
	async update(viewId: string, body: Operations["patch"]["/v1/views/{view_id}"]["body"]): Promise<View> {
		return (await this.#api.patch("/v1/views/{view_id}", { path: { view_id: viewId }, body })).data;
	}

	async delete(viewId: string): Promise<void> {
		await this.#api.delete("/v1/views/{view_id}", { path: { view_id: viewId } });
	}

	/** By page the id of the view that the list opens with. */
	async defaults(project: string): Promise<DefaultViews> {
		const path = { project_identifier: project };
		return (await this.#api.get("/v1/projects/{project_identifier}/default_views", { path })).data;
	}

	/** For admins. Pages that are not named keep theirs; null takes one away. */
	async setDefaults(
		project: string,
		body: Operations["put"]["/v1/projects/{project_identifier}/default_views"]["body"],
	): Promise<DefaultViews> {
		const path = { project_identifier: project };
		return (await this.#api.put("/v1/projects/{project_identifier}/default_views", { path, body })).data;
	}
}
