import type { CustomFetch } from "openid-client";
import type { OAuth2Provider } from "#base/settings/oauth2-settings.ts";
import { parseJson } from "#http/parse-json.ts";
import { shownText } from "../sign-in/facts.ts";
import { createConfiguration, fetchThrough } from "./client-configuration.ts";
import type { Metadata } from "./metadata.ts";
import { type Outgoing, OutgoingError } from "./outgoing.ts";
import { outgoingFault } from "./outgoing-faults.ts";
import { ProviderFault } from "./provider-fault.ts";

/** What a provider answered to a code; nothing of it is stored. */
export interface Tokens {
	readonly accessToken: string;
	readonly idToken: string;
}

export interface CodeAnswer {
	/** The address that the provider sent the browser back to, with everything in it. */
	readonly url: URL;
	readonly state: string;
	readonly verifier: string | undefined;
}

/**
 * Exchanges the code of a callback for tokens. The ID token is read here and not by openid-client, which does not check
 * signatures by itself, refuses numbers as `sub` and has no support for issuers of several tenants.
 * @throws ProviderFault
 */
export async function requestTokens(
	provider: OAuth2Provider,
	metadata: Metadata,
	outgoing: Outgoing,
	{ url, state, verifier }: CodeAnswer,
): Promise<Tokens> {
	const { authorizationCodeGrant } = await import("openid-client");
	let idToken: unknown;
	const fetch = fetchThrough(outgoing);
	const withoutIdToken: CustomFetch = async (address, options) => {
		const answer = await fetch(address, options);
		const text = await answer.text();
		const body = parseJson(text);
		if (typeof body !== "object" || body === null || !("id_token" in body)) return new Response(text, answer);
		const { id_token: token, ...rest } = body;
		idToken = token;
		return new Response(JSON.stringify(rest), answer);
	};
	const configuration = await createConfiguration(provider, metadata, withoutIdToken, url);
	const checks = { expectedState: state, ...(verifier === undefined ? {} : { pkceCodeVerifier: verifier }) };
	const answer = await authorizationCodeGrant(configuration, url, checks).catch(async (error: unknown) => {
		throw await tokenFault(provider, metadata, url, error);
	});
	if (typeof idToken !== "string") {
		throw new ProviderFault(
			"tokens",
			"The provider sent no ID token: it does not speak OpenID Connect, or openid is not among the scopes that it grants this client.",
			{ code: "no_oidc_support", settings: [`${provider.prefix}SCOPES`] },
		);
	}
	return { accessToken: answer.access_token, idToken };
}

async function tokenFault(
	provider: OAuth2Provider,
	metadata: Metadata,
	callback: URL,
	error: unknown,
): Promise<ProviderFault> {
	const fault = causeOf(error, ProviderFault);
	if (fault !== undefined) return fault;
	const { ResponseBodyError, WWWAuthenticateChallengeError } = await import("openid-client");
	const outgoing = causeOf(error, OutgoingError);
	if (outgoing !== undefined) {
		const asked = { step: "tokens", what: "tokens", address: metadata.token_endpoint, code: "oauth_error" } as const;
		return outgoingFault(outgoing, asked, provider.prefix);
	}
	if (error instanceof ResponseBodyError) {
		return refusedCode(provider, callback, error.error, error.error_description, error);
	}
	if (error instanceof WWWAuthenticateChallengeError) {
		return refusedCode(provider, callback, "invalid_client", undefined, error);
	}
	return new ProviderFault("tokens", "The provider's answer to the code contains no usable tokens.", {
		code: "oauth_error",
		facts: [{ name: "Why", value: shownText(error instanceof Error ? error.message : "") }],
		cause: error,
	});
}

/** RFC 6749, 5.2 */
function refusedCode(
	{ prefix, authMethod, usePkce }: OAuth2Provider,
	callback: URL,
	error: string,
	description: string | undefined,
	cause: unknown,
): ProviderFault {
	const address = callback.origin + callback.pathname;
	const explained = ((): { text: string; suffixes: readonly string[] } => {
		switch (error) {
			case "invalid_client":
				return authMethod === "client_assertion_jwt"
					? {
							text: "The provider does not accept the client assertion: its issuer, subject and audience have to be registered there.",
							suffixes: ["CLIENT_ID", "CLIENT_ASSERTION_FILE", "TOKEN_ENDPOINT_AUTH_METHOD"],
						}
					: {
							text: "The provider does not accept this client: the client secret is wrong, or the provider expects it in another way.",
							suffixes: ["CLIENT_ID", "CLIENT_SECRET", "TOKEN_ENDPOINT_AUTH_METHOD"],
						};
			case "unauthorized_client":
				return {
					text: "The provider does not let this client exchange codes: the client secret is wrong (Keycloak answers a wrong one like this), or the client may not use the authorization code flow or this way of authenticating.",
					suffixes: ["CLIENT_ID", "CLIENT_SECRET", "TOKEN_ENDPOINT_AUTH_METHOD"],
				};
			case "invalid_grant":
				return {
					text: `The provider does not accept the code: it was used before or came too late, ${address} is not the redirect address registered there, or PKCE does not match.`,
					suffixes: ["USE_PKCE"],
				};
			case "invalid_request":
				return {
					text: `The provider calls the request for tokens invalid: it may ${usePkce ? "refuse" : "require"} PKCE, or expect the client to authenticate in another way.`,
					suffixes: ["USE_PKCE", "TOKEN_ENDPOINT_AUTH_METHOD"],
				};
			default:
				return { text: "The provider answered the code with an error.", suffixes: [] };
		}
	})();
	return new ProviderFault("tokens", explained.text, {
		code: "oauth_error",
		settings: explained.suffixes.map((suffix) => prefix + suffix),
		facts: [
			{ name: "Error of the provider", value: shownText(error) },
			...(description === undefined ? [] : [{ name: "Its description", value: shownText(description) }]),
			{ name: "Redirect address", value: address },
		],
		cause,
	});
}

/** openid-client wraps what its callbacks throw. */
function causeOf<T extends Error>(error: unknown, kind: new (...args: never) => T): T | undefined {
	for (let at = error; at instanceof Error; at = at.cause) if (at instanceof kind) return at;
	return undefined;
}
