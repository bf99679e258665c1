import type { Configuration, CustomFetch } from "openid-client";
import type { OAuth2Provider } from "#base/settings/oauth2-settings.ts";
import { clientAuthentication } from "./client-authentication.ts";
import type { Metadata } from "./metadata.ts";
import type { Outgoing } from "./outgoing.ts";

/** Configuration of openid-client for a provider; its requests go through `fetch`. */
export async function createConfiguration(
	provider: OAuth2Provider,
	metadata: Metadata,
	fetch: CustomFetch,
	answer?: URL,
): Promise<Configuration> {
	const openid = await import("openid-client");
	const { authorization_endpoint, token_endpoint } = metadata;
	// The issuer of the answer has been checked already, also for a provider with several tenants.
	const server = { issuer: answer?.searchParams.get("iss") ?? metadata.issuer, authorization_endpoint, token_endpoint };
	const authentication = await clientAuthentication(provider);
	const configuration = new openid.Configuration(server, provider.clientId, {}, authentication);
	// Outgoing decides which addresses may be asked without TLS.
	openid.allowInsecureRequests(configuration);
	configuration[openid.customFetch] = fetch;
	return configuration;
}

/** `fetch` for openid-client. */
export function fetchThrough(outgoing: Outgoing): CustomFetch {
	return async (url, { method, headers, body }) => {
		const answer = await outgoing.send(url, {
			method: method === "POST" ? "POST" : "GET",
			headers,
			...(body === undefined || body === null ? {} : { body: String(body) }),
		});
		const isEmpty = [204, 205, 304].includes(answer.status);
		return new Response(isEmpty ? null : answer.text, { status: answer.status, headers: answer.headers });
	};
}
