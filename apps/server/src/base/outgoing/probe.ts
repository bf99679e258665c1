import { once } from "node:events";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Target } from "./address-rules.ts";
import { CONNECT_MS, type Connections } from "./connections.ts";
import type { OutgoingFault } from "./outgoing-fault.ts";
import { toFault } from "./to-fault.ts";

/** One step on the way to a host. */
export interface ProbeStep {
	readonly name: "address" | "connect" | "certificate";
	/** A sentence, with addresses; of a step that failed its message. */
	readonly seen: string;
	/** Why it failed; no step comes after it. */
	readonly fault: OutgoingFault | undefined;
	readonly milliseconds: number;
}

interface Progress {
	readonly seen: string;
	readonly socket?: Socket;
}

/** Goes the way to a host step by step, and sends it nothing. */
export async function probe(connections: Connections, target: Target): Promise<readonly ProbeStep[]> {
	const way: readonly (readonly [ProbeStep["name"], (socket: Socket | undefined) => Promise<Progress>])[] = [
		["address", () => resolve(connections, target)],
		["connect", () => connect(connections, target)],
		["certificate", (socket) => secure(connections, target, socket)],
	];
	const steps: ProbeStep[] = [];
	let socket: Socket | undefined;
	try {
		for (const [name, take] of way) {
			const begun = performance.now();
			const taken = await take(socket).catch(toFault);
			const milliseconds = Math.round(performance.now() - begun);
			if (taken instanceof Error) {
				steps.push({ name, seen: taken.message, fault: taken, milliseconds });
				break;
			}
			// Whoever uses it next sees its errors.
			socket = taken.socket?.on("error", () => {});
			steps.push({ name, seen: taken.seen, fault: undefined, milliseconds });
		}
	} finally {
		socket?.destroy();
	}
	return steps;
}

async function resolve(connections: Connections, target: Target): Promise<Progress> {
	const refused = connections.refusal(target);
	if (refused !== undefined) throw refused;
	if (connections.tunnelFor(target) !== undefined) {
		return { seen: `The proxy of SERVICE_OUTGOING_PROXY_URL is asked for ${target.host}.` };
	}
	if (isIP(target.host) !== 0) return { seen: `${target.host} may be called.` };
	const found = Promise.withResolvers<string>();
	connections.lookupFor(target)(target.host, { all: true }, (error, addresses) => {
		if (error !== null) found.reject(error);
		else
			found.resolve(
				[addresses]
					.flat()
					.map((each) => (typeof each === "string" ? each : each.address))
					.join(", "),
			);
	});
	return { seen: `${target.host} is ${await found.promise}, which may be called.` };
}

async function connect(connections: Connections, target: Target): Promise<Progress> {
	const tunnel = connections.tunnelFor(target);
	if (tunnel !== undefined) {
		return { seen: `The proxy connected to port ${target.port}.`, socket: await tunnel.open(target) };
	}
	const { host, port } = target;
	const socket = connectTcp({ host, port, lookup: connections.lookupFor(target) });
	await inTime(socket, "connect");
	return { seen: `Port ${port} of ${socket.remoteAddress ?? host} takes connections.`, socket };
}

async function secure(connections: Connections, target: Target, socket: Socket | undefined): Promise<Progress> {
	if (socket === undefined) throw new Error("there is no connection");
	if (target.protocol === "http:") {
		return { seen: "The address is plain http: nothing on the way is encrypted, credentials neither.", socket };
	}
	const servername = isIP(target.host) === 0 ? target.host : "";
	const secured = connectTls({ socket, servername, host: target.host, ...connections.tls });
	await inTime(secured, "secureConnect");
	const { issuer, valid_to: until } = secured.getPeerCertificate();
	const by = [issuer.O, issuer.CN].flat().find((name) => name !== undefined) ?? "an authority without name";
	return { seen: `Signed by ${by}, valid until ${new Date(until).toISOString()}.`, socket: secured };
}

/** @throws the error of the socket, or of the time that is up */
async function inTime(socket: Socket, event: "connect" | "secureConnect"): Promise<void> {
	const late = Object.assign(new Error("not in time"), { code: "ETIMEDOUT" });
	const timer = setTimeout(() => socket.destroy(late), CONNECT_MS);
	try {
		await once(socket, event);
	} catch (error) {
		socket.destroy();
		throw error;
	} finally {
		clearTimeout(timer);
	}
}
