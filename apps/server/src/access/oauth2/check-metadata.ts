import type { OAuth2Provider } from "#base/settings/oauth2-settings.ts";
import { shownText } from "../sign-in/facts.ts";
import type { Steps } from "../sign-in/steps.ts";
import type { Discovered } from "./discovery.ts";
import { type ProviderKeys, SIGNING_ALGORITHMS } from "./provider-keys.ts";

const MAX_SKEW_SECONDS = 60;

/**
 * Notes whether a provider's metadata fits the settings.
 * @throws ProviderFault
 */
export async function checkMetadata(
	provider: OAuth2Provider,
	{ metadata, clockAhead }: Discovered,
	keys: ProviderKeys,
	steps: Steps,
): Promise<void> {
	const settings = (...suffixes: readonly string[]) => suffixes.map((suffix) => provider.prefix + suffix);
	const listed = (name: string, values: readonly string[]) => [{ name, value: shownText(values.join(" ")) }];

	const missing = provider.scopes.filter((scope) => metadata.scopes_supported?.includes(scope) === false);
	if (missing.length > 0) {
		steps.warn("discovery", "The provider does not list every scope that is asked for.", {
			settings: settings("SCOPES"),
			facts: listed("Not listed", missing),
		});
	}
	// RFC 8414, 2: this is the default without a list.
	const methods = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
	const method = provider.authMethod === "client_assertion_jwt" ? "private_key_jwt" : provider.authMethod;
	if (method !== "none" && !methods.includes(method)) {
		steps.warn("tokens", "The provider does not list the way in which this client authenticates.", {
			settings: settings("TOKEN_ENDPOINT_AUTH_METHOD"),
			facts: listed("Listed", methods),
		});
	}
	const challenges = metadata.code_challenge_methods_supported;
	if (provider.usePkce && challenges?.includes("S256") === false) {
		steps.warn("tokens", "The provider does not list PKCE with S256.", { settings: settings("USE_PKCE") });
	} else if (!provider.usePkce && challenges?.includes("S256") === true) {
		steps.ok("tokens", "The provider knows PKCE, which is off here: it keeps a stolen code from being used.", {
			facts: [{ name: "Could be set", value: `${provider.prefix}USE_PKCE=true` }],
		});
	}
	const algorithms = metadata.id_token_signing_alg_values_supported;
	if (algorithms?.some((algorithm) => SIGNING_ALGORITHMS.includes(algorithm)) === false) {
		steps.fail(
			"id_token",
			`The provider lists no algorithm for ID tokens that is accepted here: ${SIGNING_ALGORITHMS.join(", ")}.`,
			{
				facts: listed("Listed", algorithms),
			},
		);
	}
	const { keys: published } = await keys.list();
	const asymmetric = published.filter(({ kty }) => ["RSA", "EC", "OKP"].includes(kty ?? ""));
	if (asymmetric.length === 0) {
		steps.fail("id_token", "The provider publishes no key that an ID token may be signed with.");
	} else {
		steps.ok("id_token", "The provider publishes keys for the signatures of ID tokens.", {
			facts: [{ name: "Keys", value: String(asymmetric.length) }],
		});
	}
	noteClock(clockAhead, steps);
}

function noteClock(ahead: number | undefined, steps: Steps): void {
	if (ahead === undefined) {
		steps.skip("clock", "The provider does not say what time it is.");
	} else if (Math.abs(ahead) > MAX_SKEW_SECONDS) {
		steps.fail(
			"clock",
			"The clocks of the provider and of this machine differ by more than a minute: synchronize them with NTP.",
			{
				facts: [{ name: "Seconds the provider is ahead", value: String(ahead) }],
			},
		);
	} else {
		steps.ok("clock", "The clocks of the provider and of this machine agree.");
	}
}
