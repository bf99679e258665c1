/** Beyond it, callers whose minute is over are forgotten. */
const MAX_CALLERS = 10_000;
const MINUTE_MS = 60_000;

/** How many requests callers may send a minute to this server: so many at once, then evenly over the minute. */
export class RequestLimits<Caller> {
	readonly #nowMs: () => number;
	/** When one may again send as many at once as a minute has (the "theoretical arrival time" of GCRA). */
	readonly #fullAt = new Map<Caller, number>();

	constructor(nowMs: () => number = () => performance.now()) {
		this.#nowMs = nowMs;
	}

	/** Counts one request. @returns seconds to wait, having counted none, where it is one too many */
	take(caller: Caller, perMinute: number): number | undefined {
		const now = this.#nowMs();
		const fullAt = Math.max(this.#fullAt.get(caller) ?? now, now) + MINUTE_MS / perMinute;
		const waitMs = fullAt - MINUTE_MS - now;
		// Sums of fractions are not exact.
		if (waitMs > 0.001) return Math.ceil(waitMs / 1_000);
		this.#fullAt.set(caller, fullAt);
		if (this.#fullAt.size > MAX_CALLERS) this.#forgetFull(now);
		return undefined;
	}

	#forgetFull(now: number): void {
		for (const [caller, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(caller);
	}
}
