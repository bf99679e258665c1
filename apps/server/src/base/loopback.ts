import type { IncomingHttpHeaders } from "node:http";

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i;

/** Whether only this machine reaches a host of this name or address. */
export function isLoopback(host: string): boolean {
	return LOOPBACK.test(host);
}

/** What proxies add to a request that they pass on. */
const OF_PROXIES = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"];

/**
 * Whether a request was made on this machine, or comes through a tunnel to it: the address of the connection counts, and
 * nothing that a sender can add: a proxy on this machine is known by the headers of proxies, or by the name that its
 * clients use for it.
 */
export function isFromThisMachine(remoteAddress: string | undefined, headers: IncomingHttpHeaders): boolean {
	const address = remoteAddress?.replace(/^::ffff:/i, "") ?? "";
	if (!isLoopback(address) || OF_PROXIES.some((name) => headers[name] !== undefined)) return false;
	return isLoopback(hostOf(headers.host ?? ""));
}

/** The host of a `Host` header, without port and brackets, in lower case; empty for what is none (RFC 9110, 7.2). */
export function hostOf(header: string): string {
	const match = /^(?:\[([\da-f:.]+)\]|([^\s:/?#@[\]\\]+))(?::\d*)?$/i.exec(header);
	return (match?.[1] ?? match?.[2] ?? "").toLowerCase();
}
