import type { UserRole } from "#base/roles.ts";
import { PROJECT_ROLES, type ProjectRole } from "#storage/schema.ts";

/** Whether `role` includes what `needed` may do. */
export function includesRole(role: ProjectRole | undefined, needed: ProjectRole): boolean {
	return role !== undefined && PROJECT_ROLES.indexOf(role) >= PROJECT_ROLES.indexOf(needed);
}

/** The one that may do more; undefined is no role. */
export function higherRole(a: ProjectRole | undefined, b: ProjectRole | undefined): ProjectRole | undefined {
	if (a === undefined || b === undefined) return a ?? b;
	return includesRole(a, b) ? a : b;
}

/** What a grant counts as for an account with this role in the whole service. */
export function underCeiling(role: ProjectRole, of: UserRole): ProjectRole {
	return of === "VIEWER" ? "viewer" : role;
}
