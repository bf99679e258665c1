import { safeReturnUrl } from "../auth/return-url.ts";
import { config } from "../lib/config.ts";

/** Where signing in leads back to, as the address of this page says. */
function returnUrl(): string {
	const wanted = new URLSearchParams(location.search).get("returnUrl");
	return safeReturnUrl(wanted, config.basePath, location.origin);
}

/** Leaves sign-in for the page that was asked for. */
export function goOn(): void {
	location.replace(returnUrl());
}

/** `href` of another page of sign-in (`name`) that leads back to the same page in the end. */
export function signInHref(name: string): string {
	const wanted = new URLSearchParams(location.search).get("returnUrl");
	return `${config.basePath}/${name}${wanted === null ? "" : `?returnUrl=${encodeURIComponent(wanted)}`}`;
}
