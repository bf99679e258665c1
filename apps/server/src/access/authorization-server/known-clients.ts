import type { Transaction } from "kysely";
import type { WritingContext } from "#context.ts";
import type { Tables } from "#storage/schema.ts";
import { type Client, findClient, insertClient } from "./clients.ts";

/** Programs by their `client_id`. */
export class KnownClients {
	readonly #context: Pick<WritingContext, "config" | "db" | "now">;

	constructor(context: Pick<WritingContext, "config" | "db" | "now">) {
		this.#context = context;
	}

	async find(clientId: string): Promise<Client | undefined> {
		return await findClient(this.#context.db.read, clientId);
	}

	/** The row number of a client; it gets a row when it has none. */
	async keep(transaction: Transaction<Tables>, client: Client): Promise<number> {
		if (client.id !== undefined) return client.id;
		const { clientId, kind, name, redirectUris, deviceFlow } = client;
		const stored = { clientId, kind, name, redirectUris, deviceFlow, createdBy: null, now: this.#context.now() };
		return (await insertClient(transaction, stored)).id;
	}
}
