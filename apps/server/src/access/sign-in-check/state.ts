import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import type { Context } from "#context.ts";
import type { ServerReport } from "../ldap/directory.ts";
import type { ProviderClient } from "../oauth2/provider-client.ts";
import type { Step } from "../sign-in/steps.ts";
import { boundedSteps } from "../sign-in-tries/bounded-report.ts";
import { ldapSettings, providerSettings } from "./effective-settings.ts";
import { requestSteps } from "./request-steps.ts";
import type { SignInState } from "./schemas.ts";

interface Checked {
	readonly providers: readonly { readonly provider: ProviderClient; readonly steps: readonly Step[] }[];
	readonly servers: readonly ServerReport[];
}

/** Admins who reload the page do not make a provider answer each time. */
const KEPT_FOR_MS = 5_000;

/** The ways to sign in, and whether they work. All who ask at once, or soon after, get the answers of one check. */
export class SignInStates {
	readonly #context: Pick<Context, "auth" | "config">;
	#latest: { readonly redirectUris: string; readonly checked: Promise<Checked>; endedAt: number } | undefined;

	constructor(context: Pick<Context, "auth" | "config">) {
		this.#context = context;
	}

	async read(request: FastifyRequest): Promise<z.output<typeof SignInState>> {
		const { config, auth } = this.#context;
		const { providers, servers } = await this.#check(request);
		return {
			passwords: !config.SERVICE_DISABLE_BASIC_AUTH,
			steps: boundedSteps(requestSteps(config, request)),
			providers: providers.map(({ provider, steps }) => ({
				id: provider.settings.id,
				name: provider.settings.displayName,
				redirect_uri: provider.callbackUrl(request) ?? null,
				settings: providerSettings(provider.settings),
				steps: boundedSteps(steps),
			})),
			ldap:
				auth.ldap === undefined
					? null
					: {
							settings: ldapSettings(config),
							servers: servers.map(({ address, steps }) => ({ address, steps: boundedSteps(steps) })),
						},
		};
	}

	#check(request: FastifyRequest): Promise<Checked> {
		// Without SERVICE_ROOT_URL they are of the address that the admin came by.
		const redirectUris = this.#context.auth.oauth2.list.map((provider) => provider.callbackUrl(request)).join();
		const isRecent = this.#latest !== undefined && performance.now() - this.#latest.endedAt < KEPT_FOR_MS;
		if (isRecent && this.#latest?.redirectUris === redirectUris) return this.#latest.checked;
		const latest = { redirectUris, checked: this.#checkAnew(request), endedAt: Number.POSITIVE_INFINITY };
		this.#latest = latest;
		const end = () => {
			latest.endedAt = performance.now();
		};
		latest.checked.then(end, end);
		return latest.checked;
	}

	async #checkAnew(request: FastifyRequest): Promise<Checked> {
		const { auth } = this.#context;
		const [providers, servers] = await Promise.all([
			Promise.all(
				auth.oauth2.list.map(async (provider) => {
					return { provider, steps: await provider.check(provider.callbackUrl(request)) };
				}),
			),
			auth.ldap?.check() ?? [],
		]);
		return { providers, servers };
	}
}
