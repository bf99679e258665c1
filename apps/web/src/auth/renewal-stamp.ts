import { config } from "../lib/config.ts";
import { sharedStorage } from "./shared-storage.ts";

/**
 * When this browser last got new tokens, shared by its tabs: `<milliseconds since 1970>.<random>`. Needed because scripts
 * cannot read the cookies. Absent if nobody is known to be logged in. Separate for each base path.
 */
const KEY = `spanward.tokens-renewed${config.basePath}`;
/** Tokens are renewed after this share of their lifetime. */
const RENEW_AT = 0.8;

export function readStamp(): string | undefined {
	return sharedStorage.get(KEY);
}

/** Records that the tokens were renewed now. */
export function stampRenewal(): void {
	sharedStorage.set(KEY, `${Date.now()}.${Math.random().toString(36).slice(2)}`);
}

export function clearStamp(): void {
	sharedStorage.set(KEY, undefined);
}

/** Whether the access token expires soon, or its age is unknown, also because the clock was set back. */
export function needsRenewal(): boolean {
	const age = Date.now() - Number.parseInt(readStamp() ?? "", 10);
	return !(age >= 0 && age < RENEW_AT * config.auth.accessTokenMinutes * 60_000);
}
