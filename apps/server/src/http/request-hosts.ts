import { isIP } from "node:net";
import type { FastifyRequest } from "fastify";
import type { Config } from "#base/config.ts";
import { UserError } from "#base/errors.ts";
import { hostOf, isLoopback } from "#base/loopback.ts";
import { listenHost } from "#base/settings/derived.ts";
import type { App } from "./app-type.ts";

type Settings = Pick<Config, "SERVICE_ENABLE_AUTH" | "SERVICE_HOST" | "SERVICE_ROOT_URL" | "SERVICE_ALLOWED_HOSTS">;

declare module "fastify" {
	interface FastifyContextConfig {
		/** The route answers 403 rather than 421 under a host name that is not this server's, as its protocol says. */
		foreignHosts?: "forbidden";
	}
}

const HEALTH: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);
const EXPORTS = /^\/(v1\/(traces|logs|metrics)|api\/public\/otel\/v1\/traces)$/;
/** Names come from the sender, so that only so many are logged. */
const MAX_TOLD = 20;
const MAX_SHOWN = 100;

/** RFC 9112, 3.2: a proxy in between may have looked at another one of them. */
export function refuseSeveralHosts(app: App): void {
	app.addHook("onRequest", async ({ raw: { rawHeaders } }) => {
		let hosts = 0;
		for (let index = 0; index < rawHeaders.length; index += 2) {
			if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === "host") hosts++;
		}
		if (hosts > 1) throw new UserError(400, "several_hosts", "A request must have one Host header.");
	});
}

/**
 * While authentication is off, takes requests only under names of this server: a page whose name was made to resolve to
 * this machine (DNS rebinding) could otherwise use it as its own. Its names are loopback, the address it listens on,
 * `SERVICE_ROOT_URL` and `SERVICE_ALLOWED_HOSTS`; when it listens on all addresses any address, as a page cannot have
 * one that is not its own. What no browser sends passes under any name: exports without `Origin`, which every POST of a
 * page has, and requests without `Host`; so do health checks, whose answers reveal nothing.
 */
export function refuseForeignHosts(app: App, config: Settings): void {
	if (config.SERVICE_ENABLE_AUTH) return;
	const isOwn = ownHosts(config);
	const told = new Set<string>();
	app.addHook("onRequest", async (request) => {
		const { host } = request.headers;
		if (host === undefined || (isOwn(host) && (request.host === host || isOwn(request.host)))) return;
		if (HEALTH.has(request.routeOptions.url ?? "") || isExport(request)) return;
		const name = (isOwn(host) ? request.host : host).slice(0, MAX_SHOWN);
		if (told.size < MAX_TOLD && !told.has(name)) {
			told.add(name);
			request.log.warn(
				{ host: name },
				"refused a request under a host name that is not this server's: while authentication is off its names are localhost, the address of SERVICE_HOST, the host of SERVICE_ROOT_URL and those in SERVICE_ALLOWED_HOSTS",
			);
		}
		throw new UserError(
			request.routeOptions.config.foreignHosts === "forbidden" ? 403 : 421,
			"host_not_allowed",
			`While authentication is off, this server does not answer under the host name ${JSON.stringify(name)}: name it in SERVICE_ALLOWED_HOSTS, or in SERVICE_ROOT_URL if browsers use it.`,
		);
	});
}

/** Whether a `Host` header names this server. */
export function ownHosts(config: Omit<Settings, "SERVICE_ENABLE_AUTH">): (header: string) => boolean {
	const listens = listenHost({ ...config, SERVICE_ENABLE_AUTH: false }).toLowerCase();
	const isEverywhere = listens === "0.0.0.0" || listens === "::";
	const root = config.SERVICE_ROOT_URL === null ? [] : [hostOf(new URL(config.SERVICE_ROOT_URL).host)];
	const names = new Set([listens, ...root, ...config.SERVICE_ALLOWED_HOSTS]);
	const domains = config.SERVICE_ALLOWED_HOSTS.filter((name) => name.startsWith("*.")).map((name) => name.slice(1));
	return (header) => {
		const host = hostOf(header).replace(/\.$/, "");
		if (host === "") return false;
		if (names.has(host) || isLoopback(host) || host.endsWith(".localhost")) return true;
		return (isEverywhere && isIP(host) !== 0) || domains.some((domain) => host.endsWith(domain));
	};
}

function isExport({ method, headers, routeOptions }: FastifyRequest): boolean {
	if (method !== "POST" || !EXPORTS.test(routeOptions.url ?? "")) return false;
	return headers.origin === undefined && headers["sec-fetch-site"] === undefined && headers.referer === undefined;
}
