import { UserError } from "#base/errors.ts";
import { bareOrigin } from "#http/origins.ts";
import { isKey, type Principal } from "#http/principal.ts";
import type { Database } from "#storage/database.ts";
import { DailySpans } from "./daily-spans.ts";
import { PageOrigins } from "./page-origins.ts";
import { RequestLimits } from "./request-limits.ts";

const LONGEST_WAIT_SECONDS = 3_600;

/** What limits of keys say about their use, beyond what it is for and where it comes from. */
export class KeyUses implements AsyncDisposable {
	readonly pageOrigins: PageOrigins;
	readonly #requests = new RequestLimits<number>();
	readonly #dailySpans: DailySpans;
	/** Requests that were counted; they are looked at again when their body was slow. */
	readonly #counted = new WeakSet<object>();

	/** @param now microseconds since 1970 */
	constructor(db: Database, now: () => number, onError: (error: unknown) => void) {
		this.pageOrigins = new PageOrigins(db, now);
		this.#dailySpans = new DailySpans(db, now, onError);
	}

	/**
	 * Counts a request, once however often it is looked at.
	 * @param request what is the same object each time
	 * @param origin the page that a browser sends it for
	 * @throws UserError 403 for a page that may not send with this key, 429 beyond the requests of a minute
	 */
	admitRequest(principal: Principal, request: object, origin?: string): void {
		if (!isKey(principal)) return;
		const { allowedOrigins, requestsPerMinute } = principal.limits;
		if (allowedOrigins !== undefined && origin !== undefined && !allowedOrigins.has(bareOrigin(origin) ?? "")) {
			throw new UserError(403, "key_origin_not_allowed", "Pages of this origin must not use this key.");
		}
		if (requestsPerMinute === undefined || this.#counted.has(request)) return;
		this.#counted.add(request);
		const retryAfter = this.#requests.take(principal.keyId, requestsPerMinute);
		if (retryAfter === undefined) return;
		const message = `This key may send ${requestsPerMinute} requests a minute; send it again later.`;
		throw new UserError(429, "key_request_limit", message, { retryAfter });
	}

	/** @throws UserError 429 once the key has sent as many spans as it may on a day */
	async admitSpans(principal: Principal): Promise<void> {
		if (!isKey(principal)) return;
		const { keyId, limits } = principal;
		if (limits.spansPerDay === undefined || (await this.#dailySpans.count(keyId)) < limits.spansPerDay) return;
		throw new UserError(
			429,
			"key_span_limit",
			`This key may send ${limits.spansPerDay} spans a day; a new day begins at midnight UTC.`,
			{ retryAfter: Math.min(this.#dailySpans.secondsLeft(), LONGEST_WAIT_SECONDS) },
		);
	}

	/** Counts spans that were stored. */
	countSpans(principal: Principal, spans: number): void {
		if (isKey(principal) && principal.limits.spansPerDay !== undefined) this.#dailySpans.add(principal.keyId, spans);
	}

	/** To be called after every change of keys. */
	invalidate(): void {
		this.pageOrigins.invalidate();
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.#dailySpans[Symbol.asyncDispose]();
	}
}
