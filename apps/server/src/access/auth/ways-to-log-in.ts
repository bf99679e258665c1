import type { Config } from "#base/config.ts";
import type { Tables } from "#storage/schema.ts";

type Way = Pick<Tables["users"], "auth_method" | "oauth2_provider">;

type WaySettings = Pick<Config, "SERVICE_DISABLE_BASIC_AUTH" | "SERVICE_LDAP_HOST" | "OAUTH2_PROVIDERS">;

/**
 * Whether the settings still offer an account's way to log in. An account for a provider that is not bound yet has
 * none.
 */
export function isOffered({ auth_method, oauth2_provider }: Way, config: WaySettings): boolean {
	switch (auth_method) {
		case "LOCAL":
			return !config.SERVICE_DISABLE_BASIC_AUTH;
		case "LDAP":
			return config.SERVICE_LDAP_HOST.length > 0;
		case "OAUTH2":
			return config.OAUTH2_PROVIDERS.some(({ id }) => id === oauth2_provider);
	}
}
