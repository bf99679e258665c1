import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply } from "fastify";
import type { Config } from "#base/config.ts";
import { unauthorized } from "../access-errors.ts";

/** A token as a browser keeps it. */
export interface CookieToken {
	readonly token: string;
	/** Microseconds since 1970. */
	readonly expiresAt: number;
}

/** Name and attributes of a cookie, by which a browser also recognizes it when it is deleted. */
export interface BrowserCookie {
	readonly name: string;
	readonly path: string;
	readonly sameSite: "strict" | "lax";
	readonly secure: boolean;
}

type Settings = Pick<Config, "SERVICE_USE_SECURE_COOKIES" | "SERVICE_COOKIES_PATH" | "SERVICE_HOST_ROOT_PATH">;

const LONG_AGO = "Thu, 01 Jan 1970 00:00:00 GMT";
const SECOND = 1_000_000;

/**
 * The cookies of a log-in session: HttpOnly, SameSite=Strict, without a domain. The refresh token goes to `{root}/auth`
 * only. Secure ones have the prefix `__Host-`, which no other host can plant, where their path allows it, else
 * `__Secure-` (RFC 6265bis, 4.1.3).
 */
export class SessionCookies {
	readonly #access: BrowserCookie;
	readonly #refresh: BrowserCookie;

	constructor(config: Settings) {
		const secure = config.SERVICE_USE_SECURE_COOKIES;
		const root = config.SERVICE_HOST_ROOT_PATH;
		this.#access = sessionCookie("service-access-token", config.SERVICE_COOKIES_PATH ?? (root || "/"), secure);
		this.#refresh = sessionCookie("service-refresh-token", `${root}/auth`, secure);
	}

	/** The access tokens that a browser sent: several when another host of its domain planted one. */
	accessTokens(headers: IncomingHttpHeaders): readonly string[] {
		return cookieValues(headers.cookie, this.#access.name);
	}

	refreshTokens(headers: IncomingHttpHeaders): readonly string[] {
		return cookieValues(headers.cookie, this.#refresh.name);
	}

	/** Lets the browser keep a pair of tokens for as long as each lives. */
	set(reply: FastifyReply, pair: { readonly access: CookieToken; readonly refresh: CookieToken }, now: number): void {
		void reply.header("set-cookie", [
			setCookie(this.#access, pair.access, now),
			setCookie(this.#refresh, pair.refresh, now),
		]);
	}

	delete(reply: FastifyReply): void {
		void reply.header("set-cookie", [deleteCookie(this.#access), deleteCookie(this.#refresh)]);
	}
}

/**
 * The only one of the tokens of one name. @throws UserError 401 when there are several, as nobody knows which is ours
 */
export function onlyToken(tokens: readonly string[]): string | undefined {
	if (tokens.length > 1) throw unauthorized("ambiguous");
	return tokens[0];
}

/** The values that a `Cookie` header gives to a name (RFC 6265, 5.4), in its order, without empty ones. */
export function cookieValues(header: string | undefined, name: string): readonly string[] {
	if (header === undefined) return [];
	return header
		.split(";")
		.map((pair) => pair.trim())
		.filter((pair) => pair.startsWith(`${name}=`))
		.map((pair) => pair.slice(name.length + 1))
		.filter((value) => value !== "" && value !== '""');
}

function sessionCookie(name: string, path: string, secure: boolean): BrowserCookie {
	return { name: cookiePrefix(path, secure) + name, path, sameSite: "strict", secure };
}

/** RFC 6265bis, 4.1.3 */
export function cookiePrefix(path: string, secure: boolean): "__Host-" | "__Secure-" | "" {
	if (!secure) return "";
	return path === "/" ? "__Host-" : "__Secure-";
}

function setCookie(cookie: BrowserCookie, { token, expiresAt }: CookieToken, now: number): string {
	const maxAge = Math.ceil((expiresAt - now) / SECOND);
	return `${cookie.name}=${token}; HttpOnly; Max-Age=${maxAge}; ${whereSent(cookie)}`;
}

/** The value is two quotes: clients that look for a deleted cookie compare it with that. */
export function deleteCookie(cookie: BrowserCookie): string {
	return `${cookie.name}=""; expires=${LONG_AGO}; HttpOnly; Max-Age=0; ${whereSent(cookie)}`;
}

export function whereSent({ path, sameSite, secure }: Omit<BrowserCookie, "name">): string {
	return `Path=${path}; SameSite=${sameSite}${secure ? "; Secure" : ""}`;
}
