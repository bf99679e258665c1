import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import type { Context } from "../context.ts";
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
	#latest: { readonly checked: Promise<Checked>; endedAt: number } | undefined;

	constructor(context: Pick<Context, "auth" | "config">) {
		this.#context = context;
	}

	async read(request: FastifyRequest): Promise<z.output<typeof SignInState>> {
		const { config, auth } = this.#context;
		const { providers, servers } = await this.#check();
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

	#check(): Promise<Checked> {
		if (this.#latest !== undefined && performance.now() - this.#latest.endedAt < KEPT_FOR_MS) {
			return this.#latest.checked;
		}
		const latest = { checked: this.#checkAnew(), endedAt: Number.POSITIVE_INFINITY };
		this.#latest = latest;
		const end = () => {
			latest.endedAt = performance.now();
		};
		latest.checked.then(end, end);
		return latest.checked;
	}

	async #checkAnew(): Promise<Checked> {
		const { auth } = this.#context;
		const [providers, servers] = await Promise.all([
			Promise.all(auth.oauth2.list.map(async (provider) => ({ provider, steps: await provider.check() }))),
			auth.ldap?.check() ?? [],
		]);
		return { providers, servers };
	}
}
