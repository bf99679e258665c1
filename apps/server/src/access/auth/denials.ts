import { type Principal, userOf } from "#http/principal.ts";
import type { AuditLog, Origin } from "./audit.ts";

const MINUTE_MS = 60_000;
/** Entries a minute; further refusals are left out. */
const MAX_A_MINUTE = 200;

/** Records refused calls in the audit log: one entry a minute for an actor and a route, so that nobody can flood it. */
export class Denials {
	readonly #audit: AuditLog;
	readonly #onError: (error: unknown) => void;
	#minute = 0;
	readonly #recorded = new Set<string>();

	constructor(audit: AuditLog, onError: (error: unknown) => void) {
		this.#audit = audit;
		this.#onError = onError;
	}

	async record(principal: Principal, route: string, code: string, request: Origin): Promise<void> {
		const minute = Math.floor(Date.now() / MINUTE_MS);
		if (minute !== this.#minute) this.#recorded.clear();
		this.#minute = minute;
		const key = `${principal.kind} ${userOf(principal)?.id} ${route}`;
		if (this.#recorded.has(key) || this.#recorded.size >= MAX_A_MINUTE) return;
		this.#recorded.add(key);
		try {
			await this.#audit.record({
				action: "access.denied",
				outcome: "denied",
				code,
				principal,
				request,
				target: { type: "route", name: route },
			});
		} catch (error) {
			// The refusal stands, whatever the storage says.
			this.#onError(error);
		}
	}
}
