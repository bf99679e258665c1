import { SecretText } from "../secret-text.ts";
import { targetList } from "./address-kinds.ts";
import { decode } from "./postgres-url.ts";
import { setting } from "./setting.ts";
import { boolean, text, valueKind } from "./value-kinds.ts";

const LIKE_A_PROXY = "must be like http://user:password@proxy.example:3128, without path";

/** The address of an HTTP proxy. Problems show nothing of it. */
const proxyUrl = valueKind<SecretText | null>("an `http` or `https` address", (value, wrong) => {
	const url = /^https?:\/\/[^/\\?#\s]+\/?$/i.test(value) ? URL.parse(value) : null;
	const problems: string[] = [];
	for (const part of [url?.username, url?.password]) decode(part ?? "", problems);
	const [problem = url === null ? LIKE_A_PROXY : undefined] = problems;
	if (problem !== undefined) wrong(problem);
	return new SecretText(value);
});

/** Where requests go that the service sends to addresses which users chose. */
export const OUTGOING = {
	SERVICE_ENABLE_MODEL_CALLS: setting(
		boolean,
		true,
		"Call models. `false` switches playground, judges and online evaluation by models off; nothing is sent to a model.",
	),
	SERVICE_OUTGOING_ALLOWED_HOSTS: setting<readonly string[] | null>(
		targetList,
		null,
		"Hosts, addresses and networks on this machine or in private networks, or with plain http, to which requests may be sent. Public addresses over https need not be listed; link-local and metadata addresses and the service itself are never called.",
		{ defaultText: "none; this machine while authentication is off and only this machine is listened to" },
	),
	SERVICE_OUTGOING_PROXY_URL: setting<SecretText | null>(
		proxyUrl,
		null,
		"HTTP proxy, such as http://user:password@proxy.example:3128, for requests to all hosts but the listed ones.",
		{ secret: true },
	),
	SERVICE_OUTGOING_CA_CERT_FILE: setting<string | null>(
		text,
		null,
		"PEM file with CA certificates to trust, besides those that Node knows, for the hosts that are called and the proxy.",
	),
};
