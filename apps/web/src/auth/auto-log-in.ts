import { config, type SignInProvider } from "../lib/config.ts";

/** When this tab last went to the provider by itself: milliseconds since 1970. */
const KEY = `spanward.auto-log-in${config.basePath}`;
/** Who comes back without a session sooner than this would be sent there again for ever. */
const NOT_AGAIN_WITHIN_MS = 60_000;

/** What the log-in page does about the provider it may go to by itself; `returned`: it just did, and nobody is logged in. */
export type AutoLogIn = { readonly kind: "off" } | { readonly kind: "due" | "returned"; readonly to: SignInProvider };

/** As the address of the page (`search`) and what this tab did before say. */
export function autoLogIn(search: string): AutoLogIn {
	const { autoLogin: to } = config.auth;
	const asked = new URLSearchParams(search);
	if (to === undefined || asked.has("error") || asked.get("local") === "1") return { kind: "off" };
	const age = Date.now() - Number(read());
	return { kind: age >= 0 && age < NOT_AGAIN_WITHIN_MS ? "returned" : "due", to };
}

/**
 * Notes that this tab goes to the provider by itself.
 * @returns whether it may: not where nothing can be noted, since it could not tell that it comes back
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

/** Somebody is logged in: the next time is a new one. */
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
