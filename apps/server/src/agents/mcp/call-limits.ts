import { RequestLimits } from "#access/auth/key-uses/request-limits.ts";
import { RunningRequests } from "#access/auth/key-uses/running-requests.ts";
import { UserError } from "#base/errors.ts";

const CALLS_A_MINUTE = 120;
const CALLS_AT_ONCE = 8;

/** How often callers may call, each of them, at this server. */
export class CallLimits {
	readonly #rates = new RequestLimits<string>();
	readonly #running = new RunningRequests();

	/**
	 * Counts messages that arrive together, and that they run until the result is disposed of.
	 * @throws UserError 429
	 */
	admit(caller: string, messages: number): Disposable {
		if (this.#running.count(caller) >= CALLS_AT_ONCE)
			throw tooMany(`At most ${CALLS_AT_ONCE} calls of one caller run at once; send it again later.`, 1);
		for (let message = 0; message < messages; message += 1) {
			const retryAfter = this.#rates.take(caller, CALLS_A_MINUTE);
			if (retryAfter !== undefined)
				throw tooMany(`A caller may call ${CALLS_A_MINUTE} times a minute; send it again later.`, retryAfter);
		}
		return this.#running.begin(caller);
	}
}

function tooMany(message: string, retryAfter: number): UserError {
	return new UserError(429, "too_many_calls", message, { retryAfter });
}
