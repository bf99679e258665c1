import type { OpenConnection } from "../connection.ts";
import type { ModelAnswer, ModelRequest } from "../model-request.ts";
import { type AskOptions, askProvider } from "./ask-provider.ts";
import { AccessTokens } from "./credentials/access-tokens.ts";
import { type ListOptions, listModels } from "./list-models.ts";

/** What providers are spoken to with; keeps tokens from call to call. */
export class Wires {
	readonly #tokens = new AccessTokens();

	/** @throws ModelError */
	ask(connection: OpenConnection, request: ModelRequest, options: Omit<AskOptions, "tokens">): Promise<ModelAnswer> {
		return askProvider(connection, request, { ...options, tokens: this.#tokens });
	}

	/** Names of the models that the provider tells. @throws ModelError */
	listModels(connection: OpenConnection, options: Omit<ListOptions, "tokens">): Promise<readonly string[]> {
		return listModels(connection, { ...options, tokens: this.#tokens });
	}
}
