/** Does `work` at once and again and again, one after the other; disposing waits for what runs. Its time stops no process. */
export class RepeatedWork implements AsyncDisposable {
	readonly #timer: NodeJS.Timeout;
	readonly #stopped = new AbortController();
	#running: Promise<void>;

	/** @param work never rejects; `stopped` tells it to end early */
	constructor(everyMs: number, work: (stopped: AbortSignal) => Promise<void>) {
		const { signal } = this.#stopped;
		this.#running = work(signal);
		this.#timer = setInterval(() => {
			this.#running = this.#running.then(() => work(signal));
		}, everyMs);
		this.#timer.unref();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#stopped.abort();
		clearInterval(this.#timer);
		await this.#running;
	}
}
