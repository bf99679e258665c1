import type { Transaction } from "kysely";
import type { WritingContext } from "#context.ts";
import type { Tables } from "#storage/schema.ts";
import type { ClientDocuments } from "./client-documents.ts";
import { type Client, findClient, insertClient } from "./clients.ts";

/** Programs by their `client_id`: those that are registered, and those that a document describes. */
export class KnownClients {
	readonly #context: Pick<WritingContext, "db" | "now">;
	readonly #documents: Pick<ClientDocuments, "isDocument" | "find">;

	constructor(context: Pick<WritingContext, "db" | "now">, documents: Pick<ClientDocuments, "isDocument" | "find">) {
		this.#context = context;
		this.#documents = documents;
	}

	/** @param network where the question comes from. @throws UserError 429 */
	async find(clientId: string, network: string): Promise<Client | undefined> {
		const stored = await findClient(this.#context.db.read, clientId);
		if (stored !== undefined && stored.kind !== "metadata") return stored;
		const described = await this.#documents.find(clientId, network);
		if (described === undefined) return undefined;
		return {
			...{ id: stored?.id, kind: "metadata", deviceFlow: false, disabled: stored?.disabled ?? false },
			createdAt: stored?.createdAt ?? this.#context.now(),
			...described,
		};
	}

	/** The row number of a client that somebody lets in; a described one is stored as it is now. */
	async keep(transaction: Transaction<Tables>, client: Client): Promise<number> {
		const { clientId, kind, name, redirectUris, deviceFlow } = client;
		const stored = await findClient(transaction, clientId);
		if (stored?.id === undefined) {
			const row = { clientId, kind, name, redirectUris, deviceFlow, createdBy: null, now: this.#context.now() };
			return (await insertClient(transaction, row)).id;
		}
		if (kind === "metadata") {
			await transaction
				.updateTable("oauth2_clients")
				.set({ name, redirect_uris: JSON.stringify(redirectUris) })
				.where("id", "=", stored.id)
				.execute();
		}
		return stored.id;
	}
}
