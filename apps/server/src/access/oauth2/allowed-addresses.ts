import { isLoopback } from "#base/loopback.ts";
import { type Zone, zoneOf } from "#base/outgoing/address-zones.ts";

const INSIDE_FIRST: readonly Zone[] = ["loopback", "private", "public"];

/** Which addresses a provider's hosts may have: none further inside than those of the host in the setting. */
export class AllowedAddresses {
	readonly #home: string;
	/**
	 * The outermost zone in which the host of the setting was ever seen. It never goes inward: otherwise whoever
	 * controls the name of a public provider could point it to this machine, and have it send requests to itself.
	 */
	#homeZone: Zone | undefined;

	constructor(home: string) {
		this.#home = home;
	}

	/** Notes to which addresses a name, or a literal address, resolves at this moment. */
	learn(host: string, addresses: readonly string[]): void {
		if (host !== this.#home) return;
		const zones = [this.#homeZone, ...addresses.map(zoneOf)];
		this.#homeZone = INSIDE_FIRST.findLast((zone) => zones.includes(zone));
	}

	/** Whether a request for `host` may be sent to `address`. */
	allows(host: string, address: string): boolean {
		const zone = zoneOf(address);
		if (zone === undefined) return false;
		const homeZone = this.#homeZone ?? "public";
		// Requests without TLS go to this machine only, whatever a resolver makes of its name.
		if (isLoopback(host)) return zone === "loopback" && (host === this.#home || homeZone === "loopback");
		return host === this.#home || INSIDE_FIRST.indexOf(zone) >= INSIDE_FIRST.indexOf(homeZone);
	}
}
