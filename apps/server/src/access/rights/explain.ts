import type { UserRole } from "#base/roles.ts";
import type { KeyLimits, KeyPermission } from "#http/principal.ts";
import type { Home } from "#http/rights.ts";
import type { ProjectRole } from "#storage/schema.ts";
import { type Reason, type RightsSubject, reasonsAt, roleBy } from "./reasons.ts";
import { reaches } from "./rights-of-user.ts";
import type { RightsState } from "./rights-state.ts";
import { higherRole, includesRole } from "./roles.ts";

/** A key, by what it may less than its owner. */
export interface CheckedKey {
	readonly limits: Pick<KeyLimits, "permissions" | "homes">;
	readonly hasEnded: boolean;
	/** Of a program: whether it was given administration, without which it sets no access. */
	readonly mayManage?: boolean;
}

/** What somebody may do at a home. */
export interface May {
	readonly read: boolean;
	readonly ingest: boolean;
	readonly annotate: boolean;
	readonly write: boolean;
	readonly manage: boolean;
}

/** Why a key may less than its owner at a home. */
export type KeyLack = "ended" | "not_its_home" | "no_read" | "permissions";

/** What is decided about somebody, or about a key of theirs, at a home. */
export interface Decision {
	readonly reasons: readonly Reason[];
	/** The highest role that was given. */
	readonly role: ProjectRole | undefined;
	/** What that counts as below the ceiling; undefined where the home does not exist for them. */
	readonly countsAs: ProjectRole | undefined;
	readonly may: May;
	/** In the order in which a request is refused. */
	readonly lacks: readonly KeyLack[];
}

/** Decides as requests are decided, and keeps what it was decided by. */
export function decide(state: RightsState, subject: RightsSubject, home: Home, key?: CheckedKey): Decision {
	const reasons = reasonsAt(state, subject, home);
	const role = reasons.reduce<ProjectRole | undefined>(
		(highest, reason) => higherRole(highest, reason.role),
		undefined,
	);
	const ofOwner = roleBy(reasons);
	const lacks = key === undefined ? [] : lacksOf(state, key, home);
	const isShut = lacks.includes("ended") || lacks.includes("not_its_home");
	const countsAs = isShut ? undefined : ofOwner;
	const permits = (...admitting: readonly KeyPermission[]) => {
		const permissions = key?.limits.permissions;
		return permissions === undefined || admitting.some((each) => permissions.has(each));
	};
	const writes = mayWrite(subject.role);
	return {
		reasons,
		role,
		countsAs,
		may: {
			read: countsAs !== undefined && permits("read"),
			ingest: writes && includesRole(countsAs, "editor") && permits("ingest", "write"),
			annotate: writes && includesRole(countsAs, "annotator") && permits("annotate", "write"),
			write: writes && includesRole(countsAs, "editor") && permits("write"),
			manage: manages(state, subject.role, home) && includesRole(countsAs, "manager") && !isLimited(key),
		},
		lacks,
	};
}

function lacksOf(state: RightsState, { limits: { homes, permissions }, hasEnded }: CheckedKey, home: Home): KeyLack[] {
	return [
		...(hasEnded ? (["ended"] as const) : []),
		...(homes === undefined || reaches(state, homes, home) ? [] : (["not_its_home"] as const)),
		...(permissions === undefined ? [] : permissions.has("read") ? (["permissions"] as const) : (["no_read"] as const)),
	];
}

function isLimited(key: CheckedKey | undefined): boolean {
	if (key === undefined) return false;
	const { homes, permissions } = key.limits;
	if (key.mayManage === true) return homes !== undefined || permissions?.has("write") === false;
	return key.mayManage === false || homes !== undefined || permissions !== undefined;
}

function mayWrite(role: UserRole): boolean {
	return role !== "VIEWER";
}

/** The access of the library is for admins to set, that of what follows another home for nobody. */
function manages({ follows }: RightsState, role: UserRole, home: Home): boolean {
	if (home !== "library" && follows.has(home)) return false;
	return role === "ADMIN" || (role === "MEMBER" && home !== "library");
}
