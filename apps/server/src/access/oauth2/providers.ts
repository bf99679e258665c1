import type { Config } from "#base/config.ts";
import { deriveSigningKeys } from "../auth/signing-keys.ts";
import { ProviderClient } from "./provider-client.ts";
import { Transactions } from "./transactions.ts";

/** The providers that people sign in with. */
export interface Providers extends AsyncDisposable {
	readonly list: readonly ProviderClient[];
	get(id: string): ProviderClient | undefined;
	/** Undefined without `SERVICE_SECRET`, where there are no providers. */
	readonly transactions: Transactions | undefined;
}

/**
 * No providers while authentication is off. A provider is first asked for something when somebody wants to sign in with
 * it.
 */
export function createProviders(config: Config, now: () => number = () => Date.now() * 1_000): Providers {
	const keys = config.SERVICE_ENABLE_AUTH ? deriveSigningKeys(config) : undefined;
	const transactions = keys && new Transactions(config, keys);
	const list =
		transactions === undefined
			? []
			: config.OAUTH2_PROVIDERS.map((settings) => new ProviderClient(settings, { config, transactions, now }));
	const byId = new Map(list.map((provider) => [provider.settings.id, provider]));
	return {
		list,
		get: (id) => byId.get(id),
		transactions,
		async [Symbol.asyncDispose]() {
			await Promise.all(list.map((provider) => provider[Symbol.asyncDispose]()));
		},
	};
}
