/** Lets so many pieces of work run at a time; others wait in the order in which they came. */
export class Turns {
	#free: number;
	readonly #waiting: (() => void)[] = [];

	constructor(atOnce: number) {
		this.#free = atOnce;
	}

	/** @throws the reason of the signal, if it aborts before the turn comes */
	async run<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
		await this.#turn(signal);
		try {
			return await work();
		} finally {
			const next = this.#waiting.shift();
			if (next === undefined) this.#free += 1;
			else next();
		}
	}

	#turn(signal: AbortSignal): Promise<void> {
		signal.throwIfAborted();
		if (this.#free > 0) {
			this.#free -= 1;
			return Promise.resolve();
		}
		return new Promise((resolve, reject) => {
			const begin = () => {
				signal.removeEventListener("abort", leave);
				resolve();
			};
			const leave = () => {
				this.#waiting.splice(this.#waiting.indexOf(begin), 1);
				reject(signal.reason);
			};
			this.#waiting.push(begin);
			signal.addEventListener("abort", leave, { once: true });
		});
	}
}
