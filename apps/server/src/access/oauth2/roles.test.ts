import { expect, test } from "vitest";
import { compileExpression } from "#base/jmespath/expression.ts";
import type { OAuth2Provider } from "#base/settings/oauth2-settings.ts";
import { decideRole } from "./roles.ts";

type Outcome = ReturnType<typeof decideRole>;

const MAPPING: OAuth2Provider["roleMapping"] = new Map([
	["Owner", "ADMIN"],
	["true", "MEMBER"],
	["7", "MEMBER"],
	["ADMIN", "VIEWER"],
]);

function decide(
	value: unknown,
	isNew: boolean,
	settings: Partial<Pick<OAuth2Provider, "roleMapping" | "roleStrict" | "roleResync">> & { path?: string | null } = {},
): Outcome {
	const { path = "role", roleMapping = null, roleStrict = false, roleResync = true } = settings;
	const rolePath = path === null ? null : compileExpression(path);
	return decideRole({ rolePath, roleMapping, roleStrict, roleResync }, value, isNew);
}

/** `role`: the provider's value, through a mapping or directly. */
const TRUTH: readonly [
	path: boolean,
	says: "MEMBER" | "nothing",
	strict: boolean,
	resync: boolean,
	Outcome,
	Outcome,
][] = [
	// path, says, strict, resync: a new account, one that exists
	[false, "MEMBER", false, true, "VIEWER", "keep"],
	[false, "MEMBER", false, false, "VIEWER", "keep"],
	[false, "MEMBER", true, true, "VIEWER", "keep"],
	[false, "MEMBER", true, false, "VIEWER", "keep"],
	[false, "nothing", false, true, "VIEWER", "keep"],
	[false, "nothing", false, false, "VIEWER", "keep"],
	[false, "nothing", true, true, "VIEWER", "keep"],
	[false, "nothing", true, false, "VIEWER", "keep"],
	[true, "MEMBER", false, true, "MEMBER", "MEMBER"],
	[true, "MEMBER", false, false, "MEMBER", "keep"],
	[true, "MEMBER", true, true, "MEMBER", "MEMBER"],
	[true, "MEMBER", true, false, "MEMBER", "keep"],
	[true, "nothing", false, true, "VIEWER", "VIEWER"],
	[true, "nothing", false, false, "VIEWER", "keep"],
	[true, "nothing", true, true, "deny", "deny"],
	[true, "nothing", true, false, "deny", "deny"],
];

test.for(TRUTH)("path %s, says %s, strict %s, resync %s: %s when new, else %s", (row) => {
	const [isPathSet, says, roleStrict, roleResync, whenNew, whenExisting] = row;
	const path = isPathSet ? "role" : null;
	const direct = { path, roleStrict, roleResync };
	const mapped = { ...direct, roleMapping: new Map([["Developer", "MEMBER"]] as const) };
	const [value, mappedValue] = says === "nothing" ? [undefined, "Stranger"] : ["member", "Developer"];
	for (const [said, settings] of [[value, direct] as const, [mappedValue, mapped] as const]) {
		expect(decide(said, true, settings)).toBe(whenNew);
		expect(decide(said, false, settings)).toBe(whenExisting);
	}
});

test("the truth table has every combination", () => {
	expect(new Set(TRUTH.map((row) => row.slice(0, 4).join())).size).toBe(16);
});

test.for([
	["ADMIN", "ADMIN"],
	[" admin\n", "ADMIN"],
	["Viewer", "VIEWER"],
	[["member", "admin"], "MEMBER"],
	[["stranger", "admin"], "deny"],
	[[["admin"]], "deny"],
	[[], "deny"],
	["", "deny"],
	["  ", "deny"],
	["SYSTEM", "deny"],
	["system", "deny"],
	["admın", "deny"],
	["ADMİN", "deny"],
	["admin,member", "deny"],
	[null, "deny"],
	[undefined, "deny"],
	[{ role: "admin" }, "deny"],
	[true, "deny"],
	[1, "deny"],
] as const)("without a mapping %j stands for %s", ([value, role]) => {
	expect(decide(value, true, { roleStrict: true })).toBe(role);
});

test.for([
	["Owner", "ADMIN"],
	[" Owner ", "ADMIN"],
	["owner", "deny"],
	[true, "MEMBER"],
	[7, "MEMBER"],
	["7", "MEMBER"],
	[["Owner", "7"], "ADMIN"],
	["ADMIN", "VIEWER"],
	["admin", "deny"],
	["MEMBER", "deny"],
	["__proto__", "deny"],
] as const)("with a mapping only its keys count, to the letter: %j stands for %s", ([value, role]) => {
	expect(decide(value, true, { roleStrict: true, roleMapping: MAPPING })).toBe(role);
});
