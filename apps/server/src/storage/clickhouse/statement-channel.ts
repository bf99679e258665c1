import { channel } from "node:diagnostics_channel";

/** Whether a statement reads, stores rows, or does anything else. */
export type StatementKind = "select" | "insert" | "change";

/** What a statement came to, for metrics. */
export interface StatementFigures {
	/** `host:port` */
	readonly node: string;
	readonly kind: StatementKind;
	/** Until its answer was read. */
	readonly durationMs: number;
	/** As ClickHouse counts them; 0 where it failed. */
	readonly rowsRead: number;
	readonly rowsWritten: number;
	/** Whether it is an insert that was sent before. */
	readonly isRepeat: boolean;
	/** ClickHouse's number, or where it gave none the kind of the failure; absent on success. */
	readonly errorCode?: string;
}

/** A statement of this thread that has ended. */
export interface StatementDone extends StatementFigures {
	/** Without values, which are parameters or rows. */
	readonly sql: string;
	readonly queryId: string;
	/** By `performance.now()`. */
	readonly startMs: number;
	/** Whether it only asks how the node fares. */
	readonly isProbe: boolean;
}

/** The `errorCode` of a statement that nobody waited for any more. */
export const ABANDONED = "abandoned";

/** Gets a {@link StatementDone} for each statement; nothing is measured while nobody listens. */
export const statementsDone = channel("spanward:clickhouse:statement");
