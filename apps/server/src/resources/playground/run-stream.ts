import { Readable } from "node:stream";
import { eventText, HEARTBEAT_MS } from "#http/event-stream.ts";
import type { ModelDelta } from "#models/model-request.ts";

/** Bytes that the reader has not taken; beyond it, pieces of answers are joined until it does. */
const MAX_UNREAD_BYTES = 262_144;

/** Whose piece it is. */
interface OfCall {
	readonly variant: number;
	readonly repetition: number;
}

interface Waiting extends OfCall {
	text: string;
	reasoning: string;
}

/** Server-sent events of a run; a slow reader gets fewer and longer pieces. */
export class RunStream extends Readable {
	readonly #heart: NodeJS.Timeout;
	readonly #waiting = new Map<string, Waiting>();
	#isFull = false;

	constructor() {
		super({ highWaterMark: MAX_UNREAD_BYTES });
		this.#heart = setInterval(() => {
			if (!this.#isFull) this.send("heartbeat", {});
		}, HEARTBEAT_MS);
	}

	/** A piece of an answer. */
	sendDelta({ variant, repetition }: OfCall, delta: ModelDelta): void {
		if (delta.type === "tool_call") {
			this.#sendWaiting({ variant, repetition });
			this.send("tool_call", { variant, repetition, tool_call: delta.tool_call });
		} else if (this.#isFull) this.#wait({ variant, repetition }, delta.type, delta.text);
		else this.send("delta", { variant, repetition, [delta.type]: delta.text });
	}

	/** How a call ended, after all of its pieces. */
	sendResult(event: "end" | "error", result: OfCall): void {
		this.#sendWaiting(result);
		this.send(event, result);
	}

	send(event: string, data: object): void {
		if (this.destroyed || this.readableEnded) return;
		this.#isFull = !this.push(eventText(event, data));
	}

	end(): void {
		clearInterval(this.#heart);
		if (!this.destroyed) this.push(null);
	}

	override _read(): void {
		this.#isFull = false;
		for (const call of [...this.#waiting.values()]) {
			if (this.#isFull) return;
			this.#sendWaiting(call);
		}
	}

	override _destroy(error: Error | null, done: (error: Error | null) => void): void {
		clearInterval(this.#heart);
		done(error);
	}

	#wait(call: OfCall, kind: "text" | "reasoning", text: string): void {
		const waiting = this.#waiting.get(keyOf(call)) ?? { ...call, text: "", reasoning: "" };
		waiting[kind] += text;
		this.#waiting.set(keyOf(call), waiting);
	}

	#sendWaiting(call: OfCall): void {
		const waiting = this.#waiting.get(keyOf(call));
		if (waiting === undefined) return;
		this.#waiting.delete(keyOf(call));
		const { text, reasoning, variant, repetition } = waiting;
		this.send("delta", {
			...{ variant, repetition },
			...(reasoning === "" ? {} : { reasoning }),
			...(text === "" ? {} : { text }),
		});
	}
}

function keyOf({ variant, repetition }: OfCall): string {
	return `${variant} ${repetition}`;
}
