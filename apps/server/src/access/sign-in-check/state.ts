import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import { mailSender } from "#base/settings/derived.ts";
import type { Context } from "#context.ts";
import { hostInUrl } from "#http/origins.ts";
import type { ServerReport } from "../ldap/directory.ts";
import type { ProviderClient } from "../oauth2/provider-client.ts";
import { type Step, Steps } from "../sign-in/steps.ts";
import { boundedSteps } from "../sign-in-tries/bounded-report.ts";
import { checkSender } from "./check-mail.ts";
import { ldapSettings, providerSettings } from "./effective-settings.ts";
import { requestSteps } from "./request-steps.ts";
import type { MailState, SignInState } from "./schemas.ts";

interface Checked {
	readonly providers: readonly { readonly provider: ProviderClient; readonly steps: readonly Step[] }[];
	readonly servers: readonly ServerReport[];
	readonly mail: z.output<typeof MailState>;
}

/** Reloading the page must not make a provider, or DNS, answer each time. */
const KEPT_FOR_MS = 5_000;

/**
 * The ways to sign in, and whether they work. Everybody who asks at once, or soon after, gets the result of the same
 * check.
 */
export class SignInStates {
	readonly #context: Pick<Context, "auth" | "config">;
	#latest: { readonly redirectUris: string; readonly checked: Promise<Checked>; endedAt: number } | undefined;

	constructor(context: Pick<Context, "auth" | "config">) {
		this.#context = context;
	}

	async read(request: FastifyRequest): Promise<z.output<typeof SignInState>> {
		const { config, auth } = this.#context;
		const { providers, servers, mail } = await this.#check(request);
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
			mail,
		};
	}

	#check(request: FastifyRequest): Promise<Checked> {
		// Without SERVICE_ROOT_URL they depend on the address that the admin used.
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
		const [providers, servers, mail] = await Promise.all([
			Promise.all(
				auth.oauth2.list.map(async (provider) => {
					return { provider, steps: await provider.check(provider.callbackUrl(request)) };
				}),
			),
			auth.ldap?.check() ?? [],
			mailState(this.#context),
		]);
		return { providers, servers, mail };
	}
}

async function mailState({ auth, config }: Pick<Context, "auth" | "config">): Promise<z.output<typeof MailState>> {
	const { SERVICE_SMTP_HOSTNAME: host, SERVICE_SMTP_PORT: port } = config;
	const steps = new Steps();
	const { missing } = auth.userMails;
	if (host === null) steps.skip("mail", "No mails are sent: SERVICE_SMTP_HOSTNAME is not set.");
	else {
		if (missing !== undefined)
			steps.warn("mail", `${missing[0]?.toUpperCase()}${missing.slice(1)}.`, { settings: ["SERVICE_ROOT_URL"] });
		await checkSender(config, steps);
	}
	return {
		server: host === null ? null : `${hostInUrl(host)}:${port}`,
		sender: mailSender(config),
		steps: boundedSteps(steps.list),
	};
}
