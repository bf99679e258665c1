import { setTimeout as sleep } from "node:timers/promises";

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

/**
 * Waits until the next period begins where this one ends within `marginMs`, so that what a test does next falls into
 * one of them.
 * @param periodMs length; periods are counted from the beginning of a day in UTC
 * @param offsetMs when the first one of a day begins
 */
export async function awayFromEndOf(periodMs: number, marginMs: number, offsetMs = 0): Promise<void> {
	const leftMs = periodMs - ((Date.now() - offsetMs) % periodMs);
	if (leftMs <= marginMs) await sleep(leftMs + 1);
}
