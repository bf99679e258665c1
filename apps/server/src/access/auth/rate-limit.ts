import { isIPv4 } from "node:net";
import type { FastifyRequest } from "fastify";
import type { Config } from "#base/config.ts";
import { UserError } from "#base/errors.ts";

const BURST = 12;
const MS_PER_TOKEN = 5_000;
/** Beyond it, the half with the fullest buckets is forgotten. */
const MAX_ADDRESSES = 100_000;

type Settings = Pick<Config, "SERVICE_DISABLE_RATE_LIMIT">;

/**
 * How often an address may log in and ask for password mails: 12 times at once, then every 5 seconds. An IPv6 address
 * counts by its /64, which one customer has to itself.
 */
export class IpLimits {
	readonly #off: boolean;
	readonly #nowMs: () => number;
	/** When the bucket of an address will be full again (the "theoretical arrival time" of GCRA). */
	readonly #fullAt = new Map<string, number>();

	constructor(config: Settings, nowMs: () => number = () => performance.now()) {
		this.#off = config.SERVICE_DISABLE_RATE_LIMIT;
		this.#nowMs = nowMs;
	}

	/** Counts one request. @throws UserError 429 with the seconds to wait */
	take(request: Pick<FastifyRequest, "ip">): void {
		if (this.#off) return;
		const now = this.#nowMs();
		const network = networkOf(request.ip);
		const fullAt = Math.max(this.#fullAt.get(network) ?? now, now) + MS_PER_TOKEN;
		const waitMs = fullAt - BURST * MS_PER_TOKEN - now;
		if (waitMs > 0) {
			throw new UserError(429, "too_many_requests", "Too many attempts from your address; wait and try again.", {
				retryAfter: Math.ceil(waitMs / 1_000),
			});
		}
		this.#fullAt.set(network, fullAt);
		if (this.#fullAt.size > MAX_ADDRESSES) this.#prune();
	}

	#prune(): void {
		const emptiestFirst = [...this.#fullAt].sort(([, a], [, b]) => b - a);
		for (const [network] of emptiestFirst.slice(MAX_ADDRESSES / 2)) this.#fullAt.delete(network);
	}
}

/** The IPv4 address, or the first 64 bits of the IPv6 address, in one spelling. */
export function networkOf(ip: string): string {
	// Some proxies write the port behind an IPv4 address.
	const address = ip
		.toLowerCase()
		.replace(/%.*$/, "")
		.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1");
	const mapped = /^(?:0*:)*:?ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
	if (mapped !== undefined) return mapped;
	if (isIPv4(address) || !address.includes(":")) return address;
	const [head = "", tail] = address.split("::");
	const first = head === "" ? [] : head.split(":");
	const last = tail === undefined || tail === "" ? [] : tail.split(":");
	const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
	const groups = [...first, ...Array.from({ length: zeros }, () => "0"), ...last];
	return groups
		.slice(0, 4)
		.map((group) => Number.parseInt(group, 16).toString(16))
		.join(":");
}
