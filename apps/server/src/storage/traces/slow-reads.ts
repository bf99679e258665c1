import { FairTurns } from "#base/fair-turns.ts";
import type { Caller, SpanFilter } from "./trace-store.ts";

/** Reads that may wait for a turn, of all callers and of each. */
const WAITING = 256;
const WAITING_EACH = 32;
/** Who asks when the server itself does. */
const SERVER: Caller = { name: "server", isPatient: true };

interface Query extends Pick<SpanFilter, "condition" | "text" | "attributes"> {
	readonly caller?: Caller;
}

/** Lists that may take until their time limit, so that so many run at a time and their callers take turns. */
export class SlowReads {
	readonly #turns: FairTurns;

	constructor(atOnce: number) {
		// One caller leaves a place to others, where there is more than one.
		const atOnceEach = Math.max(1, atOnce - 1);
		this.#turns = new FairTurns({ atOnce, atOnceEach, waiting: WAITING, waitingEach: WAITING_EACH });
	}

	/** Runs a slow list in its caller's turn, any other at once. @throws NoTurn, Abandoned */
	run<T>(query: Query, read: () => Promise<T>): Promise<T> {
		if (!isSlow(query)) return read();
		const { name, ...options } = query.caller ?? SERVER;
		return this.#turns.run(name, read, options);
	}
}

export function isSlow({ condition, text, attributes }: Query): boolean {
	return condition !== undefined || text !== undefined || attributes !== undefined;
}
