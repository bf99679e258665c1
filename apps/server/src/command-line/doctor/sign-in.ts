import { readFileSync, statSync } from "node:fs";
import { Lockout } from "#access/auth/passwords/lockout.ts";
import type { ExternalIdentity } from "#access/external-accounts/identity.ts";
import { previewLogIn } from "#access/external-accounts/log-in-externally.ts";
import { createDirectory } from "#access/ldap/directory.ts";
import { configuredCallbackUrl } from "#access/oauth2/callback-url.ts";
import { identityFromClaims } from "#access/oauth2/identity-from-claims.ts";
import type { ProviderClient } from "#access/oauth2/provider-client.ts";
import { createProviders, type Providers } from "#access/oauth2/providers.ts";
import { SignInRefusal, type Step, Steps } from "#access/sign-in/steps.ts";
import type { Config } from "#base/config.ts";
import type { OAuth2Provider } from "#base/settings/oauth2-settings.ts";
import { fileReason } from "#base/settings/read-variable.ts";
import type { Database } from "#storage/database.ts";
import { CommandError, EXIT_DATA, EXIT_USAGE } from "../command-error.ts";
import { checkAdmins } from "./admins.ts";
import { NO_DATABASE } from "./folder.ts";
import type { Section } from "./report.ts";

const MAX_CLAIMS_BYTES = 1_048_576;
const DISCOVERY_PATH = /\/\.well-known\/openid-configuration$/;

/** The options for checking the ways to sign in. */
export interface SignInQuestions {
	/** Check only this provider. */
	readonly provider?: string | undefined;
	/** File with claims, as this provider would send them; the provider itself is not contacted. */
	readonly claims?: string | undefined;
	/** Check only the directory, with this user. */
	readonly ldapUser?: string | undefined;
	/** The user's password; without it the user is only looked up. */
	readonly ldapPassword?: string | undefined;
}

/**
 * Checks each provider and directory server, and shows what claims or a user of the directory lead to.
 * @throws CommandError for a file without claims
 */
export async function checkSignIn(
	config: Config,
	database: Database | undefined,
	questions: SignInQuestions,
): Promise<readonly Section[]> {
	if (!config.SERVICE_ENABLE_AUTH) {
		const steps = new Steps();
		steps.skip("settings", "Nobody has to sign in: SERVICE_ENABLE_AUTH is not true.");
		return [{ title: "Signing in", steps: steps.list }];
	}
	const asksAll = questions.provider === undefined && questions.ldapUser === undefined;
	return [
		...(asksAll && database !== undefined ? [await checkAdmins(config, database)] : []),
		...(asksAll || questions.provider !== undefined ? await checkProviders(config, database, questions) : []),
		...(asksAll || questions.ldapUser !== undefined ? await checkLdap(config, database, questions) : []),
	];
}

async function checkProviders(
	config: Config,
	database: Database | undefined,
	{ provider: id, claims }: SignInQuestions,
): Promise<readonly Section[]> {
	await using providers = createProviders(config);
	const asked = id === undefined ? providers.list : [getProvider(providers, id)];
	if (claims !== undefined) {
		return await Promise.all(asked.map(({ settings }) => checkClaims(config, database, settings, claims)));
	}
	return await Promise.all(
		asked.map(async (provider) => ({
			title: `Provider ${provider.settings.id} (${provider.settings.displayName})`,
			steps: [
				...redirectSteps(config, provider.settings),
				...(await provider.check(configuredCallbackUrl(config, provider.settings.id))),
			],
		})),
	);
}

function getProvider(providers: Providers, id: string): ProviderClient {
	const provider = providers.get(id.toLowerCase());
	if (provider !== undefined) return provider;
	const known = providers.list.map(({ settings }) => settings.id).join(", ");
	throw new CommandError(
		EXIT_USAGE,
		known === ""
			? "No provider is configured: set SERVICE_OAUTH2_<IDP>_CLIENT_ID and related settings."
			: `There is no provider ${JSON.stringify(id)}; configured are: ${known}.`,
	);
}

function redirectSteps(config: Config, { id }: OAuth2Provider): readonly Step[] {
	const steps = new Steps();
	const url = configuredCallbackUrl(config, id);
	if (url === undefined) {
		steps.warn("callback", "The redirect address to register at the provider is known only with SERVICE_ROOT_URL.", {
			settings: ["SERVICE_ROOT_URL"],
		});
	} else {
		steps.ok("callback", `The redirect address to register at the provider is ${url}`);
	}
	return steps.list;
}

async function checkClaims(
	config: Config,
	database: Database | undefined,
	provider: OAuth2Provider,
	file: string,
): Promise<Section> {
	const claims = readClaims(file);
	const issuer = typeof claims["iss"] === "string" ? claims["iss"] : provider.configUrl.replace(DISCOVERY_PATH, "");
	const steps = await noted(async (noting) => {
		await preview(config, database, identityFromClaims(provider, issuer, claims, noting), noting);
	});
	return { title: `What the claims in ${file} lead to at ${provider.id}`, steps, showsFacts: true };
}

function readClaims(file: string): Readonly<Record<string, unknown>> {
	const wrong = (reason: string) => new CommandError(EXIT_DATA, `The file ${JSON.stringify(file)} ${reason}.`);
	try {
		const stats = statSync(file);
		if (!stats.isFile()) throw wrong("is no file");
		if (stats.size > MAX_CLAIMS_BYTES) throw wrong("is too large for claims");
		const parsed: unknown = JSON.parse(readFileSync(file, "utf8"));
		if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) throw wrong("has no JSON object");
		return parsed as Readonly<Record<string, unknown>>;
	} catch (error) {
		if (error instanceof CommandError) throw error;
		throw wrong(error instanceof SyntaxError ? "has no JSON object" : fileReason(error));
	}
}

async function checkLdap(
	config: Config,
	database: Database | undefined,
	{ ldapUser, ldapPassword }: SignInQuestions,
): Promise<readonly Section[]> {
	// The directory counts wrong passwords itself; Spanward's count is in the database, which is only read here.
	const counting = { ...config, SERVICE_DISABLE_BRUTE_FORCE_LOGIN_PROTECTION: true };
	const lockout = new Lockout(counting, database ?? NO_DATABASE, undefined, () => Date.now() * 1_000);
	const directory = createDirectory(config, lockout);
	if (directory === undefined) {
		if (ldapUser !== undefined) throw new CommandError(EXIT_USAGE, "LDAP is off: SERVICE_LDAP_HOST is not set.");
		return [];
	}
	const reports = await directory.check();
	const servers = reports.map(({ address, steps }) => ({ title: `Directory ${address}`, steps }));
	if (ldapUser === undefined) return servers;
	const steps = await noted(async (noting) => {
		await preview(config, database, await directory.inspect(ldapUser, ldapPassword, noting), noting);
	});
	const title = `What ${ldapPassword === undefined ? "looking up" : "logging in"} ${ldapUser} leads to`;
	return [...servers, { title, steps, showsFacts: true }];
}

async function preview(
	config: Config,
	database: Database | undefined,
	identity: ExternalIdentity,
	steps: Steps,
): Promise<void> {
	if (database !== undefined) await previewLogIn({ config, db: database }, identity, steps);
	else steps.skip("account", "Which account it would be cannot be checked: there is no readable database.");
}

/** The steps of `work`; a refusal that ends it is one of them. */
async function noted(work: (steps: Steps) => Promise<void>): Promise<readonly Step[]> {
	const steps = new Steps();
	await work(steps).catch((error: unknown) => {
		if (!(error instanceof SignInRefusal)) throw error;
	});
	return steps.list;
}
