import { mayCall } from "#access/auth/may-call.ts";
import { ValidationError } from "#base/errors.ts";
import type { Principal } from "#http/principal.ts";

/** Who somebody is where dashboards have owners. */
export interface Viewer {
	/** Whose private ones they see: a row number of a user, nobody's, or everybody's while there are no accounts. */
	readonly sees: number | "none" | "all";
	/** The user behind them. */
	readonly userId: number | null;
	readonly isAdmin: boolean;
}

/** A key of the system has no private dashboards: it is nobody's account. */
export function viewerOf(principal: Principal): Viewer {
	if (principal.kind === "anonymous") return { sees: "all", userId: null, isAdmin: true };
	const { id } = principal.user;
	return {
		sees: principal.kind === "system_key" ? "none" : id,
		userId: id,
		isAdmin: mayCall(principal, "admin"),
	};
}

interface Owned {
	readonly visibility: "shared" | "private";
	readonly owner_id: number | null;
}

export function isSeenBy({ visibility, owner_id }: Owned, { sees }: Viewer): boolean {
	return visibility === "shared" || sees === "all" || (sees !== "none" && owner_id === sees);
}

/** Only the owner decides who sees it. */
export function isOwner({ owner_id }: Owned, { userId, sees }: Viewer): boolean {
	return sees === "all" || (owner_id !== null && owner_id === userId);
}

/** @throws ValidationError where nobody could see it */
export function refusePrivate(visibility: "shared" | "private", { sees }: Viewer): void {
	if (visibility === "shared" || typeof sees === "number") return;
	const msg =
		sees === "all"
			? "Input should be shared: while authentication is off there are no accounts"
			: "Input should be shared: a key of the system is nobody's account";
	throw new ValidationError([{ type: "no_private_dashboards", loc: ["body", "visibility"], msg }]);
}
