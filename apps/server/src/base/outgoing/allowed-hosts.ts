import { canonicalRange, IpRanges } from "../ip-ranges.ts";

/** What `SERVICE_OUTGOING_ALLOWED_HOSTS` lists: names, `*.suffix`, addresses and CIDR ranges, each in one spelling. */
export class AllowedHosts {
	readonly #names: ReadonlySet<string>;
	readonly #suffixes: readonly string[];
	readonly #ranges: IpRanges;

	readonly isEmpty: boolean;

	constructor(entries: readonly string[]) {
		this.isEmpty = entries.length === 0;
		const ranges = entries.filter((entry) => canonicalRange(entry) !== undefined);
		const names = entries.filter((entry) => !ranges.includes(entry));
		this.#ranges = new IpRanges(ranges);
		this.#names = new Set(names.filter((name) => !name.startsWith("*.")));
		this.#suffixes = names.filter((name) => name.startsWith("*.")).map((name) => name.slice(1));
	}

	/** @param host a name in lower case, or an address */
	list(host: string): boolean {
		const isListed = this.#names.has(host) || this.#suffixes.some((suffix) => host.endsWith(suffix));
		return isListed || this.#ranges.contain(host);
	}
}
