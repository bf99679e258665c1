/**
 * Does `work` at once and again and again, one after the other, and when it is woken; disposing waits for what runs. Its
 * time stops no process.
 */
export class RepeatedWork implements AsyncDisposable {
	readonly #timer: NodeJS.Timeout;
	readonly #stopped = new AbortController();
	readonly #work: (stopped: AbortSignal) => Promise<void>;
	#running: Promise<void> | undefined;
	#again = false;

	/** @param work never rejects; `stopped` tells it to end early */
	constructor(everyMs: number, work: (stopped: AbortSignal) => Promise<void>) {
		this.#work = work;
		this.#timer = setInterval(() => this.wake(), everyMs);
		this.#timer.unref();
		this.wake();
	}

	/** Does the work now, or once more when what runs has ended. */
	wake(): void {
		this.#again = true;
		this.#running ??= this.#run();
	}

	async #run(): Promise<void> {
		while (this.#again && !this.#stopped.signal.aborted) {
			this.#again = false;
			await this.#work(this.#stopped.signal);
		}
		this.#running = undefined;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#stopped.abort();
		clearInterval(this.#timer);
		await this.#running;
	}
}
