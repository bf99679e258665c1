import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { BlockList, isIPv6 } from "node:net";
import type { Config } from "#base/config.ts";

const GOOD_ID = /^[\w.:=+/-]{8,128}$/;

/**
 * Ids of requests, which connect an answer with the log and the audit log. A proxy of `SERVICE_TRUSTED_PROXIES` may
 * give one as `X-Request-Id`; anybody else could give two requests the same.
 */
export function createRequestIds({
	SERVICE_TRUSTED_PROXIES: proxies,
}: Pick<Config, "SERVICE_TRUSTED_PROXIES">): (request: IncomingMessage) => string {
	const trusted = new BlockList();
	for (const network of proxies) {
		const [address = "", bits] = network.split("/");
		const family = isIPv6(address) ? "ipv6" : "ipv4";
		if (bits === undefined) trusted.addAddress(address, family);
		else trusted.addSubnet(address, Number(bits), family);
	}
	return ({ headers, socket }) => {
		const given = headers["x-request-id"];
		if (proxies.length === 0 || typeof given !== "string" || !GOOD_ID.test(given)) return randomUUID();
		const from = (socket.remoteAddress ?? "").replace(/^::ffff:/i, "");
		return from !== "" && trusted.check(from, isIPv6(from) ? "ipv6" : "ipv4") ? given : randomUUID();
	};
}
