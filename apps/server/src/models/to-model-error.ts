import type { OutgoingFault } from "#base/outgoing/outgoing-fault.ts";
import { ModelError } from "./model-error.ts";

/** Why a request to a provider got no answer; reasons are codes of models. */
export function toModelError(fault: OutgoingFault): ModelError {
	return new ModelError(fault.reason, fault.message, { isPassing: fault.isPassing, cause: fault });
}
