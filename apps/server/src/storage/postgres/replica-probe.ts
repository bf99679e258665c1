import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { answerInTime } from "./answer-in-time.ts";
import { NEWEST_VERSION } from "./migrations.ts";

/** How often the replica is asked whether it can be read. */
const PROBE_MS = 2_000;

export interface ReplicaProbeOptions {
	/** A connection to the replica that is not open yet. */
	readonly makeClient: () => pg.Client;
	/** It answered, with the tables of this Spanward. */
	readonly onUp: () => void;
	readonly onDown: (error: unknown) => void;
}

/** Asks a replica every two seconds whether traces can be read there. */
export class ReplicaProbe implements AsyncDisposable {
	readonly #options: ReplicaProbeOptions;
	readonly #stopped = new AbortController();
	readonly #running: Promise<void>;

	constructor(options: ReplicaProbeOptions) {
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
			// A connection that ended may have been ended alone: the next one is made at once.
			const wasUp = await this.#watch();
			if (!wasUp) await sleep(PROBE_MS, undefined, { signal }).catch(() => undefined);
		}
	}

	/** Until the connection ends or the replica does not answer. @returns whether the connection ended after an answer */
	async #watch(): Promise<boolean> {
		const client = this.#options.makeClient();
		const gone = new AbortController();
		client.on("error", () => gone.abort());
		client.on("end", () => gone.abort());
		const stopped = AbortSignal.any([this.#stopped.signal, gone.signal]);
		let wasUp = false;
		try {
			await answerInTime(client.connect());
			while (!stopped.aborted) {
				await answerInTime(checkTables(client));
				wasUp = true;
				this.#options.onUp();
				await sleep(PROBE_MS, undefined, { signal: stopped }).catch(() => undefined);
			}
			return wasUp;
		} catch (error) {
			if (this.#stopped.signal.aborted) return false;
			this.#options.onDown(error);
			return false;
		} finally {
			await Promise.race([client.end().catch(() => undefined), sleep(100)]);
		}
	}
}

/** A replica may be behind the start, or the upgrade, of this Spanward. */
async function checkTables(client: pg.Client): Promise<void> {
	const { rows } = await client.query(
		"select to_regclass('schema_version') is not null as has_version, to_regclass('traces') is not null as has_traces",
	);
	const isThere = rows[0]?.has_version === true && rows[0]?.has_traces === true;
	if (isThere) {
		const { rows: versions } = await client.query("select max(version) as version from schema_version");
		if (Number(versions[0]?.version) >= NEWEST_VERSION) return;
	}
	throw new Error("it does not have the tables of this Spanward yet");
}
