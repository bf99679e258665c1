import type { FastifyRequest } from "fastify";
import type { Config } from "#base/config.ts";
import { isLoopback } from "#base/loopback.ts";
import { publicUrl } from "#base/settings/derived.ts";
import { bareOrigin } from "#http/origins.ts";

type Settings = Pick<Config, "SERVICE_ROOT_URL" | "SERVICE_HOST_ROOT_PATH" | "SERVICE_CSRF_TRUSTED_ORIGINS">;

/**
 * The address that a provider sends browsers back to. Without `SERVICE_ROOT_URL` it is taken from the request only for
 * this machine and trusted origins: otherwise a code would go to whoever wrote the header.
 */
export function callbackUrl(
	config: Settings,
	request: Pick<FastifyRequest, "protocol" | "host" | "hostname">,
	providerId: string,
): string | undefined {
	return callbackBelow(publicUrl(config) ?? requestedRoot(config, request), providerId);
}

/** The same without a request, if `SERVICE_ROOT_URL` is set. */
export function configuredCallbackUrl(config: Settings, providerId: string): string | undefined {
	return callbackBelow(publicUrl(config), providerId);
}

function callbackBelow(root: string | undefined, providerId: string): string | undefined {
	return root === undefined ? undefined : new URL(`${root}/oauth2/${providerId}/tokens`).href;
}

function requestedRoot(
	config: Settings,
	{ protocol, host, hostname }: Pick<FastifyRequest, "protocol" | "host" | "hostname">,
): string | undefined {
	const origin = bareOrigin(`${protocol}://${host}`);
	if (origin === undefined) return undefined;
	const isTrusted = config.SERVICE_CSRF_TRUSTED_ORIGINS.some((trusted) => bareOrigin(trusted) === origin);
	return isTrusted || isLoopback(hostname.replace(/^\[|\]$/g, "")) ? origin + config.SERVICE_HOST_ROOT_PATH : undefined;
}
