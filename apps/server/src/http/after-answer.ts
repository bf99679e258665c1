import { finished } from "node:stream/promises";
import type { FastifyBaseLogger, FastifyReply } from "fastify";

const MAX_WAITING = 100;
/** A client that does not fetch its answer must not keep the others from their work. */
const ANSWER_MS = 2_000;

/**
 * Work that a request starts and whose length its answer must not tell. Disposing waits until all is done.
 */
export class AfterAnswer implements AsyncDisposable {
	readonly #log: FastifyBaseLogger;
	readonly #waiting = new Set<Promise<void>>();

	constructor(log: FastifyBaseLogger) {
		this.#log = log;
	}

	/**
	 * Runs `work` when the answer is out; failures are logged. Resolves at once, or once there is room when much waits:
	 * to be awaited before answering.
	 */
	async add(reply: FastifyReply, work: () => Promise<void>): Promise<void> {
		while (this.#waiting.size >= MAX_WAITING) await Promise.race(this.#waiting);
		const running = this.#run(reply, work).finally(() => this.#waiting.delete(running));
		this.#waiting.add(running);
	}

	async #run(reply: FastifyReply, work: () => Promise<void>): Promise<void> {
		try {
			// However it ended: who asked may have gone.
			await finished(reply.raw, { signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => undefined);
			await work();
		} catch (error) {
			this.#log.error({ err: error, path: reply.request.routeOptions.url }, "work after an answer failed");
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		while (this.#waiting.size > 0) await Promise.all(this.#waiting);
	}
}
