import type { z } from "zod";
import type { Decision, KeyLack } from "#access/rights/explain.ts";
import type { Reason } from "#access/rights/reasons.ts";
import type { RightsState } from "#access/rights/rights-state.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import type { NamedHome } from "../home-access/homes.ts";
import type { AccessCheck } from "./schemas.ts";
import type { CheckedSubject } from "./subjects.ts";

type Step = z.output<typeof AccessCheck>["because"][number];

/** What sentences name. */
export interface StepNames {
	readonly state: RightsState;
	readonly subject: CheckedSubject;
	readonly named: NamedHome;
	/** Names of teams by row number. */
	readonly teams: ReadonlyMap<number, string>;
	/** Names of the projects that a key is limited to, those that the asker sees. */
	readonly keyProjects: readonly string[];
	/** Whether it is about the asker, or a key of theirs. */
	readonly isOwn: boolean;
}

/** What gives the subject its role, the strongest first as they were found. */
export function becauseOf({ reasons }: Decision, names: StepNames): Step[] {
	return reasons.map((reason) => toStep(reason, names));
}

/** What takes away from it, in the order in which a request would be refused. */
export function notOf({ lacks, reasons, may }: Decision, names: StepNames): Step[] {
	const { subject, named } = names;
	const lowered = reasons.find(({ role, countsAs }) => role !== countsAs);
	return [
		...lacks.map((lack) => toLack(lack, names)),
		...(reasons.length > 0 ? [] : [hidden(names)]),
		...(lowered === undefined
			? []
			: [
					{
						code: "ceiling",
						text: `${whoOf(subject)} is ${subject.rights.role}, so it counts as ${lowered.countsAs}`,
						link: "/settings/users",
					},
				]),
		...(named.home === "library" && reasons.some(({ countsAs }) => countsAs === "manager") && !may.manage
			? [{ code: "library_by_admins", text: "The access of the library is set by admins" }]
			: []),
	];
}

/** One sentence for a list. */
export function shortestReason(decision: Decision, names: StepNames): string {
	const steps = decision.countsAs === undefined ? notOf(decision, names) : becauseOf(decision, names);
	const texts = (steps.length === 0 ? becauseOf(decision, names) : steps).map(({ text }) => text);
	return texts.toSorted((a, b) => a.length - b.length)[0] ?? "";
}

function toStep({ kind, role, teamId, ruleId }: Reason, names: StepNames): Step {
	const { state, subject, named, teams } = names;
	const here = homeText(named);
	const who = teamId === undefined ? whoOf(subject) : `Team ${teams.get(teamId) ?? ""}`;
	const access = accessLink(named);
	switch (kind) {
		case "admin":
			return { code: kind, text: `${whoOf(subject)} is ADMIN, and so manager everywhere`, link: "/settings/users" };
		case "system":
			return { code: kind, text: "A key of the system is editor everywhere", link: "/settings/system-keys" };
		case "open":
			return {
				code: kind,
				text: `${here} is open, where ${subject.rights.role === "MEMBER" ? "a MEMBER" : "a VIEWER"} is ${role}`,
				...access,
			};
		case "direct":
			return { code: kind, text: `${who} has ${role} in ${named.name} by a grant`, ...access };
		case "team":
			return { code: kind, text: `${who} has ${role} in ${named.name}`, ...access };
		case "rule": {
			const pattern = state.rules.find(({ id }) => id === ruleId)?.pattern ?? "";
			return { code: kind, text: `${who} has ${role} by rule \`${pattern}\``, link: "/settings/access" };
		}
	}
}

function toLack(lack: KeyLack, { subject, named, keyProjects, isOwn }: StepNames): Step {
	const permissions = subject.key?.permissions?.join(", ") ?? "";
	const isProgram = subject.type === "oauth2_grant";
	const what = isProgram ? "This program" : "This key";
	const link = isProgram ? "/settings/apps" : keysPage(subject, isOwn);
	switch (lack) {
		case "ended":
			return { code: "key_ended", text: `${what} has expired`, link };
		case "not_its_home": {
			const names = keyProjects.length === 0 ? "other projects" : `projects ${keyProjects.join(", ")}`;
			return { code: "key_homes", text: `${what} is limited to ${names}: ${named.name} is not among them`, link };
		}
		case "no_read":
			return { code: "key_cannot_read", text: `${what} may only ${permissions}, and so reads nothing`, link };
		case "permissions":
			return { code: "key_permissions", text: `${what} may only ${permissions}`, link };
	}
}

function hidden({ subject, named }: StepNames): Step {
	const who =
		subject.type === "team"
			? `Team ${subject.name} has no role there`
			: `${whoOf(subject)} has no role there, nor has a team of theirs`;
	return { code: "restricted", text: `${homeText(named)} is restricted: ${who}`, ...accessLink(named) };
}

/** Where the asker finds the key. */
function keysPage({ rights }: CheckedSubject, isOwn: boolean): string {
	if (rights.role === "SYSTEM") return "/settings/system-keys";
	return isOwn ? "/settings/api-keys" : "/settings/user-keys";
}

function whoOf({ type, name, person, rights }: CheckedSubject): string {
	if (type === "team") return `Team ${name}`;
	return rights.role === "SYSTEM" ? "The system" : (person ?? name);
}

function homeText({ home, name }: NamedHome): string {
	return home === "library" ? "The library" : `Project ${name}`;
}

function accessLink({ home }: NamedHome): { link: string } {
	return { link: home === "library" ? "/settings/access" : `/p/${encodeGlobalId("Project", home)}/settings/access` };
}
