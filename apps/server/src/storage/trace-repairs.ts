export const REPAIR_KINDS = ["totals", "orphans", "moves", "all"] as const;

/** What to look for: totals that differ from their spans, what leads to nothing, what is in the wrong place. */
export type RepairKind = (typeof REPAIR_KINDS)[number];

export interface RepairWanted {
	readonly kind: RepairKind;
	readonly projectId?: number;
	/** Inclusive, of spans, microseconds. */
	readonly startMicros?: number;
	/** Exclusive. */
	readonly endMicros?: number;
	/** Finds, and changes nothing. */
	readonly isDryRun: boolean;
	/** The step that was completed last, by a process that stopped. */
	readonly after?: string;
}

/** What was done since the progress before. */
export interface RepairProgress {
	/** Traces, hours, references, or parts of tables. */
	readonly lookedAt: number;
	readonly found: number;
	readonly repaired: number;
	/** The step that is complete now; its name is the same when it is done again. */
	readonly completed?: string;
}

/** Finds damage of traces and makes it good, step by step. What is being written meanwhile is left alone. */
export interface TraceRepairs {
	/** Ends early when it is no longer asked for its progress. @throws StorageUnavailable */
	run(wanted: RepairWanted): AsyncGenerator<RepairProgress, void>;
}
