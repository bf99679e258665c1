import type { TraceChange } from "./traces/trace-store.ts";

/** What the server processes on one database tell each other. */
export type ClusterMessage =
	| { readonly topic: "traces"; readonly changes: readonly TraceChange[] }
	/** Prices that every process keeps in memory are to be read again. */
	| { readonly topic: "prices" }
	/** Background jobs are to look for something to do. */
	| { readonly topic: "wake"; readonly work: "retention" | "cost_recomputation" }
	/** Comes from no process: for a while nothing was heard, so anything may have been told. */
	| { readonly topic: "missed" };

/** The server processes that share one database, as one of them sees them. */
export interface Cluster extends AsyncDisposable {
	/**
	 * Runs `work` unless another process, or this one, does work of this name now. `lost` aborts when this process can no
	 * longer be sure to be the only one.
	 * @returns false when it is done already
	 * @throws StorageUnavailable when the database cannot be asked, and what `work` throws
	 */
	withLease(name: string, work: (lost: AbortSignal) => Promise<void>): Promise<boolean>;
	/** Tells the other processes, soon. Messages may be lost with a process: who listens also looks from time to time. */
	tell(message: ClusterMessage): void;
	/** Called with what other processes tell, or with `missed`. Returns the unsubscribe. */
	onMessage(listener: (message: ClusterMessage) => void): () => void;
}

/** Of a database that one process has for itself. */
export class OnlyProcess implements Cluster {
	async withLease(_name: string, work: (lost: AbortSignal) => Promise<void>): Promise<boolean> {
		await work(new AbortController().signal);
		return true;
	}

	tell(): void {}

	onMessage(): () => void {
		return () => undefined;
	}

	async [Symbol.asyncDispose](): Promise<void> {}
}
