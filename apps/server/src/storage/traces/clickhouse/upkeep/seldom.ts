import { setTimeout as sleep } from "node:timers/promises";
import { readersGone } from "#base/readers-gone.ts";
import { StorageUnavailable } from "#storage/traces/span-batch.ts";

/** Who looks at it does not wait for it for longer. */
const PATIENCE_MS = 2_000;
const LEAST_REST_MS = 60_000;
const REST_SHARE = 100;

/** What takes long to measure, as it was measured last: it is measured for a hundredth of the time at most. */
export class Seldom<Figure> {
	readonly #measure: () => Promise<Figure>;
	#last: Figure | null = null;
	#measuring: Promise<void> | undefined;
	#restUntil = 0;

	constructor(measure: () => Promise<Figure>) {
		this.#measure = measure;
	}

	/** Without asking; null while it is not known. */
	get last(): Figure | null {
		return this.#last;
	}

	/** Null while it is not known. @throws ClickHouseFailure when the statement is wrong */
	async read(): Promise<Figure | null> {
		if (performance.now() >= this.#restUntil) this.#measuring ??= readersGone.exit(() => this.#measureOnce());
		if (this.#measuring !== undefined)
			await Promise.race([this.#measuring, sleep(PATIENCE_MS, undefined, { ref: false })]);
		return this.#last;
	}

	async #measureOnce(): Promise<void> {
		const start = performance.now();
		try {
			this.#last = await this.#measure();
		} catch (error) {
			if (!(error instanceof StorageUnavailable)) throw error;
		} finally {
			const now = performance.now();
			this.#restUntil = now + Math.max(LEAST_REST_MS, (now - start) * REST_SHARE);
			this.#measuring = undefined;
		}
	}
}
