import { BlockList, isIP } from "node:net";

/** Addresses and CIDR ranges of both families. An IPv4 address within IPv6 (`::ffff:10.0.0.1`) counts as IPv4. */
export class IpRanges {
	readonly #list = new BlockList();

	/** @param ranges as {@link canonicalRange} returns them */
	constructor(ranges: readonly string[]) {
		for (const range of ranges) {
			const [address = "", prefix] = range.split("/");
			const family = isIP(address) === 6 ? "ipv6" : "ipv4";
			if (prefix === undefined) this.#list.addAddress(address, family);
			else this.#list.addSubnet(address, Number(prefix), family);
		}
	}

	/** False for what is no address. */
	contain(ip: string): boolean {
		const address = canonicalAddress(ip);
		return address !== undefined && this.#list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
	}
}

/** An address or range in one spelling: `10.0.0.0/8`, `2001:db8::/32`; undefined for what is none. */
export function canonicalRange(text: string): string | undefined {
	const [, sent = "", bits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text.trim()) ?? [];
	if (isIP(sent) === 0) return undefined;
	const address = canonicalAddress(sent) ?? "";
	if (bits === undefined) return address;
	const within6 = isIP(sent) === 6 && isIP(address) === 4 ? 96 : 0;
	const prefix = Number(bits) - within6;
	return prefix < 0 || prefix > (isIP(address) === 6 ? 128 : 32) ? undefined : `${address}/${prefix}`;
}

/** An address without zone, and without the port that some proxies write behind IPv4 addresses. */
function canonicalAddress(ip: string): string | undefined {
	const bare = ip.replace(/%.*$/, "").replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1");
	if (isIP(bare) !== 6) return isIP(bare) === 4 ? bare : undefined;
	const spelt = new URL(`http://[${bare}]`).hostname.slice(1, -1);
	const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(spelt) ?? [];
	if (high === undefined || low === undefined) return spelt;
	const [first, second] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
	return [first >> 8, first & 255, second >> 8, second & 255].join(".");
}
