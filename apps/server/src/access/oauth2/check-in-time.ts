import { setTimeout as sleep } from "node:timers/promises";
import { type Step, Steps } from "../sign-in/steps.ts";

const CHECK_MS = 15_000;

/** The steps that `check` notes. Ends in bounded time, with a step that says so if `check` has not ended by then. */
export async function checkInTime(
	check: (steps: Steps) => Promise<void>,
	settings: readonly string[],
): Promise<readonly Step[]> {
	const steps = new Steps();
	const inTime = await endsInTime(check(steps));
	// A check that still runs adds to `steps`, not to this copy.
	const noted = [...steps.list];
	if (inTime) return noted;
	const late = new Steps();
	late.fail("discovery", `The provider had not answered everything after ${CHECK_MS / 1_000} seconds.`, { settings });
	return [...noted, ...late.list];
}

async function endsInTime(work: Promise<void>): Promise<boolean> {
	const stop = new AbortController();
	const late = sleep(CHECK_MS, false, { signal: stop.signal, ref: false }).catch(() => false);
	try {
		return await Promise.race([work.then(() => true), late]);
	} finally {
		stop.abort();
	}
}
