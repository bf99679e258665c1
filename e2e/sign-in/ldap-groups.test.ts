import { afterAll, beforeAll, describe, expect } from "vitest";
import { startWithAuth } from "../access/accounts.ts";
import { testWith } from "../peers/requirements.ts";
import { type Slapd, startSlapd } from "../peers/slapd.ts";
import { directoryStatus, logInWithDirectory } from "./directory-log-in.ts";
import {
	type Answer,
	endOfPage,
	entry,
	FakeDirectory,
	type LdapRequest,
	personSettings,
	result,
} from "./fake-directory.ts";

const test = testWith("slapd");
const GROUPS = "ou=groups,dc=example,dc=com";
const ALICE = "uid=alice,ou=users,dc=example,dc=com";
const MANY = 1_500;

let slapd: Slapd;
beforeAll(async () => {
	const groups = Array.from(
		{ length: MANY },
		(_, number) =>
			`dn: cn=team-${number},ou=many,dc=example,dc=com\nobjectClass: groupOfNames\ncn: team-${number}\nmember: uid=nogroup,ou=users,dc=example,dc=com\n`,
	);
	const folder = "dn: ou=many,dc=example,dc=com\nobjectClass: organizationalUnit\nou: many\n";
	slapd = await startSlapd({ ldif: [folder, ...groups].join("\n") });
});
afterAll(() => slapd[Symbol.asyncDispose]());

type Mapping = readonly [groupDn: string, role: string];

function start(mappings: readonly Mapping[], settings: Readonly<Record<string, string>> = {}) {
	return startWithAuth({
		...slapd.settings,
		...settings,
		SERVICE_LDAP_GROUP_ROLE_MAPPINGS: JSON.stringify(mappings.map(([group_dn, role]) => ({ group_dn, role }))),
	});
}

/** Groups are searched by the DN of the user. */
function searchIn(...bases: readonly string[]) {
	return {
		SERVICE_LDAP_GROUP_SEARCH_BASE_DNS: JSON.stringify(bases),
		SERVICE_LDAP_GROUP_SEARCH_FILTER: "(&(objectClass=groupOfNames)(member=%s))",
		SERVICE_LDAP_GROUP_SEARCH_FILTER_USER_ATTR: "dn",
	};
}

describe("the mapping that counts", () => {
	test("is the first that matches, whatever its role", async () => {
		await using server = await start([
			[`cn=developers,${GROUPS}`, "VIEWER"],
			[`cn=admins,${GROUPS}`, "ADMIN"],
			["*", "MEMBER"],
		]);
		expect(await logInWithDirectory(server, "alice", "alice-pw")).toMatchObject({ role: "VIEWER" });
		expect(await logInWithDirectory(server, "nogroup", "nogroup-pw")).toMatchObject({ role: "MEMBER" });
	});

	test.each([
		String.raw`cn=Data\, Science \+ ML,ou=groups,dc=example,dc=com`,
		String.raw`CN=data\2C  SCIENCE \2b ml , OU=Groups,DC=EXAMPLE,DC=com`,
		'cn="Data, Science + ML",ou=groups,dc=example,dc=com',
		"2.5.4.3=#0c12446174612c20536369656e6365202b204d4c,ou=groups,dc=example,dc=com",
	])("T170: is found however its DN is written: %s", async (group) => {
		await using server = await start([
			[group, "ADMIN"],
			["*", "VIEWER"],
		]);
		expect(await logInWithDirectory(server, "bob", "bob-pw")).toMatchObject({ role: "ADMIN" });
		expect(await logInWithDirectory(server, "nogroup", "nogroup-pw")).toMatchObject({ role: "VIEWER" });
	});

	test("is looked for at every log-in; who has none any more does not come in", async () => {
		await using directory = await startSlapd();
		await using server = await startWithAuth(directory.settings);
		const { id } = await logInWithDirectory(server, "alice", "alice-pw");
		await directory.modify(`dn: cn=admins,${GROUPS}\nchangetype: delete\n`);
		expect(await logInWithDirectory(server, "alice", "alice-pw")).toMatchObject({ id, role: "MEMBER" });
		await directory.modify(`dn: cn=developers,${GROUPS}\nchangetype: modify\ndelete: member\nmember: ${ALICE}\n`);
		expect(await directoryStatus(server, "alice", "alice-pw")).toBe(401);
	});

	test("T166: is none by a group in a group, and the log says how that is set", async () => {
		await using server = await start([[`cn=nested,${GROUPS}`, "MEMBER"]]);
		expect(await directoryStatus(server, "bob", "bob-pw")).toBe(401);
		expect(server.output).toContain("SERVICE_LDAP_GROUP_SEARCH_FILTER");
		expect(server.output).not.toContain("cn=developers");
	});
});

describe("a search for groups", () => {
	test("by the name uses the one that the directory has, not the one that was typed", async () => {
		await using server = await start([[`cn=posixdevs,${GROUPS}`, "MEMBER"]], {
			SERVICE_LDAP_GROUP_SEARCH_BASE_DNS: JSON.stringify([GROUPS]),
			SERVICE_LDAP_GROUP_SEARCH_FILTER: "(&(objectClass=posixGroup)(memberUid=%s))",
		});
		for (const name of ["bob", "BOB", "ｂｏｂ"]) {
			expect(await logInWithDirectory(server, name, "bob-pw")).toMatchObject({ role: "MEMBER" });
		}
		expect(await logInWithDirectory(server, "we(i)rd*\\name", "weird-pw")).toMatchObject({ role: "MEMBER" });
		expect(await directoryStatus(server, "alice", "alice-pw")).toBe(401);
	});

	test.each(["dn", "DistinguishedName"])("by %s uses the entry's DN, whatever is in it", async (attribute) => {
		await using server = await start([[`cn=Data\\, Science \\+ ML,${GROUPS}`, "MEMBER"]], {
			...searchIn(GROUPS),
			SERVICE_LDAP_GROUP_SEARCH_FILTER_USER_ATTR: attribute,
		});
		expect(await logInWithDirectory(server, "we(i)rd*\\name", "weird-pw")).toMatchObject({ role: "MEMBER" });
		expect(await directoryStatus(server, "alice", "alice-pw")).toBe(401);
	});

	test("by another attribute uses its value; who has none is in no group", async () => {
		await using server = await start(
			[
				[`cn=posixdevs,${GROUPS}`, "MEMBER"],
				["*", "VIEWER"],
			],
			{
				SERVICE_LDAP_GROUP_SEARCH_BASE_DNS: JSON.stringify([GROUPS]),
				SERVICE_LDAP_GROUP_SEARCH_FILTER: "(memberUid=%s)",
				SERVICE_LDAP_GROUP_SEARCH_FILTER_USER_ATTR: "UID",
			},
		);
		expect(await logInWithDirectory(server, "bob", "bob-pw")).toMatchObject({ role: "MEMBER" });
		expect(await logInWithDirectory(server, "nogroup", "nogroup-pw")).toMatchObject({ role: "VIEWER" });
	});

	test("T177: reads 1,500 groups of a directory that gives 500 at once", async () => {
		await using server = await start(
			[
				[`cn=team-${MANY - 1},ou=many,dc=example,dc=com`, "ADMIN"],
				["*", "VIEWER"],
			],
			searchIn("ou=many,dc=example,dc=com"),
		);
		expect(await logInWithDirectory(server, "nogroup", "nogroup-pw")).toMatchObject({ role: "ADMIN" });
	});

	test("T177: reads on after a page without an entry", async () => {
		const pages = [
			(request: LdapRequest) => [entry(request, ALICE, { mail: ["alice@example.com"] }), result(request, 0)],
			(request: LdapRequest) => [endOfPage(request, "second")],
			(request: LdapRequest) => [entry(request, `cn=admins,${GROUPS}`, {}), endOfPage(request, "")],
		];
		await using directory = await FakeDirectory.start((request) =>
			request.operation === "search" ? pages.shift()?.(request) : [result(request, 0)],
		);
		await using server = await startWithAuth({ ...personSettings(directory.port), ...searchIn(GROUPS) });
		expect(await logInWithDirectory(server, "alice", "alice-pw")).toMatchObject({ role: "ADMIN" });
	});
});

describe("T177: where the directory gives no more than some groups", () => {
	test("those that have a role are asked for one by one", async () => {
		const groups = Array.from(
			{ length: 60 },
			(_, number) =>
				`dn: cn=g-${number},${GROUPS}\nobjectClass: groupOfNames\ncn: g-${number}\nmember: uid=nogroup,ou=users,dc=example,dc=com\n`,
		);
		await using directory = await startSlapd({
			accessRules: "limits users size=20 size.prtotal=20",
			ldif: groups.join("\n"),
		});
		await using server = await start(
			[
				[`cn=not-there,${GROUPS}`, "ADMIN"],
				[`cn=admins,${GROUPS}`, "ADMIN"],
				[`cn=g-59,${GROUPS}`, "MEMBER"],
				["*", "VIEWER"],
			],
			{ ...directory.settings, ...searchIn(GROUPS) },
		);
		expect(await logInWithDirectory(server, "nogroup", "nogroup-pw")).toMatchObject({ role: "MEMBER" });
		expect(await logInWithDirectory(server, "alice", "alice-pw")).toMatchObject({ role: "ADMIN" });
	});
});

describe("T178: where a base of groups cannot be searched", () => {
	const GONE = "ou=gone,dc=example,dc=com";

	test("nobody gets a lower role for that", async () => {
		await using server = await start(
			[
				[`cn=admins,${GONE}`, "ADMIN"],
				[`cn=developers,${GROUPS}`, "MEMBER"],
				["*", "VIEWER"],
			],
			searchIn(GONE, GROUPS),
		);
		for (const name of ["alice", "bob", "nogroup"]) {
			expect(await directoryStatus(server, name, `${name}-pw`)).toBe(503);
		}
		expect(server.output).toContain("SERVICE_LDAP_GROUP_SEARCH_BASE_DNS");
	});

	test("nobody is let in as everybody, nor refused for good", async () => {
		await using server = await start(
			[
				[`cn=admins,${GROUPS}`, "ADMIN"],
				["*", "VIEWER"],
			],
			searchIn(GROUPS, GONE),
		);
		expect(await logInWithDirectory(server, "alice", "alice-pw")).toMatchObject({ role: "ADMIN" });
		for (let time = 1; time <= 7; time++) expect(await directoryStatus(server, "bob", "bob-pw")).toBe(503);
		expect(await directoryStatus(server, "bob", "wrong")).toBe(401);
	});

	test("who has a role that no group there could change comes in", async () => {
		await using server = await start(
			[
				[`cn=admins,${GROUPS}`, "ADMIN"],
				[`cn=developers,${GROUPS}`, "MEMBER"],
				[`cn=others,${GONE}`, "VIEWER"],
			],
			searchIn(GONE, GROUPS),
		);
		expect(await logInWithDirectory(server, "bob", "bob-pw")).toMatchObject({ role: "MEMBER" });
		expect(await directoryStatus(server, "nogroup", "nogroup-pw")).toBe(503);
	});
});

describe("T179: an attribute that comes in parts", () => {
	const TOTAL = 5_000;
	const PART = 1_500;
	const groupOf = (number: number) => (number === TOTAL - 1 ? `cn=admins,${GROUPS}` : `cn=team-${number},${GROUPS}`);

	/** As Active Directory gives long attributes. */
	function inParts(lastPart: "there" | "missing"): Answer {
		return (request) => {
			if (request.operation === "bind") return [result(request, 0)];
			if (request.operation !== "search") return undefined;
			const wanted = request.attributes.map((name) => /^memberOf;range=(\d+)-\*$/i.exec(name)?.[1]).find(Boolean);
			const first = Number(wanted ?? 0);
			const last = Math.min(first + PART, TOTAL);
			const values = Array.from({ length: last - first }, (_, index) => groupOf(first + index));
			const isLast = last === TOTAL;
			const part = { [`memberOf;range=${first}-${isLast ? "*" : last - 1}`]: values };
			const attributes = wanted === undefined ? { mail: ["alice@example.com"], memberOf: [], ...part } : part;
			return [entry(request, ALICE, isLast && lastPart === "missing" ? {} : attributes), result(request, 0)];
		};
	}

	test("is read to its end", async () => {
		await using directory = await FakeDirectory.start(inParts("there"));
		await using server = await startWithAuth(personSettings(directory.port));
		expect(await logInWithDirectory(server, "alice", "alice-pw")).toMatchObject({ role: "ADMIN" });
	});

	test("and ends too early gives nobody a lower role", async () => {
		await using directory = await FakeDirectory.start(inParts("missing"));
		await using server = await startWithAuth(personSettings(directory.port));
		expect(await directoryStatus(server, "alice", "alice-pw")).toBe(503);
	});
});
