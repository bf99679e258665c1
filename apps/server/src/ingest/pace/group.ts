import type { WritePace } from "#storage/traces/span-batch.ts";
import { REQUEST_OVERHEAD_BYTES } from "../queue-budget.ts";
import type { DecodedRequest } from "./decoded-request.ts";
import type { SharedPace } from "./shared-pace.ts";

/** Senders wait for 10 s, of which writing needs some. */
const LONGEST_WAIT_MS = 5_000;

/** Requests that wait to be written together. */
export class Group {
	readonly requests: DecodedRequest[] = [];
	readonly #pace: WritePace;
	/** Bytes of the queue that it may hold. */
	readonly #queueBytes: number;
	#farPartitions: ReadonlySet<number> = new Set<number>();
	readonly #since = performance.now();
	#rows = 0;
	#bytes = 0;
	#held = 0;

	constructor(pace: WritePace, queueBytes: number) {
		this.#pace = pace;
		this.#queueBytes = queueBytes;
	}

	/** Whether it need not wait for more. */
	get isFull(): boolean {
		return this.#rows >= this.#pace.rows || this.#bytes >= this.#pace.bytes || this.#held >= this.#queueBytes;
	}

	/** Adds a request, unless it touches too many partitions then. @returns whether it is in */
	add(request: DecodedRequest, farPartitions: ReadonlySet<number>): boolean {
		const together = new Set([...this.#farPartitions, ...farPartitions]);
		if (farPartitions.size > 0 && together.size > this.#pace.farPartitions) return false;
		this.#farPartitions = together;
		this.requests.push(request);
		this.#rows += request.rows;
		this.#bytes += request.bytes;
		this.#held += request.bodyBytes + REQUEST_OVERHEAD_BYTES;
		return true;
	}

	/** Begins to write it, if that may be now. @returns the milliseconds to wait otherwise, else 0 */
	tryBegin(shared: SharedPace, waitedMs = performance.now() - this.#since): number {
		const patience = LONGEST_WAIT_MS - waitedMs;
		if (!this.isFull && patience > 0) return Math.min(patience, shared.tryBegin(this.#pace.intervalMs));
		shared.begin();
		return 0;
	}
}
