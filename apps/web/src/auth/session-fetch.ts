import { config } from "../lib/config.ts";
import { renewTokens } from "./renew.ts";
import { readStamp } from "./renewal-stamp.ts";
import { endSession, redirectAndReturn, sessionEnd, untilLoggedIn } from "./session-end.ts";

/** Codes of refusals that new tokens do not change: the server does not trust the page's origin. */
const UNTRUSTED = /^untrusted/;

/**
 * `fetch` for requests of the logged-in user. When the access token has expired, it is renewed and the request is sent
 * again, so bodies must not be streams. When the session has ended, the page asks for a new log-in and the request waits
 * for that.
 */
export const sessionFetch: typeof fetch = async (input, init) => {
	if (!config.auth.enabled) return fetch(input, init);
	let renewals = 0;
	for (;;) {
		await untilLoggedIn();
		const stamp = readStamp();
		const response = await fetch(input, init);
		if (response.status === 403 && (await readCode(response)) === "password_reset_required") {
			return redirectAndReturn("/reset-password");
		}
		if (response.status !== 401 || UNTRUSTED.test((await readCode(response)) ?? "")) return response;
		if (renewals === 2) return response;
		if (sessionEnd.isWaiting()) continue;
		// After a second refusal, another tab's renewal since the request does not count.
		const renewal = await renewTokens(renewals === 0 ? stamp : readStamp());
		renewals += 1;
		if (renewal === "unsure") throw new TypeError("The session could not be renewed: the server does not answer.");
		if (renewal === "ended") {
			await endSession();
			renewals = 0;
		}
	}
};

/** The stable code of a refusal (RFC 9457); the body of `response` stays unread. */
async function readCode(response: Response): Promise<string | undefined> {
	if (!response.headers.get("content-type")?.includes("json")) return;
	const problem = (await response.clone().json()) as { readonly code?: unknown } | null;
	return typeof problem?.code === "string" ? problem.code : undefined;
}
