import { ModelError } from "#models/model-error.ts";

/** Why a signal ended a request. */
export function cancellation({ reason }: AbortSignal): ModelError {
	if (reason instanceof ModelError) return reason;
	if (reason instanceof Error && reason.name === "TimeoutError") {
		return new ModelError("timeout", "The provider did not answer in time.", { isPassing: true });
	}
	return new ModelError("cancelled", "The call was cancelled.");
}
