import { isIP } from "node:net";
import { isLoopback } from "../loopback.ts";
import type { Config } from "./settings.ts";
import { servesTls } from "./tls-material.ts";

/** The address that HTTP and gRPC listen on: with authentication other machines may be let in. */
export function listenHost(config: Pick<Config, "SERVICE_HOST" | "SERVICE_ENABLE_AUTH">): string {
	return config.SERVICE_HOST ?? (config.SERVICE_ENABLE_AUTH ? "0.0.0.0" : "127.0.0.1");
}

export function listensOnLoopback(config: Pick<Config, "SERVICE_HOST" | "SERVICE_ENABLE_AUTH">): boolean {
	return isLoopback(listenHost(config));
}

/** Whether browsers reach this service by https, as far as the settings say. */
export function isReachedByHttps(config: Config): boolean {
	return config.SERVICE_ROOT_URL === null ? servesTls(config).http : config.SERVICE_ROOT_URL.startsWith("https:");
}

/** `SERVICE_ROOT_URL` with the root path, without a slash at the end. */
export function publicUrl(config: Pick<Config, "SERVICE_ROOT_URL" | "SERVICE_HOST_ROOT_PATH">): string | undefined {
	const url = config.SERVICE_ROOT_URL;
	if (url === null) return undefined;
	return new URL(url).pathname === "/" ? `${url}${config.SERVICE_HOST_ROOT_PATH}` : url;
}

/**
 * The sender of mails. Mail servers refuse a domain that does not exist, so the default is the host that browsers know.
 */
export function mailSender(config: Pick<Config, "SERVICE_SMTP_MAIL_FROM" | "SERVICE_ROOT_URL">): string {
	if (config.SERVICE_SMTP_MAIL_FROM !== null) return config.SERVICE_SMTP_MAIL_FROM;
	const host = config.SERVICE_ROOT_URL === null ? "localhost" : new URL(config.SERVICE_ROOT_URL).hostname;
	return `noreply@${isMailDomain(host) ? host : "localhost"}`;
}

/** Whether a domain may be known elsewhere: neither an IP address nor a name of this machine or network alone. */
export function isMailDomain(domain: string): boolean {
	return /^[^.].*\.[^.]+$/.test(domain) && isIP(domain) === 0 && !/[[\]:]|\.localhost$/i.test(domain);
}
