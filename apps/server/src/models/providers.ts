import { lazily } from "#base/lazily.ts";
import type { ConnectionDefinition } from "#base/model-connections/definition.ts";
import type { ProbeStep } from "#base/outgoing/probe.ts";
import type { Context } from "#context.ts";
import type { CallOptions } from "./call-model.ts";
import type { Provider } from "./caller/provider.ts";
import type { OpenConnection } from "./connection.ts";
import type { CredentialChange } from "./connections/credentials.ts";
import { type ConnectionKeys, connectionKeys, openConnection, openUnsaved } from "./connections/open-connection.ts";
import type { ModelAnswer, ModelRequest } from "./model-request.ts";
import { providerFetch } from "./provider-fetch.ts";

type ProvidersContext = Pick<Context, "auth" | "config" | "db" | "outgoing">;

/** Providers as this server reaches them: through the guard, with the credentials of a connection and no others. */
export class Providers implements Provider {
	readonly #context: ProvidersContext;
	readonly #keys: ConnectionKeys;
	/** Loaded with the first call. */
	readonly #wires = lazily(async () => new (await import("./wires/wires.ts")).Wires());

	constructor(context: ProvidersContext) {
		this.#context = context;
		this.#keys = connectionKeys(context.config, context.auth);
	}

	open(connectionId: number): Promise<OpenConnection> {
		return openConnection(this.#context.db.read, this.#keys, connectionId);
	}

	/** A connection that is not stored. @throws ModelError */
	openUnsaved(definition: ConnectionDefinition, given: ReadonlyMap<string, CredentialChange>): Promise<OpenConnection> {
		return openUnsaved(this.#context.db.read, this.#keys, definition, given);
	}

	async ask(connection: OpenConnection, request: ModelRequest, options: CallOptions): Promise<ModelAnswer> {
		const wires = await this.#wires.get();
		return await wires.ask(connection, request, { ...options, fetch: providerFetch(this.#context, connection) });
	}

	/** Names of the models that the provider tells. @throws ModelError */
	async listModels(connection: OpenConnection, signal: AbortSignal): Promise<readonly string[]> {
		const wires = await this.#wires.get();
		return await wires.listModels(connection, { fetch: providerFetch(this.#context, connection), signal });
	}

	/** Goes the way to a connection's host step by step, and sends it nothing. */
	probe({ baseUrl }: Pick<OpenConnection, "baseUrl">): Promise<readonly ProbeStep[]> {
		return this.#context.outgoing.probe(baseUrl);
	}
}
