import type { FastifyRequest } from "fastify";
import type { Config } from "#base/config.ts";
import { isLoopback } from "#base/loopback.ts";
import { publicUrl } from "#base/settings/derived.ts";
import { servesTls } from "#base/settings/tls-material.ts";
import { originOf } from "#http/origins.ts";
import { type Fact, type Step, Steps } from "../sign-in/steps.ts";

const PROXY_HEADERS = ["forwarded", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "x-forwarded-prefix"];

/** How an admin's request arrived, compared with the settings of address, proxy and cookies. */
export function requestSteps(config: Config, request: FastifyRequest): readonly Step[] {
	const steps = new Steps();
	noteAddress(config, request, steps);
	noteProxy(config, request, steps);
	noteRootPath(config, request, steps);
	noteCookies(config, request, steps);
	return steps.list;
}

function noteAddress(config: Config, request: FastifyRequest, steps: Steps): void {
	const url = publicUrl(config);
	const seen = originsSeen(request);
	const facts = [
		...(url === undefined ? [] : [{ name: "SERVICE_ROOT_URL", value: url }]),
		...seen.map(({ from, origin }) => ({ name: from, value: origin })),
	];
	if (url === undefined) {
		noteMissingUrl(config, steps, facts);
		return;
	}
	const root = originOf(url);
	// The page's own address, if the browser names it, is certain; Host may have been changed by a proxy.
	const browser = seen.filter(({ certain }) => certain);
	const fits = (browser.length > 0 ? browser : seen).some(({ origin }) => origin === root);
	if (fits) {
		steps.ok("address", "This request came to the address of SERVICE_ROOT_URL.", { facts });
	} else if (browser.length > 0) {
		steps.warn(
			"address",
			"This browser used another address than SERVICE_ROOT_URL: after signing in with a provider it would be at SERVICE_ROOT_URL, where it does not have the cookies of this address.",
			{ settings: ["SERVICE_ROOT_URL"], facts },
		);
	} else {
		steps.warn(
			"address",
			"This request names another host than SERVICE_ROOT_URL: either SERVICE_ROOT_URL is not the address that browsers use, or a proxy changes the Host header, which is harmless.",
			{ settings: ["SERVICE_ROOT_URL"], facts },
		);
	}
}

function noteMissingUrl(config: Config, steps: Steps, facts: readonly Fact[]): void {
	if (config.OAUTH2_PROVIDERS.length === 0 && config.SERVICE_SMTP_HOSTNAME === null) {
		steps.skip("address", "SERVICE_ROOT_URL is not set, and neither a provider nor mails need it.", { facts });
		return;
	}
	steps.warn(
		"address",
		"SERVICE_ROOT_URL is not set: only it says reliably which address providers have to send browsers back to, and where links in mails lead.",
		{ settings: ["SERVICE_ROOT_URL"], facts },
	);
}

interface SeenOrigin {
	readonly from: string;
	readonly origin: string;
	/** From the browser about its page, rather than from whoever passed the request on. */
	readonly certain: boolean;
}

function originsSeen(request: FastifyRequest): readonly SeenOrigin[] {
	const { headers } = request;
	const scheme = headerText(request, "x-forwarded-proto").split(",")[0]?.trim() || request.protocol;
	const told: readonly (readonly [from: string, url: string, certain: boolean])[] = [
		["Origin", headers.origin ?? "", true],
		["Referer", headers.referer ?? "", true],
		["X-Forwarded-Host", `${scheme}://${headerText(request, "x-forwarded-host").split(",")[0]?.trim()}`, false],
		["Host", `${scheme}://${headers.host ?? ""}`, false],
	];
	return told.flatMap(([from, url, certain]) => {
		const origin = originOf(url);
		return origin === undefined ? [] : [{ from, origin, certain }];
	});
}

function noteProxy(config: Config, request: FastifyRequest, steps: Steps): void {
	const address = request.socket.remoteAddress ?? "";
	const sent = PROXY_HEADERS.filter((name) => request.headers[name] !== undefined);
	const facts: Fact[] = [
		{ name: "Address of the connection", value: address },
		{ name: "Address of the client", value: request.ip },
		...sent.map((name) => ({ name, value: headerText(request, name) })),
	];
	const hasFor = request.headers["x-forwarded-for"] !== undefined;
	const isConfigured = config.SERVICE_TRUSTED_PROXIES.length > 0;
	const settings = ["SERVICE_TRUSTED_PROXIES"];
	if (sent.length === 0) {
		const text = isConfigured
			? "This request came without X-Forwarded-For: either it bypassed the proxy, or the proxy does not send it, and then all its clients count as one address."
			: "This request shows no sign of a proxy.";
		steps.ok("proxy", text, { facts });
	} else if (!isConfigured) {
		steps.warn(
			"proxy",
			"A proxy passes requests on, and SERVICE_TRUSTED_PROXIES does not name it: all its clients share one limit on log-ins, and one address in the audit log.",
			{ settings, facts },
		);
	} else if (!hasFor) {
		steps.warn("proxy", "The proxy does not send X-Forwarded-For: all its clients count as one address.", { facts });
	} else if (request.ip === address) {
		steps.warn(
			"proxy",
			"This request came with X-Forwarded-For from an address that SERVICE_TRUSTED_PROXIES does not name, so it is ignored.",
			{ settings, facts },
		);
	} else {
		steps.ok("proxy", "SERVICE_TRUSTED_PROXIES names the proxy, so the client's own address is used.", { facts });
	}
}

function noteRootPath(config: Config, request: FastifyRequest, steps: Steps): void {
	const rootPath = config.SERVICE_HOST_ROOT_PATH;
	const prefix = headerText(request, "x-forwarded-prefix").replace(/\/+$/, "");
	if (prefix !== "" && prefix !== rootPath) {
		steps.warn("proxy", "The proxy serves below another path than SERVICE_HOST_ROOT_PATH.", {
			settings: ["SERVICE_HOST_ROOT_PATH"],
			facts: [
				{ name: "x-forwarded-prefix", value: prefix },
				{ name: "SERVICE_HOST_ROOT_PATH", value: rootPath },
			],
		});
	} else if (rootPath !== "") {
		const stripped = request.originalUrl === request.url;
		steps.ok(
			"proxy",
			stripped
				? "This request came without SERVICE_HOST_ROOT_PATH, as from a proxy that strips it."
				: "This request came with SERVICE_HOST_ROOT_PATH, as from a proxy that does not strip it.",
		);
	}
}

function noteCookies(config: Config, request: FastifyRequest, steps: Steps): void {
	const settings = ["SERVICE_USE_SECURE_COOKIES"];
	const secure = config.SERVICE_USE_SECURE_COOKIES;
	const https = cameByHttps(config, request);
	const facts: Fact[] = [
		{ name: "SERVICE_USE_SECURE_COOKIES", value: String(secure) },
		{ name: "Path", value: config.SERVICE_COOKIES_PATH ?? (config.SERVICE_HOST_ROOT_PATH || "/") },
	];
	if (https && !secure) {
		steps.warn("cookies", "Browsers use https, but would send session cookies unencrypted as well.", {
			settings,
			facts,
		});
	} else if (!https && secure && !isLoopback(request.hostname)) {
		steps.warn("cookies", "This request came over http, where browsers do not keep Secure cookies.", {
			settings: [...settings, "SERVICE_ROOT_URL"],
			facts,
		});
	} else {
		steps.ok("cookies", https ? "Cookies are sent over https only." : "The cookies match the address.", { facts });
	}
}

function cameByHttps(config: Config, request: FastifyRequest): boolean {
	const [browser] = originsSeen(request).filter(({ certain }) => certain);
	if (browser !== undefined) return browser.origin.startsWith("https:");
	const forwarded = headerText(request, "x-forwarded-proto").split(",")[0]?.trim();
	if (forwarded) return forwarded === "https";
	return servesTls(config).http || (publicUrl(config)?.startsWith("https:") ?? false);
}

function headerText(request: FastifyRequest, name: string): string {
	return [request.headers[name] ?? ""].flat().join(", ");
}
