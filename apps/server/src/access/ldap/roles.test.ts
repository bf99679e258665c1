import { describe, expect, test } from "vitest";
import { decideRole } from "./roles.ts";

const ADMINS = { groupDn: "cn=admins,ou=a,dc=x", role: "ADMIN" } as const;
const MEMBERS = { groupDn: "cn=members,ou=b,dc=x", role: "MEMBER" } as const;
const EVERYBODY = { groupDn: "*", role: "VIEWER" } as const;
const ALL = [ADMINS, MEMBERS, EVERYBODY];

describe("a role", () => {
	test("is that of the first mapping that matches", () => {
		const both = { dns: ["CN=Members, OU=b, DC=x", "cn=admins,ou=a,dc=x"], unread: [] };
		expect(decideRole(ALL, both)).toMatchObject({ outcome: "matched", role: "ADMIN" });
		expect(decideRole([MEMBERS, ADMINS], both)).toMatchObject({ role: "MEMBER" });
		expect(decideRole([EVERYBODY, ADMINS], both)).toMatchObject({ role: "VIEWER" });
		expect(decideRole(ALL, { dns: [], unread: [] })).toMatchObject({ role: "VIEWER" });
	});

	test("is missing where nothing matches", () => {
		expect(decideRole([ADMINS], { dns: ["cn=admins", "no dn"], unread: [] })).toEqual({ outcome: "none" });
		expect(decideRole([], { dns: [], unread: [] })).toEqual({ outcome: "none" });
	});
});

describe("where groups could not be read", () => {
	test.each([
		["a match before all that could be there", ALL, ["cn=admins,ou=a,dc=x"], ["ou=a,dc=x"], "matched"],
		["a match, when no mapping before it could be there", ALL, ["cn=members,ou=b,dc=x"], ["ou=b,dc=x"], "matched"],
		["a match behind one that could be there", ALL, ["cn=members,ou=b,dc=x"], ["OU=A, dc=x"], "unsure"],
		["a match, when anything could be there", ALL, ["cn=members,ou=b,dc=x"], [""], "unsure"],
		["being everybody", ALL, [], ["ou=elsewhere,dc=x"], "unsure"],
		["being everybody, when that comes first", [EVERYBODY, ADMINS], [], [""], "matched"],
		["no match", [ADMINS], [], ["ou=elsewhere,dc=x"], "unsure"],
	] as const)("%s", (_, mappings, dns, unread, outcome) => {
		expect(decideRole(mappings, { dns, unread }).outcome).toBe(outcome);
	});
});
