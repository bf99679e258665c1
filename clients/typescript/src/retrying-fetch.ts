import { ConnectionError } from "./api-error.ts";
import { wait } from "./wait.ts";

export interface RetryPolicy {
	/** Including the first one. */
	attempts: number;
	/** Before the second attempt, milliseconds; doubled for each further one, with as much again by chance. */
	firstWaitMs: number;
	longestWaitMs: number;
}

export const DEFAULT_RETRIES: RetryPolicy = { attempts: 5, firstWaitMs: 250, longestWaitMs: 10_000 };

/** What a proxy or a server that starts, stops or has too much to do answers. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * A `fetch` that tries again when the server could not be reached or says that it will be able to soon. A POST carries
 * an `Idempotency-Key`, so that what was done already is not done again.
 * @throws ConnectionError when the last attempt did not reach the server
 */
export function retryingFetch(request: typeof fetch, policy: RetryPolicy): typeof fetch {
	return async (input, init = {}) => {
		const headers = new Headers(init.headers);
		if (init.method === "POST" && !headers.has("idempotency-key")) {
			headers.set("idempotency-key", crypto.randomUUID());
		}
		for (let attempt = 1; ; attempt += 1) {
			const isLast = attempt >= policy.attempts;
			const outcome = await tryOnce(() => request(input, { ...init, headers }));
			if (outcome instanceof Response) {
				if (isLast || !isPassing(outcome)) return outcome;
				await outcome.body?.cancel();
			} else if (isLast) {
				throw new ConnectionError(String(input), outcome);
			}
			const asked = outcome instanceof Response ? askedWaitMs(outcome) : undefined;
			await wait(asked ?? waitMs(attempt, policy), init.signal ?? undefined);
		}
	};
}

/** An abort by the caller is thrown, a failure on the way returned. */
async function tryOnce(request: () => Promise<Response>): Promise<Response | TypeError> {
	try {
		return await request();
	} catch (error) {
		// What fetch throws when there is no answer; https://fetch.spec.whatwg.org/#fetch-method
		if (error instanceof TypeError) return error;
		throw error;
	}
}

/** 409 with a time to wait: the first request with the same key is still being worked on. */
function isPassing(response: Response): boolean {
	return PASSING.has(response.status) || (response.status === 409 && response.headers.has("retry-after"));
}

function askedWaitMs(response: Response): number | undefined {
	const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
	// An account that is locked for minutes is not waited for.
	return seconds >= 0 && seconds <= 60 ? seconds * 1_000 : undefined;
}

function waitMs(attempt: number, { firstWaitMs, longestWaitMs }: RetryPolicy): number {
	const base = Math.min(firstWaitMs * 2 ** (attempt - 1), longestWaitMs);
	return base * (1 + Math.random());
}
