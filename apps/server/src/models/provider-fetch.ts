import type { GuardedFetch } from "#base/outgoing/outgoing-guard.ts";
import type { Context } from "../context.ts";
import type { OpenConnection } from "./connection.ts";
import { ModelError } from "./model-error.ts";

/** What every request of a connection is sent with: those for tokens and lists of models too. */
export function providerFetch(
	{ config, outgoing }: Pick<Context, "config" | "outgoing">,
	{ timeoutMs }: Pick<OpenConnection, "timeoutMs">,
): GuardedFetch {
	if (config.SERVICE_ENABLE_MODEL_CALLS) return outgoing.fetch({ timeoutMs });
	return async () => {
		throw callsOff();
	};
}

export function callsOff(): ModelError {
	return new ModelError("calls_off", "Calls to models are switched off on this server: SERVICE_ENABLE_MODEL_CALLS.");
}
