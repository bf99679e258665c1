import type { Transaction } from "kysely";
import type { Tables } from "#storage/schema.ts";
import type { TraceMutations } from "#storage/traces/trace-store.ts";
import type { AccessPolicy } from "./access-policy.ts";
import type { Principal } from "./principal.ts";

/**
 * Who acts, and the only way in which they change something. It knows the policy under which they were admitted, that of
 * the route for a request, and looks at it again each time: the role may have been taken away, or the session ended,
 * meanwhile.
 */
export interface Actor {
	/** As it was admitted. */
	readonly principal: Principal;
	/**
	 * Runs `work` in one transaction of the metadata database in which the principal is still allowed to act; see
	 * `Database.write`.
	 * @param work gets the principal as it is now
	 * @throws UserError 401 or 403, having changed nothing, when it is not allowed any more
	 */
	change<T>(work: (transaction: Transaction<Tables>, principal: Principal) => Promise<T>): Promise<T>;
	/**
	 * As `change`, for what changes traces: as they may be in another database, the principal is looked at right before,
	 * and not in the same transaction.
	 */
	changeTraces<T>(work: (traces: TraceMutations) => Promise<T>): Promise<T>;
	/**
	 * Reads again whether the principal is allowed to act, for what goes on for long, or changes nothing stored.
	 * @returns the principal as it is now
	 * @throws UserError 401 or 403
	 */
	assertStillAllowed(): Promise<Principal>;
}

/** Makes the actor of a request. */
export type ActAs = (principal: Principal, access: AccessPolicy) => Actor;
