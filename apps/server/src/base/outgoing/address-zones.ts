import { BlockList, isIPv4 } from "node:net";

/** Who can reach an address: only this machine, its own networks, or everybody. */
export type Zone = "loopback" | "private" | "public";

const LOOPBACK = subnets("127.0.0.0/8", "::1/128");
/** RFC 1918, 6598, 6890, 2544, 4193, 3879, 8215 */
const PRIVATE = subnets(
	"10.0.0.0/8",
	"172.16.0.0/12",
	"192.168.0.0/16",
	"100.64.0.0/10",
	"192.0.0.0/24",
	"198.18.0.0/15",
	"fc00::/7",
	"fec0::/10",
	"64:ff9b:1::/48",
);
/**
 * Unspecified, link-local, multicast and reserved addresses, Teredo tunnels, and addresses of clouds' metadata
 * services.
 */
const NEVER_SUBNETS = [
	"0.0.0.0/8",
	"169.254.0.0/16",
	"224.0.0.0/4",
	"240.0.0.0/4",
	"100.100.100.200/32",
	"168.63.129.16/32",
	"192.0.0.192/32",
	"::/128",
	"fe80::/10",
	"ff00::/8",
	"2001::/32",
	"fd00:ec2::254/128",
	"fd20:ce::254/128",
] as const;
const NEVER = subnets(...NEVER_SUBNETS);
/** Translated within a site, by whatever length of prefix it chose (RFC 8215). */
const LOCAL_NAT64 = subnets("64:ff9b:1::/48");

/** Undefined for an address to which no request may be sent. */
export function zoneOf(address: string): Zone | undefined {
	const looked = addressedBy(address);
	const family = isIPv4(looked) ? "ipv4" : "ipv6";
	if (NEVER.check(looked, family) || (family === "ipv6" && leadsToNever(looked))) return undefined;
	if (LOOPBACK.check(looked, family)) return "loopback";
	return PRIVATE.check(looked, family) ? "private" : "public";
}

/** The address without brackets and zone, or the IPv4 address that it leads to. */
export function addressedBy(address: string): string {
	const bare = address.replace(/^\[|\]$|%.*$/g, "");
	return isIPv4(bare) ? bare : (embeddedIPv4(bare) ?? bare);
}

/** Whether no request may be sent to any address of a range, as `canonicalRange` returns it. */
export function isNeverRange(range: string): boolean {
	const [address = "", bits] = range.split("/");
	if (bits === undefined) return zoneOf(address) === undefined;
	const family = isIPv4(address) ? "ipv4" : "ipv6";
	return NEVER_SUBNETS.some(
		(never) => Number(bits) >= Number(never.split("/")[1]) && subnets(never).check(address, family),
	);
}

/**
 * The IPv4 address that an IPv6 address leads to: mapped, compatible, translated, by NAT64 or 6to4 (RFC 4291, 2765,
 * 6052, 3056).
 */
function embeddedIPv4(address: string): string | undefined {
	const groups = groupsOf(address);
	const leading = groups.slice(0, 6).join(":");
	const hasIPv4 = ["0:0:0:0:0:ffff", "0:0:0:0:ffff:0", "64:ff9b:0:0:0:0"].includes(leading) || isCompatible(groups);
	if (hasIPv4) return dotted(groups[6], groups[7]);
	return groups[0] === "2002" ? dotted(groups[1], groups[2]) : undefined;
}

/** Whether a site's NAT64 leads there, with the IPv4 address at any of the places of RFC 6052, 2.2. */
function leadsToNever(address: string): boolean {
	if (!LOCAL_NAT64.check(address, "ipv6")) return false;
	const bytes = groupsOf(address).flatMap((group) => {
		const value = Number.parseInt(group, 16);
		return [value >> 8, value & 255];
	});
	const places = [
		[6, 7, 9, 10],
		[7, 9, 10, 11],
		[9, 10, 11, 12],
		[12, 13, 14, 15],
	]; // /48, /56, /64, /96
	return places.some((place) => {
		const inside = place.map((at) => bytes[at] ?? 0);
		// At the other places are mostly zeros.
		return inside[0] !== 0 && NEVER.check(inside.join("."), "ipv4");
	});
}

/** `::` and `::1` are not: they are addresses of their own. */
function isCompatible(groups: readonly string[]): boolean {
	return groups.slice(0, 6).every((group) => group === "0") && groups[6] !== "0";
}

function groupsOf(address: string): readonly string[] {
	// The parser of URLs writes one spelling, without dots.
	const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
	const first = head === "" ? [] : head.split(":");
	const last = tail === undefined || tail === "" ? [] : tail.split(":");
	return [...first, ...Array.from({ length: 8 - first.length - last.length }, () => "0"), ...last];
}

function dotted(high = "0", low = "0"): string {
	const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
	return [a >> 8, a & 255, b >> 8, b & 255].join(".");
}

function subnets(...list: readonly string[]): BlockList {
	const blocks = new BlockList();
	for (const subnet of list) {
		const [address = "", bits] = subnet.split("/");
		blocks.addSubnet(address, Number(bits), isIPv4(address) ? "ipv4" : "ipv6");
	}
	return blocks;
}
