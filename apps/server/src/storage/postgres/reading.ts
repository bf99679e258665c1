import type pg from "pg";
import type { PostgresAddress, PostgresSettings } from "#base/postgres-address.ts";
import { StorageUnavailable } from "../traces/span-batch.ts";
import { Availability } from "./availability.ts";
import { connectionConfig, makeClient, openPool } from "./connection.ts";
import { guardPool } from "./guard-pool.ts";
import { toOpenError } from "./open-errors.ts";
import { probeReplica } from "./replica-probe.ts";
import { isConflict, isTooSlow } from "./storage-errors.ts";

/** After a read that failed on the replica, for whatever cause of its own, it is left alone for so long. */
const REST_MS = 2_000;

/** Reads on a connection of the pool, and may be done again on another one. */
type Read<T> = (pool: pg.Pool) => Promise<T>;

export interface ReadingOptions {
	readonly settings: PostgresSettings;
	/** Connections to the primary. */
	readonly primary: pg.Pool;
	/** Gets a sentence when reading moves from the replica to the primary, and back. */
	readonly tell: (sentence: string) => void;
}

/** Where traces are read: on the replica, if there is one and while it can be read, else on the primary. */
export class Reading implements AsyncDisposable {
	readonly #primary: pg.Pool;
	readonly #replica: Replica | undefined;

	private constructor(primary: pg.Pool, replica: Replica | undefined) {
		this.#primary = primary;
		this.#replica = replica;
	}

	/** Resolves when it is known whether the replica can be read, which may take some seconds. */
	static async open({ settings, primary, tell }: ReadingOptions): Promise<Reading> {
		const { replica: address } = settings;
		return new Reading(primary, address === undefined ? undefined : await Replica.open(settings, address, tell));
	}

	/** What lists and charts show: as the replica has it, or the primary when the replica fails. @throws StorageUnavailable */
	async read<T>(read: Read<T>): Promise<T> {
		const replica = this.#replica;
		if (replica === undefined || !replica.isUsable) return await read(this.#primary);
		try {
			return await read(replica.pool);
		} catch (error) {
			if (!isOfReplica(error)) throw error;
			// What was cancelled for the replica to catch up finds it in order.
			if (!isConflict(error)) replica.rest();
			return await read(this.#primary);
		}
	}

	/** As `read`; what is not there on the replica may have been stored just now. @throws StorageUnavailable */
	async find<T>(read: Read<T>, isThere: (found: T) => boolean): Promise<T> {
		const isFromReplica = this.readsReplica === true;
		const found = await this.read(read);
		return isThere(found) || !isFromReplica ? found : await read(this.#primary);
	}

	/** What is stored now, for what is decided by it. @throws StorageUnavailable */
	async readNow<T>(read: Read<T>): Promise<T> {
		return await read(this.#primary);
	}

	/** Undefined without a replica. */
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

/** A copy that is only read, and whether it can be. */
class Replica implements AsyncDisposable {
	readonly pool: pg.Pool;
	readonly #availability = new Availability();
	readonly #probe: AsyncDisposable;
	readonly #known = Promise.withResolvers<void>();
	#restUntilMs = 0;

	private constructor(settings: PostgresSettings, address: PostgresAddress, tell: (sentence: string) => void) {
		const use = { name: "replica", size: settings.poolSize };
		// Connections that end are told of by the probe.
		this.pool = guardPool(
			openPool(settings, address, use, () => undefined),
			this.#availability,
		);
		this.#probe = probeReplica({
			makeClient: () => makeClient(connectionConfig(settings, address, { name: "replica probe" })),
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

	static async open(
		settings: PostgresSettings,
		address: PostgresAddress,
		tell: (sentence: string) => void,
	): Promise<Replica> {
		const replica = new Replica(settings, address, tell);
		await replica.#known.promise;
		return replica;
	}

	get isUsable(): boolean {
		return this.#availability.isReachable && performance.now() >= this.#restUntilMs;
	}

	rest(): void {
		this.#restUntilMs = performance.now() + REST_MS;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#probe[Symbol.asyncDispose]();
		await this.pool.end();
	}
}

/** Whether the primary may do better: not where all connections are in use, or a statement takes too long. */
function isOfReplica(error: unknown): boolean {
	if (isConflict(error)) return true;
	if (!(error instanceof StorageUnavailable) || error.reason === "busy") return false;
	return !isTooSlow(error);
}
