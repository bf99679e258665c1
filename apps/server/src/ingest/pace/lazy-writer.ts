import type { TraceWriter } from "#storage/traces/span-batch.ts";

/** A writer that is opened by whoever needs it first, and by the next one when that failed. */
export class LazyWriter implements AsyncDisposable {
	readonly #open: () => Promise<TraceWriter>;
	#writer: TraceWriter | undefined;

	constructor(open: () => Promise<TraceWriter>) {
		this.#open = open;
	}

	/** @throws StorageUnavailable */
	async get(): Promise<TraceWriter> {
		this.#writer ??= await this.#open();
		return this.#writer;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#writer?.[Symbol.asyncDispose]();
	}
}
