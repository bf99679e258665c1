import type { Transaction } from "kysely";
import type { ProjectRole, Tables } from "#storage/schema.ts";
import type { ReadableTraces, TraceMutations } from "#storage/traces/trace-store.ts";
import type { AccessPolicy } from "./access-policy.ts";
import type { Principal } from "./principal.ts";
import type { Home, Rights } from "./rights.ts";

/** Why something was not done that is about homes which its sender does not see. */
export const HIDDEN = "hidden";

/**
 * Who acts, what they see, and the only way in which they change something. It knows the policy and the least role under
 * which they were admitted, those of the route for a request, and looks at both again each time: the role may have been
 * taken away, or the session ended, meanwhile.
 */
export interface Actor {
	/** As it was admitted. */
	readonly principal: Principal;
	/** Where it sees what, as of then. What lives elsewhere does not exist for it. */
	readonly rights: Rights;
	/** The traces that it sees. */
	readonly traces: ReadableTraces;
	/**
	 * Says that the request is about this home, which the principal sees. From here on each change looks again whether
	 * the principal has the role there.
	 * @param needed the role of the route when absent
	 * @throws UserError 403 `project_role_needed`
	 */
	enter(home: Home, needed?: ProjectRole): void;
	/** Says that what was asked for lives in this home, which the principal does not see. */
	noteHidden(home: Home): void;
	/** The homes of what was asked for and is not seen. */
	readonly hidden: ReadonlySet<Home>;
	/** Says that something was not done, whatever the answer says. @param reason {@link HIDDEN}, or the code of an error */
	noteDenied(reason: string): void;
	/** Why something was not done. */
	readonly denied: ReadonlySet<string>;
	/** The homes that it has entered, with the roles that were needed. */
	readonly entered: ReadonlyMap<Home, ProjectRole>;
	/**
	 * Runs `work` in one transaction of the metadata database in which the principal is still allowed to act; see
	 * `Database.write`.
	 * @param work gets the principal as it is now
	 * @throws UserError 401, 403 or 404, having changed nothing, when it is not allowed any more
	 */
	change<T>(work: (transaction: Transaction<Tables>, principal: Principal) => Promise<T>): Promise<T>;
	/**
	 * As `change`, for what changes traces: as they may be in another database, the principal is looked at right before,
	 * and not in the same transaction.
	 */
	changeTraces<T>(work: (traces: TraceMutations) => Promise<T>): Promise<T>;
	/**
	 * Reads again whether the principal is allowed to act in the homes that it entered, for what goes on for long, or
	 * changes nothing stored.
	 * @returns the principal as it is now
	 * @throws UserError 401, 403 or 404
	 */
	assertStillAllowed(): Promise<Principal>;
	/**
	 * The same, and that the principal still sees every home that it saw when it was admitted: for what was read of many.
	 * @throws UserError 401, 403, 404, or 503 `rights_changed`
	 */
	assertSeesAsBefore(): Promise<void>;
}

/**
 * Makes the actor of a request.
 * @param role what is needed where it is about a home
 * @throws StorageUnavailable when the rights cannot be read
 */
export type ActAs = (principal: Principal, access: AccessPolicy, role: ProjectRole) => Promise<Actor>;
