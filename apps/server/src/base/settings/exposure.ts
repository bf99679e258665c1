import { listenHost, listensOnLoopback } from "./derived.ts";
import { readVariable } from "./read-variable.ts";
import { type Environment, shown } from "./setting.ts";
import type { Config } from "./settings.ts";

/**
 * No default lets other machines in: whoever listens on more than loopback must set whether credentials are required,
 * even if to `false`.
 */
export function checkExposure(config: Config, environment: Environment): readonly string[] {
	if (listensOnLoopback(config)) return [];
	const written = readVariable("SERVICE_ENABLE_AUTH", environment, false);
	if ("problem" in written || written.text !== undefined) return [];
	const host = listenHost(config);
	return [
		`SERVICE_HOST=${/^[\w.:%-]+$/.test(host) ? host : shown(host)} lets other machines in, and SERVICE_ENABLE_AUTH is not set: SERVICE_ENABLE_AUTH=true with SERVICE_SECRET requires credentials, SERVICE_ENABLE_AUTH=false lets everybody who can reach the port read, change and delete everything; SERVICE_HOST=127.0.0.1 keeps it to this machine`,
	];
}
