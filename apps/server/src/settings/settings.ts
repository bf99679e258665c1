import { ACCESS, CROSS_ORIGIN, MAIL, PASSWORDS, SESSIONS } from "./access-settings.ts";
import { LDAP } from "./ldap-settings.ts";
import type { OAuth2Provider } from "./oauth2-settings.ts";
import { PLANNED } from "./planned-settings.ts";
import { BROWSERS, ENCRYPTION_IN_TRANSIT, LISTENING, RECEIVING, STORING } from "./server-settings.ts";
import type { SettingTable, ValuesOf } from "./setting.ts";

/** Every setting. The code says it as the operator does: by the name of its variable. */
export const SETTINGS = {
	...LISTENING,
	...STORING,
	...RECEIVING,
	...ACCESS,
	...PASSWORDS,
	...SESSIONS,
	...BROWSERS,
	...CROSS_ORIGIN,
	...LDAP,
	...MAIL,
	...ENCRYPTION_IN_TRANSIT,
	...PLANNED,
} as const;

export type SettingName = keyof typeof SETTINGS;

export interface Config extends ValuesOf<typeof SETTINGS> {
	/** From `SERVICE_OAUTH2_<IDP>_…`, by id. */
	readonly OAUTH2_PROVIDERS: readonly OAuth2Provider[];
}

/** The settings as docs/settings.md groups them. */
export const SETTING_SECTIONS: readonly { readonly title: string; readonly settings: SettingTable }[] = [
	{ title: "Addresses and log", settings: LISTENING },
	{ title: "Storage", settings: STORING },
	{ title: "Receiving and its limits", settings: RECEIVING },
	{ title: "Authentication and accounts", settings: ACCESS },
	{ title: "Passwords and guessing", settings: PASSWORDS },
	{ title: "Sessions and cookies", settings: { ...SESSIONS, ...BROWSERS } },
	{ title: "Other origins and proxies", settings: CROSS_ORIGIN },
	{ title: "LDAP", settings: LDAP },
	{ title: "Mail", settings: MAIL },
	{ title: "TLS", settings: ENCRYPTION_IN_TRANSIT },
];

export const PLANNED_SETTINGS: SettingTable = PLANNED;
