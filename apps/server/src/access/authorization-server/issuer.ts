import type { FastifyRequest } from "fastify";
import type { Config } from "#base/config.ts";
import { notFound, type UserError } from "#base/errors.ts";
import { isLoopback } from "#base/loopback.ts";
import { publicUrl } from "#base/settings/derived.ts";
import { bareOrigin } from "#http/origins.ts";
import type { Audience } from "#http/principal.ts";

type Settings = Pick<Config, "SERVICE_ROOT_URL" | "SERVICE_HOST_ROOT_PATH">;
type Asked = Pick<FastifyRequest, "protocol" | "host" | "hostname">;

/**
 * The issuer identifier of this service (RFC 8414, 2), without a slash at the end: `SERVICE_ROOT_URL` with the root path,
 * else the origin that was asked, if only this machine has it; undefined where browsers reach it under a name that no
 * setting confirms.
 */
export function issuerOf(config: Settings, { protocol, host, hostname }: Asked): string | undefined {
	const configured = publicUrl(config);
	if (configured !== undefined) return configured;
	const origin = bareOrigin(`${protocol}://${host}`);
	const isLocal = isLoopback(hostname.replace(/^\[|\]$/g, ""));
	return origin !== undefined && isLocal ? origin + config.SERVICE_HOST_ROOT_PATH : undefined;
}

/** @throws UserError 404 where there is none */
export function requireIssuer(config: Settings, asked: Asked): string {
	const issuer = issuerOf(config, asked);
	if (issuer === undefined) throw noIssuer();
	return issuer;
}

function noIssuer(): UserError {
	return notFound("root_url_unset", "Programs can log in here only once SERVICE_ROOT_URL is set.");
}

/** The address of what a token is for (RFC 8707), as the metadata of the resource says it. */
export function resourceUrl(issuer: string, audience: Audience): string {
	return audience === "mcp" ? `${issuer}/mcp` : issuer;
}

/** What an address that a client sends as `resource` means; undefined for what is not here. */
export function audienceOf(issuer: string, resource: string): Audience | undefined {
	const wanted = canonical(resource);
	return (["api", "mcp"] as const).find((audience) => wanted === canonical(resourceUrl(issuer, audience)));
}

/** Host in lower case, without default port and slash at the end; undefined with query or fragment (RFC 8707, 2). */
function canonical(address: string): string | undefined {
	const url = /[?#\s\\]/.test(address) ? null : URL.parse(address);
	if (url === null || url.username !== "" || url.password !== "") return undefined;
	return `${url.protocol}//${url.host}${url.pathname.replace(/\/$/, "")}`;
}
