import type { UserRole } from "#base/roles.ts";
import type { Home } from "#http/rights.ts";
import type { ProjectRole } from "#storage/schema.ts";
import type { AccessRule, Grant, RightsState } from "./rights-state.ts";
import { higherRole, underCeiling } from "./roles.ts";

/** Whose rights are asked for. */
export interface RightsSubject {
	readonly userId: number;
	readonly role: UserRole;
	readonly teamIds: ReadonlySet<number>;
}

/**
 * One thing that gives somebody a role at a home:
 *
 * - `admin`, `system`: the role in the whole service
 * - `open`: the home is open
 * - `direct`, `team`: a grant at the home, to the person or to a team of theirs
 * - `rule`: a grant of a rule that fits the project, to the person or to a team of theirs
 */
export interface Reason {
	readonly kind: "admin" | "system" | "open" | "direct" | "team" | "rule";
	readonly role: ProjectRole;
	/** Below `role` where the ceiling of the person is lower. */
	readonly countsAs: ProjectRole;
	readonly teamId?: number;
	readonly ruleId?: number;
}

/** The home by which it is decided who sees this one: another one for a project that was made for a dataset there. */
export function livesAt(state: Pick<RightsState, "follows">, home: Home): Home {
	return home === "library" ? home : (state.follows.get(home) ?? home);
}

/** A grant that counts at a home, with the rule that it is of. */
export interface GrantHere {
	readonly grant: Grant;
	readonly rule: AccessRule | undefined;
}

/** Grants at a home, then those of rules that fit it. */
export function grantsHere(
	state: Pick<RightsState, "follows" | "grantsAt" | "rulesAt">,
	home: Home,
): readonly GrantHere[] {
	const at = livesAt(state, home);
	const rules = at === "library" ? [] : (state.rulesAt.get(at) ?? []);
	return [
		...(state.grantsAt.get(at) ?? []).map((grant) => ({ grant, rule: undefined })),
		...rules.flatMap((rule) => rule.grants.map((grant) => ({ grant, rule }))),
	];
}

/** Whether a grant is to the person, or to a team of theirs. */
export function isTheirs({ userId, teamId }: Grant, subject: Pick<RightsSubject, "userId" | "teamIds">): boolean {
	return teamId === undefined ? userId === subject.userId : subject.teamIds.has(teamId);
}

/** Everything that gives the subject a role at a home; nothing where the home does not exist for them. */
export function reasonsAt(state: RightsState, subject: RightsSubject, home: Home): readonly Reason[] {
	if (subject.role === "ADMIN") return [{ kind: "admin", role: "manager", countsAs: "manager" }];
	if (subject.role === "SYSTEM") return [{ kind: "system", role: "editor", countsAs: "editor" }];
	const at = livesAt(state, home);
	const reasons: Reason[] = [];
	if (!state.restricted.has(at)) {
		const role = subject.role === "MEMBER" ? state.policy.openRoleOfMembers : "viewer";
		reasons.push({ kind: "open", role, countsAs: role });
	}
	for (const { grant, rule } of grantsHere(state, at)) {
		if (!isTheirs(grant, subject)) continue;
		const { teamId, role } = grant;
		reasons.push({
			kind: rule !== undefined ? "rule" : teamId === undefined ? "direct" : "team",
			role,
			countsAs: underCeiling(role, subject.role),
			...(teamId === undefined ? {} : { teamId }),
			...(rule === undefined ? {} : { ruleId: rule.id }),
		});
	}
	return reasons;
}

/** The role that all of them together give; undefined for none. */
export function roleBy(reasons: readonly Reason[]): ProjectRole | undefined {
	return reasons.reduce<ProjectRole | undefined>((role, { countsAs }) => higherRole(role, countsAs), undefined);
}
