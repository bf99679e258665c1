import { config } from "../lib/config.ts";
import { sharedStorage } from "./shared-storage.ts";

/**
 * When this browser last got new tokens, shared by its tabs: `<milliseconds since 1970>.<random>`. The cookies themselves
 * cannot be seen by scripts. Absent: nobody is known to be logged in. Another Spanward below another path has its own.
 */
const KEY = `spanward.tokens-renewed${config.basePath}`;
/** Tokens are renewed when this part of their life is over. */
const RENEW_AT = 0.8;

export function readStamp(): string | undefined {
	return sharedStorage.get(KEY);
}

/** Notes that the tokens are new. */
export function stampRenewal(): void {
	sharedStorage.set(KEY, `${Date.now()}.${Math.random().toString(36).slice(2)}`);
}

export function clearStamp(): void {
	sharedStorage.set(KEY, undefined);
}

/** Whether the access token ends soon, or nothing is known about it. A clock that was put back counts too. */
export function needsRenewal(): boolean {
	const age = Date.now() - Number.parseInt(readStamp() ?? "", 10);
	return !(age >= 0 && age < RENEW_AT * config.auth.accessTokenMinutes * 60_000);
}
