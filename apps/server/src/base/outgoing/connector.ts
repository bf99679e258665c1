import type { buildConnector } from "undici";
import { type Target, targetOf } from "./address-rules.ts";
import { CONNECT_MS, type Connections } from "./connections.ts";

/** What undici makes connections with. */
export async function createConnector(connections: Connections): Promise<buildConnector.connector> {
	const { buildConnector } = await import("undici");
	const options = { timeout: CONNECT_MS, allowH2: false, ...connections.tls };
	const connectInTunnel = buildConnector(options);

	return (to, callback) => {
		const target = targetOf(to);
		const refused = connections.refusal(target);
		if (refused !== undefined) return callback(refused, null);
		const tunnel = connections.tunnelFor(target);
		if (tunnel === undefined) return connectDirectly(target)(to, callback);
		tunnel.open(target).then(
			(httpSocket) => connectInTunnel({ ...to, httpSocket }, callback),
			(error: Error) => callback(error, null),
		);
	};

	function connectDirectly(target: Target): buildConnector.connector {
		return buildConnector({ ...options, lookup: connections.lookupFor(target) });
	}
}
