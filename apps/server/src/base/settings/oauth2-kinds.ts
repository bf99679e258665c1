import { compileExpression, type Expression, ExpressionError } from "../jmespath/expression.ts";
import { isLoopback } from "../loopback.ts";
import { type GivenRole, roleNamed } from "../roles.ts";
import { parseWebAddress } from "./address-kinds.ts";
import { shown } from "./setting.ts";
import { items, oneOf, valueKind } from "./value-kinds.ts";

/** The address of a discovery document, as it is set. */
export const discoveryUrl = valueKind("an `https` address; `http` on this machine", (value, wrong) => {
	const url = parseWebAddress(value);
	const isPlain = url?.username === "" && url.password === "" && !value.includes("#");
	if (!isPlain) {
		wrong(
			"must be the absolute address of the provider's discovery document, such as https://login.example.com/.well-known/openid-configuration",
		);
	} else if (url.protocol !== "https:" && !isLoopback(url.hostname.replace(/^\[|\]$/g, ""))) {
		wrong("must begin with https:// unless the host is localhost, 127.0.0.1 or ::1");
	}
	return value;
});

const AUTH_METHODS = ["client_secret_basic", "client_secret_post", "client_assertion_jwt", "none"] as const;

export type ClientAuthMethod = (typeof AUTH_METHODS)[number];

export const clientAuthMethod = valueKind(oneOf(AUTH_METHODS), (value, wrong): ClientAuthMethod => {
	const method = AUTH_METHODS.find((known) => known === value.toLowerCase());
	if (method === undefined) wrong(`must be one of ${AUTH_METHODS.join(", ")}`);
	return method ?? "client_secret_basic";
});

/** Scopes separated by white space (RFC 6749, 3.3). */
export const scopeList = valueKind("scopes, separated by spaces", (value, wrong): readonly string[] => {
	const scopes = value.split(/\s+/);
	const bad = scopes.find((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));
	if (bad !== undefined) wrong(`must be scopes separated by spaces; ${shown(bad)} is none`);
	return scopes;
});

export const expression = valueKind("a JMESPath expression", (value, wrong): Expression => {
	try {
		return compileExpression(value);
	} catch (error) {
		if (!(error instanceof ExpressionError)) throw error;
		wrong(error.message);
		return { text: value, search: () => undefined, searchIn: () => undefined };
	}
});

export const groupSet = valueKind("names, separated by commas", (value): ReadonlySet<string> => new Set(items(value)));

/** `IdpRole:ServiceRole` pairs separated by commas. */
export const roleMapping = valueKind(
	"`role of the provider:ADMIN`, `:MEMBER` or `:VIEWER`, separated by commas",
	(value, wrong): ReadonlyMap<string, GivenRole> => {
		const mapping = new Map<string, GivenRole>();
		const form = "must be pairs such as traces-admins:ADMIN, separated by commas";
		const pairs = items(value);
		if (pairs.length === 0) wrong(form);
		for (const pair of pairs) {
			const at = pair.indexOf(":");
			const from = pair.slice(0, Math.max(at, 0)).trim();
			const to = pair.slice(at + 1).trim();
			const role = roleNamed(to);
			if (at < 0) wrong(`${form}; in ${shown(pair)} there is no colon`);
			else if (from === "") wrong(`${form}; in ${shown(pair)} the provider's role is empty`);
			else if (to.toUpperCase() === "SYSTEM") {
				wrong(`must not map to SYSTEM, which cannot be assigned through OAuth2; ${shown(pair)} does`);
			} else if (role === undefined) {
				wrong(
					`${form}; in ${shown(pair)} the role ${shown(to)} is none of ADMIN, MEMBER and VIEWER (a provider's role with a colon cannot be mapped)`,
				);
			} else if (mapping.has(from)) wrong(`names the provider's role ${shown(from)} twice`);
			else mapping.set(from, role);
		}
		return mapping;
	},
);
