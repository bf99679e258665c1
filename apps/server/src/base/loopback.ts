import type { IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i;

/** Whether only this machine reaches a host of this name or address. */
export function isLoopback(host: string): boolean {
	return LOOPBACK.test(host);
}

/** Headers that proxies, load balancers and networks before a server add to a request that they pass on. */
const OF_PROXIES =
	/^(forwarded|via|cdn-loop|true-client-ip|cf-.+|x-(real-ip|client-ip|cluster-client-ip|(forwarded|original|envoy|amzn)(-.+)?))$/;

/**
 * Whether a request was made on this machine, or comes through a tunnel to it: the address of the connection counts,
 * and nothing that a sender can add. A proxy on this machine is recognized by the headers of proxies, by the name that
 * its clients use for it, or by HTTP/1.0: nginx without further settings speaks that, adds no headers, and names this
 * machine as the host.
 */
export function isFromThisMachine({
	socket,
	headers,
	httpVersion,
}: {
	readonly socket: Pick<Socket, "remoteAddress">;
	readonly headers: IncomingHttpHeaders;
	readonly httpVersion: string;
}): boolean {
	const address = socket.remoteAddress?.replace(/^::ffff:/i, "") ?? "";
	if (!isLoopback(address) || httpVersion === "1.0" || Object.keys(headers).some((name) => OF_PROXIES.test(name))) {
		return false;
	}
	return isLoopback(hostOf(headers.host ?? ""));
}

/**
 * The host of a `Host` header, without port and brackets, in lower case; empty for an invalid header (RFC 9110, 7.2).
 */
export function hostOf(header: string): string {
	const match = /^(?:\[([\da-f:.]+)\]|([^\s:/?#@[\]\\]+))(?::\d*)?$/i.exec(header);
	return (match?.[1] ?? match?.[2] ?? "").toLowerCase();
}
