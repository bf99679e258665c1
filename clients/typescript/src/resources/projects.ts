import type { Client } from "../client.ts";
import type { Operations, Project } from "../generated/api.ts";
import { Paged } from "../paged.ts";

type ListOptions = Omit<NonNullable<Operations["get"]["/v1/projects"]["query"]>, "cursor">;

/** Projects, by id or name. */
export class Projects {
	readonly #api: Client;

	constructor(api: Client) {
		this.#api = api;
	}

	/** Newest first. */
	list(query: ListOptions = {}): Paged<Project> {
		return new Paged((cursor) => this.#api.get("/v1/projects", { query: { ...query, ...(cursor && { cursor }) } }));
	}

	async get(project: string): Promise<Project> {
		return (await this.#api.get("/v1/projects/{project_identifier}", { path: { project_identifier: project } })).data;
	}

	async create(body: { name: string; description?: string }): Promise<Project> {
		return (await this.#api.post("/v1/projects", { body })).data;
	}

	async update(project: string, body: { description: string }): Promise<Project> {
		const path = { project_identifier: project };
		return (await this.#api.put("/v1/projects/{project_identifier}", { path, body })).data;
	}

	/** With all its traces and annotations. */
	async delete(project: string): Promise<void> {
		await this.#api.delete("/v1/projects/{project_identifier}", { path: { project_identifier: project } });
	}
}
