/** A role of an account; `SYSTEM` is for those that nobody logs in as. */
export type UserRole = "SYSTEM" | "ADMIN" | "MEMBER" | "VIEWER";
/** A role that people can have. */
export type GivenRole = Exclude<UserRole, "SYSTEM">;

/** By their names in lower case: upper case would take `ı` for `i`. */
const ROLES: ReadonlyMap<string, GivenRole> = new Map([
	["admin", "ADMIN"],
	["member", "MEMBER"],
	["viewer", "VIEWER"],
]);

/** The role of this name, in any case; undefined for every other text. */
export function roleNamed(text: string): GivenRole | undefined {
	return ROLES.get(text.toLowerCase());
}
