export type EntityKind = "span" | "trace" | "session";

/** A stored span, trace or session: what annotations, examples and runs of experiments refer to. */
export interface Entity {
	readonly rowId: number;
	/** As the application sent it. */
	readonly id: string;
	/** The id in the database: lower-case hex digits for a span or trace, the id itself for a session. */
	readonly storedId: string;
	readonly projectId: number;
	/** Row number of the trace, for a trace and its spans; null for sessions. */
	readonly traceRowId: number | null;
	/** Trace id as it was sent, for a trace and its spans; null for sessions. */
	readonly traceId: string | null;
}

/**
 * The highest row number of each kind at some moment. Meaningful only to the store that made it, and only where row
 * numbers grow in the order of commits.
 */
export type ArrivalMarks = Readonly<Record<EntityKind, number>>;

/** Selects a page of what arrived between two moments. */
export interface ArrivedQuery {
	/** Exclusive; undefined for everything up to `until`. */
	readonly since: ArrivalMarks | undefined;
	/** Inclusive. */
	readonly until: ArrivalMarks;
	/** Row number of the last waiting annotation of the page before; 0 for the first page. */
	readonly afterId: number;
	readonly limit: number;
}
