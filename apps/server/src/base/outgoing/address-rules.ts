import { networkInterfaces } from "node:os";
import { isLoopback } from "../loopback.ts";
import { addressedBy, zoneOf } from "./address-zones.ts";
import type { AllowedHosts } from "./allowed-hosts.ts";
import { OutgoingFault } from "./outgoing-fault.ts";

/** Where a connection leads. */
export interface Target {
	readonly protocol: string;
	/** In lower case, without brackets and without a dot at its end. */
	readonly host: string;
	readonly port: number;
}

export function targetOf(to: { readonly protocol: string; readonly hostname: string; readonly port: string }): Target {
	return {
		protocol: to.protocol,
		host: to.hostname
			.replace(/^\[|\]$/g, "")
			.replace(/\.$/, "")
			.toLowerCase(),
		port: Number(to.port || (to.protocol === "https:" ? 443 : 80)),
	};
}

const SETTING = "SERVICE_OUTGOING_ALLOWED_HOSTS";
/** Names of clouds' metadata services, which a proxy may know. */
const METADATA_NAMES = new Set(["metadata.google.internal", "metadata.goog", "instance-data.ec2.internal"]);

/** Which addresses requests may be sent to. */
export class AddressRules {
	readonly #allowed: AllowedHosts;
	readonly #allowsLoopback: boolean;
	readonly #ownPorts = new Set<number>();

	/** @param allowsLoopback whether this machine may be called without being listed */
	constructor(allowed: AllowedHosts, allowsLoopback: boolean) {
		this.#allowed = allowed;
		this.#allowsLoopback = allowsLoopback;
	}

	/** From now on no request goes to this port of this machine. */
	addOwnPort(port: number): void {
		this.#ownPorts.add(port);
	}

	/** Whether a proxy is left out: it does not reach listed hosts, and to it this machine is another one. */
	isDirect(host: string): boolean {
		return this.#allowed.list(host) || isLoopback(host) || host.endsWith(".localhost");
	}

	/** Why no connection for `target` may be made to `address`; undefined when one may. */
	refusal(target: Target, address: string): OutgoingFault | undefined {
		const zone = zoneOf(address);
		if (zone === undefined) return never("a link-local, metadata, unspecified, multicast or reserved address");
		if (METADATA_NAMES.has(target.host)) return never("the metadata service of a cloud");
		if (this.#ownPorts.has(target.port) && (zone === "loopback" || isOfThisMachine(address))) {
			return never("this service itself");
		}
		if ([target.host, address, addressedBy(address)].some((each) => this.#allowed.list(each))) return undefined;
		if (zone === "loopback" && this.#allowsLoopback) return undefined;
		if (zone === "public") return refusalOfScheme(target);
		const where = zone === "loopback" ? "on this machine" : "in a private network";
		return forbidden(`The address is ${where}. To allow it, list its host, address or network in ${SETTING}.`);
	}

	/** The same for a name, as far as nothing that it may resolve to could be allowed. */
	refusalOfName(target: Target): OutgoingFault | undefined {
		if (METADATA_NAMES.has(target.host)) return never("the metadata service of a cloud");
		if (isLoopback(target.host) || target.host.endsWith(".localhost")) return this.refusal(target, "127.0.0.1");
		return this.#allowed.isEmpty && !this.#allowsLoopback ? refusalOfScheme(target) : undefined;
	}

	/** The same for a name that a proxy resolves. */
	refusalByName(target: Target): OutgoingFault | undefined {
		return METADATA_NAMES.has(target.host) ? never("the metadata service of a cloud") : refusalOfScheme(target);
	}
}

function refusalOfScheme({ protocol }: Target): OutgoingFault | undefined {
	if (protocol === "https:") return undefined;
	return forbidden(
		`The address is plain http. Use https or, to allow it, list its host, address or network in ${SETTING}.`,
	);
}

function never(what: string): OutgoingFault {
	return forbidden(`The address leads to ${what}, which is never called, whatever ${SETTING} lists.`);
}

export function forbidden(message: string): OutgoingFault {
	return new OutgoingFault("forbidden_address", message, { setting: SETTING });
}

function isOfThisMachine(address: string): boolean {
	const looked = addressedBy(address);
	return Object.values(networkInterfaces()).some((list) => list?.some((own) => addressedBy(own.address) === looked));
}
