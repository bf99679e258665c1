import type { Config } from "#base/config.ts";
import { listenHost, listensOnLoopback, publicUrl } from "#base/settings/derived.ts";
import { servesTls } from "#base/settings/tls-material.ts";
import { hostInUrl } from "#http/origins.ts";

/**
 * The address that links in mails begin with, without a slash at the end: `SERVICE_ROOT_URL`, or the address listened
 * on when only this machine reaches it. Undefined when neither is known. Nothing from a request is part of it: a link
 * with a secret could otherwise lead to whoever sent the request.
 */
export function mailRootUrl(config: Config): string | undefined {
	const url = publicUrl(config);
	if (url !== undefined) return url;
	if (!listensOnLoopback(config) || config.SERVICE_PORT === 0) return undefined;
	const scheme = servesTls(config).http ? "https" : "http";
	return `${scheme}://${hostInUrl(listenHost(config))}:${config.SERVICE_PORT}${config.SERVICE_HOST_ROOT_PATH}`;
}
