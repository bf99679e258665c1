import type { OAuth2Identity } from "../external-accounts/identity.ts";
import type { OAuth2Provider } from "../settings/oauth2-settings.ts";
import type { Steps } from "../sign-in/steps.ts";

export type Claims = Readonly<Record<string, unknown>>;

/** Whether the ID token lacks something that the settings read, so that userinfo has to be asked. */
export function needsUserinfo(_provider: OAuth2Provider, _idTokenClaims: Claims): boolean {
	throw new Error("not there yet");
}

/**
 * Who has signed in, and with which role.
 * @param issuer of the ID token
 * @param claims of the ID token and userinfo, those of the ID token before
 * @throws SignInRefusal for claims that let nobody in
 */
export function identityFromClaims(
	_provider: OAuth2Provider,
	_issuer: string,
	_claims: Claims,
	_steps: Steps,
): OAuth2Identity {
	throw new Error("not there yet");
}
