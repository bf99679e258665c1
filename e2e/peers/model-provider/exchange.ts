import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { RequestEntry } from "./state.ts";

/** The client went away while it was answered. */
export class ClientGone extends Error {
	override readonly name = "ClientGone";
}

/** One request and the answer to it. Every method rejects with {@link ClientGone} once the client went away. */
export class Exchange {
	readonly request: IncomingMessage;
	readonly entry: RequestEntry;
	readonly #response: ServerResponse;
	readonly #gone = new AbortController();
	#isEndedByUs = false;

	constructor(request: IncomingMessage, response: ServerResponse, entry: RequestEntry, onEnd: () => void) {
		this.request = request;
		this.entry = entry;
		this.#response = response;
		response.once("close", () => {
			entry.wasCancelled = !(response.writableFinished || this.#isEndedByUs);
			this.#gone.abort();
			onEnd();
		});
	}

	async wait(ms: number): Promise<void> {
		try {
			await sleep(ms, undefined, { signal: this.#gone.signal });
		} catch {
			throw new ClientGone();
		}
	}

	/** Answers no more, and keeps the connection open. */
	async beSilent(): Promise<never> {
		const { signal } = this.#gone;
		if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
		throw new ClientGone();
	}

	writeHead(status: number, headers: OutgoingHttpHeaders): void {
		this.entry.status = status;
		this.#response.writeHead(status, headers);
	}

	async write(bytes: string | Buffer): Promise<void> {
		if (this.#gone.signal.aborted) throw new ClientGone();
		if (this.#response.write(bytes)) return;
		await new Promise<void>((resolve) => {
			this.#response.once("drain", resolve);
			this.#gone.signal.addEventListener("abort", () => resolve(), { once: true });
		});
		if (this.#gone.signal.aborted) throw new ClientGone();
	}

	end(bytes: string | Buffer = ""): void {
		this.#response.end(bytes);
	}

	/** A whole answer. */
	answer(status: number, headers: OutgoingHttpHeaders, body: string | Buffer): void {
		this.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
		this.end(body);
	}

	answerJson(status: number, body: unknown, headers: OutgoingHttpHeaders = {}): void {
		this.answer(status, { "content-type": "application/json", ...headers }, JSON.stringify(body));
	}

	/** Sends what was written, then cuts the connection. */
	async cut(): Promise<void> {
		this.#isEndedByUs = true;
		// What was written is on its way when this empty piece is.
		await new Promise<void>((resolve) => this.request.socket.write("", () => resolve()));
		this.request.socket.destroy();
	}
}
