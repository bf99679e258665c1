import type { LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import type { AddressRules, Target } from "./address-rules.ts";
import { checkedLookup, type Resolver } from "./checked-lookup.ts";
import type { OutgoingFault } from "./outgoing-fault.ts";
import { ProxyTunnel } from "./proxy-tunnel.ts";

/** Milliseconds for a connection, and for TLS on it. */
export const CONNECT_MS = 10_000;

export interface Route {
	/** PEM of authorities to trust besides those of Node. */
	readonly ca?: string;
	/** With user and password, if it wants some. */
	readonly proxy?: URL;
	/** The system's where absent. */
	readonly resolve?: Resolver;
}

interface TlsOptions {
	readonly rejectUnauthorized: true;
	readonly secureContext?: SecureContext;
}

/** How connections are made: by the rules, directly or through the proxy. */
export class Connections {
	readonly #rules: AddressRules;
	readonly #route: Route;
	readonly #tunnel: ProxyTunnel | undefined;
	#tls: TlsOptions | undefined;

	constructor(rules: AddressRules, route: Route) {
		this.#rules = rules;
		this.#route = route;
		this.#tunnel = route.proxy === undefined ? undefined : new ProxyTunnel(route.proxy, () => this.tls, CONNECT_MS);
	}

	/** Who is trusted. */
	get tls(): TlsOptions {
		this.#tls ??= {
			// Without it NODE_TLS_REJECT_UNAUTHORIZED decides.
			rejectUnauthorized: true,
			...(this.#route.ca === undefined
				? {}
				: { secureContext: createSecureContext({ ca: [...getCACertificates("default"), this.#route.ca] }) }),
		};
		return this.#tls;
	}

	/** The proxy that a target is reached by; undefined where it is reached directly. */
	tunnelFor({ host }: Target): ProxyTunnel | undefined {
		return this.#rules.isDirect(host) ? undefined : this.#tunnel;
	}

	/** Why no connection is made, as far as the host says so: of one that is reached directly, addresses decide. */
	refusal(target: Target): OutgoingFault | undefined {
		if (isIP(target.host) !== 0) return this.#rules.refusal(target, target.host);
		return this.tunnelFor(target) === undefined ? undefined : this.#rules.refusalByName(target);
	}

	/** The same before anything is looked up. */
	earlyRefusal(target: Target): OutgoingFault | undefined {
		return this.refusal(target) ?? (isIP(target.host) === 0 ? this.#rules.refusalOfName(target) : undefined);
	}

	/** For connections that are made directly: yields the addresses that the rules allow, or fails with their refusal. */
	lookupFor(target: Target): LookupFunction {
		return checkedLookup((_, found) => this.#allowed(target, found), this.#route.resolve);
	}

	#allowed(target: Target, found: readonly LookupAddress[]): readonly LookupAddress[] {
		const refusals = found.map(({ address }) => this.#rules.refusal(target, address));
		const allowed = found.filter((_, at) => refusals[at] === undefined);
		const [refused] = refusals;
		if (allowed.length === 0 && refused !== undefined) throw refused;
		return allowed;
	}
}
