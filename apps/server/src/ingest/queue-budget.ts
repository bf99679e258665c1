import type { Reservation } from "./ingest.ts";

/** What a waiting request costs beside its body: its promise, its message to the worker, its connection's state. */
export const REQUEST_OVERHEAD_BYTES = 2_048;
/** Less than exporters wait for an answer (10 s), so that a burst is taken late instead of refused. */
const WAIT_MS = 4_000;
const MOST_WAITING = 256;

interface Waiter {
	readonly place: Place;
	readonly bytes: number;
	readonly resolve: (hasRoom: boolean) => void;
	readonly timer: NodeJS.Timeout;
}

interface Place extends Reservation {
	held: number;
}

/**
 * Limits the bytes of requests that are being received or wait for their commit. Without room a request waits for some
 * seconds, unread; when too many wait it is refused at once.
 */
export class QueueBudget {
	readonly limit: number;
	#used = 0;
	/** Bytes held by requests that wait to grow: they are not given back before one of those requests goes on. */
	#stalled = 0;
	readonly #growing: Waiter[] = [];
	readonly #arriving: Waiter[] = [];

	constructor(limit: number) {
		this.limit = limit;
	}

	get usedBytes(): number {
		return this.#used;
	}

	/** Undefined when there is no room now. */
	reserve(bytes: number): Reservation | undefined {
		const place = this.#makePlace();
		return this.#take(place, bytes + REQUEST_OVERHEAD_BYTES) ? place : undefined;
	}

	/** As `reserve`, after waiting for room. */
	async admit(bytes: number): Promise<Reservation | undefined> {
		const place = this.#makePlace();
		const needed = bytes + REQUEST_OVERHEAD_BYTES;
		const noneWaits = this.#growing.length === 0 && this.#arriving.length === 0;
		if (noneWaits && this.#take(place, needed)) return place;
		return (await this.#wait(this.#arriving, place, needed)) ? place : undefined;
	}

	#makePlace(): Place {
		let released = false;
		const place: Place = {
			held: 0,
			grow: async (bytes) => {
				if (released) return false;
				if (this.#growing.length === 0 && this.#take(place, bytes)) return true;
				this.#stalled += place.held;
				const hasRoom = this.#wait(this.#growing, place, bytes);
				this.#serve();
				return await hasRoom;
			},
			release: () => {
				released = true;
				this.#used -= place.held;
				place.held = 0;
				this.#serve();
			},
		};
		return place;
	}

	/**
	 * When every other request that holds bytes is stalled, the first one may go beyond the limit: a body larger than
	 * the limit gets through once it is alone, and bodies that fill the queue together do not block each other.
	 */
	#take(place: Place, bytes: number): boolean {
		const othersMove = this.#used > Math.max(this.#stalled, place.held);
		if (this.#used + bytes > this.limit && othersMove) return false;
		this.#used += bytes;
		place.held += bytes;
		return true;
	}

	#wait(waiters: Waiter[], place: Place, bytes: number): Promise<boolean> {
		return new Promise((resolve) => {
			const timer = setTimeout(() => {
				waiters.splice(waiters.indexOf(waiter), 1);
				this.#leave(waiters, place);
				resolve(false);
				this.#serve();
			}, WAIT_MS);
			const waiter = { place, bytes, resolve, timer };
			if (this.#growing.length + this.#arriving.length >= MOST_WAITING) {
				clearTimeout(timer);
				this.#leave(waiters, place);
				resolve(false);
			} else waiters.push(waiter);
		});
	}

	#leave(waiters: Waiter[], place: Place): void {
		if (waiters === this.#growing) this.#stalled -= place.held;
	}

	/** Admits waiting requests while there is room, first those that already hold bytes. */
	#serve(): void {
		for (const waiters of [this.#growing, this.#arriving]) {
			for (let first = waiters[0]; first !== undefined; first = waiters[0]) {
				const { place, bytes, resolve, timer } = first;
				const heldBefore = place.held;
				if (!this.#take(place, bytes)) return;
				waiters.shift();
				if (waiters === this.#growing) this.#stalled -= heldBefore;
				clearTimeout(timer);
				resolve(true);
			}
		}
	}
}
