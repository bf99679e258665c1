const COMMON = new Set(["password", "admin", "welcome", "qwerty", "letmein", "changeme"]);

/** Whether this is one of the commonest passwords. */
export function isCommonPassword(password: string): boolean {
	return COMMON.has(password.toLowerCase());
}
