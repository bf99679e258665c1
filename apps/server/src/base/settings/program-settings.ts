import { hostList } from "./address-kinds.ts";
import { setting } from "./setting.ts";
import { boolean, choice, decimal, integer } from "./value-kinds.ts";

/** Log-in for programs: the OAuth 2.1 authorization server. */
export const PROGRAMS = {
	SERVICE_ENABLE_OAUTH2_AUTHORIZATION_SERVER: setting(
		boolean,
		true,
		"Let programs ask users for access with OAuth 2.1, while authentication is on. Switched off, its addresses answer 404 and tokens are refused.",
	),
	SERVICE_OAUTH2_DEVICE_FLOW: setting(
		boolean,
		true,
		"Let programs without a browser show a code that a user enters on another device.",
	),
	SERVICE_OAUTH2_GRANT_EXPIRY_DAYS: setting(
		decimal({ above: 0, to: 3_650, what: "a number of days" }),
		90,
		"Days after which an authorization of a program ends at the latest.",
	),
	SERVICE_OAUTH2_DYNAMIC_CLIENT_REGISTRATION: setting<"enabled" | "local_only" | "disabled">(
		choice("enabled", "local_only", "disabled"),
		"enabled",
		"Which programs may register themselves: all, only those that run on the user's own device (loopback addresses and schemes of their own), or none.",
	),
	SERVICE_OAUTH2_ALLOWED_REDIRECT_HOSTS: setting<readonly string[]>(
		hostList,
		[],
		"Hosts of https redirect addresses with which programs may register themselves, separated by commas; *.example.com means every name below it.",
		{ defaultText: "all" },
	),
	SERVICE_OAUTH2_DCR_RATE_LIMIT_PER_HOUR: setting(
		integer(1, 100_000),
		10,
		"How often an hour programs at one address may try to register themselves, at each server.",
	),
	SERVICE_OAUTH2_CONSENT_ORIGIN_CHECK: setting<"strict" | "off">(
		choice("strict", "off"),
		"strict",
		"Whether a user's decision about a program has to come with the Origin of this service. Only for proxies that remove that header; then nothing but the session cookie keeps other pages from deciding.",
	),
	SERVICE_OAUTH2_CLIENT_METADATA_HOSTS: setting<readonly string[]>(
		hostList,
		[],
		"Hosts, separated by commas, whose programs may use the https address of a document about them as client_id (Client ID Metadata Documents); *.example.com means every name below it.",
		{ defaultText: "none" },
	),
};
