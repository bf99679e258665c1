import type { Instant } from "../trace-store.ts";

interface TimedRow {
	readonly start_micros: number;
	readonly start_nanos: number;
	readonly end_micros: number;
	readonly end_nanos: number;
}

/** The end of a row; its start for 1970, which former versions stored where no span had ended. */
export function endOf(row: TimedRow): Instant {
	if (row.end_micros === 0) return { micros: row.start_micros, nanos: row.start_nanos };
	return { micros: row.end_micros, nanos: row.end_nanos };
}
