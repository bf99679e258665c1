import type { TraceChange } from "./traces/trace-store.ts";

/** What the server processes that share a database tell each other. */
export type ClusterMessage =
	| { readonly topic: "traces"; readonly changes: readonly TraceChange[] }
	/** Traces have gone to another project: no replica may be read that does not have that. */
	| { readonly topic: "moved" }
	/** Every process has to reload the prices that it keeps in memory. */
	| { readonly topic: "prices" }
	/** Background jobs should look for work now. */
	| {
			readonly topic: "wake";
			readonly work: "retention" | "cost_recomputation" | "bulk_run" | "repair" | "experiment_job" | "review_gold";
	  }
	/** Sent by no process: the connection was interrupted, so messages of any kind may have been lost. */
	| { readonly topic: "missed" };

/** The server processes that share one database, as seen by one of them. */
export interface Cluster extends AsyncDisposable {
	/**
	 * Runs `work` unless it is running already under this name, here or in another process. `lost` aborts when this
	 * process can no longer be sure that it is the only one.
	 * @returns false when `work` was not run because somebody else holds the lease
	 * @throws StorageUnavailable when the database cannot be reached, and what `work` throws
	 */
	withLease(name: string, work: (lost: AbortSignal) => Promise<void>): Promise<boolean>;
	/** Sends a message to the other processes, soon. Messages may be lost when a process dies, so listeners also poll. */
	tell(message: ClusterMessage): void;
	/** Called with messages of other processes, and with `missed`. Returns the function that unsubscribes. */
	onMessage(listener: (message: ClusterMessage) => void): () => void;
	/** Processes of versions that know nothing of restricted projects, as addresses or names. @throws StorageUnavailable */
	findOlderServers(): Promise<readonly string[]>;
}

/** The cluster of a database that only one process uses. */
export class OnlyProcess implements Cluster {
	async withLease(_name: string, work: (lost: AbortSignal) => Promise<void>): Promise<boolean> {
		await work(new AbortController().signal);
		return true;
	}

	tell(): void {}

	onMessage(): () => void {
		return () => undefined;
	}

	async findOlderServers(): Promise<readonly string[]> {
		return [];
	}

	async [Symbol.asyncDispose](): Promise<void> {}
}
