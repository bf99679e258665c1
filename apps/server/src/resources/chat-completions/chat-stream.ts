import { Readable } from "node:stream";
import { HEARTBEAT_MS } from "#http/event-stream.ts";
import type { CallResult } from "#models/call-model.ts";
import type { ModelDelta } from "#models/model-request.ts";
import { errorBody } from "./chat-error.ts";
import { finishOf, toWireCall, toWireUsage } from "./to-chat-completion.ts";

/** Bytes that the reader has not taken; beyond it, pieces of the answer are joined until it does. */
const MAX_UNREAD_BYTES = 262_144;

interface Head {
	readonly id: string;
	readonly created: number;
	/** As it was asked for: which one answers is known at the end. */
	readonly model: string;
	readonly includesUsage: boolean;
}

/** An answer as OpenAI streams it: chunks, and `[DONE]` only behind a whole one. */
export class ChatStream extends Readable {
	readonly #head: Head;
	readonly #heart: NodeJS.Timeout;
	#calls = 0;
	#waiting = { content: "", reasoning_content: "" };
	#isFull = false;

	constructor(head: Head) {
		super({ highWaterMark: MAX_UNREAD_BYTES });
		this.#head = head;
		// A comment, which clients skip and proxies take for a sign of life.
		this.#heart = setInterval(() => this.#write(": waiting\n\n"), HEARTBEAT_MS);
		this.#sendDelta({ role: "assistant", content: "" });
	}

	sendPiece(piece: ModelDelta): void {
		if (piece.type === "tool_call") {
			this.#sendWaiting();
			this.#sendDelta({ tool_calls: [{ index: this.#calls++, ...toWireCall(piece.tool_call) }] });
			return;
		}
		this.#waiting[piece.type === "text" ? "content" : "reasoning_content"] += piece.text;
		if (!this.#isFull) this.#sendWaiting();
	}

	end({ answer, warnings }: Pick<CallResult, "answer" | "warnings">): void {
		this.#sendWaiting();
		const end = { index: 0, delta: {}, logprobs: null, finish_reason: finishOf(answer) };
		this.#sendChunk({ choices: [end], model: answer.model, ...(warnings.length === 0 ? {} : { warnings }) });
		if (this.#head.includesUsage && answer.usage !== undefined)
			this.#sendChunk({ choices: [], model: answer.model, usage: toWireUsage(answer.usage) });
		this.#write("data: [DONE]\n\n");
		this.#close();
	}

	/** Ends an answer that is not whole, with what came before. */
	fail(code: string, message: string): void {
		this.#sendWaiting();
		this.#write(`data: ${JSON.stringify(errorBody(500, code, message))}\n\n`);
		this.#close();
	}

	override _read(): void {
		this.#isFull = false;
		this.#sendWaiting();
	}

	override _destroy(error: Error | null, done: (error: Error | null) => void): void {
		clearInterval(this.#heart);
		done(error);
	}

	#sendWaiting(): void {
		const { content, reasoning_content } = this.#waiting;
		this.#waiting = { content: "", reasoning_content: "" };
		if (reasoning_content !== "") this.#sendDelta({ reasoning_content });
		if (content !== "") this.#sendDelta({ content });
	}

	#sendDelta(delta: object): void {
		this.#sendChunk({ choices: [{ index: 0, delta, logprobs: null, finish_reason: null }] });
	}

	#sendChunk(members: object): void {
		const { id, created, model, includesUsage } = this.#head;
		const usage = includesUsage ? { usage: null } : {};
		const chunk = { id, object: "chat.completion.chunk", created, model, ...usage, ...members };
		this.#write(`data: ${JSON.stringify(chunk)}\n\n`);
	}

	#write(text: string): void {
		if (this.destroyed || this.readableEnded) return;
		this.#isFull = !this.push(text);
	}

	#close(): void {
		clearInterval(this.#heart);
		if (!this.destroyed) this.push(null);
	}
}
