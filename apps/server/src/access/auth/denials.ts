import type { FastifyBaseLogger } from "fastify";
import { type Principal, userOf } from "#http/principal.ts";
import type { AuditLog, Origin } from "./audit.ts";

const MINUTE = 60_000_000;
/** Entries a minute, of all actors together. */
const MAX_A_MINUTE = 200;

/**
 * Records refused calls in the audit log: one entry a minute for an actor and a route, and a limited number in all, so
 * that nobody can flood it. When the limit is reached the log says so, and the next entry has the number of calls that
 * were left out.
 */
export class Denials {
	readonly #audit: AuditLog;
	readonly #log: FastifyBaseLogger;
	readonly #now: () => number;
	#minute = 0;
	#leftOut = 0;
	readonly #recorded = new Set<string>();

	/** @param now microseconds since 1970 */
	constructor(audit: AuditLog, log: FastifyBaseLogger, now: () => number) {
		this.#audit = audit;
		this.#log = log;
		this.#now = now;
	}

	async record(principal: Principal, route: string, code: string, request: Origin): Promise<void> {
		const minute = Math.floor(this.#now() / MINUTE);
		if (minute !== this.#minute) this.#recorded.clear();
		this.#minute = minute;
		const key = `${principal.kind} ${userOf(principal)?.id} ${route}`;
		if (this.#recorded.has(key)) return;
		if (this.#recorded.size >= MAX_A_MINUTE) {
			if (this.#leftOut++ === 0) this.#log.warn({ limit: MAX_A_MINUTE }, "further refused calls are not recorded");
			return;
		}
		this.#recorded.add(key);
		const leftOut = this.#leftOut;
		this.#leftOut = 0;
		try {
			await this.#audit.record({
				action: "access.denied",
				outcome: "denied",
				code,
				principal,
				request,
				target: { type: "route", name: route },
				...(leftOut > 0 && { details: { left_out: leftOut } }),
			});
		} catch (error) {
			// The refusal stands, whatever the storage says.
			this.#leftOut += leftOut;
			this.#log.error({ err: error }, "could not record a refused call");
		}
	}
}
