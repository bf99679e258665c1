import { channel } from "node:diagnostics_channel";

/** A statement of this thread that has finished. */
export interface StatementDone {
	/** What the connection is for: `metadata`, `traces`. */
	readonly use: string;
	/** Without values, which are bound parameters. */
	readonly sql: string;
	/** By `performance.now()`. */
	readonly startMs: number;
	readonly durationMs: number;
	/** SQLSTATE, or the code of the system; absent on success. */
	readonly errorCode?: string;
}

/** Gets a {@link StatementDone} for each statement; nothing is measured while nobody listens. */
export const statementsDone = channel("spanward:postgres:statement");
