/** Nanoseconds `high * 2 ** 32 + low` as whole microseconds; exact until the year 2255. */
export function microsOf(high: number, low: number): number {
	// 2 ** 32 = 4_294_967 * 1000 + 296
	return high * 4_294_967 + Math.floor((high * 296 + low) / 1000);
}

/** The remaining nanoseconds, 0–999. */
export function nanosOf(high: number, low: number): number {
	return (high * 296 + low) % 1000;
}
