import { afterAll, beforeAll, describe, expect } from "vitest";
import { asAdmin, Client, createAccount, startWithAuth } from "../access/accounts.ts";
import { testWith } from "../peers/requirements.ts";
import { type Slapd, startSlapd } from "../peers/slapd.ts";
import type { TestServer } from "../server.ts";
import { directoryStatus, listUsers, logInWithDirectory, tryDirectory } from "./directory-log-in.ts";

const test = testWith("slapd");
const EVERYBODY = JSON.stringify([
	{ group_dn: "cn=admins,ou=groups,dc=example,dc=com", role: "ADMIN" },
	{ group_dn: "*", role: "VIEWER" },
]);
const PEOPLE = ["ou=users,dc=example,dc=com", "ou=contractors,dc=example,dc=com"];

let slapd: Slapd;
let server: TestServer;

beforeAll(async () => {
	slapd = await startSlapd({
		ldif: `
dn: uid=alice,ou=contractors,dc=example,dc=com
objectClass: inetOrgPerson
uid: alice
cn: Another Alice
sn: Alice
mail: another.alice@example.com
userPassword: contractor-pw

dn: uid=zoë,ou=users,dc=example,dc=com
objectClass: inetOrgPerson
uid: zoë
cn: Zoë
sn: Zoë
mail: zoe@example.com
userPassword: pä"ss\\w'ørd (*) 密码

dn: uid=shown,ou=users,dc=example,dc=com
objectClass: inetOrgPerson
uid: shown
cn: Shown
sn: Shown
displayName:: ${Buffer.from("\u202egnp.exe\u0007 <img src=x onerror=alert(1)>").toString("base64")}
mail: shown@example.com
userPassword: shown-pw
`,
	});
	server = await startWithAuth({
		...slapd.settings,
		SERVICE_LDAP_USER_SEARCH_BASE_DNS: JSON.stringify(PEOPLE),
		SERVICE_LDAP_GROUP_ROLE_MAPPINGS: EVERYBODY,
	});
});
afterAll(async () => {
	await server[Symbol.asyncDispose]();
	await slapd[Symbol.asyncDispose]();
});

describe("who logs in", () => {
	test("gets an account with the name, email and role of the directory", async () => {
		expect(await logInWithDirectory(server, "alice", "alice-pw")).toMatchObject({
			username: "Alice Admin",
			email: "alice@example.com",
			role: "ADMIN",
			auth_method: "LDAP",
		});
		expect(await logInWithDirectory(server, "carl", "carl-pw")).toMatchObject({ role: "VIEWER" });
	});

	test("has the same account the next time, however the name is written", async () => {
		const first = await logInWithDirectory(server, "bob", "bob-pw");
		for (const name of ["BOB", " bob ", "ｂｏｂ"]) {
			expect((await logInWithDirectory(server, name, "bob-pw")).id).toBe(first.id);
		}
	});

	test("T161: may be called we(i)rd*\\name", async () => {
		expect(await logInWithDirectory(server, "we(i)rd*\\name", "weird-pw")).toMatchObject({
			username: 'Wéird, "N\\ame" + <x>',
			email: "weird@example.com",
		});
	});

	test("may have letters of all scripts, quotes and backslashes in name and password", async () => {
		expect(await logInWithDirectory(server, "zoë", "pä\"ss\\w'ørd (*) 密码")).toMatchObject({
			email: "zoe@example.com",
		});
	});

	test("is shown without the control and direction characters of a display name", async () => {
		expect(await logInWithDirectory(server, "shown", "shown-pw")).toMatchObject({
			username: "gnp.exe <img src=x onerror=alert(1)>",
		});
	});

	test("cannot log in with a password of another method, nor a local account with the directory", async () => {
		await logInWithDirectory(server, "bob", "bob-pw");
		const body = { email: "bob@example.com", password: "bob-pw" };
		expect((await new Client(server).send("POST", "/auth/login", body)).status).toBe(401);
		const local = await createAccount(server, "MEMBER");
		expect(await directoryStatus(server, local.email, local.password)).toBe(401);
	});
});

describe("an answer of 401", () => {
	test.each([
		["a wrong password", "alice", "wrong"],
		["a name that nobody has", "nobody", "alice-pw"],
		["T164: a name that two entries have", "dup", "dup1-pw"],
		["an entry without an email", "nomail", "nomail-pw"],
		["T172: the email of a local account", "victimmail", "victimmail-pw"],
	])("is the same for %s", async (_, username, password) => {
		const response = await tryDirectory(server, username, password);
		expect([response.status, await response.text()]).toEqual([401, "Wrong username or password"]);
		expect(response.headers.getSetCookie()).toEqual([]);
	});

	test("T172: leaves the local account as it was", async () => {
		await directoryStatus(server, "victimmail", "victimmail-pw");
		const users = await listUsers(server);
		expect(users.filter(({ email }) => email === "admin@localhost")).toMatchObject([
			{ auth_method: "LOCAL", username: "admin", role: "ADMIN" },
		]);
	});

	test("names to the operator what to look at, and nothing of the person", async () => {
		const before = server.output.length;
		await directoryStatus(server, "nomail", "nomail-pw");
		const said = server.output.slice(before);
		expect(said).toContain("SERVICE_LDAP_ATTR_EMAIL");
		expect(said).not.toMatch(/nomail|ou=users/);
		expect(server.output).not.toMatch(/alice-pw|svc-pw/);
	});
});

describe("T165: a name that means something in a filter", () => {
	const NAMES = [
		"*",
		"ali*",
		"alice*",
		"*)(uid=alice",
		"alice)(uid=*",
		"alice)(|(objectClass=*",
		"admin)(|(objectClass=*",
		"*)(objectClass=*))(&(uid=alice",
		"alice\0",
		"alice\n",
		"alice\r\nobjectClass=*",
		"\\61lice",
		"alice\\2a",
		"$&",
		"%s",
		"uid=alice,ou=users,dc=example,dc=com",
	];
	test.each(NAMES)("%j is nobody", async (name) => {
		const response = await tryDirectory(server, name, "alice-pw");
		expect([response.status, await response.text()]).toEqual([401, "Wrong username or password"]);
	});
});

describe("T162: a password that is none", () => {
	test.each([
		["empty", ""],
		["blank", "   "],
		["NUL", "\0"],
		["NUL before the right one", "\0alice-pw"],
		["NUL behind the right one", "alice-pw\0"],
	])("%s: 401, and the directory is not asked about it", async (_, password) => {
		const before = slapd.log.length;
		expect(await directoryStatus(server, "alice", password)).toBe(401);
		expect(slapd.log.slice(before)).not.toMatch(/BIND dn="(?!cn=svc)/);
	});

	test("of too many bytes is none either", async () => {
		expect(await directoryStatus(server, "alice", "p".repeat(1_025))).toBe(401);
		expect(await directoryStatus(server, "a".repeat(257), "alice-pw")).toBe(401);
		expect((await tryDirectory(server, "alice", "p".repeat(20_000))).status).toBe(413);
	});
});

test.each([[{ $ne: "" }], [["alice"]], [7], [true]])("T182: %j as the username is 422", async (username) => {
	expect((await tryDirectory(server, username, "alice-pw")).status).toBe(422);
	expect((await tryDirectory(server, "alice", username)).status).toBe(422);
});

test("T182: without a username or a password it is 401", async () => {
	for (const body of [
		undefined,
		null,
		{},
		{ username: "alice" },
		{ password: "x" },
		{ username: " ", password: "x" },
	]) {
		expect((await new Client(server).send("POST", "/auth/ldap/login", body)).status).toBe(401);
	}
});

test("T164: of one name in two bases the first is meant", async () => {
	expect(await directoryStatus(server, "alice", "contractor-pw")).toBe(401);
	expect(await directoryStatus(server, "alice", "alice-pw")).toBe(204);
});

test("without a directory, or without authentication, there is no such route", async () => {
	await using without = await startWithAuth();
	expect(await directoryStatus(without, "alice", "alice-pw")).toBe(404);
	await using off = await startWithAuth({ ...slapd.settings, SERVICE_ENABLE_AUTH: "false", SERVICE_ADMIN_SECRET: "" });
	expect(await directoryStatus(off, "alice", "alice-pw")).toBe(404);
});

describe("the lock-out", () => {
	let guarded: TestServer;
	beforeAll(async () => {
		guarded = await startWithAuth({
			...slapd.settings,
			SERVICE_LDAP_USER_SEARCH_FILTER: "(&(objectClass=inetOrgPerson)(|(uid=%s)(mail=%s)))",
			SERVICE_LDAP_GROUP_ROLE_MAPPINGS: EVERYBODY,
		});
	});
	afterAll(() => guarded[Symbol.asyncDispose]());

	async function fail(names: readonly string[]): Promise<number[]> {
		const statuses: number[] = [];
		for (const name of names) statuses.push(await directoryStatus(guarded, name, "wrong"));
		return statuses;
	}

	test("T163: counts every way to write a name as one", async () => {
		const spellings = ["bob", "BOB", "ｂｏｂ", "\u00a0bob\u2003", "b\u00adob"];
		expect(await fail(spellings)).toEqual([401, 401, 401, 401, 401]);
		for (const name of ["bob", "Ｂob", "bo\u200bb", "bob\u3000"]) {
			const locked = await tryDirectory(guarded, name, "bob-pw");
			expect([locked.status, Number(locked.headers.get("retry-after")) > 200]).toEqual([429, true]);
		}
	});

	test("T163: counts all names of an entry as one", async () => {
		expect(
			await fail(["alice", "alice@example.com", "ALICE", "alice.second@example.com", "Alice@Example.com"]),
		).toEqual([401, 401, 401, 401, 401]);
		for (const name of ["alice", "alice@example.com", "alice.second@example.com"]) {
			expect(await directoryStatus(guarded, name, "alice-pw")).toBe(429);
		}
	});

	test("treats names that nobody has alike", async () => {
		const names = Array.from({ length: 5 }, () => "nobody-at-all");
		expect(await fail(names)).toEqual([401, 401, 401, 401, 401]);
		expect(await directoryStatus(guarded, "Nobody-At-All", "wrong")).toBe(429);
	});

	test("checks no more than five of many guesses at once", async () => {
		const before = slapd.log.length;
		const guesses = Array.from({ length: 30 }, (_, number) => directoryStatus(guarded, "nogroup", `guess-${number}`));
		const statuses = await Promise.all(guesses);
		expect(statuses.filter((status) => status === 401)).toHaveLength(5);
		expect(statuses.filter((status) => status === 429)).toHaveLength(25);
		await expect.poll(() => slapd.log.slice(before).match(/BIND dn="uid=nogroup/g)).toHaveLength(5);
	});

	test("starts anew after a success, and has nothing to do with local accounts", async () => {
		for (let round = 1; round <= 2; round++) {
			expect(await fail(["dup1@example.com", "dup1@example.com", "dup1@example.com", "dup1@example.com"])).toEqual([
				401, 401, 401, 401,
			]);
			expect(await directoryStatus(guarded, "dup1@example.com", "dup1-pw")).toBe(204);
		}
		const email = "admin@localhost";
		await fail([email, email, email, email, email]);
		expect((await new Client(guarded).send("POST", "/auth/login", { email, password: "admin" })).status).toBe(204);
	});
});

describe("accounts", () => {
	test("T183: with sign-up off only who was created before comes in, by the email", async () => {
		await using closed = await startWithAuth({
			...slapd.settings,
			SERVICE_LDAP_GROUP_ROLE_MAPPINGS: EVERYBODY,
			SERVICE_LDAP_ALLOW_SIGN_UP: "false",
		});
		const user = { auth_method: "LDAP", email: "bob@example.com", username: "whatever", role: "MEMBER" };
		const { id } = await asAdmin(closed).data("POST", "/v1/users", { user, send_welcome_email: false });
		expect(await logInWithDirectory(closed, "bob", "bob-pw")).toMatchObject({
			id,
			username: "whatever",
			role: "VIEWER",
		});
		expect(await directoryStatus(closed, "alice", "alice-pw")).toBe(401);
		expect(await directoryStatus(closed, "nogroup", "nogroup-pw")).toBe(401);
		expect((await listUsers(closed)).filter(({ auth_method }) => auth_method === "LDAP")).toHaveLength(1);
	});

	test("T171: an email that somebody else had opens nothing", async () => {
		await using directory = await startSlapd();
		await using other = await startWithAuth({
			...directory.settings,
			SERVICE_LDAP_ATTR_UNIQUE_ID: "entryUUID",
			SERVICE_LDAP_GROUP_ROLE_MAPPINGS: EVERYBODY,
		});
		const bob = await logInWithDirectory(other, "bob", "bob-pw");
		await directory.modify("dn: uid=bob,ou=users,dc=example,dc=com\nchangetype: delete\n");
		await directory.add(
			"dn: uid=bob,ou=users,dc=example,dc=com\nobjectClass: inetOrgPerson\nuid: bob\ncn: Bob\nsn: Bob\nmail: bob@example.com\nuserPassword: new-pw\n",
		);
		expect(await directoryStatus(other, "bob", "new-pw")).toBe(401);
		expect((await listUsers(other)).filter(({ email }) => email === "bob@example.com")).toMatchObject([{ id: bob.id }]);
	});

	test("keeps the account of who gets another email, where they are known by an identifier", async () => {
		await using directory = await startSlapd();
		await using other = await startWithAuth({
			...directory.settings,
			SERVICE_LDAP_ATTR_UNIQUE_ID: "entryUUID",
			SERVICE_LDAP_GROUP_ROLE_MAPPINGS: EVERYBODY,
		});
		const before = await logInWithDirectory(other, "bob", "bob-pw");
		await directory.modify(
			"dn: uid=bob,ou=users,dc=example,dc=com\nchangetype: modify\nreplace: mail\nmail: robert@example.com\n",
		);
		expect(await logInWithDirectory(other, "bob", "bob-pw")).toMatchObject({
			id: before.id,
			email: "robert@example.com",
		});
	});

	test("T173: sixteen characters are an identifier of sixteen characters", async () => {
		await using other = await startWithAuth({
			...slapd.settings,
			SERVICE_LDAP_ATTR_UNIQUE_ID: "employeeNumber",
			SERVICE_LDAP_GROUP_ROLE_MAPPINGS: EVERYBODY,
		});
		await slapd.modify(
			"dn: uid=bob,ou=users,dc=example,dc=com\nchangetype: modify\nreplace: employeeNumber\nemployeeNumber: EMP-000000000042\n",
		);
		expect(await logInWithDirectory(other, "bob", "bob-pw")).toMatchObject({ ldap_unique_id: "emp-000000000042" });
		expect(await directoryStatus(other, "alice", "alice-pw")).toBe(401);
	});

	test("have one of several emails: the first, and then the one that they already have", async () => {
		await using directory = await startSlapd();
		await using byEmail = await startWithAuth({ ...directory.settings, SERVICE_LDAP_ATTR_EMAIL: "MAIL" });
		await using byId = await startWithAuth({ ...directory.settings, SERVICE_LDAP_ATTR_UNIQUE_ID: "ENTRYuuid" });
		for (const other of [byEmail, byId]) {
			expect(await logInWithDirectory(other, "alice", "alice-pw")).toMatchObject({ email: "alice@example.com" });
		}
		await directory.modify(
			"dn: uid=alice,ou=users,dc=example,dc=com\nchangetype: modify\nreplace: mail\nmail: new@example.com\nmail: alice@example.com\n",
		);
		expect(await logInWithDirectory(byId, "alice", "alice-pw")).toMatchObject({ email: "alice@example.com" });
		// Without an identifier somebody with another email is somebody else.
		expect(await logInWithDirectory(byEmail, "alice", "alice-pw")).toMatchObject({ email: "new@example.com" });
		expect((await listUsers(byEmail)).filter(({ auth_method }) => auth_method === "LDAP")).toHaveLength(2);
	});

	test("may have no email at all, where that is set so", async () => {
		await using other = await startWithAuth({
			...slapd.settings,
			SERVICE_LDAP_ATTR_EMAIL: "null",
			SERVICE_LDAP_ATTR_UNIQUE_ID: "entryUUID",
			SERVICE_LDAP_GROUP_ROLE_MAPPINGS: EVERYBODY,
		});
		const nobody = await logInWithDirectory(other, "nomail", "nomail-pw");
		expect(nobody).toMatchObject({ email: "", username: "nomail", auth_method: "LDAP" });
		expect((await logInWithDirectory(other, "nomail", "nomail-pw")).id).toBe(nobody.id);
		expect(await logInWithDirectory(other, "alice", "alice-pw")).toMatchObject({ email: "" });
	});
});
