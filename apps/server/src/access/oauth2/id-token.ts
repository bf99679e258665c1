import { errors, type JWTPayload } from "jose";
import type { OAuth2Provider } from "#base/settings/oauth2-settings.ts";
import { shownText } from "../sign-in/facts.ts";
import type { Claims } from "./identity-from-claims.ts";
import { issuerFor, type Metadata } from "./metadata.ts";
import { ProviderFault } from "./provider-fault.ts";
import { type ProviderKeys, SIGNING_ALGORITHMS } from "./provider-keys.ts";

const MAX_SKEW_SECONDS = 60;
/**
 * The claims of an ID token, checked as OpenID Connect Core 3.1.3.7 says.
 * @throws ProviderFault
 */
export async function verifyIdToken(
	provider: OAuth2Provider,
	metadata: Metadata,
	keys: ProviderKeys,
	{ idToken, nonce }: { readonly idToken: string; readonly nonce: string },
): Promise<Claims> {
	const claims = await verifySignature(provider, keys, idToken);
	const wrong = (text: string, suffixes: readonly string[] = [], facts: Readonly<Record<string, unknown>> = {}) =>
		idTokenFault(provider, text, suffixes, facts);
	if (claims.iss !== issuerFor(metadata.issuer, claims["tid"])) {
		throw wrong("The ID token is of another issuer than the discovery document.", ["OIDC_CONFIG_URL"], {
			"Issuer of the ID token": claims.iss,
			"Issuer of the document": metadata.issuer,
		});
	}
	const hasOthers = Array.isArray(claims.aud) && claims.aud.length > 1;
	const authorizedParty = claims["azp"];
	if (authorizedParty === undefined ? hasOthers : authorizedParty !== provider.clientId) {
		throw wrong("The ID token was issued to another client (azp).", ["CLIENT_ID"], { azp: authorizedParty });
	}
	const ahead = (claims.iat ?? Number.NaN) - Date.now() / 1_000;
	if (!(ahead <= MAX_SKEW_SECONDS)) {
		throw wrong("The ID token is from the future: set the clocks of the provider and of this machine.", [], {
			"Seconds ahead": Math.round(ahead),
		});
	}
	if (claims["nonce"] !== nonce) {
		throw wrong("The ID token belongs to another sign-in: its nonce is not the one that was sent.");
	}
	return claims;
}

async function verifySignature(provider: OAuth2Provider, keys: ProviderKeys, idToken: string): Promise<JWTPayload> {
	try {
		return await keys.verify(idToken, {
			audience: provider.clientId,
			clockTolerance: MAX_SKEW_SECONDS,
			requiredClaims: ["iss", "sub", "exp", "iat"],
		});
	} catch (error) {
		throw error instanceof ProviderFault ? error : signatureFault(provider, idToken, error);
	}
}

function signatureFault(provider: OAuth2Provider, idToken: string, cause: unknown): ProviderFault {
	const wrong = (text: string, suffixes: readonly string[] = [], facts: Readonly<Record<string, unknown>> = {}) =>
		idTokenFault(provider, text, suffixes, facts, cause);
	if (idToken.split(".").length === 5) {
		return wrong("The ID token is encrypted: switch that off for this client at the provider.");
	}
	if (cause instanceof errors.JWTExpired) {
		return wrong(
			"The ID token has expired: set the clocks of the provider and of this machine, or have its tokens live longer than a minute.",
			[],
			{ exp: cause.payload.exp },
		);
	}
	if (cause instanceof errors.JWTClaimValidationFailed) {
		if (cause.claim === "aud") {
			return wrong("The ID token is for another client (aud).", ["CLIENT_ID"], { aud: cause.payload.aud });
		}
		if (cause.claim === "nbf") {
			return wrong("The ID token is not valid yet: set the clocks of the provider and of this machine.", [], {
				nbf: cause.payload.nbf,
			});
		}
		return wrong("A claim of the ID token is missing or wrong.", [], { Claim: cause.claim });
	}
	if (cause instanceof errors.JOSEAlgNotAllowed) {
		return wrong(
			`The ID token is signed with an algorithm that is not accepted: choose one of ${SIGNING_ALGORITHMS.join(", ")} for this client at the provider.`,
		);
	}
	if (cause instanceof errors.JWKSNoMatchingKey) {
		return wrong("The ID token is signed with a key that is not among those which the provider publishes.");
	}
	if (cause instanceof errors.JWSSignatureVerificationFailed) return wrong("The signature of the ID token is wrong.");
	return wrong("The ID token is no signed JWT, or the key that it is signed with cannot be used.");
}

function idTokenFault(
	{ prefix }: OAuth2Provider,
	text: string,
	suffixes: readonly string[],
	facts: Readonly<Record<string, unknown>>,
	cause?: unknown,
): ProviderFault {
	return new ProviderFault("id_token", text, {
		code: "auth_failed",
		settings: suffixes.map((suffix) => prefix + suffix),
		facts: Object.entries(facts).map(([name, value]) => ({ name, value: shownText(String(value)) })),
		cause,
	});
}
