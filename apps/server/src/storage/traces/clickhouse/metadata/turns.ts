import type { ProjectsOfWrite } from "#storage/traces/span-batch.ts";
import type { SpendChanges } from "#storage/traces/totals/spend-changes.ts";

/** What a change of traces needs of the metadata database. */
export interface Turns extends AsyncDisposable {
	/**
	 * Runs `work` while nobody else, in any process, changes the same traces and sessions. What a process that died, or
	 * work that failed, has left unfinished is known afterwards by the number of its batch.
	 * @throws StorageUnavailable
	 * @throws RightsChanged before `work`
	 */
	take<T>(wanted: Wanted, work: (turn: Turn) => Promise<T>): Promise<T>;
	/** As `take`, while nobody else has any turn. `work` must not take another one. */
	takeAlone<T>(work: (turn: TurnAlone) => Promise<T>): Promise<T>;
	/** Whether a turn alone would find such batches, at no cost for others. @throws StorageUnavailable */
	hasLeftBehind(olderThanMs: number): Promise<boolean>;
}

export interface Wanted {
	/** Names of projects; missing ones are made, and none is deleted before the turn ends. */
	readonly projects: readonly string[];
	/** Whether they may be made; `ANY_PROJECT` when absent. */
	readonly allowed?: ProjectsOfWrite;
	/** What must not be changed by others meanwhile: ids of traces and sessions. */
	readonly keys: readonly string[];
	/** How many row numbers may be taken. */
	readonly spans: number;
	readonly traces: number;
}

export interface TurnAlone extends Turn {
	/**
	 * Batches that were begun and not completed, ascending.
	 * @param olderThanMs how long ago a batch must have begun to count: longer than an insert may still take
	 */
	readonly leftBehind: (olderThanMs: number) => Promise<readonly BatchLeftBehind[]>;
	/** Notes that a batch was completed. */
	readonly complete: (batch: number) => Promise<void>;
}

export interface BatchLeftBehind {
	readonly batch: number;
	/** What tells the places of new traces that it may have written from those of others. */
	readonly newTraces: NewTraces;
}

/** Traces by the version of their places; or by row numbers that no other batch could use, both ends included. */
export type NewTraces =
	| { readonly version: number }
	| { readonly rowNumbers: readonly (readonly [first: number, last: number])[] };

export interface Turn {
	/** Row numbers of the projects, by name. */
	readonly projects: ReadonlyMap<string, number>;
	/** How many shards there are, as other servers may have noted; undefined where there are no others. */
	readonly shards: number | undefined;
	/** Of what is written; kept until the work is done. */
	readonly batch: number;
	/** Higher than that of every earlier turn with one of the keys. */
	readonly version: number;
	/**
	 * The lowest of the other batches that were not complete when this turn began. It may have a higher number than this
	 * one, and have had its turn before.
	 */
	readonly oldestOther: number | undefined;
	/** Has the batch repaired as if it had been left behind: it met something that was. */
	readonly askForRepair: () => void;
	/** Runs what comes before the first insert: a turn that fails there has nothing to be repaired. */
	readonly beforeInserts: <T>(work: () => Promise<T>) => Promise<T>;
	/** A row number that nobody has used. @throws Error when more are taken than were wanted */
	readonly take: (kind: "spans" | "traces") => number;
	/** What spans have spent that are written or deleted; stored with the end of the turn. */
	readonly spend: SpendChanges;
}
