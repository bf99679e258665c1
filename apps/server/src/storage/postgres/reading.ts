import type pg from "pg";
import type { PostgresAddress, PostgresSettings } from "#base/postgres-address.ts";
import { StorageUnavailable } from "../traces/span-batch.ts";
import { Availability } from "./availability.ts";
import { connectionConfig, makeClient, openPool } from "./connection.ts";
import { guardPool } from "./guard-pool.ts";
import { toOpenError } from "./open-errors.ts";
import { probeReplica } from "./replica-probe.ts";
import { isConflict, isTooSlow } from "./storage-errors.ts";

/** How long the replica is not used after a read failed there. */
const REST_MS = 2_000;

/** A read on a connection of the given pool; it may be repeated on another pool. */
type Read<T> = (pool: pg.Pool) => Promise<T>;

export interface ReadingOptions {
	readonly settings: PostgresSettings;
	/** Connections to the primary. */
	readonly primary: pg.Pool;
	/** Gets a sentence when reads move from the replica to the primary, and back. */
	readonly tell: (sentence: string) => void;
}

/** Reads traces from the replica while that works, otherwise from the primary. */
export class Reading implements AsyncDisposable {
	readonly #primary: pg.Pool;
	readonly #replica: Replica | undefined;

	private constructor(primary: pg.Pool, replica: Replica | undefined) {
		this.#primary = primary;
		this.#replica = replica;
	}

	/** Resolves once it is known whether the replica can be read, which may take some seconds. */
	static async open(options: ReadingOptions): Promise<Reading> {
		const { replica: address } = options.settings;
		return new Reading(options.primary, address === undefined ? undefined : await Replica.open(options, address));
	}

	/**
	 * For lists and charts: reads from the replica, or from the primary when the replica fails. @throws
	 * StorageUnavailable
	 */
	async read<T>(read: Read<T>): Promise<T> {
		const replica = this.#replica;
		if (replica === undefined || !replica.isUsable) return await read(this.#primary);
		try {
			return await read(replica.pool);
		} catch (error) {
			if (!isOfReplica(error)) throw error;
			// A read that was cancelled so that the replica could catch up is no failure of the replica.
			if (!isConflict(error)) replica.rest();
			return await read(this.#primary);
		}
	}

	/** As `read`, but what the replica lacks is looked up on the primary. @throws StorageUnavailable */
	async find<T>(read: Read<T>, isThere: (found: T) => boolean): Promise<T> {
		const isFromReplica = this.readsReplica === true;
		const found = await this.read(read);
		return isThere(found) || !isFromReplica ? found : await read(this.#primary);
	}

	/** Reads from the primary, for decisions that need the current state. @throws StorageUnavailable */
	async readNow<T>(read: Read<T>): Promise<T> {
		return await read(this.#primary);
	}

	/**
	 * To be called when traces have moved to another project, here or elsewhere: who sees only the former one must not
	 * find them there, so the replica is not read until it has what the primary has now.
	 */
	awaitReplica(): void {
		this.#replica?.await();
	}

	/** Whether reads go to the replica now; undefined without a replica. */
	get readsReplica(): boolean | undefined {
		return this.#replica?.isUsable;
	}

	/** The connections to the replica; undefined without one. */
	get replicaPool(): pg.Pool | undefined {
		return this.#replica?.pool;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#replica?.[Symbol.asyncDispose]();
	}
}

/** A replica, and whether it can be read. */
class Replica implements AsyncDisposable {
	readonly pool: pg.Pool;
	readonly #availability = new Availability();
	readonly #probe: AsyncDisposable;
	readonly #known = Promise.withResolvers<void>();
	#restUntilMs = 0;
	readonly #primary: pg.Pool;
	/** Set while it may lack what moved: at the start, as other processes may have moved something before. */
	#awaited: object | undefined = {};

	private constructor({ settings, primary, tell }: ReadingOptions, address: PostgresAddress) {
		this.#primary = primary;
		const use = { name: "replica", size: settings.poolSize };
		// The probe reports connections that end.
		this.pool = guardPool(
			openPool(settings, address, use, () => undefined),
			this.#availability,
		);
		this.#probe = probeReplica({
			makeClient: () => makeClient(connectionConfig(settings, address, { name: "replica probe" })),
			look: (client) => this.#look(client),
			onUp: () => {
				if (!this.#availability.isReachable) tell("the replica can be read again; traces are read there");
				this.#availability.set(true);
				this.#known.resolve();
			},
			onDown: (error) => {
				const why = toOpenError(error, settings, address);
				if (this.#availability.isReachable)
					tell(
						`the replica cannot be read; traces are read from the primary: ${why instanceof Error ? why.message : why}`,
					);
				this.#availability.set(false);
				this.#known.resolve();
			},
		});
	}

	static async open(options: ReadingOptions, address: PostgresAddress): Promise<Replica> {
		const replica = new Replica(options, address);
		await replica.#known.promise;
		return replica;
	}

	get isUsable(): boolean {
		return this.#awaited === undefined && this.#availability.isReachable && performance.now() >= this.#restUntilMs;
	}

	/** Leaves it unread until it has what the primary has now. */
	await(): void {
		this.#awaited = {};
	}

	/** Whether it has what is awaited. One that does not say how far it is stays unread. */
	async #look(client: pg.Client): Promise<void> {
		const awaited = this.#awaited;
		if (awaited === undefined) return;
		const { rows: marks } = await this.#primary.query<{ mark: string }>(
			"select pg_current_wal_insert_lsn()::text as mark",
		);
		const { rows } = await client.query<{ has_it: boolean | null }>(
			"select pg_last_wal_replay_lsn() >= $1::pg_lsn as has_it",
			[marks[0]?.mark],
		);
		if (rows[0]?.has_it === true && this.#awaited === awaited) this.#awaited = undefined;
	}

	rest(): void {
		this.#restUntilMs = performance.now() + REST_MS;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#probe[Symbol.asyncDispose]();
		await this.pool.end();
	}
}

/** Whether to retry on the primary: not when all connections are in use or the statement took too long. */
function isOfReplica(error: unknown): boolean {
	if (isConflict(error)) return true;
	if (!(error instanceof StorageUnavailable) || error.reason === "busy") return false;
	return !isTooSlow(error);
}
