/** A trace that was merged into another one. */
export interface MergedTrace {
	/** Row numbers of traces. */
	readonly from: number;
	readonly to: number;
	/** Project of the remaining trace. */
	readonly projectId: number;
	/** Spans that both had: from the deleted row to the remaining one. */
	readonly spans: ReadonlyMap<number, number>;
}

/** A session that was merged into another one. */
export interface MergedSession {
	/** Row numbers of sessions. */
	readonly from: number;
	readonly to: number;
	/** Project of the remaining session. */
	readonly projectId: number;
}

/**
 * References from other tables to rows of the store: annotations, examples of datasets, recomputations of costs. A
 * store calls these methods within the transaction of its change, before it deletes rows.
 * @typeParam Connection that of the transaction
 * @typeParam Result a promise where statements are asynchronous
 */
export interface References<Connection, Result extends void | Promise<void>> {
	/** A trace, with its spans, has moved to another project. */
	traceMoved(connection: Connection, traceRowId: number, projectId: number): Result;
	/** Of two annotations that then have the same key, the one that was changed later stays. */
	traceMerged(connection: Connection, merged: MergedTrace): Result;
	/** As `traceMerged`. */
	sessionMerged(connection: Connection, merged: MergedSession): Result;
	/**
	 * @param recomputation row number of the recomputation that changed the costs
	 * @param spans number of changed spans
	 */
	costsChanged(connection: Connection, recomputation: number, spans: number): Result;
}
