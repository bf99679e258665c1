import type { StorageUnavailable, WhyUnavailable } from "#storage/traces/span-batch.ts";
import type { IngestLog } from "./ingest-pool.ts";

/** Exports that were refused because the storage did not take them. */
export interface StorageRefusal {
	readonly reason: WhyUnavailable;
	/** What the database says about it. */
	readonly detail: string;
	readonly requests: number;
}

const INTERVAL_MICROS = 60_000_000;
/** Senders that were refused come again sooner; none may be left that does. */
const LASTS_MICROS = 60_000_000;

/** Logs that exports are refused: the first at once, then once a minute with their number, as exporters retry. */
export class StorageRefusals {
	readonly #log: IngestLog;
	readonly #now: () => number;
	#reason: StorageRefusal["reason"] | undefined;
	#refusedAtMicros = 0;
	#loggedAtMicros = 0;
	/** Since the line before. */
	#unlogged = 0;
	#all = 0;

	/** @param now microseconds since 1970 */
	constructor(log: IngestLog, now: () => number) {
		this.#log = log;
		this.#now = now;
	}

	/** Why the storage does not take exports: undefined once one was stored, or a minute without another refusal is over. */
	get current(): WhyUnavailable | undefined {
		return this.#now() - this.#refusedAtMicros < LASTS_MICROS ? this.#reason : undefined;
	}

	refused({ reason, detail, requests }: StorageRefusal): void {
		this.#refusedAtMicros = this.#now();
		const isFirst = this.#all === 0;
		this.#all += requests;
		this.#unlogged += requests;
		if (reason === this.#reason && this.#now() - this.#loggedAtMicros < INTERVAL_MICROS) return;
		this.#reason = reason;
		this.#loggedAtMicros = this.#now();
		const details = { reason, detail, refused: this.#unlogged, ...(isFirst ? {} : { since: "the line before" }) };
		this.#unlogged = 0;
		this.#log.error(details, "exports are refused, because the storage cannot store them; senders will retry");
	}

	/** An export was stored: whatever the fault was, it has passed. */
	stored(): void {
		if (this.#all === 0) return;
		this.#log.warn({ refused: this.#all }, "exports are stored again");
		this.#reason = undefined;
		this.#all = 0;
		this.#unlogged = 0;
	}
}

/** What the cause of an error says, without where it was thrown. */
export function refusalBy(error: StorageUnavailable, requests: number): StorageRefusal {
	const { cause, reason, message } = error;
	return { reason, detail: cause instanceof Error ? cause.message : message, requests };
}
