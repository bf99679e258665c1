/** Writes what gathers some time after the first of it was noted, and the rest at the end. */
export class WriteBehind implements AsyncDisposable {
	readonly #write: () => Promise<void>;
	readonly #delayMs: number;
	#timer: NodeJS.Timeout | undefined;
	#writing: Promise<void> = Promise.resolve();

	/** @param write takes what has gathered; never rejects @param delayMs milliseconds */
	constructor(write: () => Promise<void>, delayMs: number) {
		this.#write = write;
		this.#delayMs = delayMs;
	}

	/** To be called for all that is noted, and for what could not be written. */
	soon(): void {
		this.#timer ??= setTimeout(() => {
			this.#timer = undefined;
			this.#writing = this.#write();
		}, this.#delayMs).unref();
	}

	/** Resolves when the last write that was begun has ended. */
	async settled(): Promise<void> {
		await this.#writing;
	}

	/** Writes what is left, once. */
	async [Symbol.asyncDispose](): Promise<void> {
		clearTimeout(this.#timer);
		await this.#writing;
		await this.#write();
		clearTimeout(this.#timer);
	}
}
