import type { Config } from "#base/config.ts";

const MAX_LENGTH = 2_048;
/** Of native programs (RFC 8252, 7.3). What has a user, or a name that only begins like these, does not match. */
const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::(\d{1,5}))?(\/.*)?$/i;
/** RFC 8252, 7.1: a scheme that the program has registered at the device, with a path. */
const PRIVATE_USE = /^([a-z][a-z0-9+.-]*):\//i;
/** Schemes that browsers carry out, show or pass on themselves. */
const NOT_PRIVATE: ReadonlySet<string> = new Set([
	...["http", "https", "javascript", "data", "file", "blob", "about", "ws", "wss", "vbscript", "ftp", "filesystem"],
	...["view-source", "intent", "mailto", "tel", "sms", "jar", "chrome", "chrome-extension", "moz-extension", "res"],
]);

export type RedirectKind = "loopback" | "scheme" | "https";

/** What kind of redirect address this is; undefined for one to which no code is ever sent. */
export function redirectKind(uri: string): RedirectKind | undefined {
	// A fragment is forbidden by RFC 6749, 3.1.2; browsers read a backslash as a slash.
	if (uri.length > MAX_LENGTH || !/^[\x21-\x7e]+$/.test(uri) || /[#\\"<>`{}|^]/.test(uri)) return undefined;
	const url = URL.parse(uri);
	if (url === null || url.username !== "" || url.password !== "") return undefined;
	if (LOOPBACK.test(uri)) return "loopback";
	if (url.protocol === "https:") return /^https:\/\/[^/]/i.test(uri) ? "https" : undefined;
	const scheme = PRIVATE_USE.exec(uri)?.[1]?.toLowerCase();
	return scheme !== undefined && !NOT_PRIVATE.has(scheme) ? "scheme" : undefined;
}

/** What the consent page shows of a redirect address: host with port, or the scheme. */
export function shownRedirect(uri: string): { readonly kind: RedirectKind; readonly host: string } {
	const url = new URL(uri);
	const kind = redirectKind(uri) ?? "https";
	return { kind, host: kind === "scheme" ? url.protocol : url.host };
}

/** Whether a client has registered this address: character by character, but for the port of a loopback address. */
export function isRegistered(registered: readonly string[], uri: string): boolean {
	if (redirectKind(uri) === undefined) return false;
	const portless = withoutPort(uri);
	return registered.some((known) => known === uri || (portless !== undefined && withoutPort(known) === portless));
}

function withoutPort(uri: string): string | undefined {
	const [, host, port, rest] = LOOPBACK.exec(uri) ?? [];
	if (host === undefined || Number(port ?? 1) > 65_535) return undefined;
	return `http://${host.toLowerCase()}${rest ?? ""}`;
}

type Settings = Pick<Config, "SERVICE_OAUTH2_DYNAMIC_CLIENT_REGISTRATION" | "SERVICE_OAUTH2_ALLOWED_REDIRECT_HOSTS">;

/** Whether a program may register itself with this address. @returns why not */
export function registrationFault(config: Settings, uri: string): string | undefined {
	const kind = redirectKind(uri);
	if (kind === undefined)
		return "must be an http loopback address, an https address or one with a scheme of the program";
	if (kind !== "https") return undefined;
	if (config.SERVICE_OAUTH2_DYNAMIC_CLIENT_REGISTRATION === "local_only") {
		return "must be an http loopback address or one with a scheme of the program";
	}
	const allowed = config.SERVICE_OAUTH2_ALLOWED_REDIRECT_HOSTS;
	if (allowed.length === 0 || isAmong(allowed, new URL(uri).hostname)) return undefined;
	return "is not at a host that SERVICE_OAUTH2_ALLOWED_REDIRECT_HOSTS names";
}

/** Whether a host is one of a setting's, where `*.` before a name stands for whatever is below it. */
export function isAmong(hosts: readonly string[], host: string): boolean {
	const bare = host.toLowerCase().replace(/^\[|\]$/g, "");
	return hosts.some((each) => (each.startsWith("*.") ? bare.endsWith(each.slice(1)) : bare === each));
}

/** The address with these parameters behind those that it has (RFC 6749, 4.1.2). */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
	const added = new URLSearchParams();
	for (const [name, value] of Object.entries(parameters)) if (value !== undefined) added.append(name, value);
	return `${uri}${uri.includes("?") ? "&" : "?"}${added}`;
}
