import type { FastifyRequest } from "fastify";
import type { Config } from "#base/config.ts";
import { UserError } from "#base/errors.ts";
import type { App } from "#http/app-type.ts";
import { bareOrigin, originOf } from "#http/origins.ts";

type Settings = Pick<
	Config,
	"SERVICE_ENABLE_AUTH" | "SERVICE_CSRF_TRUSTED_ORIGINS" | "SERVICE_ALLOWED_ORIGINS" | "SERVICE_ROOT_URL"
>;

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Refuses changes and streams that a page of another origin makes a browser request with our cookies. If
 * `SERVICE_CSRF_TRUSTED_ORIGINS` is set, `Origin` and `Referer` must name one of these origins or our own. What the
 * browser marks as cross-site, or as same-site, such as a neighbouring host's, passes only from origins that settings
 * name. This is not about bearer tokens, which a page cannot make a browser send.
 *
 * While authentication is off only the network keeps others out, and a page in a browser gets through it: changes from
 * other origins are refused whatever they carry.
 */
export function refuseForeignOrigins(app: App, config: Settings): void {
	const trusted = originSet(config.SERVICE_CSRF_TRUSTED_ORIGINS);
	const named = new Set([...trusted, ...originSet(config.SERVICE_ALLOWED_ORIGINS)]);
	const isOwn = isOwnOf(config);

	app.addHook("onRequest", async (request) => {
		const { origin, referer } = request.headers;
		if (trusted.size > 0 && (usesCookies(request) || isSignIn(request))) {
			const isTrusted = (from: string | undefined) => from !== undefined && (trusted.has(from) || isOwn(from, request));
			if (origin !== undefined && !isTrusted(bareOrigin(origin))) throw untrusted(request, "origin", origin);
			if (referer !== undefined && !isTrusted(originOf(referer))) throw untrusted(request, "referer", referer);
		}
		// Without authentication cookies are those of other services and prove nothing.
		const isCrossOrigin = config.SERVICE_ENABLE_AUTH
			? isOfOtherOrigin(request) && usesCookies(request)
			: !SAFE_METHODS.has(request.method) && (isOfOtherOrigin(request) ?? origin !== undefined);
		if (!isCrossOrigin) return;
		const from = origin === undefined ? undefined : bareOrigin(origin);
		if (from !== undefined && (named.has(from) || isOwn(from, request))) return;
		throw new UserError(
			403,
			"cross_site_request",
			config.SERVICE_ENABLE_AUTH
				? "A page of another site cannot do this with your session."
				: "A page of another site cannot change anything here, unless SERVICE_ALLOWED_ORIGINS names it.",
		);
	});
}

/** Whether an `Origin` header names this server, or a page of another one that settings let in. */
export function ownOrigins(config: Settings): (header: string, request: FastifyRequest) => boolean {
	const named = new Set([
		...originSet(config.SERVICE_CSRF_TRUSTED_ORIGINS),
		...originSet(config.SERVICE_ALLOWED_ORIGINS),
	]);
	const isOwn = isOwnOf(config);
	return (header, request) => {
		const origin = bareOrigin(header);
		return origin !== undefined && (named.has(origin) || isOwn(origin, request));
	};
}

function isOwnOf(config: Pick<Settings, "SERVICE_ROOT_URL">): (origin: string, request: FastifyRequest) => boolean {
	const root = config.SERVICE_ROOT_URL === null ? undefined : originOf(config.SERVICE_ROOT_URL);
	return (origin, request) => origin === (root ?? requestedOrigin(request));
}

/**
 * What the browser says about the page that sends a request; undefined without Fetch Metadata: an old browser, or none.
 */
function isOfOtherOrigin({ headers }: FastifyRequest): boolean | undefined {
	const site = headers["sec-fetch-site"];
	return site === undefined ? undefined : site !== "same-origin" && site !== "none";
}

/** Whether a request that changes something, or opens a stream, is authenticated by the browser's cookies. */
function usesCookies({ method, headers }: FastifyRequest): boolean {
	if (headers.cookie === undefined || headers.authorization !== undefined) return false;
	return (
		!SAFE_METHODS.has(method) ||
		headers.upgrade !== undefined ||
		(headers.accept?.toLowerCase().includes("text/event-stream") ?? false)
	);
}

/** Log-in and related routes set cookies for any caller. */
function isSignIn(request: FastifyRequest): boolean {
	return !SAFE_METHODS.has(request.method) && (request.routeOptions.url?.startsWith("/auth/") ?? false);
}

/** The origin at which the request arrived; behind a trusted proxy, the one that the proxy names. */
function requestedOrigin({ protocol, host }: FastifyRequest): string | undefined {
	return bareOrigin(`${protocol}://${host}`);
}

function originSet(origins: readonly string[]): ReadonlySet<string> {
	return new Set(origins.map(bareOrigin).filter((origin) => origin !== undefined));
}

function untrusted(request: FastifyRequest, header: "origin" | "referer", value: string): UserError {
	request.log.warn(
		{ [header]: value.slice(0, 256), path: request.routeOptions.url },
		`refused an untrusted ${header}; only SERVICE_ROOT_URL and SERVICE_CSRF_TRUSTED_ORIGINS are trusted`,
	);
	return new UserError(401, `untrusted_${header}`, `untrusted ${header}`);
}
