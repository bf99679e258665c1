import { UserError } from "#base/errors.ts";
import type { Principal } from "#http/principal.ts";

/** Whether these are the credentials of a key that can do less than its owner. */
export function isLimited(principal: Principal): boolean {
	return "homes" in principal && principal.homes !== undefined;
}

/** Refuses limited keys, however much their owners may do. @throws UserError 403 */
export function refuseLimitedKey(principal: Principal): void {
	if (!isLimited(principal)) return;
	throw new UserError(
		403,
		"key_limited",
		"A key with permissions or projects of its own cannot do this: use a key without limits, or log in.",
	);
}
