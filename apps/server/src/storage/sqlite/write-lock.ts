import { threadId } from "node:worker_threads";

const OWNER = 0;
const PREFERRED = 1;

/** Memory of one write lock, to be shared by all threads that write to the same file. */
export function createWriteLockMemory(): SharedArrayBuffer {
	return new SharedArrayBuffer(8);
}

/**
 * A mutex for writing, among the threads of this process. SQLite's own busy handler sleeps and polls; this one wakes at
 * once, and `preferred` threads (few, short metadata writes) go before those that write all the time. It blocks its
 * thread: never use it on the main thread.
 */
export class WriteLock {
	readonly #words: Int32Array<SharedArrayBuffer>;
	readonly #preferred: boolean;

	constructor(memory: SharedArrayBuffer, preferred: boolean) {
		this.#words = new Int32Array(memory);
		this.#preferred = preferred;
	}

	acquire(): void {
		if (this.#preferred) Atomics.add(this.#words, PREFERRED, 1);
		else this.#letPreferredGo();
		for (;;) {
			const owner = Atomics.compareExchange(this.#words, OWNER, 0, threadId);
			if (owner === 0) break;
			Atomics.wait(this.#words, OWNER, owner, 1_000);
		}
		if (this.#preferred) {
			Atomics.sub(this.#words, PREFERRED, 1);
			Atomics.notify(this.#words, PREFERRED);
		}
	}

	release(): void {
		Atomics.store(this.#words, OWNER, 0);
		Atomics.notify(this.#words, OWNER);
	}

	/** Waits for preferred threads, at most 50 ms: one that died would stay counted as waiting. */
	#letPreferredGo(): void {
		const waiting = Atomics.load(this.#words, PREFERRED);
		if (waiting > 0) Atomics.wait(this.#words, PREFERRED, waiting, 50);
	}
}

/**
 * Releases the lock of a thread that ended while holding it; SQLite has rolled back its transaction. Also resets the
 * count of preferred threads, in case it ended while waiting.
 */
export function releaseLockOfEndedThread(memory: SharedArrayBuffer, endedThreadId: number, wasPreferred = false): void {
	const words = new Int32Array(memory);
	// There is only one preferred thread at a time.
	if (wasPreferred) Atomics.store(words, PREFERRED, 0);
	if (Atomics.compareExchange(words, OWNER, endedThreadId, 0) === endedThreadId) Atomics.notify(words, OWNER);
}
