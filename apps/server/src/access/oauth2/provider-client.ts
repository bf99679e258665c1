import type { FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "#base/config.ts";
import type { OAuth2Provider } from "#base/settings/oauth2-settings.ts";
import { shownText } from "../sign-in/facts.ts";
import type { Step, Steps } from "../sign-in/steps.ts";
import { checkAuthorizationAnswer } from "./authorization-answer.ts";
import { authorizationUrl } from "./authorization-url.ts";
import { callbackUrl } from "./callback-url.ts";
import { checkInTime } from "./check-in-time.ts";
import { checkMetadata } from "./check-metadata.ts";
import { checkRegistration } from "./check-registration.ts";
import { Discovery } from "./discovery.ts";
import { verifyIdToken } from "./id-token.ts";
import { type Claims, needsUserinfo } from "./identity-from-claims.ts";
import type { Metadata } from "./metadata.ts";
import { Outgoing } from "./outgoing.ts";
import { ProviderFault } from "./provider-fault.ts";
import { ProviderKeys } from "./provider-keys.ts";
import { safeReturnPath } from "./return-path.ts";
import { requestTokens } from "./token-request.ts";
import type { Transaction, Transactions } from "./transactions.ts";
import { fetchUserinfo, mergeClaims } from "./userinfo.ts";

/** How a browser is sent to a provider, and what for. */
export interface SignInStart {
	/** Where to go after signing in, below the root path, not yet checked; the start page when absent. */
	readonly returnUrl?: string | undefined;
	/** The user who tries the settings: nobody is logged in, and the result is stored for them. */
	readonly tryOf?: number;
	/** Makes the provider ask for the password even if the person is logged in there. */
	readonly prompt?: "login";
}

interface Parts {
	readonly config: Config;
	readonly transactions: Transactions;
	readonly now: () => number;
}

/** OpenID Connect with one provider, as its client in the authorization code flow. */
export class ProviderClient implements AsyncDisposable {
	readonly settings: OAuth2Provider;
	readonly #parts: Parts;
	readonly #outgoing: Outgoing;
	readonly #discovery: Discovery;
	#keys: { readonly address: string; readonly keys: ProviderKeys } | undefined;

	constructor(settings: OAuth2Provider, parts: Parts) {
		this.settings = settings;
		this.#parts = parts;
		this.#outgoing = new Outgoing(settings.configUrl, settings.ca);
		this.#discovery = new Discovery(settings, this.#outgoing);
	}

	/** The address to register at the provider; undefined when SERVICE_ROOT_URL has to be set first. */
	callbackUrl(request: FastifyRequest): string | undefined {
		return callbackUrl(this.#parts.config, request, this.settings.id);
	}

	/**
	 * Sets the cookie of a new transaction on `reply`.
	 * @returns the address at the provider to send the browser to
	 * @throws SignInRefusal when the provider cannot be asked
	 */
	async begin(start: SignInStart, request: FastifyRequest, reply: FastifyReply, steps: Steps): Promise<string> {
		const { config, transactions, now } = this.#parts;
		const redirectUri = this.callbackUrl(request);
		if (redirectUri === undefined) {
			throw steps.refuse(
				"settings",
				"oauth_error",
				"The address of this server is not known, so no provider can send anybody back: set SERVICE_ROOT_URL to the address that people open.",
				{ settings: ["SERVICE_ROOT_URL"] },
			);
		}
		const metadata = await asRefusal(steps, async () => (await this.#discovery.get()).metadata);
		const root = config.SERVICE_HOST_ROOT_PATH;
		const isStartPage = safeReturnPath(start.returnUrl, root) === safeReturnPath(undefined, root);
		const begun = {
			provider: this.settings.id,
			redirectUri,
			returnUrl: isStartPage ? null : (start.returnUrl ?? null),
			tryOf: start.tryOf ?? null,
			pkce: this.settings.usePkce,
		};
		const transaction = transactions.begin(begun, request.headers, reply, now());
		return await authorizationUrl(this.settings, metadata, this.#outgoing, { ...transaction, prompt: start.prompt });
	}

	/**
	 * Who the provider says has signed in: claims of the ID token, and of userinfo where that lacks some.
	 * @param answer the query that the browser came back with
	 * @param seen gets the claims as far as they are known, even when the sign-in is refused
	 * @throws SignInRefusal
	 */
	async claims(transaction: Transaction, answer: URLSearchParams, steps: Steps, seen: SeenClaims): Promise<Claims> {
		return await asRefusal(steps, async () => {
			const { metadata } = await this.#discovery.get();
			noteDiscovery(metadata, steps);
			checkAuthorizationAnswer(this.settings, metadata, answer);
			steps.ok("callback", "The browser came back from the provider with a code.");
			const url = new URL(`${transaction.redirectUri}?${answer}`);
			const { state, nonce, verifier } = transaction;
			const tokens = await requestTokens(this.settings, metadata, this.#outgoing, {
				url,
				state,
				verifier: verifier ?? undefined,
			});
			steps.ok("tokens", "The provider exchanged the code for tokens.");
			const keys = this.#keysOf(metadata);
			const idToken = await verifyIdToken(this.settings, metadata, keys, { idToken: tokens.idToken, nonce });
			steps.ok("id_token", "The ID token is signed by the provider, for this client and this sign-in.");
			seen.claims = idToken;
			const { userinfo_endpoint: address } = metadata;
			if (!needsUserinfo(this.settings, idToken)) {
				steps.skip("userinfo", "The ID token has everything that the settings read: userinfo is not requested.");
				return idToken;
			}
			if (address === undefined) {
				steps.warn(
					"userinfo",
					"The ID token lacks something that the settings read, and the provider has no userinfo.",
				);
				return idToken;
			}
			const outgoing = this.#outgoing;
			const userinfo = await fetchUserinfo(this.settings, { outgoing, keys }, address, tokens.accessToken, idToken);
			steps.ok("userinfo", "The ID token lacks something that the settings read: userinfo was requested.");
			seen.claims = mergeClaims(idToken, userinfo);
			return seen.claims;
		});
	}

	/**
	 * Whether the provider can be reached and fits the settings; problems are among the steps, not thrown.
	 * @param redirectUri where it is to send browsers back to; without one, its registration of this client is not
	 * checked
	 */
	async check(redirectUri: string | undefined): Promise<readonly Step[]> {
		return await checkInTime((steps) => this.#check(redirectUri, steps), [`${this.settings.prefix}OIDC_CONFIG_URL`]);
	}

	async #check(redirectUri: string | undefined, steps: Steps): Promise<void> {
		try {
			const discovered = await this.#discovery.get(CHECKED_MS);
			noteDiscovery(discovered.metadata, steps);
			const keys = this.#keysOf(discovered.metadata);
			await checkMetadata(this.settings, discovered, keys, steps);
			if (redirectUri === undefined) {
				const text =
					"Whether the provider accepts this client and sends browsers back is not checked without SERVICE_ROOT_URL.";
				steps.skip("tokens", text, { settings: ["SERVICE_ROOT_URL"] });
			} else {
				await checkRegistration(this.settings, discovered.metadata, this.#outgoing, redirectUri, steps);
			}
		} catch (error) {
			const { step, message, settings, facts } = toFault(error);
			steps.fail(step, message, { settings, facts });
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#outgoing[Symbol.asyncDispose]();
	}

	/** Kept as long as the provider publishes them at the same address. */
	#keysOf({ jwks_uri: address }: Metadata): ProviderKeys {
		if (this.#keys?.address !== address) {
			this.#keys = { address, keys: new ProviderKeys(this.settings, this.#outgoing, address) };
		}
		return this.#keys.keys;
	}
}

/** The claims that a try shows, however far it got. */
export interface SeenClaims {
	claims: Claims | null;
}

/** Short, as admins want to see the effect of what they have just changed at the provider. */
const CHECKED_MS = 3_000;

async function asRefusal<T>(steps: Steps, ask: () => Promise<T>): Promise<T> {
	try {
		return await ask();
	} catch (error) {
		const { step, code, message, settings, facts } = toFault(error);
		throw steps.refuse(step, code, message, { settings, facts, cause: error });
	}
}

/** Libraries throw many kinds of errors for what a provider sent; each must end a sign-in as a fault. */
function toFault(error: unknown): ProviderFault {
	if (error instanceof ProviderFault) return error;
	return new ProviderFault("tokens", "The provider answered with something that cannot be used.", {
		code: "oauth_error",
		facts: [{ name: "Why", value: shownText(error instanceof Error ? error.message : "") }],
		cause: error,
	});
}

function noteDiscovery(metadata: Metadata, steps: Steps): void {
	const { issuer, authorization_endpoint, token_endpoint, userinfo_endpoint, jwks_uri } = metadata;
	const shown = { issuer, authorization_endpoint, token_endpoint, userinfo_endpoint, jwks_uri };
	steps.ok("discovery", "The discovery document names the issuer of its address, and endpoints that may be used.", {
		facts: Object.entries(shown).flatMap(([name, value]) =>
			value === undefined ? [] : [{ name, value: shownText(value) }],
		),
	});
}
