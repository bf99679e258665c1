import type { Config } from "#base/config.ts";
import { UserError } from "#base/errors.ts";
import { isCommonPassword } from "./common-passwords.ts";

const MIN_LENGTH = 4;
const STRONG_MIN_LENGTH = 12;
/** Longer ones would only cost time to hash. */
const MAX_BYTES = 1_024;

export type PasswordPolicy = Pick<Config, "SERVICE_ENABLE_STRONG_PASSWORD_POLICY">;

/** The password as it is checked and hashed: forms of Unicode that look alike are one password. */
export function normalizePassword(password: string): string {
	return password.normalize("NFKC");
}

/** Whether a password has more bytes than any may have. */
export function isTooLong(password: string): boolean {
	return password.length > MAX_BYTES || Buffer.byteLength(password) > MAX_BYTES;
}

/** Every rule that a new password breaks, each as the end of "The password must …"; empty when it may be set. */
export function unmetRules(
	password: string,
	policy: PasswordPolicy,
	{ username, email }: { readonly username: string; readonly email: string | null },
): string[] {
	if (isTooLong(password)) return [`have at most ${MAX_BYTES} bytes`];
	const normal = normalizePassword(password);
	const strong = policy.SERVICE_ENABLE_STRONG_PASSWORD_POLICY;
	const minimum = strong ? STRONG_MIN_LENGTH : MIN_LENGTH;
	const unmet: string[] = [];
	const must = (isMet: boolean, rule: string) => {
		if (!isMet) unmet.push(rule);
	};
	must([...normal].length >= minimum, `have at least ${minimum} characters`);
	must(!isTooLong(normal), `have at most ${MAX_BYTES} bytes`);
	must(!/\p{Cc}/u.test(normal) && password.isWellFormed(), "have no control characters");
	if (!strong) return unmet;
	must(/\p{Lu}/u.test(normal), "have an upper-case letter");
	must(/\p{Ll}/u.test(normal), "have a lower-case letter");
	must(/\p{Nd}/u.test(normal), "have a digit");
	must(/[!@#$%^&*()_+]/.test(normal), "have one of !@#$%^&*()_+");
	const typed = normal.trim().toLowerCase();
	const names = [username, email ?? "", (email ?? "").replace(/@.*$/, "")].map((name) => fold(name));
	must(typed === "" || !names.includes(typed), "differ from your username and email");
	must(!isCommonPassword(normal), "not be one of the most common passwords");
	return unmet;
}

/** @throws UserError 422 naming every rule that is broken */
export function assertPasswordAllowed(
	password: string,
	policy: PasswordPolicy,
	user: { readonly username: string; readonly email: string | null },
): void {
	const unmet = unmetRules(password, policy, user);
	if (unmet.length > 0) throw new UserError(422, "password_policy", `The password must ${unmet.join("; ")}.`);
}

function fold(name: string): string {
	return normalizePassword(name).trim().toLowerCase();
}
