import { Readable } from "node:stream";
import { eventText, HEARTBEAT_MS } from "#http/event-stream.ts";
import type { LiveView } from "#http/live-views.ts";

const LOOK_MS = 1_000;
/** Bytes that the reader has not taken; beyond it, nothing is told until it does. */
const MAX_UNREAD_BYTES = 65_536;
const ENDED: ReadonlySet<string> = new Set(["done", "failed", "cancelled"]);

/** @returns undefined when the job is gone */
type Look = () => Promise<{ readonly state: string } | undefined>;

/** Looks at a job once a second, and tells what has changed; a slow reader gets the newest only. */
export class JobStream extends Readable implements LiveView {
	readonly #look: Look;
	readonly #onError: (error: unknown) => void;
	readonly #timers: readonly NodeJS.Timeout[];
	#last = "";
	#isLooking = false;
	#hasEnded = false;

	constructor(look: Look, onError: (error: unknown) => void) {
		super({ highWaterMark: MAX_UNREAD_BYTES });
		this.#look = look;
		this.#onError = onError;
		const beat = setInterval(() => {
			if (!this.#isFull) this.#send("heartbeat", {});
		}, HEARTBEAT_MS);
		this.#timers = [setInterval(() => void this.#tell(), LOOK_MS), beat];
		void this.#tell();
	}

	end(reason: "ended" | "access_ended" | "stopping" = "stopping"): void {
		if (this.#hasEnded || this.destroyed) return;
		this.#send("end", { reason });
		this.push(null);
		this.#stop();
	}

	override _read(): void {}

	override _destroy(error: Error | null, done: (error: Error | null) => void): void {
		this.#stop();
		done(error);
	}

	get #isFull(): boolean {
		return this.readableLength >= MAX_UNREAD_BYTES;
	}

	async #tell(): Promise<void> {
		if (this.#isLooking || this.#isFull) return;
		this.#isLooking = true;
		try {
			const job = await this.#look();
			const text = JSON.stringify(job);
			if (job !== undefined && text !== this.#last) this.#send("job", job);
			this.#last = text;
			if (job === undefined || ENDED.has(job.state)) this.end("ended");
		} catch (error) {
			this.#onError(error);
			this.destroy();
		} finally {
			this.#isLooking = false;
		}
	}

	#send(event: string, data: object): void {
		if (!this.#hasEnded && !this.destroyed) this.push(eventText(event, data));
	}

	#stop(): void {
		this.#hasEnded = true;
		for (const timer of this.#timers) clearInterval(timer);
	}
}
