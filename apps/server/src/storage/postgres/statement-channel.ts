import { channel } from "node:diagnostics_channel";

/** A statement that was answered, of this thread. */
export interface StatementDone {
	/** Of the connection: `metadata`, `traces`. */
	readonly use: string;
	/** Values are never in it, they are bound. */
	readonly sql: string;
	/** Of `performance.now()`. */
	readonly startMs: number;
	readonly durationMs: number;
	/** SQLSTATE, or the system's code; absent when it succeeded. */
	readonly errorCode?: string;
}

/** Gets a {@link StatementDone} for each statement; nothing is measured while nobody listens. */
export const statementsDone = channel("spanward:postgres:statement");
