import { UserError } from "#base/errors.ts";
import { isLimitedKey, type Principal } from "#http/principal.ts";

/** Refuses limited keys, however much their owners may do. @throws UserError 403 */
export function refuseLimitedKey(principal: Principal): void {
	if (!isLimitedKey(principal)) return;
	throw new UserError(
		403,
		"key_limited",
		"A key with permissions or projects of its own cannot do this: use a key without limits, or log in.",
	);
}
