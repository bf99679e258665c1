import type { Fact, Steps } from "#access/sign-in/steps.ts";
import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import type { ClickHouseNode } from "#storage/clickhouse/node.ts";
import { types } from "#storage/clickhouse/row-binary.ts";
import { isSupported, OLDEST_VERSION } from "#storage/traces/clickhouse/schema.ts";
import { certificateFacts, noteValidity } from "../certificates.ts";
import { ask, failureOf, peerCertificate } from "../exchange.ts";
import { noteFailure } from "./note-failure.ts";

const URL_SETTING = ["SERVICE_CLICKHOUSE_URL"];
/** Deleting by age and the age of parts go by ClickHouse's clock. */
const MAX_CLOCK_MS = 1_000;

/**
 * Checks that a node can be reached, is ClickHouse, lets the user in and has the right time.
 * @param node with a database that every server has
 * @returns whether statements can be sent to it
 */
export async function checkNode(
	node: ClickHouseNode,
	url: URL,
	settings: ClickHouseSettings,
	steps: Steps,
): Promise<boolean> {
	if (!(await checkAddress(node.name, url, settings, steps))) return false;
	const before = Date.now();
	try {
		const [server] = await node.select("select version() as version, toUnixTimestamp64Milli(now64(3)) as now", {
			version: types.Text,
			now: types.Integer,
		});
		if (server === undefined) return false;
		noteVersion(server.version, steps);
		noteClock(Math.round((before + Date.now()) / 2 - server.now), steps);
		return true;
	} catch (error) {
		noteFailure(error, { ...settings, shards: [[url.href]] }, steps, "connect");
		return false;
	}
}

/** Asks what needs no user: name, port, certificate, and whether ClickHouse is what answers. */
async function checkAddress(name: string, url: URL, settings: ClickHouseSettings, steps: Steps): Promise<boolean> {
	const facts: Fact[] = [{ name: "Address", value: name }];
	try {
		const answer = await ask(new URL("ping", withSlash(url)).href, { tls: settings.tls ?? {} });
		if (answer.certificate !== undefined) noteValidity(answer.certificate, "SERVICE_CLICKHOUSE_URL", steps);
		if (answer.status === 200 && answer.body.trim() === "Ok.") return true;
		steps.fail("connect", "What answers there is not ClickHouse's HTTP interface, or a proxy that cannot reach it.", {
			settings: URL_SETTING,
			facts: [...facts, { name: "Status", value: String(answer.status) }],
		});
		return false;
	} catch (error) {
		const { reason, isCertificate } = failureOf(error);
		if (!isCertificate) {
			steps.fail("connect", `ClickHouse cannot be reached: ${reason}.`, { settings: URL_SETTING, facts });
			return false;
		}
		const certificate = await peerCertificate(url.href);
		steps.fail("tls", `ClickHouse cannot be trusted: ${reason}.`, {
			settings: ["SERVICE_CLICKHOUSE_TLS_CA_FILE", ...URL_SETTING],
			facts: [...facts, ...(certificate === undefined ? [] : certificateFacts(certificate))],
		});
		return false;
	}
}

function withSlash(url: URL): URL {
	return new URL(`${url.pathname.replace(/\/$/, "")}/`, url);
}

function noteVersion(version: string, steps: Steps): void {
	if (isSupported(version)) steps.ok("connect", `ClickHouse can be reached; it is version ${version}.`);
	else
		steps.fail(
			"connect",
			`ClickHouse can be reached, but it is version ${version}, and Spanward needs ${OLDEST_VERSION} or newer: upgrade it.`,
		);
}

function noteClock(aheadMs: number, steps: Steps): void {
	const facts = [{ name: "Milliseconds that this machine is ahead", value: String(aheadMs) }];
	if (Math.abs(aheadMs) <= MAX_CLOCK_MS)
		steps.ok("clock", "The clocks of ClickHouse and this machine agree.", { facts });
	else steps.warn("clock", "The clocks of ClickHouse and this machine differ: synchronize both with NTP.", { facts });
}
