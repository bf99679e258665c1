import type { FastifyBaseLogger } from "fastify";
import { UserError } from "#base/errors.ts";
import type { Actor } from "#http/actor.ts";

/** How often a run checks whether its sender may still make it. */
const RECHECK_MS = 1_000;

/** Why a run ended before its calls did. */
export type EndReason = "access_ended" | "stopping";

/** Ends the calls of a run when its sender hangs up or loses the right to it, or the server stops. */
export class RunWatch implements Disposable {
	readonly signal: AbortSignal;
	readonly #actor: Pick<Actor, "assertStillAllowed">;
	readonly #log: FastifyBaseLogger;
	readonly #ended = new AbortController();
	readonly #timer: NodeJS.Timeout;
	#reason: EndReason | undefined;

	/** @param gone aborted when the sender hangs up */
	constructor(actor: Pick<Actor, "assertStillAllowed">, gone: AbortSignal | undefined, log: FastifyBaseLogger) {
		this.signal = AbortSignal.any([...(gone === undefined ? [] : [gone]), this.#ended.signal]);
		this.#actor = actor;
		this.#log = log;
		this.#timer = setInterval(() => void this.#check(), RECHECK_MS);
	}

	/** Undefined while nothing but the sender has ended it. */
	get reason(): EndReason | undefined {
		return this.#reason;
	}

	end(reason: EndReason): void {
		this.#reason ??= reason;
		this.#ended.abort();
	}

	[Symbol.dispose](): void {
		clearInterval(this.#timer);
	}

	async #check(): Promise<void> {
		try {
			await this.#actor.assertStillAllowed();
		} catch (error) {
			if (!(error instanceof UserError)) {
				this.#log.error({ err: error }, "the rights of a run of the playground could not be read; it is ended");
			}
			this.end("access_ended");
		}
	}
}
