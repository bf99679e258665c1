import type { ModelError } from "../model-error.ts";

const HOUR_MS = 3_600_000;
const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
/** Tries of a call whose provider is overloaded, away or silent. */
const MOST_TRIES = 8;
/** Tries of a call whose answers are not of the protocol. */
const MOST_BAD_ANSWERS = 3;

/** What has failed in a call so far. */
export interface Failures {
	readonly tries: number;
	readonly badAnswers: number;
	readonly sinceFirstMs: number;
}

/** How long the provider, or its model, is left alone after a failure, in milliseconds; an hour at most. */
export function pauseAfter({ retryAfterMs }: ModelError, tries: number): number {
	if (retryAfterMs !== undefined) return Math.min(retryAfterMs, HOUR_MS);
	return Math.random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(tries - 1, 10));
}

/** Whether a call that failed is tried again. A provider that asks to wait uses up no tries, but an hour ends it. */
export function mayTryAgain(error: ModelError, { tries, badAnswers, sinceFirstMs }: Failures): boolean {
	const { code, isPassing, retryAfterMs = 0 } = error;
	if (!isPassing || sinceFirstMs >= HOUR_MS || retryAfterMs > HOUR_MS) return false;
	if (code === "rate_limited") return true;
	return tries < MOST_TRIES && (code !== "bad_response" || badAnswers < MOST_BAD_ANSWERS);
}
