import { z } from "zod";
import type { Context } from "#context.ts";

export const runState = z
	.enum(["ended", "running", "unfinished"])
	.describe(
		"`running` without an end; `unfinished` once nothing newer is known of the trace for SERVICE_UNFINISHED_AFTER_SECONDS.",
	);

/** What tells running from unfinished. */
export type Clock = Pick<Context, "config" | "now">;

/** @param heardMicros the latest time that the trace has; undefined for what has ended */
export function stateAt({ config, now }: Clock, heardMicros: number | undefined): z.output<typeof runState> {
	if (heardMicros === undefined) return "ended";
	const limit = config.SERVICE_UNFINISHED_AFTER_SECONDS * 1e6;
	return now() - heardMicros > limit ? "unfinished" : "running";
}

/** The state of a trace or session. */
export function stateOf(
	totals: { readonly runningCount: number; readonly end: { readonly micros: number } },
	clock: Clock,
): z.output<typeof runState> {
	return stateAt(clock, totals.runningCount === 0 ? undefined : totals.end.micros);
}
