import type { Config } from "../config.ts";
import { listensOnLoopback } from "../settings/derived.ts";
import { readPem } from "../settings/tls-material.ts";
import { OutgoingGuard } from "./outgoing-guard.ts";

/** As the settings say. Where nobody listed hosts and only this machine reaches the service, it may call this machine. */
export function createOutgoing(config: Config): OutgoingGuard {
	const hosts = config.SERVICE_OUTGOING_ALLOWED_HOSTS;
	const ca = readPem("SERVICE_OUTGOING_CA_CERT_FILE", config.SERVICE_OUTGOING_CA_CERT_FILE, [])?.pem;
	const proxy = config.SERVICE_OUTGOING_PROXY_URL?.reveal();
	return new OutgoingGuard({
		allowedHosts: hosts ?? [],
		allowsLoopback: hosts === null && !config.SERVICE_ENABLE_AUTH && listensOnLoopback(config),
		ownPorts: [config.SERVICE_PORT, config.SERVICE_GRPC_PORT].filter((port) => port !== 0),
		...(ca === undefined ? {} : { ca }),
		...(proxy === undefined ? {} : { proxy: new URL(proxy) }),
	});
}
