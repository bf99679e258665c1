import { unknownFunctions } from "../jmespath/expression.ts";
import { when } from "./check.ts";
import { listensOnLoopback } from "./derived.ts";
import { LDAP } from "./ldap-settings.ts";
import type { OAuth2Provider } from "./oauth2-settings.ts";
import type { Config } from "./settings.ts";

/** @param isSet whether a variable is set */
export function warnOfProviders(config: Config, isSet: (name: string) => boolean): readonly string[] {
	const providers = config.OAUTH2_PROVIDERS;
	if (!config.SERVICE_ENABLE_AUTH) {
		return providers.map(
			({ prefix }) => `${prefix}CLIENT_ID and its other settings have no effect: SERVICE_ENABLE_AUTH is not true`,
		);
	}
	const needsUrl = providers.length > 0 && config.SERVICE_ROOT_URL === null && !listensOnLoopback(config);
	return [
		...when(
			needsUrl,
			"SERVICE_ROOT_URL is unset: OAuth2 can send browsers back only if they came from a loopback address or an origin in SERVICE_CSRF_TRUSTED_ORIGINS, and refuses all others",
		),
		...providers.flatMap((provider) => warnOfProvider(provider, isSet)),
	];
}

function warnOfProvider(provider: OAuth2Provider, isSet: (name: string) => boolean): readonly string[] {
	const { prefix, authMethod, rolePath } = provider;
	const expressions = {
		EMAIL_ATTRIBUTE_PATH: provider.emailPath,
		GROUPS_ATTRIBUTE_PATH: provider.groupsPath,
		ROLE_ATTRIBUTE_PATH: rolePath,
	};
	return [
		...when(
			authMethod === "none" && !provider.usePkce,
			`${prefix}USE_PKCE is not true although ${prefix}TOKEN_ENDPOINT_AUTH_METHOD is none: then nothing keeps somebody else from redeeming a stolen code`,
		),
		...when(
			!new URL(provider.configUrl).pathname.endsWith("/.well-known/openid-configuration"),
			`${prefix}OIDC_CONFIG_URL does not end in /.well-known/openid-configuration, as the address of a discovery document does`,
		),
		...when(
			provider.clientSecret === null && (isSet(`${prefix}CLIENT_SECRET`) || isSet(`${prefix}CLIENT_SECRET_FILE`)),
			`${prefix}CLIENT_SECRET has no effect: ${prefix}TOKEN_ENDPOINT_AUTH_METHOD is ${authMethod}`,
		),
		...["CLIENT_ASSERTION_FILE", "CLIENT_ASSERTION_FILE_ENV_VAR"]
			.filter((suffix) => provider.assertionFile === null && isSet(`${prefix}${suffix}`))
			.map(
				(suffix) => `${prefix}${suffix} has no effect: ${prefix}TOKEN_ENDPOINT_AUTH_METHOD is not client_assertion_jwt`,
			),
		...["ROLE_MAPPING", "ROLE_ATTRIBUTE_STRICT", "ROLE_RESYNC"]
			.filter((suffix) => rolePath === null && isSet(`${prefix}${suffix}`))
			.map((suffix) => `${prefix}${suffix} has no effect: ${prefix}ROLE_ATTRIBUTE_PATH is unset`),
		...when(
			rolePath !== null && /^"?(ADMIN|MEMBER|VIEWER)"?$/.test(rolePath.text),
			`${prefix}ROLE_ATTRIBUTE_PATH looks for a claim of this name: put the role itself in single quotes, such as 'MEMBER'`,
		),
		...Object.entries(expressions).flatMap(([suffix, expression]) =>
			(expression === null ? [] : unknownFunctions(expression)).map(
				(name) => `${prefix}${suffix} calls ${name}(), which is not a JMESPath function: it yields nothing`,
			),
		),
	];
}

const LDAP_PORT = 389;
const LDAPS_PORT = 636;

/** @param isSet whether a variable is set */
export function warnOfDirectory(config: Config, isSet: (name: string) => boolean): readonly string[] {
	if (config.SERVICE_LDAP_HOST.length === 0) {
		return Object.entries(LDAP)
			.flatMap(([name, row]) => ("secret" in row ? [name, `${name}_FILE`] : [name]))
			.filter(isSet)
			.map((name) => `${name} has no effect: SERVICE_LDAP_HOST is unset`);
	}
	if (!config.SERVICE_ENABLE_AUTH) return ["SERVICE_LDAP_HOST has no effect: SERVICE_ENABLE_AUTH is not true"];
	const mode = config.SERVICE_LDAP_TLS_MODE;
	const everybody = config.SERVICE_LDAP_GROUP_ROLE_MAPPINGS.findIndex(({ groupDn }) => groupDn === "*");
	const unreached = everybody >= 0 && everybody < config.SERVICE_LDAP_GROUP_ROLE_MAPPINGS.length - 1;
	return [
		...when(mode === "none", "SERVICE_LDAP_TLS_MODE=none sends passwords to the directory unencrypted"),
		...when(
			mode !== "none" && !config.SERVICE_LDAP_TLS_VERIFY,
			"SERVICE_LDAP_TLS_VERIFY=false sends passwords to anybody who impersonates the directory: use SERVICE_LDAP_TLS_CA_CERT_FILE to trust your own authority",
		),
		...when(
			config.SERVICE_LDAP_PORT === (mode === "ldaps" ? LDAP_PORT : LDAPS_PORT),
			`SERVICE_LDAP_PORT=${config.SERVICE_LDAP_PORT} is not the port of SERVICE_LDAP_TLS_MODE=${mode} on most servers: ${LDAPS_PORT} is that of ldaps, ${LDAP_PORT} that of starttls`,
		),
		...when(
			unreached,
			`SERVICE_LDAP_GROUP_ROLE_MAPPINGS has entries after entry ${everybody}, whose * matches everybody: the first match is used, so these are never reached`,
		),
	];
}
