import { Abandoned } from "#base/fair-turns.ts";

const SLOTS = 1_024;

/**
 * Numbers of calls of a database thread that nobody waits for any more, in memory that both threads see: a thread that runs
 * a statement gets no messages. Of as many calls that wait at a time as there are slots none is missed.
 */
export class AbandonedCalls {
	readonly memory: SharedArrayBuffer;
	readonly #slots: Int32Array;

	constructor(memory = new SharedArrayBuffer(SLOTS * Int32Array.BYTES_PER_ELEMENT)) {
		this.memory = memory;
		this.#slots = new Int32Array(memory);
	}

	add(call: number): void {
		Atomics.store(this.#slots, call % SLOTS, call);
	}

	has(call: number): boolean {
		return Atomics.load(this.#slots, call % SLOTS) === call;
	}
}

let running: { readonly call: number; readonly abandoned: AbandonedCalls } | undefined;

/**
 * In a database thread: runs a call, which looks by {@link endIfAbandoned} whether it is still waited for. One that is
 * asynchronous must wait for nothing but what is there already, so that no other call comes in between.
 * @throws Abandoned
 */
export function runCall<T>(call: number, abandoned: AbandonedCalls | undefined, work: () => T): T {
	if (abandoned === undefined) return work();
	running = { call, abandoned };
	const end = () => {
		running = undefined;
	};
	let isOver = true;
	try {
		endIfAbandoned();
		const result = work();
		if (!(result instanceof Promise)) return result;
		isOver = false;
		return result.finally(end) as T;
	} finally {
		if (isOver) end();
	}
}

/** To be called now and then by what takes long: SQLite's own interrupt cannot be reached from Node. @throws Abandoned */
export function endIfAbandoned(): void {
	if (running?.abandoned.has(running.call)) throw new Abandoned();
}
