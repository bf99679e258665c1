import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { ProbeTimeout, withProbeTimeout } from "../probe-timeout.ts";
import { WatchedConnection } from "../watched-connection.ts";

/** How often the connection is checked. */
const PROBE_MS = 1_000;

export interface ListenerOptions {
	/** A connection that is not open yet. */
	readonly makeClient: () => pg.Client;
	readonly channel: string;
	readonly onPayload: (payload: string) => void;
	/** Listening has begun; earlier messages were not received. */
	readonly onUp: () => void;
	/** The database does not answer. */
	readonly onDown: (error: unknown) => void;
}

/**
 * The connection on which a process receives the messages of the others; replaced whenever it ends. It also checks
 * every second whether the database can be reached.
 */
export class Listener implements AsyncDisposable {
	readonly #options: ListenerOptions;
	readonly #connection: WatchedConnection;
	#client: pg.Client | undefined;

	constructor(options: ListenerOptions) {
		this.#options = options;
		this.#connection = new WatchedConnection({
			makeClient: options.makeClient,
			use: (client, { ended }) => this.#listen(client, ended),
			restMs: PROBE_MS,
		});
	}

	/** Sends to all listeners of the channel. @throws when not connected */
	async send(payloads: readonly string[]): Promise<void> {
		if (this.#client === undefined) throw new Error("not connected");
		await this.#client.query("select pg_notify($1, payload) from unnest($2::text[]) as payload", [
			this.#options.channel,
			payloads,
		]);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#connection[Symbol.asyncDispose]();
	}

	/** The database is down only if no other connection can be made either. @returns whether it listened */
	async #listen(client: pg.Client, ended: AbortSignal): Promise<boolean> {
		const { channel, onPayload, onUp, onDown } = this.#options;
		client.on("notification", ({ payload }) => onPayload(payload ?? ""));
		let isUp = false;
		try {
			await withProbeTimeout(client.connect());
			await withProbeTimeout(client.query(`listen "${channel}"`));
			isUp = true;
			this.#client = client;
			onUp();
			while (!ended.aborted) {
				await sleep(PROBE_MS, undefined, { signal: ended }).catch(() => undefined);
				if (!ended.aborted) await withProbeTimeout(client.query("select 1"));
			}
		} catch (error) {
			if (!isUp || error instanceof ProbeTimeout) onDown(error);
		} finally {
			this.#client = undefined;
		}
		return isUp;
	}
}
