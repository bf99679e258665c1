import { isTheirs, type RightsSubject } from "./reasons.ts";
import type { Grant, RightsState } from "./rights-state.ts";

/** Whether the subject manages any project, or the library. */
export function managesSomething({ grantsAt, rulesAt }: RightsState, subject: RightsSubject): boolean {
	if (subject.role === "ADMIN") return true;
	if (subject.role !== "MEMBER") return false;
	const makesManager = (grant: Grant) => grant.role === "manager" && isTheirs(grant, subject);
	return (
		[...grantsAt.values()].some((grants) => grants.some(makesManager)) ||
		[...rulesAt.values()].some((rules) => rules.some(({ grants }) => grants.some(makesManager)))
	);
}
