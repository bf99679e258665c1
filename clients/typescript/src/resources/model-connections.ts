import type { Client } from "../client.ts";
import type { ModelConnection } from "../generated/api.ts";
import { Paged } from "../paged.ts";

/** How the server reaches providers of models. Admins make and change connections in Settings → Models. */
export class ModelConnections {
	readonly #api: Client;

	constructor(api: Client) {
		this.#api = api;
	}

	list(): Paged<ModelConnection> {
		return new Paged((cursor) =>
			this.#api.get("/v1/model_connections", { query: cursor === undefined ? {} : { cursor } }),
		);
	}

	async get(connectionId: string): Promise<ModelConnection> {
		const path = { connection_id: connectionId };
		return (await this.#api.get("/v1/model_connections/{connection_id}", { path })).data;
	}
}
