import type { z } from "zod";
import type { Config } from "#base/config.ts";
import { SecretText } from "#base/secret-text.ts";
import { LDAP } from "#base/settings/ldap-settings.ts";
import type { OAuth2Provider } from "#base/settings/oauth2-settings.ts";
import type { EffectiveSetting } from "./schemas.ts";

type Setting = z.output<typeof EffectiveSetting>;

const UNSET = "(unset)";
const SET = "(set)";

/** Every variable of a provider with its effective value, by its full name. */
export function providerSettings(provider: OAuth2Provider): Setting[] {
	const values: Readonly<Record<string, unknown>> = {
		CLIENT_ID: provider.clientId,
		CLIENT_SECRET: provider.clientSecret,
		OIDC_CONFIG_URL: provider.configUrl,
		DISPLAY_NAME: provider.displayName,
		TOKEN_ENDPOINT_AUTH_METHOD: provider.authMethod,
		CLIENT_ASSERTION_FILE: provider.assertionFile,
		USE_PKCE: provider.usePkce,
		SCOPES: provider.scopes.join(" "),
		EMAIL_ATTRIBUTE_PATH: provider.emailPath.text,
		GROUPS_ATTRIBUTE_PATH: provider.groupsPath?.text,
		ALLOWED_GROUPS: provider.groupsPath === null ? null : [...provider.allowedGroups].join(","),
		ROLE_ATTRIBUTE_PATH: provider.rolePath?.text,
		ROLE_MAPPING: provider.roleMapping && [...provider.roleMapping].map((pair) => pair.join(":")).join(","),
		ROLE_ATTRIBUTE_STRICT: provider.roleStrict,
		ROLE_RESYNC: provider.roleResync,
		ALLOW_SIGN_UP: provider.allowSignUp,
		AUTO_LOGIN: provider.autoLogin,
		TRUST_EMAIL: provider.trustEmail,
		ALLOW_ISSUER_MISMATCH: provider.allowIssuerMismatch,
		CA_CERT_FILE: provider.ca === undefined ? null : SET,
	};
	return Object.entries(values).map(([suffix, value]) => toSetting(provider.prefix + suffix, value));
}

/** Every variable of LDAP with its effective value. */
export function ldapSettings(config: Config): Setting[] {
	return (Object.keys(LDAP) as (keyof typeof LDAP)[]).map((name) => {
		const value = config[name];
		if (name === "SERVICE_LDAP_GROUP_ROLE_MAPPINGS") return toSetting(name, toMappingJson(config));
		// Unset is refused at the start, so null means the text `null`.
		if (name === "SERVICE_LDAP_ATTR_EMAIL") return toSetting(name, value === null ? "null" : value);
		return toSetting(name, value);
	});
}

function toMappingJson(config: Config): string {
	const mappings = config.SERVICE_LDAP_GROUP_ROLE_MAPPINGS;
	return JSON.stringify(mappings.map(({ groupDn, role }) => ({ group_dn: groupDn, role })));
}

function toSetting(name: string, value: unknown): Setting {
	return { name, value: toText(value) };
}

function toText(value: unknown): string {
	if (value === null || value === undefined) return UNSET;
	if (value instanceof SecretText) return SET;
	if (Array.isArray(value)) return value.length === 0 ? UNSET : JSON.stringify(value);
	return String(value);
}
