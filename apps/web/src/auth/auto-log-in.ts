import { config, type SignInProvider } from "../lib/config.ts";

/** When this tab was last redirected to the provider automatically: milliseconds since 1970. */
const KEY = `spanward.auto-log-in${config.basePath}`;
/** Prevents a redirect loop: whoever comes back without a session sooner than this is not redirected again. */
const NOT_AGAIN_WITHIN_MS = 60_000;

/** Whether the log-in page redirects to the provider automatically; `returned`: it just did, without a log-in. */
export type AutoLogIn = { readonly kind: "off" } | { readonly kind: "due" | "returned"; readonly to: SignInProvider };

/** Decides from the query string of the page and the last redirect of this tab. */
export function autoLogIn(search: string): AutoLogIn {
	const { autoLogin: to } = config.auth;
	const asked = new URLSearchParams(search);
	if (to === undefined || asked.has("error") || asked.get("local") === "1") return { kind: "off" };
	const age = Date.now() - Number(read());
	return { kind: age >= 0 && age < NOT_AGAIN_WITHIN_MS ? "returned" : "due", to };
}

/**
 * Records that this tab is redirected to the provider automatically.
 * @returns false where that cannot be stored: then the tab must not, as a loop could not be detected
 */
export function noteAutoLogIn(): boolean {
	try {
		sessionStorage.setItem(KEY, String(Date.now()));
		return true;
	} catch (error) {
		if (error instanceof DOMException) return false;
		throw error;
	}
}

/** Clears the record when somebody is logged in, so that the next redirect is allowed. */
export function forgetAutoLogIn(): void {
	try {
		sessionStorage.removeItem(KEY);
	} catch (error) {
		if (!(error instanceof DOMException)) throw error;
	}
}

function read(): string | null {
	try {
		return sessionStorage.getItem(KEY);
	} catch (error) {
		if (error instanceof DOMException) return null;
		throw error;
	}
}
