import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import proxyAddr from "@fastify/proxy-addr";
import type { Config } from "#base/config.ts";
import type { App } from "./app-type.ts";

type Settings = Pick<Config, "SERVICE_TRUSTED_PROXIES">;

/** The proxies whose `X-Forwarded-For` Fastify trusts: the client is the last address in it that is not one of them. */
export function trustedProxies(config: Settings): string[] | false {
	return config.SERVICE_TRUSTED_PROXIES.length === 0 ? false : [...config.SERVICE_TRUSTED_PROXIES];
}

/** The address of a client, by that of the connection and the headers of the request. */
export type ClientAddress = (remoteAddress: string, headers: IncomingHttpHeaders) => string;

/** Finds clients as Fastify does, for servers that are not Fastify's. */
export function clientAddress(config: Settings): ClientAddress {
	const proxies = trustedProxies(config);
	if (proxies === false) return (remoteAddress) => remoteAddress;
	const trust = proxyAddr.compile(proxies);
	// It reads nothing else of a request.
	return (remoteAddress, headers) => proxyAddr({ headers, socket: { remoteAddress } } as IncomingMessage, trust);
}

/** Warns once about a proxy that no setting names: all its clients count as one address. */
export function warnOfUnknownProxy(app: App, config: Settings): void {
	if (config.SERVICE_TRUSTED_PROXIES.length > 0) return;
	let warned = false;
	app.addHook("onRequest", async (request) => {
		if (warned || request.headers["x-forwarded-for"] === undefined) return;
		warned = true;
		request.log.warn(
			{ proxy: request.socket.remoteAddress },
			"a request came with X-Forwarded-For, which is ignored: if it came from your proxy, name its address in SERVICE_TRUSTED_PROXIES, otherwise all its clients share one limit on log-ins and one address in the audit log",
		);
	});
}

/**
 * Keeps the address that a request came from, which is gone with the connection: the audit log needs it even for a
 * client that hangs up at once. Empty when the connection was gone before the request was handled.
 */
export function keepClientAddress(app: App): void {
	app.addHook("onRequest", async (request) => {
		const address: string | undefined = request.ip;
		Object.defineProperty(request, "ip", { value: address ?? "" });
	});
}
