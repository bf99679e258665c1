import { config } from "../lib/config.ts";
import { localSetting } from "../lib/local-setting.ts";

/** Whose password it is: that of an account here, or the directory's. */
export type LogInWay = "password" | "ldap";

/** The ways with a password that this server offers; none if people sign in only with providers. */
export const LOG_IN_WAYS: readonly LogInWay[] = [
	...(config.auth.passwordLogin ? (["password"] as const) : []),
	...(config.auth.ldap ? (["ldap"] as const) : []),
];

const lastWay = localSetting("log-in-way");

/** The way that was last used in this browser, if it is still offered; else the first. */
export function firstWay(): LogInWay | undefined {
	return LOG_IN_WAYS.find((way) => way === lastWay.get()) ?? LOG_IN_WAYS[0];
}

export function rememberWay(way: LogInWay): void {
	// Where there is no choice, one that was made elsewhere on this address stays.
	if (LOG_IN_WAYS.length > 1) lastWay.set(way);
}
