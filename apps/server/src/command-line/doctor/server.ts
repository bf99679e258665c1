import { z } from "zod";
import type { Fact, Steps } from "#access/sign-in/steps.ts";
import type { Config } from "#base/config.ts";
import { listenHost, publicUrl } from "#base/settings/derived.ts";
import { servesTls } from "#base/settings/tls-material.ts";
import { hostInUrl } from "#http/origins.ts";
import { parseJson } from "#http/parse-json.ts";
import { VERSION } from "#http/versions.ts";
import { certificateFacts, noteValidity } from "./certificates.ts";
import { checkCookies } from "./cookies.ts";
import { type Answer, ask, failureOf, isLoopbackUrl, peerCertificate } from "./exchange.ts";

/** Below the minute of clock skew beyond which ID tokens are refused. */
const MAX_SKEW_SECONDS = 30;
const ROOT_URL = ["SERVICE_ROOT_URL"];

const PageConfig = z.object({ basePath: z.string() });

/**
 * Checks that the running server is reachable as browsers reach it, and that a proxy changes nothing.
 * @returns its address if so
 */
export async function checkServer(config: Config, steps: Steps): Promise<string | undefined> {
	if (config.SERVICE_TLS_VERIFY_CLIENT && servesTls(config).http) {
		steps.skip(
			"address",
			"SERVICE_TLS_VERIFY_CLIENT requires a client certificate, so the running server is not checked.",
		);
		return undefined;
	}
	const local = await checkListener(config, steps);
	const url = publicUrl(config) ?? (servesTls(config).http ? undefined : local);
	if (publicUrl(config) === undefined) {
		steps.skip("address", "SERVICE_ROOT_URL is not set, so how browsers and proxies reach the server is not checked.");
	}
	if (url === undefined) return undefined;
	const answer = await askPublic(url, local !== undefined, steps);
	if (answer === undefined) return undefined;
	noteCertificate(url, answer, steps);
	if (!noteVersion(url, publicUrl(config) !== undefined, answer, steps)) return undefined;
	noteClock(answer, steps);
	await checkPage(config, url, steps);
	if (config.SERVICE_ENABLE_AUTH) await checkCookies(config, url, steps);
	return url;
}

/** @returns the address of the server on this machine, if one answers */
async function checkListener(config: Config, steps: Steps): Promise<string | undefined> {
	const port = config.SERVICE_PORT;
	if (port === 0) return undefined;
	const host = { "0.0.0.0": "127.0.0.1", "::": "::1" }[listenHost(config)] ?? listenHost(config);
	const local = `${servesTls(config).http ? "https" : "http"}://${hostInUrl(host)}:${port}`;
	const facts = [{ name: "Address", value: local }];
	try {
		const { headers } = await ask(`${local}/healthz`, { trustsAll: true });
		if (headers["x-spanward-version"] === undefined) {
			steps.fail("address", "Another program answers at SERVICE_PORT.", {
				settings: ["SERVICE_PORT"],
				facts,
			});
			return undefined;
		}
		steps.ok("address", "The server runs.", { facts });
		return `${local}${config.SERVICE_HOST_ROOT_PATH}`;
	} catch (error) {
		steps.skip("address", `No server answers at SERVICE_PORT on this machine: ${failureOf(error).reason}.`, { facts });
		return undefined;
	}
}

async function askPublic(url: string, runs: boolean, steps: Steps): Promise<Answer | undefined> {
	const facts: Fact[] = [{ name: "Address", value: url }];
	try {
		return await ask(`${url}/healthz`);
	} catch (error) {
		const { reason, isCertificate } = failureOf(error);
		if (isCertificate) {
			const certificate = await peerCertificate(url);
			steps.fail("tls", `The address of SERVICE_ROOT_URL cannot be trusted: ${reason}.`, {
				settings: ["SERVICE_TLS_CERT_FILE", ...ROOT_URL],
				facts: [...facts, ...(certificate === undefined ? [] : certificateFacts(certificate))],
			});
		} else if (runs) {
			steps.fail("address", `The server is running, but cannot be reached at SERVICE_ROOT_URL: ${reason}.`, {
				settings: ROOT_URL,
				facts,
			});
		} else {
			steps.skip("address", `SERVICE_ROOT_URL does not answer, because no server is running here: ${reason}.`, {
				facts,
			});
		}
		return undefined;
	}
}

function noteCertificate(url: string, { certificate }: Answer, steps: Steps): void {
	if (certificate !== undefined) {
		noteValidity(certificate, "SERVICE_TLS_CERT_FILE", steps);
	} else if (!isLoopbackUrl(url)) {
		steps.warn("tls", "SERVICE_ROOT_URL is http: passwords and cookies travel unencrypted.", { settings: ROOT_URL });
	}
}

/** Checks that it was Spanward that answered. */
function noteVersion(url: string, isPublic: boolean, { status, headers }: Answer, steps: Steps): boolean {
	const version = headers["x-spanward-version"];
	const facts = [{ name: "Address", value: url }];
	if (headers.location !== undefined && status >= 300 && status < 400) {
		steps.fail("address", "SERVICE_ROOT_URL answers with a redirect: set it to the address that it redirects to.", {
			settings: ROOT_URL,
			facts: [...facts, { name: "Location", value: headers.location }],
		});
		return false;
	}
	if (version === undefined || status !== 200) {
		steps.fail(
			"address",
			"SERVICE_ROOT_URL is answered by something other than this server, or by a proxy that cannot reach it.",
			{
				settings: [...ROOT_URL, "SERVICE_HOST_ROOT_PATH"],
				facts: [...facts, { name: "Status", value: String(status) }],
			},
		);
		return false;
	}
	if (version !== VERSION) {
		steps.warn("address", "The server that answers at SERVICE_ROOT_URL has another version than this command.", {
			facts: [...facts, { name: "Its version", value: String(version) }, { name: "Of this command", value: VERSION }],
		});
	} else if (isPublic) steps.ok("address", "The server answers at SERVICE_ROOT_URL.", { facts });
	return true;
}

function noteClock({ headers }: Answer, steps: Steps): void {
	const date = Date.parse(headers.date ?? "");
	if (Number.isNaN(date)) return;
	const seconds = Math.round((Date.now() - date) / 1_000);
	const facts = [{ name: "Seconds that this machine is ahead", value: String(seconds) }];
	if (Math.abs(seconds) <= MAX_SKEW_SECONDS)
		steps.ok("clock", "The clocks of the server and this machine agree.", { facts });
	else steps.warn("clock", "The clocks of the server and this machine differ: synchronize both with NTP.", { facts });
}

/** Checks that the log-in page arrives, and that it names the path from the settings. */
async function checkPage(config: Config, url: string, steps: Steps): Promise<void> {
	const { status, body } = await ask(`${url}/login`).catch(() => ({ status: 0, body: "" }));
	const content = /<meta name="spanward-config" content="([^"]*)">/.exec(body)?.[1];
	const told = PageConfig.safeParse(content === undefined ? undefined : parseAttribute(content));
	const expected = config.SERVICE_HOST_ROOT_PATH;
	if (!told.success) {
		steps.fail("address", "The log-in page does not come through: the web app is not built, or a proxy changes it.", {
			settings: [],
			facts: [{ name: "Status", value: String(status) }],
		});
	} else if (told.data.basePath !== expected) {
		steps.fail("address", "The running server uses another path than SERVICE_HOST_ROOT_PATH.", {
			settings: ["SERVICE_HOST_ROOT_PATH"],
			facts: [{ name: "Its path", value: told.data.basePath }],
		});
	} else steps.ok("address", "The log-in page comes through, with the right path.");
}

function parseAttribute(text: string): unknown {
	return parseJson(text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&"));
}
