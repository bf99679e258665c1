/** A trace that joined another one. */
export interface MergedTrace {
	/** Row numbers of traces. */
	readonly from: number;
	readonly to: number;
	/** Of the trace that stays. */
	readonly projectId: number;
	/** Spans that both had: the row that goes, and the one that stays. */
	readonly spans: ReadonlyMap<number, number>;
}

/** A session that became another one. */
export interface MergedSession {
	/** Row numbers of sessions. */
	readonly from: number;
	readonly to: number;
	/** Of the session that stays. */
	readonly projectId: number;
}

/**
 * What refers to rows of the store from other tables: annotations, examples of datasets, recomputations of costs. A store is
 * handed one of these, and tells it what it does within the transaction that does it, before rows that go are gone.
 * @typeParam Connection that of the transaction
 * @typeParam Result a promise where statements are answered later
 */
export interface References<Connection, Result extends void | Promise<void>> {
	/** A trace is in another project now, with its spans. */
	traceMoved(connection: Connection, traceRowId: number, projectId: number): Result;
	/** Of two annotations that are of one key then, the one that was changed later stays. */
	traceMerged(connection: Connection, merged: MergedTrace): Result;
	/** As `traceMerged`. */
	sessionMerged(connection: Connection, merged: MergedSession): Result;
	/** @param recomputation row number of the one that changed the costs of so many spans */
	costsChanged(connection: Connection, recomputation: number, spans: number): Result;
}
