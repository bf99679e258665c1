import { finished } from "node:stream/promises";
import type { FastifyBaseLogger, FastifyReply } from "fastify";
import { readersGone } from "#base/readers-gone.ts";

const MAX_WAITING = 100;
/** A client that does not read its answer must not hold up the work for others. */
const ANSWER_MS = 2_000;

/**
 * Work that a request starts and that runs after the answer, so that response times do not reveal how long it takes.
 * Disposing waits for all of it.
 */
export class AfterAnswer implements AsyncDisposable {
	readonly #log: FastifyBaseLogger;
	readonly #waiting = new Set<Promise<void>>();

	constructor(log: FastifyBaseLogger) {
		this.#log = log;
	}

	/**
	 * Runs `work` once the answer has been sent; failures are logged. Resolves at once, or once there is room if much
	 * is waiting: await it before answering.
	 */
	async add(reply: FastifyReply, work: () => Promise<void>): Promise<void> {
		while (this.#waiting.size >= MAX_WAITING) await Promise.race(this.#waiting);
		const running = readersGone.exit(() => this.#run(reply, work)).finally(() => this.#waiting.delete(running));
		this.#waiting.add(running);
	}

	async #run(reply: FastifyReply, work: () => Promise<void>): Promise<void> {
		try {
			// However it ended: the caller may have hung up.
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
