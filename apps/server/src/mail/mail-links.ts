import type { Config } from "../config.ts";
import { isLoopback } from "../http/loopback.ts";

type Settings = Pick<
	Config,
	| "SERVICE_ROOT_URL"
	| "SERVICE_HOST_ROOT_PATH"
	| "SERVICE_HOST"
	| "SERVICE_PORT"
	| "SERVICE_TLS_ENABLED"
	| "SERVICE_TLS_ENABLED_FOR_HTTP"
>;

/**
 * The address that links in mails begin with, without a slash at the end: `SERVICE_ROOT_URL`, or the address listened on
 * when only this machine reaches it. Undefined when neither is known. Nothing that a request says has a part in it: a
 * link with a secret in it would else lead to whoever asked for it.
 */
export function mailRootUrl(config: Settings): string | undefined {
	const path = config.SERVICE_HOST_ROOT_PATH;
	if (config.SERVICE_ROOT_URL !== null) {
		const root = config.SERVICE_ROOT_URL.replace(/\/+$/, "");
		return new URL(root).pathname === "/" ? `${root}${path}` : root;
	}
	const host = config.SERVICE_HOST ?? "";
	if (!isLoopback(host) || config.SERVICE_PORT === 0) return undefined;
	const scheme = (config.SERVICE_TLS_ENABLED_FOR_HTTP ?? config.SERVICE_TLS_ENABLED) ? "https" : "http";
	return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${config.SERVICE_PORT}${path}`;
}
