import type { Kysely } from "kysely";
import type { z } from "zod";
import {
	type GrantHere,
	grantsHere,
	livesAt,
	type Reason,
	type RightsSubject,
	reasonsAt,
} from "#access/rights/reasons.ts";
import type { Grant, RightsState } from "#access/rights/rights-state.ts";
import { underCeiling } from "#access/rights/roles.ts";
import { type FoundSubject, findNames, keyOf, toSubject } from "#access/subjects/find-subjects.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import type { Rights } from "#http/rights.ts";
import type { Tables } from "#storage/schema.ts";
import { type NamedHome, nameHome } from "./homes.ts";
import type { HomeAccess, OwnAccess } from "./schemas.ts";

/** Managers whom others are told to ask. */
const MAX_MANAGERS = 10;

/** Names of the subjects of grants, by {@link keyOf}. */
type Names = ReadonlyMap<string, FoundSubject>;

/** A grant at a home, with the rule that gives it. */
/** Who asks, and what they see. */
interface Asker {
	readonly subject: RightsSubject;
	readonly rights: Rights;
	/** Whether the credentials may change access where the role allows it. */
	readonly mayManage: boolean;
}

/** The access of a home as the wire shows it to the asker: grants only to managers. */
export async function showAccess(
	db: Kysely<Tables>,
	state: RightsState,
	named: NamedHome,
	{ subject, rights, mayManage }: Asker,
): Promise<z.output<typeof HomeAccess>> {
	const at = livesAt(state, named.home);
	const here = grantsHere(state, named.home);
	const reasons = reasonsAt(state, subject, named.home);
	const names = await findNames(db, subjectsOf([...here.map(({ grant }) => grant), ...reasons]));
	const role = rights.roleAt(named.home) ?? null;
	const isManager = role === "manager";
	const managers = here.filter(({ grant }) => grant.role === "manager").flatMap((each) => toManager(each, names));
	return {
		access: state.restricted.has(at) ? "restricted" : "open",
		...(at === named.home ? {} : { follows: toFollowed(await nameHome(db, at)) }),
		...(isManager
			? { grants: here.flatMap((each) => toGrant(each, names)) }
			: { managers: managers.slice(0, MAX_MANAGERS) }),
		own: { role, because: role === null ? [] : reasons.map((reason) => toBecause(reason, state, names)) },
		may_manage: isManager && mayManage && !named.follows && (named.home !== "library" || subject.role === "ADMIN"),
	};
}

/** The row numbers that grants and reasons name. */
export function subjectsOf(
	named: readonly { readonly userId?: number | undefined; readonly teamId?: number | undefined }[],
) {
	return {
		userIds: new Set(named.flatMap(({ userId }) => userId ?? [])),
		teamIds: new Set(named.flatMap(({ teamId }) => teamId ?? [])),
	};
}

/** A reason as the wire shows it. */
export function toBecause(
	{ kind, role, countsAs, teamId, ruleId }: Reason,
	{ rules }: Pick<RightsState, "rules">,
	names: Names,
): z.output<typeof OwnAccess>["because"][number] {
	const team = teamId === undefined ? undefined : names.get(keyOf({ type: "team", id: teamId }))?.name;
	const pattern = rules.find(({ id }) => id === ruleId)?.pattern;
	const name = kind === "rule" ? pattern : team;
	return {
		kind,
		...(name === undefined ? {} : { name }),
		...(kind !== "rule" || team === undefined ? {} : { team }),
		role,
		counts_as: countsAs,
	};
}

function toFollowed({ home, name }: NamedHome) {
	return home === "library"
		? { type: "library" as const, name }
		: { type: "project" as const, id: encodeGlobalId("Project", home), name };
}

/** Nothing for a subject that was deleted meanwhile. */
function toGrant({ grant, rule }: GrantHere, names: Names): NonNullable<z.output<typeof HomeAccess>["grants"]> {
	const subject = subjectOfGrant(grant, names);
	if (subject === undefined) return [];
	return [
		{
			subject: toSubject(subject),
			role: grant.role,
			counts_as: subject.type === "user" ? underCeiling(grant.role, subject.role) : grant.role,
			...(rule === undefined
				? { by: "direct" as const }
				: { by: "rule" as const, rule: { id: encodeGlobalId("AccessRule", rule.id), pattern: rule.pattern } }),
		},
	];
}

function toManager({ grant }: GrantHere, names: Names) {
	const subject = subjectOfGrant(grant, names);
	return subject === undefined ? [] : [toSubject(subject)];
}

function subjectOfGrant({ userId, teamId }: Grant, names: Names): FoundSubject | undefined {
	if (userId !== undefined) return names.get(keyOf({ type: "user", id: userId }));
	return teamId === undefined ? undefined : names.get(keyOf({ type: "team", id: teamId }));
}
