const PICO = 1e12;

/**
 * Dollars as they are summed: as integers, whose sums are the same in any order. A cost beyond what a number holds
 * exactly is held at that.
 */
export function toPico(dollars: number): number {
	const pico = Math.round(dollars * PICO);
	return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, pico));
}

export function toDollars(pico: number): number {
	return pico / PICO;
}
