import { KEY_PERMISSIONS } from "#http/principal.ts";

/** What a program can ask for: the permissions of keys, and administration. */
export const SCOPES = [...KEY_PERMISSIONS, "admin"] as const;
export type Scope = (typeof SCOPES)[number];

const MAX_LENGTH = 1_024;

/**
 * The scopes of a request that exist, each once, in the order of {@link SCOPES}; null where it asks for none, and an empty
 * list where it asks only for unknown ones. RFC 6749, 3.3.
 */
export function parseScope(text: string | undefined): readonly Scope[] | null {
	if (text === undefined || text.trim() === "") return null;
	const wanted = new Set(text.slice(0, MAX_LENGTH).split(" "));
	return SCOPES.filter((scope) => wanted.has(scope));
}

/** What is chosen at first on the consent page: never administration, which an admin has to choose. */
export function suggestedScopes(requested: readonly Scope[] | null): readonly Scope[] {
	return (requested ?? ["read", "annotate"]).filter((scope) => scope !== "admin");
}

/** The scopes of RFC 6749 for what was granted. @param granted null for all but administration */
export function scopeText(granted: readonly Scope[] | null): string {
	return (granted ?? KEY_PERMISSIONS).join(" ");
}
