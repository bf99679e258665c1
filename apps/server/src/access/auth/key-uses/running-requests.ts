/** How many requests of each caller run now. */
export class RunningRequests {
	readonly #running = new Map<string, number>();

	count(caller: string): number {
		return this.#running.get(caller) ?? 0;
	}

	/** Counts one more until the result is disposed of, which may happen more than once. */
	begin(caller: string): Disposable {
		this.#running.set(caller, this.count(caller) + 1);
		let isOver = false;
		return {
			[Symbol.dispose]: () => {
				if (isOver) return;
				isOver = true;
				const left = this.count(caller) - 1;
				if (left <= 0) this.#running.delete(caller);
				else this.#running.set(caller, left);
			},
		};
	}
}
