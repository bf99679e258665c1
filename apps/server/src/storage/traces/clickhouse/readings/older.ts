import { READING } from "@spanward/semconv";

interface Read {
	readonly reading: number;
}

/** Whether a former reading of attributes has made the row, of which its columns may therefore say something else. */
export function isOlder({ reading }: Read): boolean {
	return reading < READING;
}

/** The same as SQL. */
export function olderSql(table: "spans" | "traces" | "sessions"): string {
	return `${table}.reading < ${READING}`;
}

/** The lowest reading of rows; the current one where there are none. */
export function lowestReading(rows: readonly Read[]): number {
	return rows.reduce((lowest, { reading }) => Math.min(lowest, reading), READING);
}
