import type { Dispatcher } from "undici";
import { boundedBody } from "./answer-body.ts";
import { OutgoingFault } from "./outgoing-fault.ts";
import { toFault } from "./to-fault.ts";

/** In milliseconds. */
export interface ExchangeTimes {
	/** Until the first byte of the answer. */
	readonly firstByteMs: number;
	/** Between two pieces of it. */
	readonly gapMs: number;
	/** For all of it, unless the first byte may take longer. */
	readonly totalMs: number;
}

/** Without a body (RFC 9110, 15.3.5 and 15.3.6). */
const EMPTY = [204, 205];

/** One request and its answer. It ends when the answer does, when it takes too long, or when the caller aborts. */
export class Exchange {
	readonly #times: ExchangeTimes;
	readonly #caller: AbortSignal | null;
	readonly #ending = new AbortController();
	readonly #firstByteBy: number;
	readonly #total: NodeJS.Timeout;
	#wait: NodeJS.Timeout | undefined;

	constructor(caller: AbortSignal | null, times: ExchangeTimes) {
		this.#times = times;
		this.#caller = caller;
		this.#firstByteBy = performance.now() + times.firstByteMs;
		const totalMs = Math.max(times.totalMs, times.firstByteMs);
		this.#total = setTimeout(() => this.#end(late(`The answer took longer than ${inWords(totalMs)}.`)), totalMs);
		// An answer that nobody reads does not keep the process running.
		this.#total.unref();
		this.#await(times.firstByteMs, `No answer came within ${inWords(times.firstByteMs)}.`);
		caller?.addEventListener("abort", this.#onAbort);
		if (caller?.aborted === true) this.#onAbort();
	}

	/** @throws OutgoingFault, or the reason of the caller's signal */
	async run(send: (signal: AbortSignal) => Promise<Dispatcher.ResponseData>): Promise<Response> {
		try {
			this.#ending.signal.throwIfAborted();
			const answer = await send(this.#ending.signal);
			// From here on, only while somebody waits for a piece.
			clearTimeout(this.#wait);
			return this.#toResponse(answer);
		} catch (error) {
			throw this.#end(error);
		}
	}

	#toResponse({ statusCode: status, headers: received, body }: Dispatcher.ResponseData): Response {
		if (status >= 300 && status < 400) {
			throw new OutgoingFault(
				"bad_response",
				"The address redirects to another one. Redirects are not followed: use the address to which it leads.",
			);
		}
		const headers = toHeaders(received);
		const encoding = headers.get("content-encoding") ?? "";
		const pieces = boundedBody(this.#pieces(body), encoding, headers.get("content-type") ?? "");
		for (const name of ["content-encoding", "content-length", "transfer-encoding"]) headers.delete(name);
		if (!EMPTY.includes(status)) return new Response(this.#stream(pieces), { status, headers });
		this.#release();
		return new Response(null, { status, headers });
	}

	#stream(pieces: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
		const iterator = pieces[Symbol.asyncIterator]();
		return new ReadableStream(
			{
				pull: async (controller) => {
					try {
						const next = await iterator.next();
						if (next.done === true) controller.close();
						else controller.enqueue(next.value);
					} catch (error) {
						controller.error(this.#end(error));
					}
				},
				cancel: (reason) => void this.#end(reason),
			},
			{ highWaterMark: 0 },
		);
	}

	async *#pieces(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
		const iterator = body[Symbol.asyncIterator]();
		const { gapMs } = this.#times;
		// Who waits long for the first byte waits so after the headers too, which some providers send at once.
		let waitMs = Math.max(this.#firstByteBy - performance.now(), gapMs);
		for (;;) {
			this.#await(waitMs, `The answer stopped: nothing more came within ${inWords(waitMs)}.`);
			const next = await iterator.next();
			clearTimeout(this.#wait);
			if (next.done === true) return this.#release();
			yield next.value;
			waitMs = gapMs;
		}
	}

	#await(milliseconds: number, message: string): void {
		clearTimeout(this.#wait);
		this.#wait = setTimeout(() => this.#end(late(message)), milliseconds);
	}

	readonly #onAbort = () => {
		this.#end(this.#caller?.reason);
	};

	/** Ends the request, unless it has ended. Returns why it did. */
	#end(error: unknown): unknown {
		this.#release();
		if (!this.#ending.signal.aborted) {
			const isOfCaller = this.#caller?.aborted === true;
			this.#ending.abort(isOfCaller ? this.#caller?.reason : toFault(error));
		}
		return this.#ending.signal.reason;
	}

	#release(): void {
		clearTimeout(this.#total);
		clearTimeout(this.#wait);
		this.#caller?.removeEventListener("abort", this.#onAbort);
	}
}

function late(message: string): OutgoingFault {
	return new OutgoingFault("timeout", message, { isPassing: true });
}

function inWords(milliseconds: number): string {
	return milliseconds < 120_000 ? `${Math.ceil(milliseconds / 1_000)} s` : `${Math.ceil(milliseconds / 60_000)} min`;
}

function toHeaders(received: Readonly<Record<string, string | string[] | undefined>>): Headers {
	return new Headers(
		Object.entries(received).flatMap(([name, value]) =>
			value === undefined ? [] : [[name, [value].flat().join(", ")]],
		),
	);
}
