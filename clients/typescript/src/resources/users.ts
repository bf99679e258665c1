import type { Client } from "../client.ts";
import type { CreatedSystemApiKey, Operations, OwnedApiKey, User, UserApiKey } from "../generated/api.ts";
import { Paged } from "../paged.ts";

/** Accounts. All but `me` is for admins. */
export class Users {
	readonly #api: Client;

	constructor(api: Client) {
		this.#api = api;
	}

	/** Who the key belongs to. */
	async me(): Promise<Operations["get"]["/v1/user"]["response"]["data"]> {
		return (await this.#api.get("/v1/user")).data;
	}

	list(): Paged<User> {
		return new Paged((cursor) => this.#api.get("/v1/users", { query: cursor === undefined ? {} : { cursor } }));
	}

	async create(body: Operations["post"]["/v1/users"]["body"]): Promise<User> {
		return (await this.#api.post("/v1/users", { body })).data;
	}

	async update(userId: string, body: Operations["patch"]["/v1/users/{user_id}"]["body"]): Promise<User> {
		return (await this.#api.patch("/v1/users/{user_id}", { path: { user_id: userId }, body })).data;
	}

	async delete(userId: string): Promise<void> {
		await this.#api.delete("/v1/users/{user_id}", { path: { user_id: userId } });
	}
}

/** API keys. They are made by people who are logged in, in the web app; programs with a key list and delete them. */
export class ApiKeys {
	readonly #api: Client;

	constructor(api: Client) {
		this.#api = api;
	}

	async listOwn(): Promise<UserApiKey[]> {
		return (await this.#api.get("/v1/user/api_keys")).data;
	}

	/** Of all people; for admins. */
	listAll(): Paged<OwnedApiKey> {
		return new Paged((cursor) =>
			this.#api.get("/v1/users/api_keys", { query: cursor === undefined ? {} : { cursor } }),
		);
	}

	/** One's own, or anybody's by admins. */
	async delete(keyId: string): Promise<void> {
		await this.#api.delete("/v1/user/api_keys/{api_key_id}", { path: { api_key_id: keyId } });
	}

	/** With the admin secret as key. The answer has the new key this once. */
	async createSystem(data: Operations["post"]["/v1/system/api_keys"]["body"]["data"]): Promise<CreatedSystemApiKey> {
		return (await this.#api.post("/v1/system/api_keys", { body: { data } })).data;
	}

	async deleteSystem(keyId: string): Promise<void> {
		await this.#api.delete("/v1/system/api_keys/{api_key_id}", { path: { api_key_id: keyId } });
	}
}
