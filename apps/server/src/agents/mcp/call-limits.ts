import { RequestLimits } from "#access/auth/key-uses/request-limits.ts";
import { UserError } from "#base/errors.ts";

const CALLS_A_MINUTE = 120;
const CALLS_AT_ONCE = 8;

/** How often callers may call, each of them, at this server. */
export class CallLimits {
	readonly #rates = new RequestLimits<string>();
	readonly #running = new Map<string, number>();

	/**
	 * Counts messages that arrive together, and that they run until the result is disposed of.
	 * @throws UserError 429
	 */
	admit(caller: string, messages: number): Disposable {
		const running = this.#running.get(caller) ?? 0;
		if (running >= CALLS_AT_ONCE)
			throw tooMany(`At most ${CALLS_AT_ONCE} calls of one caller run at once; send it again later.`, 1);
		for (let message = 0; message < messages; message += 1) {
			const retryAfter = this.#rates.take(caller, CALLS_A_MINUTE);
			if (retryAfter !== undefined)
				throw tooMany(`A caller may call ${CALLS_A_MINUTE} times a minute; send it again later.`, retryAfter);
		}
		this.#running.set(caller, running + 1);
		let isOver = false;
		return {
			[Symbol.dispose]: () => {
				if (isOver) return;
				isOver = true;
				const left = (this.#running.get(caller) ?? 1) - 1;
				if (left === 0) this.#running.delete(caller);
				else this.#running.set(caller, left);
			},
		};
	}
}

function tooMany(message: string, retryAfter: number): UserError {
	return new UserError(429, "too_many_calls", message, { retryAfter });
}
