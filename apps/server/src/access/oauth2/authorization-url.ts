import type { OAuth2Provider } from "#base/settings/oauth2-settings.ts";
import { createConfiguration, fetchThrough } from "./client-configuration.ts";
import type { Metadata } from "./metadata.ts";
import type { Outgoing } from "./outgoing.ts";

/** What a browser takes to a provider. */
export interface AuthorizationRequest {
	readonly redirectUri: string;
	readonly state: string;
	readonly nonce: string;
	/** Null without PKCE. */
	readonly verifier: string | null;
	readonly prompt?: "login" | "none" | undefined;
}

/** The address at a provider where a sign-in begins. */
export async function authorizationUrl(
	provider: OAuth2Provider,
	metadata: Metadata,
	outgoing: Outgoing,
	{ redirectUri, state, nonce, verifier, prompt }: AuthorizationRequest,
): Promise<string> {
	const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await import("openid-client");
	const configuration = await createConfiguration(provider, metadata, fetchThrough(outgoing));
	const parameters = {
		redirect_uri: redirectUri,
		scope: provider.scopes.join(" "),
		state,
		nonce,
		...(verifier === null
			? {}
			: { code_challenge: await calculatePKCECodeChallenge(verifier), code_challenge_method: "S256" }),
		...(prompt === undefined ? {} : { prompt }),
	};
	return buildAuthorizationUrl(configuration, parameters).href;
}
