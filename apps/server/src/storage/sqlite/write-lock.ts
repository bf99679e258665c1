import { threadId } from "node:worker_threads";

const OWNER = 0;
const PREFERRED = 1;

/** Memory of one write lock; share it with every thread that writes to the same file. */
export function createWriteLockMemory(): SharedArrayBuffer {
	return new SharedArrayBuffer(8);
}

/**
 * The turn to write, among the threads of this process. SQLite's own busy handler sleeps and polls; this one wakes at
 * once, and a thread that asks as `preferred` (few, short metadata writes) goes before those that write all the time.
 * Blocks its thread: never use it on the main thread.
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

	/** Waits while a preferred thread waits, but not for ever: one that died leaves its mark. */
	#letPreferredGo(): void {
		const waiting = Atomics.load(this.#words, PREFERRED);
		if (waiting > 0) Atomics.wait(this.#words, PREFERRED, waiting, 50);
	}
}

/**
 * Frees the lock of a thread that ended while it held it; SQLite has rolled its transaction back. A thread that ended
 * while it waited as preferred would make the others wait for nothing.
 */
export function releaseLockOfEndedThread(memory: SharedArrayBuffer, endedThreadId: number, wasPreferred = false): void {
	const words = new Int32Array(memory);
	// There is one preferred thread at a time.
	if (wasPreferred) Atomics.store(words, PREFERRED, 0);
	if (Atomics.compareExchange(words, OWNER, endedThreadId, 0) === endedThreadId) Atomics.notify(words, OWNER);
}
