import type { CallOptions } from "../call-model.ts";
import type { OpenConnection } from "../connection.ts";
import type { ModelAnswer, ModelRequest } from "../model-request.ts";

/** How the caller reaches providers. */
export interface Provider {
	/** The connection with its credentials, as it is now. @throws ModelError */
	open(connectionId: number): Promise<OpenConnection>;
	/**
	 * Sends one request, and gives each piece of the answer to `onDelta`, where that is there.
	 * @throws ModelError, with what came before in `partial`; when the signal aborts, soon
	 */
	ask(connection: OpenConnection, request: ModelRequest, options: CallOptions): Promise<ModelAnswer>;
}
