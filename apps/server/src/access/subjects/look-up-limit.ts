import { UserError } from "#base/errors.ts";

const PER_MINUTE = 30;
const MINUTE_MS = 60_000;

/** How often each caller may look for people, so that nobody finds out who has an account by guessing. */
export class LookUpLimit {
	/** Of the minute that began at `#since`. */
	readonly #asked = new Map<string, number>();
	#since = performance.now();

	/** @throws UserError 429 for a caller who has asked too often */
	take(caller: string): void {
		if (performance.now() - this.#since >= MINUTE_MS) {
			this.#asked.clear();
			this.#since = performance.now();
		}
		const count = (this.#asked.get(caller) ?? 0) + 1;
		if (count > PER_MINUTE) {
			throw new UserError(429, "too_many_requests", "You asked for people too often: wait a minute.", {
				retryAfter: 60,
			});
		}
		this.#asked.set(caller, count);
	}
}

/** For the description of a route. */
export const LOOK_UPS = `At most ${PER_MINUTE} times a minute`;
