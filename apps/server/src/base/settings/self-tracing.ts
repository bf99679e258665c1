import { isLoopback } from "../loopback.ts";
import { type Check, when } from "./check.ts";
import { listenHost } from "./derived.ts";
import type { Config } from "./settings.ts";

/** If a server exported to itself, each export would make spans to export. */
export const SELF_TRACING_CHECK: Check = {
	uses: [
		"SERVICE_SELF_TRACING_ENDPOINT",
		"SERVICE_SELF_TRACING_HEADERS",
		"SERVICE_ROOT_URL",
		"SERVICE_HOST",
		"SERVICE_PORT",
		"SERVICE_ENABLE_AUTH",
	],
	problems: (config) => {
		const { SERVICE_SELF_TRACING_ENDPOINT: endpoint } = config;
		if (endpoint === null)
			return when(
				config.SERVICE_SELF_TRACING_HEADERS.length > 0,
				"SERVICE_SELF_TRACING_HEADERS needs SERVICE_SELF_TRACING_ENDPOINT",
			);
		return when(
			isOwn(config, new URL(endpoint)),
			"SERVICE_SELF_TRACING_ENDPOINT is the address of this server: it must be that of another server",
		);
	},
};

function isOwn(config: Config, { origin, hostname, protocol, port }: URL): boolean {
	if (config.SERVICE_ROOT_URL !== null && new URL(config.SERVICE_ROOT_URL).origin === origin) return true;
	const host = hostname.replace(/^\[(.*)\]$/, "$1");
	const isHere = isLoopback(host) || host === listenHost(config) || host === "0.0.0.0" || host === "::";
	return isHere && Number(port || (protocol === "https:" ? 443 : 80)) === config.SERVICE_PORT;
}

export function warnOfSelfTracing(config: Config): readonly string[] {
	const { SERVICE_SELF_TRACING_ENDPOINT: endpoint } = config;
	if (endpoint === null) return [];
	const { protocol, hostname } = new URL(endpoint);
	return when(
		protocol === "http:" &&
			!isLoopback(hostname.replace(/^\[(.*)\]$/, "$1")) &&
			config.SERVICE_SELF_TRACING_HEADERS.length > 0,
		"SERVICE_SELF_TRACING_HEADERS are sent unencrypted: SERVICE_SELF_TRACING_ENDPOINT is http",
	);
}
