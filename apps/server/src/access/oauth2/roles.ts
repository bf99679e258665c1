import { type GivenRole, roleNamed } from "#base/roles.ts";
import type { OAuth2Provider } from "#base/settings/oauth2-settings.ts";

type RoleSettings = Pick<OAuth2Provider, "rolePath" | "roleMapping" | "roleStrict" | "roleResync">;

/** What the rules depend on. */
interface Case {
	readonly isPathSet: boolean;
	/** Whether the provider's value stands for a role. */
	readonly isKnown: boolean;
	readonly isStrict: boolean;
	readonly resyncs: boolean;
	readonly isNew: boolean;
}

/** `said`: the role that the provider names. The first rule that fits decides. */
const RULES: readonly { readonly when: Partial<Case>; readonly gives: "said" | "VIEWER" | "keep" | "deny" }[] = [
	{ when: { isPathSet: false, isNew: true }, gives: "VIEWER" },
	{ when: { isPathSet: false }, gives: "keep" },
	{ when: { isKnown: false, isStrict: true }, gives: "deny" },
	{ when: { resyncs: false, isNew: false }, gives: "keep" },
	{ when: { isKnown: false }, gives: "VIEWER" },
	{ when: {}, gives: "said" },
];

/**
 * The role that an account gets at a log-in, `keep` for the one it has, `deny` where nobody may log in without one.
 * @param value what the role expression yields; ignored where none is set
 */
export function decideRole(provider: RoleSettings, value: unknown, isNew: boolean): GivenRole | "keep" | "deny" {
	const said = saidRole(provider, value);
	const facts: Case = {
		isPathSet: provider.rolePath !== null,
		isKnown: said !== undefined,
		isStrict: provider.roleStrict,
		resyncs: provider.roleResync,
		isNew,
	};
	const { gives = "deny" } = RULES.find(({ when }) => isPartOf(facts, when)) ?? {};
	return gives === "said" ? (said ?? "deny") : gives;
}

/** The text that stands for a role; of a list, its first element. Undefined if there is none. */
export function roleText(value: unknown): string | undefined {
	const first: unknown = Array.isArray(value) ? value[0] : value;
	if (typeof first === "number" || typeof first === "boolean") return String(first);
	const text = typeof first === "string" ? first.trim() : "";
	return text === "" ? undefined : text;
}

function saidRole({ roleMapping }: RoleSettings, value: unknown): GivenRole | undefined {
	const text = roleText(value);
	if (text === undefined) return undefined;
	return roleMapping === null ? roleNamed(text) : roleMapping.get(text);
}

function isPartOf(facts: Case, when: Partial<Case>): boolean {
	return Object.entries(when).every(([name, value]) => facts[name as keyof Case] === value);
}
