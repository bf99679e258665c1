import { hash } from "node:crypto";
import { threadId } from "node:worker_threads";
import { StorageUnavailable } from "#storage/traces/span-batch.ts";

const FREE = 0;
/** Turns that this process may have at a time; more wait. */
const SEATS = 64;
/** So many that two batches of a hundred traces each rarely meet by chance. */
const BUCKETS = 65_536;
/** Words: who is, or wants to be, alone; who has a turn; who has the keys of a bucket. */
const ALONE = 0;
const FIRST_SEAT = 1;
const FIRST_BUCKET = FIRST_SEAT + SEATS;
/** How long a turn may wait for others. */
const LONGEST_WAIT_MS = 60_000;

/** Memory of one lock, to be shared by all threads of this process that change traces. */
export function createTurnLockMemory(): SharedArrayBuffer {
	return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * (FIRST_BUCKET + BUCKETS));
}

/**
 * Who may change which traces, among the threads of this process; a thread may wait for another turn of its own, too.
 * Waiting leaves the thread free. Each word of the memory holds the thread that has it, so that what a thread has is
 * known when it ends.
 */
export class TurnLock {
	readonly #words: Int32Array<SharedArrayBuffer>;
	readonly #longestWaitMs: number;

	constructor(memory: SharedArrayBuffer, longestWaitMs = LONGEST_WAIT_MS) {
		this.#words = new Int32Array(memory);
		this.#longestWaitMs = longestWaitMs;
	}

	/**
	 * Waits until nobody else has one of the keys, and nobody is alone.
	 * @throws StorageUnavailable after a minute
	 */
	async take(keys: readonly string[]): Promise<Disposable> {
		const deadline = performance.now() + this.#longestWaitMs;
		const held = [await this.#takeSeat(deadline)];
		try {
			// In the same order everywhere: nobody waits for somebody who waits for it.
			for (const bucket of bucketsOf(keys)) {
				await this.#take(bucket, deadline);
				held.push(bucket);
			}
		} catch (error) {
			this.#release(held);
			throw error;
		}
		return { [Symbol.dispose]: () => this.#release(held) };
	}

	/** Waits until nobody else has a turn; from now on nobody gets one. @throws as `take` */
	async takeAlone(): Promise<Disposable> {
		const deadline = performance.now() + this.#longestWaitMs;
		await this.#take(ALONE, deadline);
		try {
			for (let seat = FIRST_SEAT; seat < FIRST_BUCKET; seat += 1) await this.#untilFree(seat, deadline);
		} catch (error) {
			this.#release([ALONE]);
			throw error;
		}
		return { [Symbol.dispose]: () => this.#release([ALONE]) };
	}

	async #takeSeat(deadline: number): Promise<number> {
		for (;;) {
			await this.#untilFree(ALONE, deadline);
			const seat = await this.#takeAnySeat(deadline);
			// Whoever wants to be alone says so before it looks at the seats.
			if (Atomics.load(this.#words, ALONE) === FREE) return seat;
			this.#release([seat]);
		}
	}

	async #takeAnySeat(deadline: number): Promise<number> {
		for (let seat = FIRST_SEAT; seat < FIRST_BUCKET; seat += 1) if (this.#tryToTake(seat)) return seat;
		await this.#take(FIRST_SEAT, deadline);
		return FIRST_SEAT;
	}

	async #take(word: number, deadline: number): Promise<void> {
		while (!this.#tryToTake(word)) await this.#untilFree(word, deadline);
	}

	#tryToTake(word: number): boolean {
		return Atomics.compareExchange(this.#words, word, FREE, ownerOf(threadId)) === FREE;
	}

	async #untilFree(word: number, deadline: number): Promise<void> {
		for (;;) {
			const owner = Atomics.load(this.#words, word);
			if (owner === FREE) return;
			const leftMs = deadline - performance.now();
			if (leftMs <= 0) throw new StorageUnavailable("busy", new Error("others change the same traces for too long"));
			const waiting = Atomics.waitAsync(this.#words, word, owner, leftMs);
			if (waiting.async) await waiting.value;
		}
	}

	#release(held: readonly number[]): void {
		for (const word of held) {
			Atomics.store(this.#words, word, FREE);
			Atomics.notify(this.#words, word);
		}
	}
}

/** Releases what a thread had when it ended. */
export function releaseTurnsOfEndedThread(memory: SharedArrayBuffer, endedThreadId: number): void {
	const words = new Int32Array(memory);
	const owner = ownerOf(endedThreadId);
	for (let word = 0; word < words.length; word += 1)
		if (Atomics.compareExchange(words, word, owner, FREE) === owner) Atomics.notify(words, word);
}

/** The main thread has the id 0. */
function ownerOf(thread: number): number {
	return thread + 1;
}

/** Words of the buckets of these keys, ascending. */
function bucketsOf(keys: readonly string[]): number[] {
	const buckets = new Set(keys.map((key) => FIRST_BUCKET + (hash("sha1", key, "buffer").readUInt32BE() % BUCKETS)));
	return [...buckets].sort((a, b) => a - b);
}
