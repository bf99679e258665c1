export type EntityKind = "span" | "trace" | "session";

/** A span, a trace or a session that is stored: what annotations, examples and runs of experiments refer to. */
export interface Entity {
	readonly rowId: number;
	/** As the application sent it. */
	readonly id: string;
	/** What it is stored under: lower-case hex digits of a span or trace, the id itself of a session. */
	readonly storedId: string;
	readonly projectId: number;
	/** Of a trace and its spans; null for sessions. */
	readonly traceRowId: number | null;
	/** As `id`, of a trace and its spans; null for sessions. */
	readonly traceId: string | null;
}

/**
 * What had arrived at some moment, by kind, as a row number. It says something only to the store that it is of, and only
 * where row numbers grow in the order of commits.
 */
export type ArrivalMarks = Readonly<Record<EntityKind, number>>;

/** What arrived between two moments, one page of it. */
export interface ArrivedQuery {
	/** Exclusive; undefined for everything up to `until`. */
	readonly since: ArrivalMarks | undefined;
	/** Inclusive. */
	readonly until: ArrivalMarks;
	/** Row number of the last waiting annotation of the page before; 0 for the first page. */
	readonly afterId: number;
	readonly limit: number;
}
