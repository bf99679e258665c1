import type { OAuth2Provider } from "#base/settings/oauth2-settings.ts";
import { shownText } from "../sign-in/facts.ts";
import { isIssuer, type Metadata } from "./metadata.ts";
import { ProviderFault } from "./provider-fault.ts";

/** OpenID Connect Core 3.1.2.6: the answers to `prompt=none` where nobody is logged in. */
export const NEEDS_A_PAGE: ReadonlySet<string> = new Set([
	"login_required",
	"interaction_required",
	"consent_required",
	"account_selection_required",
]);

/**
 * Checks what a provider has sent the browser back with, before anything of it is used.
 * @throws ProviderFault
 */
export function checkAuthorizationAnswer(provider: OAuth2Provider, metadata: Metadata, answer: URLSearchParams): void {
	const fault = (code: "invalid_state" | "auth_failed", text: string, settings: readonly string[] = []) =>
		new ProviderFault("callback", text, { code, settings });
	const repeated = ["code", "state", "iss", "error"].find((name) => answer.getAll(name).length > 1);
	if (repeated !== undefined) throw fault("invalid_state", `The browser came back with more than one ${repeated}.`);
	// RFC 9207, 2.4: a code from another provider must not be sent to this one.
	const issuer = answer.get("iss");
	if (issuer === null && metadata.authorization_response_iss_parameter_supported === true) {
		throw fault("invalid_state", "The browser came back without iss, which this provider announces to send.");
	}
	if (issuer !== null && !isIssuer(metadata.issuer, issuer)) {
		throw fault("invalid_state", "The browser came back from another provider than it was sent to (iss).");
	}
	const error = answer.get("error");
	if (error !== null) throw refusedSignIn(provider, error, answer.get("error_description"));
	if (!answer.get("code")) throw fault("auth_failed", "The browser came back from the provider without a code.");
}

/** RFC 6749, 4.1.2.1, and OpenID Connect Core 3.1.2.6 */
function refusedSignIn({ prefix, usePkce }: OAuth2Provider, error: string, description: string | null): ProviderFault {
	const [text, suffixes] = ((): readonly [string, readonly string[]] => {
		if (NEEDS_A_PAGE.has(error)) return ["The provider could not ask the person for what it needed.", []];
		switch (error) {
			case "access_denied":
				return ["The provider, or the person there, has refused to let this service know them.", []];
			case "invalid_scope":
				return ["The provider does not grant the scopes that are asked for.", ["SCOPES"]];
			case "unauthorized_client":
			case "unsupported_response_type":
				return ["The provider does not let this client use the authorization code flow.", ["CLIENT_ID"]];
			case "invalid_request":
				return [
					`The provider calls the request invalid: it may ${usePkce ? "refuse" : "require"} PKCE, or not know a scope.`,
					["USE_PKCE", "SCOPES"],
				];
			case "server_error":
			case "temporarily_unavailable":
				return ["The provider says that it is out of order.", []];
			default:
				return ["The provider answered with an error.", []];
		}
	})();
	return new ProviderFault("callback", text, {
		code: "auth_failed",
		settings: suffixes.map((suffix) => prefix + suffix),
		facts: [
			{ name: "Error of the provider", value: shownText(error) },
			...(description === null ? [] : [{ name: "Its description", value: shownText(description) }]),
		],
	});
}
