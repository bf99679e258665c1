import { expect, test } from "vitest";
import type { Home, SeenProjects } from "#http/rights.ts";
import { rightsOfUser } from "./rights-of-user.ts";
import type { RightsState } from "./rights-state.ts";

const PROJECTS = Array.from({ length: 20 }, (_, n) => n + 1);
const MEMBER = { userId: 1, role: "MEMBER", teamIds: new Set<number>() } as const;

function stateOf({ restricted, granted }: Record<"restricted" | "granted", readonly number[]>): RightsState {
	return {
		version: 1,
		lastProject: 20,
		policy: {
			defaultProjectAccess: "open",
			openRoleOfMembers: "editor",
			membersCreateProjects: true,
			maxKeyDays: null,
		},
		restricted: new Set([...restricted, "library"]),
		open: PROJECTS.filter((id) => !restricted.includes(id)),
		// 20 was made for a dataset of 19, 18 for one of the library.
		follows: new Map<number, Home>([
			[20, 19],
			[18, "library"],
		]),
		grantsAt: new Map(granted.map((id) => [id, [{ userId: 1, teamId: undefined, role: "viewer" }]])),
		rules: [],
		rulesAt: new Map(),
		mayHideNew: true,
	};
}

function holds(seen: SeenProjects, id: number): boolean {
	if (seen === "all") return true;
	return "only" in seen ? seen.only.includes(id) : id <= seen.upTo && !seen.except.includes(id);
}

test.each([
	["none is restricted", [], [], "except"],
	["few are hidden", [1, 2, 19], [2], "except"],
	["most are hidden", PROJECTS.slice(0, 17), [3, 4], "only"],
	["all are hidden", PROJECTS, [], "only"],
	["some are seen of which all are restricted", PROJECTS, [5, 19], "only"],
] as const)("the projects that are listed are those where there is a role, when %s", (_, restricted, granted, form) => {
	const rights = rightsOfUser(stateOf({ restricted, granted }), MEMBER);
	expect(rights.projects).toHaveProperty(form);
	for (const id of [...PROJECTS, 21]) expect(holds(rights.projects, id), `project ${id}`).toBe(!!rights.roleAt(id));
});
