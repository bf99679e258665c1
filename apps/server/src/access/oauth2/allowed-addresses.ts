import { isLoopback } from "#base/loopback.ts";
import { type Zone, zoneOf } from "./address-zones.ts";

const INSIDE_FIRST: readonly Zone[] = ["loopback", "private", "public"];

/** Which addresses a provider's hosts may have: none further inside than those of the host of the setting. */
export class AllowedAddresses {
	readonly #home: string;
	/**
	 * The outermost zone that the host of the setting was ever seen in. It never goes inward: whoever answers for the
	 * name of a public provider could else say that it is this machine, and have it ask itself.
	 */
	#homeZone: Zone | undefined;

	constructor(home: string) {
		this.#home = home;
	}

	/** Takes note of what a name, or an address as it is written, stands for at this moment. */
	learn(host: string, addresses: readonly string[]): void {
		if (host !== this.#home) return;
		const zones = [this.#homeZone, ...addresses.map(zoneOf)];
		this.#homeZone = INSIDE_FIRST.findLast((zone) => zones.includes(zone));
	}

	/** Whether `host` may be asked at `address`. */
	allows(host: string, address: string): boolean {
		const zone = zoneOf(address);
		if (zone === undefined) return false;
		const homeZone = this.#homeZone ?? "public";
		// Without TLS only this machine is asked, whatever a resolver makes of its name.
		if (isLoopback(host)) return zone === "loopback" && (host === this.#home || homeZone === "loopback");
		return host === this.#home || INSIDE_FIRST.indexOf(zone) >= INSIDE_FIRST.indexOf(homeZone);
	}
}
