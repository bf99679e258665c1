import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

/** A lease that is not renewed expires after this time, by the clock of the database. */
const LEASE_MS = 15_000;

export interface LeaseOptions {
	readonly pool: pg.Pool;
	/** Identifies this process. */
	readonly holder: string;
	/** For tests; {@link LEASE_MS} when absent. */
	readonly leaseMs?: number;
}

/**
 * Leases, rows of the table `leases`: only their holder does what one process at a time may do. A lease is renewed
 * during the work, and expires when its process was killed.
 */
export class Leases {
	readonly #options: LeaseOptions;
	readonly #leaseMs: number;

	constructor(options: LeaseOptions) {
		this.#options = options;
		this.#leaseMs = options.leaseMs ?? LEASE_MS;
	}

	/**
	 * Runs `work` unless somebody holds the lease. `lost` aborts before anybody else can take it.
	 * @returns false when somebody else holds it
	 * @throws StorageUnavailable, and what `work` throws
	 */
	async hold(name: string, work: (lost: AbortSignal) => Promise<void>): Promise<boolean> {
		const holder = `${this.#options.holder} ${randomUUID()}`;
		const heldSince = performance.now();
		if (!(await this.#take(name, holder))) return false;
		const lost = new AbortController();
		const done = new AbortController();
		const renewing = this.#keep(name, holder, heldSince, lost, done.signal);
		try {
			await work(lost.signal);
		} finally {
			done.abort();
			await renewing;
			// Holders' names are unique: if another one has the lease by now, this deletes nothing.
			await this.#release(name, holder).catch(() => undefined);
		}
		return true;
	}

	/** Renews the lease until the work is done, or the lease is lost. */
	async #keep(name: string, holder: string, takenAt: number, lost: AbortController, done: AbortSignal): Promise<void> {
		let heldSince = takenAt;
		let wait = this.#leaseMs / 3;
		const untilLost = () => heldSince + this.#leaseMs * 0.8 - performance.now();
		while (!done.aborted) {
			await sleep(Math.min(wait, Math.max(0, untilLost())), undefined, { signal: done, ref: false }).catch(
				() => undefined,
			);
			if (done.aborted) break;
			// After a long pause of this process the lease may be another's already: it is lost without asking.
			const asked = performance.now();
			const left = untilLost();
			const renewed = left > 0 && (await this.#renewWithin(name, holder, left));
			if (renewed === false) {
				lost.abort();
				break;
			}
			if (renewed) heldSince = asked;
			// When the database could not be asked, try again soon.
			wait = renewed ? this.#leaseMs / 3 : this.#leaseMs / 15;
		}
	}

	/** Undefined when the database did not answer. */
	async #renewWithin(name: string, holder: string, milliseconds: number): Promise<boolean | undefined> {
		const late = sleep(milliseconds, undefined, { ref: false });
		return await Promise.race([this.#renew(name, holder).catch(() => undefined), late]);
	}

	async #take(name: string, holder: string): Promise<boolean> {
		const { rowCount } = await this.#options.pool.query(
			`insert into leases (name, holder, expires_at)
			values ($1, $2, clock_timestamp() + make_interval(secs => $3))
			on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at
			where leases.expires_at < clock_timestamp()`,
			[name, holder, this.#leaseMs / 1_000],
		);
		return rowCount === 1;
	}

	async #renew(name: string, holder: string): Promise<boolean> {
		const { rowCount } = await this.#options.pool.query(
			`update leases set expires_at = clock_timestamp() + make_interval(secs => $3)
			where name = $1 and holder = $2 and expires_at > clock_timestamp()`,
			[name, holder, this.#leaseMs / 1_000],
		);
		return rowCount === 1;
	}

	async #release(name: string, holder: string): Promise<void> {
		await this.#options.pool.query("delete from leases where name = $1 and holder = $2", [name, holder]);
	}
}
