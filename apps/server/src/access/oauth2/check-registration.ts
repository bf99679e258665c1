import { randomBytes } from "node:crypto";
import type { OAuth2Provider } from "#base/settings/oauth2-settings.ts";
import { shownText } from "../sign-in/facts.ts";
import type { Steps } from "../sign-in/steps.ts";
import { NEEDS_A_PAGE } from "./authorization-answer.ts";
import { authorizationUrl } from "./authorization-url.ts";
import type { Metadata } from "./metadata.ts";
import { type Outgoing, OutgoingError } from "./outgoing.ts";
import { ProviderFault } from "./provider-fault.ts";
import { requestTokens } from "./token-request.ts";

/** RFC 6749, 5.2: any other error may be about the code. */
const CLIENT_REFUSED: ReadonlySet<unknown> = new Set(["invalid_client", "unauthorized_client"]);

/**
 * Notes whether the provider knows this service as its client, and the redirect address as the client's, as far as that
 * can be seen without anybody logging in.
 */
export async function checkRegistration(
	provider: OAuth2Provider,
	metadata: Metadata,
	outgoing: Outgoing,
	redirectUri: string,
	steps: Steps,
): Promise<void> {
	await checkRedirectAddress(provider, metadata, outgoing, redirectUri, steps);
	await checkClient(provider, metadata, outgoing, redirectUri, steps);
}

/** Asks for a sign-in without a page: a provider sends nobody back to an address that is not registered. */
async function checkRedirectAddress(
	provider: OAuth2Provider,
	metadata: Metadata,
	outgoing: Outgoing,
	redirectUri: string,
	steps: Steps,
): Promise<void> {
	const { prefix } = provider;
	const url = await authorizationUrl(provider, metadata, outgoing, {
		redirectUri,
		state: randomText(),
		nonce: randomText(),
		verifier: provider.usePkce ? randomText() : null,
		prompt: "none",
	});
	const facts = [{ name: "Redirect address", value: redirectUri }];
	const settings = [`${prefix}CLIENT_ID`, "SERVICE_ROOT_URL"];
	const asked = await outgoing.send(url, { keepsRedirects: true }).catch((error: unknown) => {
		if (error instanceof OutgoingError) return undefined;
		throw error;
	});
	const back = URL.parse(asked?.headers.get("location") ?? "", metadata.authorization_endpoint);
	if (back !== null && back.origin + back.pathname === redirectUri) {
		const error = back.searchParams.get("error");
		if (error === null || NEEDS_A_PAGE.has(error)) {
			steps.ok("callback", "The provider sends browsers back to the redirect address.", { facts });
			return;
		}
		steps.warn("callback", "The provider sends browsers back to the redirect address with an error.", {
			settings: [`${prefix}CLIENT_ID`, `${prefix}SCOPES`, `${prefix}USE_PKCE`],
			facts: [...facts, { name: "Error of the provider", value: shownText(error) }],
		});
	} else if (asked?.status === 400) {
		steps.fail(
			"callback",
			"The provider does not send browsers back to the redirect address: register exactly that address for this client, or set SERVICE_ROOT_URL to the one that is registered.",
			{ settings, facts },
		);
	} else {
		steps.skip(
			"callback",
			"Whether the redirect address is registered at the provider shows only when somebody signs in.",
			{ facts: [...facts, ...(asked === undefined ? [] : [{ name: "Status", value: String(asked.status) }])] },
		);
	}
}

/** Sends a code that nobody has issued: a provider authenticates the client first (RFC 6749, 3.2.1). */
async function checkClient(
	provider: OAuth2Provider,
	metadata: Metadata,
	outgoing: Outgoing,
	redirectUri: string,
	steps: Steps,
): Promise<void> {
	const state = randomText();
	const url = new URL(redirectUri);
	url.search = new URLSearchParams({ code: randomText(), state, iss: metadata.issuer }).toString();
	const verifier = provider.usePkce ? randomText() : undefined;
	try {
		await requestTokens(provider, metadata, outgoing, { url, state, verifier });
	} catch (error) {
		if (!(error instanceof ProviderFault)) throw error;
		const answered = error.cause instanceof Error && "error" in error.cause ? error.cause.error : undefined;
		if (answered === "invalid_grant") {
			steps.ok(
				"tokens",
				"The provider accepts this client: it refuses only the code, which was made up for this check.",
			);
		} else if (error.settings.length > 0 && (answered === undefined || CLIENT_REFUSED.has(answered))) {
			steps.fail("tokens", error.message, { settings: error.settings, facts: error.facts });
		} else {
			steps.skip("tokens", "Whether the provider accepts this client shows only when somebody signs in.", {
				facts: error.facts,
			});
		}
		return;
	}
	steps.fail("tokens", "The provider gave tokens for a code that nobody has issued: it cannot be trusted.");
}

/** Long enough also for a PKCE verifier (RFC 7636, 4.1). */
function randomText(): string {
	return randomBytes(36).toString("base64url");
}
