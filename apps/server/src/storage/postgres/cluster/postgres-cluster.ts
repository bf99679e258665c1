import { createHash, randomUUID } from "node:crypto";
import type pg from "pg";
import type { PostgresSettings } from "#base/postgres-address.ts";
import type { Cluster, ClusterMessage } from "#storage/cluster.ts";
import type { Availability } from "../availability.ts";
import { connectionConfig, makeClient } from "../connection.ts";
import { Leases } from "./leases.ts";
import { Listener } from "./listener.ts";
import { decodePayload, Outbox } from "./outbox.ts";

/**
 * How the connection of each process that listens calls itself, so that others see its version while it runs. Versions
 * that know nothing of restricted projects called theirs by the second name.
 */
const LISTENING = "cluster 2";
const LISTENING_OF_OLDER = "cluster";

export interface PostgresClusterOptions {
	readonly settings: PostgresSettings;
	/** Connections to the primary. */
	readonly pool: pg.Pool;
	/** Is set when the database becomes unreachable, and when it is back. */
	readonly availability: Availability;
	/** Gets a sentence when that happens. */
	readonly tell: (sentence: string) => void;
	/** For tests: the term of a lease. */
	readonly leaseMs?: number;
}

/**
 * Server processes on one schema of a PostgreSQL database. They use NOTIFY on a separate connection, outside of
 * transactions that write, since commits that notify wait for each other. After that connection was lost, the message
 * `missed` says that others may be missing.
 */
export class PostgresCluster implements Cluster {
	readonly #options: PostgresClusterOptions;
	readonly #id = randomUUID();
	readonly #listeners = new Set<(message: ClusterMessage) => void>();
	readonly #leases: Leases;
	readonly #outbox: Outbox;
	readonly #listener: Listener;
	#wasUp = false;

	constructor(options: PostgresClusterOptions) {
		const { settings, pool, leaseMs } = options;
		this.#options = options;
		this.#leases = new Leases({ pool, holder: this.#id, ...(leaseMs === undefined ? {} : { leaseMs }) });
		this.#outbox = new Outbox(this.#id, (payloads) => this.#listener.send(payloads));
		this.#listener = new Listener({
			makeClient: () => makeClient(connectionConfig(settings, settings.primary, { name: LISTENING })),
			channel: channelOf(settings.schema),
			onPayload: (payload) => this.#hear(payload),
			onUp: () => this.#setUp(),
			onDown: (error) => this.#setDown(error),
		});
	}

	withLease(name: string, work: (lost: AbortSignal) => Promise<void>): Promise<boolean> {
		return this.#leases.hold(name, work);
	}

	tell(message: ClusterMessage): void {
		this.#outbox.add(message);
	}

	onMessage(listener: (message: ClusterMessage) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	async findOlderServers(): Promise<readonly string[]> {
		const { pool, settings } = this.#options;
		const { application_name: name } = connectionConfig(settings, settings.primary, { name: LISTENING_OF_OLDER });
		const { rows } = await pool.query<{ at: string }>(
			`select coalesce(host(client_addr), 'a local connection') || ', since ' || to_char(backend_start at time zone 'UTC', 'YYYY-MM-DD HH24:MI UTC') as at
			from pg_stat_activity where datname = current_database() and application_name = $1 order by backend_start`,
			[name],
		);
		return rows.map(({ at }) => at);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#outbox.flush();
		await this.#listener[Symbol.asyncDispose]();
	}

	#setUp(): void {
		const { availability, tell } = this.#options;
		if (!availability.isReachable) tell("PostgreSQL can be reached again");
		availability.set(true);
		if (this.#wasUp) this.#deliver({ topic: "missed" });
		this.#wasUp = true;
		void this.#outbox.flush();
	}

	#setDown(error: unknown): void {
		const { availability, tell } = this.#options;
		if (availability.isReachable)
			tell(`PostgreSQL cannot be reached: ${error instanceof Error ? error.message : error}`);
		availability.set(false);
	}

	#hear(payload: string): void {
		const message = decodePayload(payload, this.#id);
		if (message !== undefined) this.#deliver(message);
	}

	#deliver(message: ClusterMessage): void {
		for (const listener of this.#listeners) listener(message);
	}
}

/** Channels are shared by the whole database, and their names have at most 63 bytes. */
export function channelOf(schema: string): string {
	return `spanward_${createHash("sha256").update(schema).digest("hex").slice(0, 32)}`;
}
