import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { answerInTime, NoAnswer } from "../answer-in-time.ts";

/** How often the database is asked whether it is there. */
const PROBE_MS = 1_000;

export interface ListenerOptions {
	/** A connection that is not open yet. */
	readonly makeClient: () => pg.Client;
	readonly channel: string;
	readonly onPayload: (payload: string) => void;
	/** It listens; what was told before was not heard. */
	readonly onUp: () => void;
	/** The database does not answer. */
	readonly onDown: (error: unknown) => void;
}

/**
 * The connection on which a process hears the others, made anew whenever it ends. It shows as well whether the database
 * is there: it is asked every second.
 */
export class Listener implements AsyncDisposable {
	readonly #options: ListenerOptions;
	readonly #stopped = new AbortController();
	readonly #running: Promise<void>;
	#client: pg.Client | undefined;

	constructor(options: ListenerOptions) {
		this.#options = options;
		this.#running = this.#run();
	}

	/** Sends to all that listen on the channel. @throws when it is not connected */
	async send(payloads: readonly string[]): Promise<void> {
		if (this.#client === undefined) throw new Error("not connected");
		await this.#client.query("select pg_notify($1, payload) from unnest($2::text[]) as payload", [
			this.#options.channel,
			payloads,
		]);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#stopped.abort();
		await this.#running;
	}

	async #run(): Promise<void> {
		const { signal } = this.#stopped;
		for (let failures = 0; !signal.aborted; ) {
			const wasUp = await this.#listen();
			if (signal.aborted) return;
			// A connection that ended may have been ended alone: only when there is no other one the database is away.
			failures = wasUp ? 0 : failures + 1;
			if (failures > 0) await sleep(PROBE_MS, undefined, { signal }).catch(() => undefined);
		}
	}

	/** Until the connection ends. @returns whether there was one */
	async #listen(): Promise<boolean> {
		const { makeClient, channel, onPayload, onUp, onDown } = this.#options;
		const client = makeClient();
		const gone = new AbortController();
		client.on("error", () => gone.abort());
		client.on("end", () => gone.abort());
		const stopped = AbortSignal.any([this.#stopped.signal, gone.signal]);
		client.on("notification", ({ payload }) => onPayload(payload ?? ""));
		let isUp = false;
		try {
			await answerInTime(client.connect());
			await answerInTime(client.query(`listen "${channel}"`));
			isUp = true;
			this.#client = client;
			onUp();
			while (!stopped.aborted) {
				await sleep(PROBE_MS, undefined, { signal: stopped }).catch(() => undefined);
				if (!stopped.aborted) await answerInTime(client.query("select 1"));
			}
		} catch (error) {
			if (!isUp || error instanceof NoAnswer) onDown(error);
		} finally {
			this.#client = undefined;
			await Promise.race([client.end().catch(() => undefined), sleep(100)]);
		}
		return isUp;
	}
}
