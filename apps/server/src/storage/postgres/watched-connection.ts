import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

export interface WatchedConnectionOptions {
	/** A connection that is not open yet. */
	readonly makeClient: () => pg.Client;
	/**
	 * Opens the connection and uses it until `signals.ended`.
	 * @returns whether it was usable: if so the next one is made at once, otherwise after `restMs`
	 */
	readonly use: (client: pg.Client, signals: WatchSignals) => Promise<boolean>;
	/** Pause before the next connection, after one that could not be used. */
	readonly restMs: number;
}

export interface WatchSignals {
	/** The connection ended, or the `WatchedConnection` is being disposed of. */
	readonly ended: AbortSignal;
	/** The `WatchedConnection` is being disposed of. */
	readonly stopped: AbortSignal;
}

/** A connection outside of the pools, replaced whenever it ends, until this is disposed of. */
export class WatchedConnection implements AsyncDisposable {
	readonly #options: WatchedConnectionOptions;
	readonly #stopped = new AbortController();
	readonly #running: Promise<void>;

	constructor(options: WatchedConnectionOptions) {
		this.#options = options;
		this.#running = this.#run();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#stopped.abort();
		await this.#running;
	}

	async #run(): Promise<void> {
		const { signal } = this.#stopped;
		while (!signal.aborted) {
			const wasUp = await this.#useNext();
			if (!wasUp) await sleep(this.#options.restMs, undefined, { signal }).catch(() => undefined);
		}
	}

	async #useNext(): Promise<boolean> {
		const client = this.#options.makeClient();
		const gone = new AbortController();
		client.on("error", () => gone.abort());
		client.on("end", () => gone.abort());
		const stopped = this.#stopped.signal;
		try {
			return await this.#options.use(client, { ended: AbortSignal.any([stopped, gone.signal]), stopped });
		} finally {
			// A server that is down does not answer.
			await Promise.race([client.end().catch(() => undefined), sleep(100)]);
		}
	}
}
