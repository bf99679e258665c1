import type { Config } from "#base/config.ts";
import { servesTls, type TlsSettings } from "#base/settings/tls-material.ts";
import type { App } from "./app-type.ts";
import { COMPATIBILITY_VERSION, VERSION } from "./versions.ts";

type Settings = TlsSettings & Pick<Config, "SERVICE_ENABLE_AUTH" | "SERVICE_ROOT_URL" | "SERVICE_ALLOWED_ORIGINS">;

export type ResponseHeaders = Readonly<Record<string, string>>;

/** Nothing is loaded from another host, whatever a trace contains, and no other page may frame ours. */
const CONTENT_SECURITY_POLICY = [
	"default-src 'self'",
	// The page has a <base>.
	"base-uri 'self'",
	"connect-src 'self'",
	"font-src 'self' data:",
	"form-action 'self'",
	"frame-ancestors 'none'",
	"img-src 'self' data: blob:",
	"media-src data:",
	"object-src 'none'",
	"script-src 'self'",
	"script-src-attr 'none'",
	"style-src 'self'",
	"style-src-attr 'none'",
	"worker-src 'self' blob:",
].join("; ");
/** What of the API is opened as a page is shown as text: it loads nothing and runs nothing. */
const POLICY_OF_DATA = "default-src 'none'; frame-ancestors 'none'";
/** They mean something for pages only; with the policy above, half a kilobyte of each answer that a page asks for. */
const NOT_WITH_DATA = ["cross-origin-opener-policy", "permissions-policy", "x-permitted-cross-domain-policies"];
const ONE_YEAR = 31_536_000;
/** The page that links in mails lead to; its address is sent to nobody as `Referer`. */
const RESET_PAGE = "/reset-password-with-token";
/** Answers about accounts and keys, which no cache keeps; with authentication on, it keeps nothing of the API. */
const ACCOUNT_ROUTES = /^\/(auth|v1\/(users?|system|secrets|audit_events))(\/|$)/;
const API_ROUTES = /^\/(auth|v1)\//;
/** Pages of the web app that are answered as text to who asks for that. */
const PAGES_WITH_TEXT = /^\/p\/[^/]+\/traces\/[^/]+\/?$/;
/** They never answer with a page. */
const DATA_ROUTES = /^\/v1\//;

/** Headers of every answer, also where no hook runs: versions, and what keeps a browser from doing more than it has to. */
export function responseHeaders(config: Settings): ResponseHeaders {
	return {
		"x-phoenix-server-version": COMPATIBILITY_VERSION,
		"x-spanward-version": VERSION,
		"x-colab-notebook-cache-control": "no-cache",
		vary: config.SERVICE_ALLOWED_ORIGINS.length === 0 ? "Accept-Encoding" : "Accept-Encoding, Origin",
		"content-security-policy": CONTENT_SECURITY_POLICY,
		"cross-origin-opener-policy": "same-origin",
		"cross-origin-resource-policy": "same-origin",
		"permissions-policy": "camera=(), display-capture=(), geolocation=(), microphone=(), midi=(), payment=(), usb=()",
		"referrer-policy": "same-origin",
		"x-content-type-options": "nosniff",
		"x-frame-options": "DENY",
		"x-permitted-cross-domain-policies": "none",
		...(isHttps(config) ? { "strict-transport-security": `max-age=${ONE_YEAR}` } : {}),
	};
}

/** Sets `headers` on every answer, and keeps those with personal data out of every cache. */
export function setResponseHeaders(app: App, config: Settings, headers: ResponseHeaders): void {
	const headersOfData = withoutPages(headers);
	const uncached = config.SERVICE_ENABLE_AUTH ? API_ROUTES : ACCOUNT_ROUTES;
	app.addHook("onRequest", async (request, reply) => {
		const path = request.routeOptions.url ?? request.url.split("?", 1)[0] ?? "/";
		reply.headers(DATA_ROUTES.test(path) ? headersOfData : headers);
		const hasText = PAGES_WITH_TEXT.test(path);
		if (hasText) void reply.header("vary", `${headers["vary"]}, Accept`);
		if (uncached.test(path) || (hasText && config.SERVICE_ENABLE_AUTH)) void reply.header("cache-control", "no-store");
		if (path === RESET_PAGE) void reply.header("referrer-policy", "no-referrer");
	});
	endConnectionsWhileClosing(app);
}

function withoutPages(headers: ResponseHeaders): ResponseHeaders {
	const kept = Object.entries(headers).filter(([name]) => !NOT_WITH_DATA.includes(name));
	return { ...Object.fromEntries(kept), "content-security-policy": POLICY_OF_DATA };
}

function isHttps(config: Settings): boolean {
	return servesTls(config).http || (config.SERVICE_ROOT_URL?.toLowerCase().startsWith("https://") ?? false);
}

/** A connection that a client keeps open after the last answer would hold up the stop. */
function endConnectionsWhileClosing(app: App): void {
	let closing = false;
	app.addHook("preClose", async () => {
		closing = true;
	});
	app.addHook("onSend", async (_request, reply) => {
		if (closing) void reply.header("connection", "close");
	});
}
