import type pg from "pg";
import type { PostgresAddress } from "#base/postgres-address.ts";
import { type PlaceState, SINGLE_NODE, type StorageNode, type TracePlace } from "../trace-place.ts";
import { StorageUnavailable } from "../traces/span-batch.ts";
import type { Availability } from "./availability.ts";

/** The primary. It does not tell how much room its disk has, and vacuums what was deleted by itself. */
export class PostgresPlace implements TracePlace {
	readonly kind = "postgres";
	readonly #pool: pg.Pool;
	readonly #address: PostgresAddress;
	readonly #availability: Availability;

	constructor(pool: pg.Pool, address: PostgresAddress, availability: Availability) {
		this.#pool = pool;
		this.#address = address;
		this.#availability = availability;
	}

	async describe(): Promise<PlaceState> {
		const { isReachable } = this.#availability;
		return { isReachable, isComplete: isReachable, delaySeconds: 0, pendingDeleteBytes: 0, insertIntervalMs: null };
	}

	async listNodes(): Promise<readonly StorageNode[]> {
		const { host, port } = this.#address;
		const version = await this.#readVersion();
		const state = version === null ? "unreachable" : "ok";
		return [{ ...SINGLE_NODE, host: `${host}:${port}`, version, state }];
	}

	async #readVersion(): Promise<string | null> {
		try {
			const { rows } = await this.#pool.query<{ version: string }>(
				"select current_setting('server_version') as version",
			);
			return rows[0]?.version ?? null;
		} catch (error) {
			if (!(error instanceof StorageUnavailable)) throw error;
			return null;
		}
	}
}
