import { mayCall } from "#access/auth/may-call.ts";
import { includesRole } from "#access/rights/roles.ts";
import { UserError } from "#base/errors.ts";
import { type Principal, userOf } from "#http/principal.ts";
import type { ProjectRole } from "#storage/schema.ts";

/** Whose annotations somebody may change or delete: `everybody`'s, or those of one user. */
export function changeable(principal: Principal): "everybody" | number {
	const user = userOf(principal);
	return user === undefined || mayCall(principal, "admin") ? "everybody" : user.id;
}

/**
 * @param role of the principal in the annotation's project; undefined where that is not known
 * @throws UserError 403 or 409 when the annotation is somebody else's and the principal is not an admin
 */
export function assertOwn(
	principal: Principal,
	{ user_id }: { readonly user_id: number | null },
	role: ProjectRole | undefined,
): void {
	const whose = changeable(principal);
	if (whose === "everybody" || whose === user_id) return;
	throw ofAnother(role, "Only admins change or delete the annotations of others.");
}

/**
 * Whether somebody with this role in a project replaces annotations of others there, by sending one with the same name and
 * identifier.
 */
export function mayReplaceOthers(role: ProjectRole | undefined): boolean {
	return includesRole(role, "editor");
}

/** The answer where an annotation is somebody else's. */
export function ofAnother(role: ProjectRole | undefined, message: string): UserError {
	if (role === "annotator") return new UserError(409, "annotation_of_another", message);
	return new UserError(403, "not_own_annotation", message);
}
