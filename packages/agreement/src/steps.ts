import type { Steps } from "./model.ts";

/** Runs all steps without a pause, as in a worker. */
export function runInOneGo<Result>(steps: Steps<Result>): Result {
	for (;;) {
		const step = steps.next();
		if (step.done === true) return step.value;
	}
}

/**
 * Awaits `pause` after each step, so that others have their turn. What it rejects with ends the work, and is what the
 * promise rejects with: a caller that no longer wants the result throws there.
 *
 * @example
 * import { setImmediate } from "node:timers/promises";
 * const agreement = await runInSlices(measureAgreement(items, { level: "nominal" }), () => setImmediate());
 */
export async function runInSlices<Result>(steps: Steps<Result>, pause: () => Promise<unknown>): Promise<Result> {
	for (;;) {
		const step = steps.next();
		if (step.done === true) return step.value;
		await pause();
	}
}
