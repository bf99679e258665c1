import { ACCESS, CROSS_ORIGIN, MAIL, PASSWORDS, POLICY, SESSIONS } from "./access-settings.ts";
import { ANALYTICS } from "./analytics-settings.ts";
import { CLICKHOUSE } from "./clickhouse-settings.ts";
import { ERRORS } from "./error-settings.ts";
import { EVALUATION } from "./evaluation-settings.ts";
import { LDAP } from "./ldap-settings.ts";
import { MODELS } from "./model-settings.ts";
import { OAUTH2, OAUTH2_PREFIX, type OAuth2Provider } from "./oauth2-settings.ts";
import { OUTGOING } from "./outgoing-settings.ts";
import { PLANNED } from "./planned-settings.ts";
import { POSTGRES } from "./postgres-settings.ts";
import { PROGRAMS } from "./program-settings.ts";
import { SELF_TRACING } from "./self-tracing-settings.ts";
import { BROWSERS, ENCRYPTION_IN_TRANSIT, LISTENING, RECEIVING, STORING } from "./server-settings.ts";
import type { SettingTable, ValuesOf } from "./setting.ts";

/** Every setting. The code calls it as the operator does, by the name of its variable. */
export const SETTINGS = {
	...LISTENING,
	...STORING,
	...POSTGRES,
	...CLICKHOUSE,
	...RECEIVING,
	...ACCESS,
	...POLICY,
	...PASSWORDS,
	...SESSIONS,
	...BROWSERS,
	...CROSS_ORIGIN,
	...LDAP,
	...PROGRAMS,
	...MAIL,
	...MODELS,
	...ENCRYPTION_IN_TRANSIT,
	...SELF_TRACING,
	...ANALYTICS,
	...ERRORS,
	...EVALUATION,
	...OUTGOING,
	...PLANNED,
} as const;

export interface Config extends ValuesOf<typeof SETTINGS> {
	/** From `SERVICE_OAUTH2_<IDP>_…`, by id. */
	readonly OAUTH2_PROVIDERS: readonly OAuth2Provider[];
}

interface SettingSection {
	readonly title: string;
	/** The text above the table. */
	readonly text?: string;
	readonly settings: SettingTable;
}

const OF_A_PROVIDER: SettingTable = Object.fromEntries(
	Object.entries(OAUTH2).map(([suffix, row]) => [`${OAUTH2_PREFIX}<IDP>_${suffix}`, row]),
);

/** The settings as docs/settings.md groups them. */
export const SETTING_SECTIONS: readonly SettingSection[] = [
	{ title: "Addresses and log", settings: LISTENING },
	{ title: "Storage", settings: STORING },
	{ title: "PostgreSQL", settings: POSTGRES },
	{ title: "ClickHouse", settings: CLICKHOUSE },
	{ title: "Receiving and its limits", settings: RECEIVING },
	{ title: "Authentication and accounts", settings: ACCESS },
	{ title: "Access to projects", settings: POLICY },
	{ title: "Passwords and guessing", settings: PASSWORDS },
	{ title: "Sessions and cookies", settings: { ...SESSIONS, ...BROWSERS } },
	{ title: "Other origins and proxies", settings: CROSS_ORIGIN },
	{
		title: "OAuth2 / OpenID Connect",
		text: "You can configure any number of providers. `<IDP>` is a label that you choose for each, consisting of upper-case letters, digits and underscores; it appears in addresses in lower case: the redirect address to register at the provider is `SERVICE_ROOT_URL` followed by `/oauth2/<idp>/tokens`.",
		settings: OF_A_PROVIDER,
	},
	{ title: "LDAP", settings: LDAP },
	{
		title: "Log-in for programs",
		text: "Browsers have to reach the service at `SERVICE_ROOT_URL`; unset, log-in for programs works on the server's own machine only.",
		settings: PROGRAMS,
	},
	{ title: "Mail", settings: MAIL },
	{ title: "Models", settings: MODELS },
	{ title: "TLS", settings: ENCRYPTION_IN_TRANSIT },
	{ title: "Self-tracing", settings: SELF_TRACING },
	{ title: "Analytics", settings: ANALYTICS },
	{ title: "Errors", settings: ERRORS },
	{ title: "Evaluation", settings: EVALUATION },
	{ title: "Calls to models", settings: OUTGOING },
];

export const PLANNED_SETTINGS: SettingTable = PLANNED;
