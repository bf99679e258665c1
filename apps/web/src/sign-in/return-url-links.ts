import { safeReturnUrl } from "../auth/return-url.ts";
import { config } from "../lib/config.ts";

/** Where signing in shall lead back to, as the address of this page says. Anybody can have written it: {@link safeReturnUrl}. */
export function returnUrlParam(): string | null {
	return new URLSearchParams(location.search).get("returnUrl");
}

/** Leaves sign-in for the page that was asked for. */
export function openReturnUrl(): void {
	location.replace(safeReturnUrl(returnUrlParam(), config.basePath, location.origin));
}

/** `href` of another page of sign-in (`name`) that leads back to the same page in the end. */
export function signInHref(name: string): string {
	const wanted = returnUrlParam();
	return `${config.basePath}/${name}${wanted === null ? "" : `?returnUrl=${encodeURIComponent(wanted)}`}`;
}

/** `href` of the log-in page for somebody who goes there to choose: it does not go to a provider by itself. */
export function logInFormHref(): string {
	if (config.auth.autoLogin === undefined) return signInHref("login");
	const href = signInHref("login");
	return `${href}${href.includes("?") ? "&" : "?"}local=1`;
}
