import { describe, expect, test } from "vitest";
import { compileExpression } from "#base/jmespath/expression.ts";
import type { OAuth2Provider } from "#base/settings/oauth2-settings.ts";
import { SignInRefusal, type Step, Steps } from "../sign-in/steps.ts";
import { type Claims, identityFromClaims, needsUserinfo } from "./identity-from-claims.ts";
import { testProvider } from "./test-provider.ts";

const ISSUER = "https://acme.example";
const ANA = { sub: "a-1", email: "ana@example.com" };

function read(claims: Claims, settings: Partial<OAuth2Provider> = {}) {
	return identityFromClaims(testProvider(settings), ISSUER, claims, new Steps());
}

/** The refusal of claims, with what the operator is told. */
function refusalOf(claims: Claims, settings: Partial<OAuth2Provider> = {}): SignInRefusal {
	try {
		read(claims, settings);
	} catch (error) {
		if (error instanceof SignInRefusal) return error;
		throw error;
	}
	throw new Error("was not refused");
}

function stepsOf(claims: Claims, settings: Partial<OAuth2Provider> = {}): readonly Step[] {
	const steps = new Steps();
	identityFromClaims(testProvider(settings), ISSUER, claims, steps);
	return steps.list;
}

describe("sub", () => {
	test.for([
		["a-1", "a-1"],
		["  ", undefined],
		[" a", " a"],
		[42, "42"],
		[0, "0"],
		[2 ** 53, undefined],
		[1.5, undefined],
		["", undefined],
		[null, undefined],
		[true, undefined],
		[["a-1"], undefined],
		[{ id: 1 }, undefined],
		[nested(100_000), undefined],
		["a\nb", undefined],
		["a\0", undefined],
		["\ud800", undefined],
		["x".repeat(255), "x".repeat(255)],
		["x".repeat(256), undefined],
	] as const)("of case %# is taken as it is, or refused", ([sub, subject]) => {
		if (subject !== undefined) expect(read({ ...ANA, sub }).subject).toBe(subject);
		else expect(refusalOf({ ...ANA, sub })).toMatchObject({ code: "auth_failed", step: { name: "id_token" } });
	});

	test("is not inherited", () => {
		expect(refusalOf({ email: ANA.email }).code).toBe("auth_failed");
	});
});

describe("T145: the email", () => {
	test.for([
		["ana@example.com", "ana@example.com"],
		[" ANA@Example.COM\n", "ana@example.com"],
		["admin@localhost", "admin@localhost"],
		["ADMİN@example.com", "admi̇n@example.com"],
		["ａｎａ@example.com", "ａｎａ@example.com"],
		["josé@example.com", "josé@example.com"],
		// The sign for kelvin is k in lower case.
		["\u212aim@example.com", undefined],
		["kim@\u212anow.example", undefined],
		["ana@localhost", undefined],
		["ana", undefined],
		["", undefined],
		["ana@example.com,eve@example.com", undefined],
		['"ana"@example.com', undefined],
		["ana\0@example.com", undefined],
		[`${"a".repeat(250)}@example.com`, undefined],
		[["ana@example.com"], undefined],
		[null, undefined],
		[7, undefined],
	] as const)("%j is %j", ([email, canonical]) => {
		if (canonical !== undefined) expect(read({ ...ANA, email }).email).toBe(canonical);
		else {
			const { code, step } = refusalOf({ ...ANA, email });
			expect(code).toBe("missing_email_scope");
			expect(step.settings).toContain("SERVICE_OAUTH2_ACME_EMAIL_ATTRIBUTE_PATH");
		}
	});

	test("is taken from where EMAIL_ATTRIBUTE_PATH says", () => {
		const emailPath = compileExpression("user.mails[0]");
		expect(read({ ...ANA, user: { mails: ["Bo@example.com"] } }, { emailPath }).email).toBe("bo@example.com");
	});

	test("a refusal names no address", () => {
		const { step } = refusalOf({ ...ANA, email: "ana at example" });
		expect(step.text).not.toContain("ana");
		expect(step.facts).toContainEqual({ name: "email", value: "ana at example" });
	});

	test("shows no characters of a claim that act on a terminal or hide text", () => {
		const { step } = refusalOf({ ...ANA, email: "ana\u202e\u001b[2J at example" });
		expect(step.facts).toContainEqual({ name: "email", value: "ana\ufffd\ufffd[2J at example" });
	});
});

test.for([
	[true, true],
	["true", true],
	[false, false],
	["false", false],
	[undefined, undefined],
	[null, undefined],
	["True", true],
	["FALSE", false],
	["", false],
	[0, false],
	["0", false],
	["no", false],
	["yes", false],
	[[true], false],
] as const)("email_verified %j is %j", ([claim, verified]) => {
	expect(read({ ...ANA, email_verified: claim }).emailVerified).toBe(verified);
});

test("email_verified says nothing about an address of another claim", () => {
	const emailPath = compileExpression("upn");
	const claims = { ...ANA, upn: "boss@example.com", email_verified: true };
	expect(read(claims, { emailPath }).emailVerified).toBeUndefined();
	expect(read({ ...claims, upn: "ANA@example.com" }, { emailPath }).emailVerified).toBe(true);
	expect(read({ ...claims, email_verified: false }, { emailPath }).emailVerified).toBe(false);
});

describe("groups", () => {
	const settings = { groupsPath: compileExpression("groups"), allowedGroups: new Set(["dev", "7", "true"]) };

	test.for([
		[["ops", "dev"], true],
		["dev", true],
		[7, true],
		[true, true],
		[[["dev"]], false],
		[[{ name: "dev" }, null], false],
		[{ dev: true }, false],
		["DEV", false],
		[" dev", false],
		["dev,ops", false],
		["dev ops", false],
		[[], false],
		["", false],
		[null, false],
		[undefined, false],
	] as const)("%j may sign in: %j", ([groups, admitted]) => {
		if (admitted) expect(read({ ...ANA, groups }, settings).subject).toBe("a-1");
		else {
			const { code, step } = refusalOf({ ...ANA, groups }, settings);
			expect(code).toBe("auth_failed");
			expect(step.name).toBe("groups");
			for (const suffix of ["GROUPS_ATTRIBUTE_PATH", "ALLOWED_GROUPS"]) {
				expect(step.text).toContain(`SERVICE_OAUTH2_ACME_${suffix}`);
				expect(step.settings).toContain(`SERVICE_OAUTH2_ACME_${suffix}`);
			}
		}
	});

	test("are not looked at where none are set", () => {
		expect(stepsOf(ANA)).toContainEqual(expect.objectContaining({ name: "groups", outcome: "skipped" }));
	});

	test("can be read from a claim with special characters in its name", () => {
		const groupsPath = compileExpression('"cognito:groups"');
		expect(read({ ...ANA, "cognito:groups": ["dev"] }, { ...settings, groupsPath }).subject).toBe("a-1");
	});
});

describe("the name", () => {
	test.for([
		["Ana", "Ana"],
		[" A\u202en\na ", "An a"],
		["x".repeat(10_240), "x".repeat(128)],
		["\u200b\u202e", undefined],
		["", undefined],
		[null, undefined],
		[{ given: "Ana" }, undefined],
	] as const)("%j is %j", ([name, clean]) => {
		expect(read({ ...ANA, name }).name).toBe(clean);
	});
});

test.for([
	["https://acme.example/ana.png", "https://acme.example/ana.png"],
	["javascript:alert(1)", undefined],
	["http://acme.example/ana.png", undefined],
	["data:image/png;base64,AAAA", undefined],
	[`https://acme.example/${"x".repeat(2_048)}`, undefined],
	["https://user:pw@acme.example/a.png", undefined],
	[7, undefined],
] as const)("the picture %j is %j", ([picture, url]) => {
	expect(read({ ...ANA, picture }).picture).toBe(url);
});

describe("the role", () => {
	const rolePath = compileExpression("role");
	const roleMapping = new Map([["Owner", "ADMIN"]] as const);

	test("is VIEWER for new accounts only, where none is set", () => {
		expect(read({ ...ANA, role: "ADMIN" }).role).toEqual({ forNew: "VIEWER", forExisting: undefined });
	});

	test("is taken over at each log-in, unless ROLE_RESYNC is false", () => {
		const claims = { ...ANA, role: "Owner" };
		expect(read(claims, { rolePath, roleMapping }).role).toEqual({ forNew: "ADMIN", forExisting: "ADMIN" });
		expect(read(claims, { rolePath, roleMapping, roleResync: false }).role).toEqual({
			forNew: "ADMIN",
			forExisting: undefined,
		});
	});

	test("that is not mapped is VIEWER with a warning, and when strict a refusal", () => {
		const claims = { ...ANA, role: "Stranger" };
		expect(stepsOf(claims, { rolePath, roleMapping })).toContainEqual(
			expect.objectContaining({
				name: "role",
				outcome: "warning",
				settings: ["SERVICE_OAUTH2_ACME_ROLE_ATTRIBUTE_PATH", "SERVICE_OAUTH2_ACME_ROLE_MAPPING"],
			}),
		);
		const none = stepsOf(ANA, { rolePath, roleMapping }).find(({ name }) => name === "role");
		expect(none?.text).toContain("yields no role on the claims: new accounts get the role VIEWER");
		const refusal = refusalOf(claims, { rolePath, roleMapping, roleStrict: true });
		expect(refusal.code).toBe("auth_failed");
		expect(refusal.step.settings).toContain("SERVICE_OAUTH2_ACME_ROLE_ATTRIBUTE_STRICT");
		expect(refusal.step.text).not.toContain("Stranger");
	});

	test("may be a constant or a condition", () => {
		const constant = compileExpression("'member'");
		expect(read(ANA, { rolePath: constant }).role.forNew).toBe("MEMBER");
		const condition = compileExpression("contains(groups, 'boss') && 'ADMIN' || 'VIEWER'");
		expect(read({ ...ANA, groups: ["boss"] }, { rolePath: condition }).role.forNew).toBe("ADMIN");
		expect(read({ ...ANA, groups: ["dev"] }, { rolePath: condition }).role.forNew).toBe("VIEWER");
	});

	test.for([
		["a missing claim", "missing.deeper[0]", {}],
		["a function that does not exist", "to_role(role)", { role: "ADMIN" }],
		["a wrong type", "contains(groups, 'boss')", { groups: 7 }],
		["claims 5,000 deep", "role", { role: nested(5_000) }],
		["__proto__", "__proto__", JSON.parse('{"__proto__":{"polluted":"ADMIN"}}')],
		["constructor", "constructor.name", {}],
	] as const)("T149: %s stands for none", ([, text, claims]) => {
		const settings = { rolePath: compileExpression(text) };
		expect(read({ ...ANA, ...claims }, settings).role.forNew).toBe("VIEWER");
		expect(refusalOf({ ...ANA, ...claims }, { ...settings, roleStrict: true }).code).toBe("auth_failed");
		expect(({} as { polluted?: string }).polluted).toBeUndefined();
	});

	test("T149: that an expression fails is noted with its variable, without the claims", () => {
		const noted = stepsOf({ ...ANA, groups: "secretive" }, { rolePath: compileExpression("keys(groups)") });
		const [warning] = noted.filter(({ outcome }) => outcome === "warning");
		expect(warning?.settings).toEqual(["SERVICE_OAUTH2_ACME_ROLE_ATTRIBUTE_PATH"]);
		expect(warning?.text).toContain("could not be evaluated");
		expect(warning?.text).not.toContain("secretive");
	});
});

test("what an admin is shown of a claim is bounded", () => {
	const settings = { groupsPath: compileExpression("groups"), allowedGroups: new Set(["g1"]) };
	const groups = Array.from({ length: 9_000 }, (_, index) => `g${index}`);
	for (const { facts } of stepsOf({ ...ANA, groups }, settings)) {
		for (const { value } of facts) expect(value.length).toBeLessThan(1_100);
	}
});

test("userinfo is asked only for what the ID token lacks", () => {
	const groups = { groupsPath: compileExpression("groups"), allowedGroups: new Set(["dev"]) };
	const role = { rolePath: compileExpression("role") };
	const asks = (claims: Claims, settings: Partial<OAuth2Provider> = {}) =>
		needsUserinfo(testProvider(settings), claims);
	expect(asks(ANA)).toBe(false);
	expect(asks({ sub: "a-1" })).toBe(true);
	expect(asks({ ...ANA, email: "" })).toBe(true);
	expect(asks(ANA, groups)).toBe(true);
	expect(asks({ ...ANA, groups: [] }, groups)).toBe(true);
	expect(asks({ ...ANA, groups: ["other"] }, groups)).toBe(false);
	expect(asks(ANA, role)).toBe(true);
	expect(asks({ ...ANA, role: "unmapped" }, role)).toBe(false);
	expect(asks(ANA, { rolePath: compileExpression("'ADMIN'") })).toBe(false);
});

function nested(depth: number): unknown {
	let value: unknown = "ADMIN";
	for (let level = 0; level < depth; level++) value = [value];
	return value;
}
