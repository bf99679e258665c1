import { outgoingFaultIn } from "#base/outgoing/outgoing-fault.ts";
import { toModelError } from "#models/to-model-error.ts";

/** What a request without an answer, or without the rest of it, means for a call; a fault of this server as it is. */
export function ofOutgoing(error: unknown): unknown {
	const fault = outgoingFaultIn(error);
	return fault === undefined ? error : toModelError(fault);
}
