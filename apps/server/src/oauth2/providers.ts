import type { FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../config.ts";
import type { OAuth2Provider } from "../settings/oauth2-settings.ts";
import type { Steps } from "../sign-in/steps.ts";

/** How a browser is sent to a provider, and what for. */
export interface SignInStart {
	/** Where to go after signing in, below the root path, not yet checked; the start page when absent. */
	readonly returnUrl?: string | undefined;
	/** The user who only tries: nobody is logged in, what it leads to is stored for them. */
	readonly tryOf?: number;
	/** Has the provider ask for the password also who is logged in there. */
	readonly prompt?: "login";
}

/** One provider that people sign in with. */
export interface ProviderClient {
	readonly settings: OAuth2Provider;
	/** The address to register at the provider; undefined when SERVICE_ROOT_URL has to be set first. */
	callbackUrl(request: FastifyRequest): string | undefined;
	/**
	 * Sets the cookie of a new transaction on `reply`.
	 * @returns the address at the provider to send the browser to
	 * @throws SignInRefusal when the provider cannot be asked
	 */
	begin(start: SignInStart, request: FastifyRequest, reply: FastifyReply, steps: Steps): Promise<string>;
	/** Notes whether the provider can be reached and fits the settings; what is wrong is among the steps, not thrown. */
	check(steps: Steps): Promise<void>;
}

export interface Providers extends AsyncDisposable {
	readonly list: readonly ProviderClient[];
	get(id: string): ProviderClient | undefined;
}

export function createProviders(_config: Config): Providers {
	return {
		list: [],
		get: () => undefined,
		async [Symbol.asyncDispose]() {},
	};
}
