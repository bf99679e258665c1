import { mayCall } from "#access/auth/may-call.ts";
import { UserError } from "#base/errors.ts";
import { type Principal, userOf } from "#http/principal.ts";

/** Whose annotations somebody may change or delete: `everybody`'s, or those of one user. */
export function changeable(principal: Principal): "everybody" | number {
	const user = userOf(principal);
	return user === undefined || mayCall(principal, "admin") ? "everybody" : user.id;
}

/** @throws UserError 403 when the annotation is somebody else's and the principal is not an admin */
export function assertOwn(principal: Principal, { user_id }: { readonly user_id: number | null }): void {
	const whose = changeable(principal);
	if (whose === "everybody" || whose === user_id) return;
	throw new UserError(403, "not_own_annotation", "Only admins change or delete the annotations of others.");
}
