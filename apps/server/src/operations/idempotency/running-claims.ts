import type { Database } from "#storage/database.ts";
import { type Claim, renewKeys } from "./queries.ts";

/** Microseconds after which an unfinished request that nobody has renewed is taken for one of a server that was killed. */
export const HELD_FOR = 30_000_000;
const RENEW_EVERY_MS = 10_000;
/** Microseconds: five minutes to arrive, and five to be processed. */
const LONGEST_REQUEST = 600_000_000;

interface Parts {
	readonly db: Database;
	/** Microseconds since 1970. */
	readonly now: () => number;
	readonly onError: (error: unknown) => void;
}

/** The requests that this process is working on, which it renews so that no other process takes them for abandoned. */
export class RunningClaims implements Disposable {
	readonly #parts: Parts;
	/** When each was claimed. */
	readonly #claims = new Map<Claim, number>();
	#timer: NodeJS.Timeout | undefined;

	constructor(parts: Parts) {
		this.#parts = parts;
	}

	add(claim: Claim): void {
		this.#claims.set(claim, this.#parts.now());
		this.#timer ??= setInterval(() => void this.renew().catch(this.#parts.onError), RENEW_EVERY_MS).unref();
	}

	delete(claim: Claim): void {
		this.#claims.delete(claim);
		if (this.#claims.size === 0) this[Symbol.dispose]();
	}

	async renew(): Promise<void> {
		const now = this.#parts.now();
		for (const [claim, claimedAt] of this.#claims) if (now - claimedAt > LONGEST_REQUEST) this.delete(claim);
		await renewKeys(this.#parts.db, [...this.#claims.keys()], now);
	}

	[Symbol.dispose](): void {
		clearInterval(this.#timer);
		this.#timer = undefined;
	}
}
