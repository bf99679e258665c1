import { Readable } from "node:stream";
import { eventText, HEARTBEAT_MS } from "#http/event-stream.ts";
import type { LiveView } from "#http/live-views.ts";
import type { ReadableTraces } from "#storage/traces/trace-store.ts";
import type { Clock } from "../spans/run-state.ts";
import { toTraceItem } from "./trace-views.ts";

const FLUSH_MS = 250;
/** The most traces that wait for the next flush; older ones are dropped. */
const MAX_WAITING = 200;
/** Bytes that the reader has not taken; beyond it, no more traces are added until it does. */
const MAX_UNREAD_BYTES = 1_048_576;

type Feed = { readonly traces: ReadableTraces } & Clock;

/** Server-sent events of one project's new and changed traces, for one reader; its memory is bounded. */
export class TraceStream extends Readable implements LiveView {
	readonly #traces: ReadableTraces;
	readonly #clock: Clock;
	readonly #projectId: number;
	readonly #onError: (error: unknown) => void;
	readonly #unsubscribe: () => void;
	readonly #flusher: NodeJS.Timeout;
	readonly #heart: NodeJS.Timeout;
	readonly #waiting = new Set<number>();
	#dropped = 0;
	#flushing = false;
	#ended = false;

	constructor({ traces, ...clock }: Feed, projectId: number, onError: (error: unknown) => void) {
		super({ highWaterMark: MAX_UNREAD_BYTES });
		this.#traces = traces;
		this.#clock = clock;
		this.#projectId = projectId;
		this.#onError = onError;
		this.#unsubscribe = traces.onChange((change) => {
			if (change.projectId === projectId) this.#add(change.traceRowIds);
		});
		this.#flusher = setInterval(() => void this.#flush(), FLUSH_MS);
		this.#heart = setInterval(() => this.#beat(), HEARTBEAT_MS);
		this.#beat();
	}

	/** Changes may have been missed: counts one as dropped, so that the reader reads the list again. */
	miss(): void {
		this.#dropped += 1;
		this.#beat();
	}

	/**
	 * Ends the stream for its reader.
	 * @param reason told to the reader, who reads no more then; otherwise readers connect again
	 */
	end(reason?: "access_ended"): void {
		if (this.#ended) return;
		if (reason !== undefined) this.#send("end", { reason });
		this.#stop();
		this.push(null);
	}

	override _read(): void {}

	override _destroy(error: Error | null, done: (error: Error | null) => void): void {
		this.#stop();
		done(error);
	}

	#stop(): void {
		this.#ended = true;
		this.#unsubscribe();
		clearInterval(this.#flusher);
		clearInterval(this.#heart);
	}

	#add(traceRowIds: readonly number[]): void {
		for (const id of traceRowIds) {
			this.#waiting.delete(id);
			this.#waiting.add(id);
		}
		for (const id of this.#waiting) {
			if (this.#waiting.size <= MAX_WAITING) break;
			this.#waiting.delete(id);
			this.#dropped += 1;
		}
	}

	#beat(): void {
		if (this.readableLength < MAX_UNREAD_BYTES) this.#send("heartbeat", { dropped: this.#dropped });
	}

	#send(event: string, data: object): void {
		if (!this.#ended) this.push(eventText(event, data));
	}

	async #flush(): Promise<void> {
		if (this.#flushing || this.#waiting.size === 0 || this.readableLength >= MAX_UNREAD_BYTES) return;
		this.#flushing = true;
		const ids = [...this.#waiting];
		this.#waiting.clear();
		try {
			const found = await this.#traces.findTraces(ids);
			// Some may have been moved out of the project since, and notifications of other processes may be wrong.
			const own = found.filter(({ projectId }) => projectId === this.#projectId);
			const byStart = own.toSorted((a, b) => a.start.micros - b.start.micros || a.id - b.id);
			for (const trace of byStart) this.#send("trace", toTraceItem(trace, null, this.#clock));
		} catch (error) {
			this.#onError(error);
			this.#dropped += ids.length;
		} finally {
			this.#flushing = false;
		}
	}
}
