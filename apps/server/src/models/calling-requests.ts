import { RequestLimits } from "#access/auth/key-uses/request-limits.ts";
import { RunningRequests } from "#access/auth/key-uses/running-requests.ts";
import { UserError } from "#base/errors.ts";

const REQUESTS_A_MINUTE = 60;
const REQUESTS_AT_ONCE = 8;

/** How many requests that call models users may send to this server, whatever routes they are to. */
export class CallingRequests {
	readonly #rates = new RequestLimits<string>();
	readonly #running = new RunningRequests();

	/**
	 * Counts a request, and that it runs until the result is disposed of.
	 * @param caller as `askerOf` names it
	 * @throws UserError 429
	 */
	admit(caller: string): Disposable {
		if (this.#running.count(caller) >= REQUESTS_AT_ONCE) {
			throw tooMany(`You have ${REQUESTS_AT_ONCE} requests that call models already: wait until one has ended.`, 1);
		}
		const retryAfter = this.#rates.take(caller, REQUESTS_A_MINUTE);
		if (retryAfter !== undefined) {
			throw tooMany(`You may send ${REQUESTS_A_MINUTE} requests that call models a minute.`, retryAfter);
		}
		return this.#running.begin(caller);
	}
}

function tooMany(message: string, retryAfter: number): UserError {
	return new UserError(429, "too_many_calling_requests", message, { retryAfter });
}
