import { readersGone } from "#base/readers-gone.ts";

/** Until when nothing of a key can begin. */
interface Block {
	readonly until: number;
	/** A call that ends may change it before. */
	readonly isFreed: boolean;
}

export type Attempt<T> =
	| { readonly kind: "done"; readonly value: T }
	| { readonly kind: "wait"; readonly key: string; readonly forMs: number; readonly isFreed: boolean };

export interface Waiting<T> {
	readonly isInteractive: boolean;
	/** What it may wait for: it is not tried while one of these is blocked. */
	readonly keys: readonly string[];
	readonly signal: AbortSignal;
	/** Tries to begin. Of those that are tried at the same time the first goes first; none overtakes one that waits. */
	readonly begin: () => Promise<Attempt<T>>;
	/** Undoes what was begun for a call that nobody waits for any more. */
	readonly undo: (value: T) => Promise<void>;
}

interface Waiter<T> extends Waiting<T> {
	readonly resolve: (value: T) => void;
	readonly reject: (error: unknown) => void;
	readonly stopListening: () => void;
}

/** Calls of one connection that wait for what it limits: those of people first, then in order of arrival. */
export class WaitingCalls<T> {
	#people: Waiter<T>[] = [];
	#work: Waiter<T>[] = [];
	readonly #blocks = new Map<string, Block>();
	#timer: NodeJS.Timeout | undefined;
	#isRunning = false;
	#ended = 0;

	/** @throws the reason of the signal when it aborts first, and what `begin` throws */
	wait(waiting: Waiting<T>): Promise<T> {
		const { signal } = waiting;
		return new Promise((resolve, reject) => {
			if (signal.aborted) return reject(signal.reason);
			const onAbort = () => {
				this.#remove(waiter);
				reject(signal.reason);
			};
			signal.addEventListener("abort", onAbort, { once: true });
			const stopListening = () => signal.removeEventListener("abort", onAbort);
			const waiter: Waiter<T> = { ...waiting, resolve, reject, stopListening };
			(waiting.isInteractive ? this.#people : this.#work).push(waiter);
			this.#start();
		});
	}

	/** Tries again what waits for a call to end. */
	callEnded(): void {
		this.#ended += 1;
		for (const [key, { isFreed }] of this.#blocks) if (isFreed) this.#blocks.delete(key);
		this.#start();
	}

	#start(): void {
		if (this.#isRunning) return;
		this.#isRunning = true;
		// It works for all that wait, whoever began it.
		void readersGone.exit(() => this.#run());
	}

	async #run(): Promise<void> {
		clearTimeout(this.#timer);
		// At the same time, so that they share what beginning costs.
		for (let next = this.#next(); next.length > 0; next = this.#next())
			await Promise.all(next.map((waiter) => this.#try(waiter)));
		this.#isRunning = false;
		const first = Math.min(...[...this.#blocks.values()].map(({ until }) => until));
		if (this.#people.length + this.#work.length === 0 || first === Number.POSITIVE_INFINITY) return;
		this.#timer = setTimeout(() => this.#start(), Math.max(1, first - performance.now()));
	}

	/** Never rejects. */
	async #try(waiter: Waiter<T>): Promise<void> {
		const endedBefore = this.#ended;
		try {
			const attempt = await waiter.begin();
			if (attempt.kind === "wait") {
				const { key, forMs, isFreed } = attempt;
				// One that ended meanwhile may have been what it waits for.
				if (isFreed && this.#ended !== endedBefore) return;
				this.#blocks.set(key, { until: performance.now() + forMs, isFreed });
			} else if (waiter.signal.aborted) await waiter.undo(attempt.value);
			else {
				this.#remove(waiter);
				waiter.resolve(attempt.value);
			}
		} catch (error) {
			this.#remove(waiter);
			waiter.reject(error);
		}
	}

	/** Those that may begin, in order. */
	#next(): readonly Waiter<T>[] {
		const now = performance.now();
		for (const [key, { until }] of this.#blocks) if (until <= now) this.#blocks.delete(key);
		return [...this.#people, ...this.#work].filter(({ keys }) => !keys.some((key) => this.#blocks.has(key)));
	}

	#remove(waiter: Waiter<T>): void {
		waiter.stopListening();
		const others = (one: Waiter<T>) => one !== waiter;
		if (waiter.isInteractive) this.#people = this.#people.filter(others);
		else this.#work = this.#work.filter(others);
	}
}
