/** Lets asynchronous pieces of work on one connection run one after the other, in the order they asked. */
export class Turns {
	#last: Promise<unknown> = Promise.resolve();

	take<T>(work: () => Promise<T>): Promise<T> {
		const result = this.#last.then(work);
		this.#last = result.catch(() => undefined);
		return result;
	}
}
