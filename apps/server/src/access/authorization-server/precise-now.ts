/**
 * Microseconds since 1970, to the microsecond: what comes a moment after something else is after it. Differs from the
 * clock by as much as that was set since the process started.
 */
export function preciseNow(): number {
	return Math.round((performance.timeOrigin + performance.now()) * 1_000);
}
