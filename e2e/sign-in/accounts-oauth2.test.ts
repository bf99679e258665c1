import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { asAdmin, type Client, createAccount, createUserKey, logIn, startWithAuth } from "../access/accounts.ts";
import { requestLink, tryLogIn } from "../access/password-mails.ts";
import { MailSink } from "../mail-sink.ts";
import type { TestServer } from "../server.ts";
import { HostileProvider, signInWith } from "./hostile-provider.ts";

/** Settings of the first provider under several names, each with rules of its own. */
const RULES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	ACME: {},
	SHUT: { ALLOW_SIGN_UP: "false" },
	GROUPED: { GROUPS_ATTRIBUTE_PATH: "groups", ALLOWED_GROUPS: "dev, ops" },
	SYNCED: { ROLE_ATTRIBUTE_PATH: "role", ROLE_MAPPING: "Owner:ADMIN,Dev:member" },
	KEPT: { ROLE_ATTRIBUTE_PATH: "role", ROLE_MAPPING: "Owner:ADMIN,Dev:member", ROLE_RESYNC: "false" },
	DIRECT: { ROLE_ATTRIBUTE_PATH: "role" },
	STRICT: { ROLE_ATTRIBUTE_PATH: "role", ROLE_ATTRIBUTE_STRICT: "true" },
	STRICT_KEPT: { ROLE_ATTRIBUTE_PATH: "role", ROLE_ATTRIBUTE_STRICT: "true", ROLE_RESYNC: "false" },
	FIXED: { ROLE_ATTRIBUTE_PATH: "'MEMBER'" },
	UNKNOWN: { ROLE_ATTRIBUTE_PATH: "to_role(role)" },
	DEEP: { ROLE_ATTRIBUTE_PATH: "role[0][0]" },
	PROTO: { ROLE_ATTRIBUTE_PATH: "__proto__.polluted" },
};

let sink: MailSink;
let acme: HostileProvider;
/** Another issuer, which knows us by the same client id. */
let other: HostileProvider;
let server: TestServer;

beforeAll(async () => {
	sink = await MailSink.start();
	acme = await HostileProvider.start();
	other = await HostileProvider.start();
	server = await startWithAuth({ ...sink.env, ...settingsOf(acme, RULES), ...settingsOf(other, { OTHER: {} }) });
});
afterAll(async () => {
	await server[Symbol.asyncDispose]();
	for (const provider of [acme, other]) await provider[Symbol.asyncDispose]();
	await sink[Symbol.asyncDispose]();
});
beforeEach(() => {
	acme.behaviour = {};
	other.behaviour = {};
});

function settingsOf(provider: HostileProvider, rules: typeof RULES): Record<string, string> {
	return Object.fromEntries(
		Object.entries(rules).flatMap(([idp, settings]) => [
			...Object.entries(provider.settings(idp)),
			...Object.entries(settings).map(([suffix, value]) => [`SERVICE_OAUTH2_${idp}_${suffix}`, value] as const),
		]),
	);
}

let people = 0;
/** Claims of somebody whom nobody knows yet. */
function somebody(claims: Readonly<Record<string, unknown>> = {}) {
	const name = `Person${++people}`;
	return { sub: `sub-${people}`, email: `${name.toLowerCase()}@example.com`, name, email_verified: true, ...claims };
}

/** What became of a log-in: the client that has a session, or the code that the log-in page is told. */
async function signIn(
	idp: string,
	claims: Readonly<Record<string, unknown>>,
	on = server,
): Promise<{ readonly client: Client; readonly error: string | undefined }> {
	const provider = idp === "OTHER" ? other : acme;
	provider.behaviour = { ...provider.behaviour, claims };
	const { response, client } = await signInWith(on, provider, { idp: idp.toLowerCase() });
	const [path, query] = (response.headers.get("location") ?? "").split("?");
	const error = new URLSearchParams(query).get("error") ?? undefined;
	expect([302, path]).toEqual([response.status, error === undefined ? "/" : expect.stringMatching(/log(in|out)$/)]);
	if (error !== undefined) expect((await client.send("GET", "/v1/user")).status).toBe(401);
	return { client, error };
}

/** Who has logged in, as the REST API says. */
async function user(idp: string, claims: Readonly<Record<string, unknown>>) {
	const { client, error } = await signIn(idp, claims);
	if (error !== undefined) throw new Error(`the log-in was refused: ${error}\n${server.output}`);
	return await client.data("GET", "/v1/user");
}

async function users() {
	return await asAdmin(server).data("GET", "/v1/users?limit=1000");
}

async function create(claims: ReturnType<typeof somebody>, fields: object = {}) {
	const { email, name: username } = claims;
	const account = { auth_method: "OAUTH2", email, username, role: "MEMBER", ...fields };
	return await asAdmin(server).data("POST", "/v1/users", { user: account, send_welcome_email: false });
}

/** Calls with a refusal, after which every account is as it was. */
async function refusalOf(idp: string, claims: Readonly<Record<string, unknown>>): Promise<string | undefined> {
	const before = await users();
	const { error } = await signIn(idp, claims);
	expect(await users()).toEqual(before);
	return error;
}

describe("T140: the email of a user with a password", () => {
	test.for([
		["ACME", "email_in_use"],
		["SHUT", "sign_in_not_allowed"],
	] as const)("is refused by %s as %s, and the account stays as it is", async ([idp, code]) => {
		const { email, password } = await createAccount(server, "MEMBER");
		expect(await refusalOf(idp, somebody({ email: email.toUpperCase() }))).toBe(code);
		expect(await tryLogIn(server, email, password)).toBe(204);
	});

	test.for(["admin@localhost", " ADMIN@LOCALHOST", "system@localhost"])("%j is nobody's", async (email) => {
		expect(await refusalOf("ACME", somebody({ email }))).toBe("email_in_use");
	});

	test("an unknown email is refused where nobody is signed up", async () => {
		expect(await refusalOf("SHUT", somebody())).toBe("sign_in_not_allowed");
	});
});

describe("T141: an account that is bound", () => {
	test("is not given to another provider with its email, and its owner still gets in", async () => {
		const owner = somebody();
		await create(owner);
		const { id } = await user("SHUT", owner);
		for (const email_verified of [true, false, undefined]) {
			const taker = { ...owner, sub: "somebody-else", email_verified };
			expect(await refusalOf("OTHER", taker)).toBe("email_in_use");
			expect(await refusalOf("SHUT", taker)).toBe("sign_in_not_allowed");
		}
		expect(await user("SHUT", owner)).toMatchObject({ id, oauth2_provider: "shut", oauth2_user_id: owner.sub });
	});

	test.for([
		["ACME", "email_in_use"],
		["SHUT", "sign_in_not_allowed"],
	] as const)("is not made of one that waits by an unverified email of %s", async ([idp, code]) => {
		const owner = somebody();
		const { id } = await create(owner, { role: "ADMIN" });
		for (const email_verified of [false, "false"]) {
			expect(await refusalOf(idp, { ...owner, email_verified })).toBe(code);
		}
		const { email_verified: _, ...untold } = owner;
		expect(await user(idp, { ...untold, email_verified: undefined })).toMatchObject({
			id,
			role: "ADMIN",
			is_bound: true,
			username: owner.name,
		});
	});

	test("may be freed by an admin, for the next with the email", async () => {
		const owner = somebody();
		const { client } = await signIn("ACME", owner);
		const { id } = await client.data("GET", "/v1/user");
		const freed = await asAdmin(server).data("DELETE", `/v1/users/${id}/binding`);
		expect(freed).toMatchObject({ id, is_bound: false });
		expect((await client.send("GET", "/v1/user")).status).toBe(401);
		expect((await asAdmin(server).send("DELETE", `/v1/users/${id}/binding`)).status).toBe(409);
		expect(await user("OTHER", { ...owner, sub: "of-the-other" })).toMatchObject({ id, oauth2_provider: "other" });
		expect(await refusalOf("ACME", owner)).toBe("email_in_use");
	});

	test("for a client id or user id is not bound by another one", async () => {
		const one = somebody();
		await create(one, { oauth2_client_id: "another-client" });
		expect(await refusalOf("ACME", one)).toBe("email_in_use");
		const two = somebody();
		await create(two, { oauth2_client_id: acme.clientId, oauth2_user_id: "another-sub" });
		expect(await refusalOf("SHUT", two)).toBe("sign_in_not_allowed");
		const three = somebody();
		const { id } = await create(three, { oauth2_client_id: acme.clientId, oauth2_user_id: three.sub });
		expect(await user("SHUT", three)).toMatchObject({ id });
	});
});

test("T143: one sub at two issuers with one client id is two people", async () => {
	const one = somebody();
	const two = somebody({ sub: one.sub });
	const first = await user("ACME", one);
	const second = await user("OTHER", two);
	expect(second.id).not.toBe(first.id);
	expect((await user("ACME", one)).id).toBe(first.id);
	expect((await user("OTHER", two)).id).toBe(second.id);
});

describe("T144: an email that has changed", () => {
	test("to a free one is taken over; the old one is nobody's then", async () => {
		const person = somebody();
		const { id } = await user("ACME", person);
		const email = `new-${person.email}`;
		expect(await user("ACME", { ...person, email })).toMatchObject({ id, email, username: person.name });
		expect((await users()).map((one: { email: string }) => one.email)).not.toContain(person.email);
	});

	test("to a taken one lets in with the old one, and the log says so without it", async () => {
		const { email: taken } = await createAccount(server, "VIEWER");
		const person = somebody();
		const { id } = await user("ACME", person);
		expect(await user("ACME", { ...person, email: taken })).toMatchObject({ id, email: person.email });
		expect(server.output).not.toContain(taken);
		const told = server.output.split("\n").find((line) => line.includes(id) && line.includes("keeps its email"));
		expect(JSON.parse(told ?? "{}")).toMatchObject({ level: 40, provider: "acme", step: "email" });
	});

	test("to an unverified one is left alone", async () => {
		const person = somebody();
		const { id } = await user("ACME", person);
		const changed = { ...person, email: `new-${person.email}`, email_verified: false };
		expect(await user("ACME", changed)).toMatchObject({ id, email: person.email });
	});
});

describe("T145: an email", () => {
	test("is one in any case and with spaces around it", async () => {
		const person = somebody();
		const { id, email } = await user("ACME", { ...person, email: `  ${person.email.toUpperCase()}\t` });
		expect(email).toBe(person.email);
		expect((await user("ACME", person)).id).toBe(id);
	});

	test.for([
		["ADMİN.OF.MAİL", "a dotted capital i"],
		["admın.of.mail", "an i without a dot"],
		["аdmin.of.mail", "a Cyrillic a"],
		["ａdmin.of.mail", "a wide a"],
		["admi\u0301n.of.mail", "an i with an accent of its own"],
	] as const)("that looks like another is another: %s, %s", async ([lookalike]) => {
		const owner = somebody({ email: `admin.of.mail.${people}@example.com` });
		const { id } = await create(owner, { role: "ADMIN" });
		const email = owner.email.replace("admin.of.mail", lookalike);
		expect(await refusalOf("SHUT", somebody({ email }))).toBe("sign_in_not_allowed");
		const other = await user("ACME", somebody({ email }));
		expect(other.id).not.toBe(id);
		expect(other.email).not.toBe(owner.email);
		expect(await user("SHUT", owner)).toMatchObject({ id, role: "ADMIN" });
	});

	test("that is another's only by folding is none", async () => {
		const person = somebody({ email: "kim@example.com" });
		await create(person);
		for (const idp of ["ACME", "SHUT"]) {
			expect(await refusalOf(idp, somebody({ email: "\u212aim@example.com" }))).toBe("missing_email_scope");
		}
	});

	test.for([undefined, "", "nobody", 7, ["a@example.com"], { a: 1 }])("cannot be %j", async (email) => {
		acme.behaviour = { userinfo: { email: undefined } };
		expect(await refusalOf("ACME", somebody({ email }))).toBe("missing_email_scope");
	});
});

describe("T146: the name of a new user", () => {
	test("gets a number where it is taken", async () => {
		const { username } = await createAccount(server, "MEMBER");
		const similar = await user("ACME", somebody({ name: username.toUpperCase() }));
		expect(similar.username).toMatch(new RegExp(`^${username.toUpperCase()}-\\d{5}$`));
	});

	test("is the local part of the email where there is none", async () => {
		for (const name of [undefined, "", "\u202e", 5]) {
			const person = somebody({ name });
			expect((await user("ACME", person)).username).toBe(person.email.split("@")[0]);
		}
	});

	test("is cut, and has no control or direction characters", async () => {
		expect((await user("ACME", somebody({ name: "x".repeat(10_240) }))).username).toBe("x".repeat(128));
		const { username } = await user("ACME", somebody({ name: "Eve\u202e\u0000\r\n <img src=x>\u0007" }));
		expect(username).toBe("Eve <img src=x>");
	});
});

describe("T147: the role", () => {
	const roleOf = async (idp: string, claims: object) => (await user(idp, { ...claims })).role;

	test("of new users is VIEWER without a setting, whatever the claims say; that of others stays", async () => {
		const person = somebody({ role: "ADMIN", roles: ["ADMIN"] });
		const { id, role } = await user("ACME", person);
		expect(role).toBe("VIEWER");
		await asAdmin(server).data("PATCH", `/v1/users/${id}`, { role: "MEMBER" });
		expect(await roleOf("ACME", person)).toBe("MEMBER");
	});

	test("follows the provider at each log-in, also downwards and where it is told no more", async () => {
		const person = somebody();
		const roles = [];
		for (const role of ["Dev", "Owner", ["Dev", "Owner"], "owner", "Owner", undefined, "ADMIN"]) {
			roles.push(await roleOf("SYNCED", { ...person, role }));
		}
		expect(roles).toEqual(["MEMBER", "ADMIN", "MEMBER", "VIEWER", "ADMIN", "VIEWER", "VIEWER"]);
	});

	test("is given once and kept where it is not taken over", async () => {
		const person = somebody({ role: "Dev" });
		expect(await roleOf("KEPT", person)).toBe("MEMBER");
		for (const role of ["Owner", "Stranger", undefined])
			expect(await roleOf("KEPT", { ...person, role })).toBe("MEMBER");
		expect(await roleOf("KEPT", somebody({ role: "Stranger" }))).toBe("VIEWER");
	});

	test("is the name itself without a mapping, and never SYSTEM", async () => {
		const said = ["admin", " Member ", "VIEWER", "SYSTEM", "Owner", 1, true, ["member"], "admın"];
		const roles = [];
		for (const role of said) roles.push(await roleOf("DIRECT", somebody({ role })));
		expect(roles).toEqual(["ADMIN", "MEMBER", "VIEWER", "VIEWER", "VIEWER", "VIEWER", "VIEWER", "MEMBER", "VIEWER"]);
	});

	test("may be one for all", async () => {
		expect(await roleOf("FIXED", somebody())).toBe("MEMBER");
	});

	test("of other sessions and keys changes at once", async () => {
		const person = somebody({ role: "ADMIN" });
		const { client } = await signIn("DIRECT", person);
		const key = await createUserKey(client);
		const asKey = { authorization: `Bearer ${key}` };
		const status = async (headers: Record<string, string>) => (await server.fetch("/v1/users", { headers })).status;
		expect(await status(asKey)).toBe(200);
		expect((await client.send("GET", "/v1/users")).status).toBe(200);
		await signIn("DIRECT", { ...person, role: "VIEWER" });
		expect(await status(asKey)).toBe(403);
		expect((await client.send("GET", "/v1/users")).status).toBe(403);
	});

	test("is not taken from the only admin", async () => {
		await using alone = await startWithAuth({
			...settingsOf(acme, { DIRECT: RULES["DIRECT"] ?? {} }),
			SERVICE_DISABLE_BASIC_AUTH: "true",
		});
		const person = somebody({ role: "ADMIN" });
		expect((await signIn("DIRECT", person, alone)).error).toBeUndefined();
		const { client } = await signIn("DIRECT", { ...person, role: "VIEWER" }, alone);
		expect((await client.data("GET", "/v1/user")).role).toBe("ADMIN");
	});
});

describe("T148: who is denied", () => {
	test.for([
		["STRICT", { role: "Stranger" }],
		["STRICT", { role: undefined }],
		["STRICT", { role: "SYSTEM" }],
		["STRICT", { role: [] }],
		["GROUPED", { groups: ["other"] }],
		["GROUPED", { groups: "DEV" }],
		["GROUPED", { groups: { dev: true } }],
		["GROUPED", { groups: undefined }],
	] as const)("by %s with %j has no account and no session", async ([idp, claims]) => {
		expect(await refusalOf(idp, somebody(claims))).toBe("auth_failed");
	});

	test("though they have an account keeps it as it is", async () => {
		const person = somebody({ role: "ADMIN" });
		await user("STRICT", person);
		for (const idp of ["STRICT", "STRICT_KEPT"]) {
			expect(await refusalOf(idp, { ...person, role: "Stranger" })).toBe("auth_failed");
		}
	});

	test("is let in as soon as the provider says so", async () => {
		const person = somebody({ groups: ["other"] });
		expect(await refusalOf("GROUPED", person)).toBe("auth_failed");
		expect((await user("GROUPED", { ...person, groups: ["other", "ops"] })).role).toBe("VIEWER");
	});
});

describe("T149: a role expression", () => {
	test.for([
		["UNKNOWN", { role: "ADMIN" }],
		["DEEP", { role: nested(5_000) }],
		["DIRECT", { role: nested(5_000) }],
		["PROTO", { ["__proto__"]: { polluted: "ADMIN" } }],
		["PROTO", {}],
	] as const)("of %s that yields nothing makes a viewer", async ([idp, userinfo]) => {
		acme.behaviour = { userinfo };
		expect((await user(idp, somebody())).role).toBe("VIEWER");
	});
});

test("T150: two browsers that log in at once for the first time have one account", async () => {
	const person = somebody();
	acme.behaviour = { claims: person };
	const before = (await users()).length;
	const attempts = Array.from({ length: 6 }, () => signInWith(server, acme, { idp: "acme" }));
	const ids = await Promise.all((await Promise.all(attempts)).map(({ client }) => client.data("GET", "/v1/user")));
	expect(new Set(ids.map(({ id }) => id)).size).toBe(1);
	expect(await users()).toHaveLength(before + 1);
});

describe("a user of a provider", () => {
	test("who was deleted is new at the next log-in, with nothing of before", async () => {
		const person = somebody();
		const { client } = await signIn("ACME", person);
		const { id } = await client.data("GET", "/v1/user");
		await asAdmin(server).data("PATCH", `/v1/users/${id}`, { role: "ADMIN" });
		await asAdmin(server).send("DELETE", `/v1/users/${id}`);
		expect((await client.send("GET", "/v1/user")).status).toBe(401);
		expect(await refusalOf("SHUT", person)).toBe("sign_in_not_allowed");
		const again = await user("ACME", person);
		expect(again.id).not.toBe(id);
		expect(again.role).toBe("VIEWER");
	});

	test("T142: has no password: none logs in, none is set, no mail comes", async () => {
		const person = somebody();
		const { client } = await signIn("ACME", person);
		const { id } = await client.data("GET", "/v1/user");
		const waiting = somebody();
		await create(waiting);
		for (const email of [person.email, waiting.email]) {
			for (const password of ["", "admin", "null", "undefined", person.sub]) {
				expect(await tryLogIn(server, email, password)).toBe(401);
			}
			expect((await requestLink(server, email)).status).toBe(204);
		}
		const own = await client.send("PATCH", "/v1/user", { password: "new-Password1!", current_password: "" });
		expect(own.status).toBe(409);
		const given = await asAdmin(server).send("PATCH", `/v1/users/${id}`, { password: "new-Password1!" });
		expect(given.status).toBe(409);
		// A mail to somebody else comes after those that must not come.
		const { email } = await createAccount(server, "VIEWER");
		await requestLink(server, email);
		await sink.waitUntil("the mail to a user with a password", () => sink.mailsTo(email)[0]);
		expect(sink.mailsTo(person.email)).toEqual([]);
		expect(sink.mailsTo(waiting.email)).toEqual([]);
	});

	test("has the picture that the provider says, when a browser may be sent there", async () => {
		const person = somebody();
		const shown = async (picture: unknown) => (await user("ACME", { ...person, picture })).profile_picture_url;
		expect(await shown("https://acme.example/a.png")).toBe("https://acme.example/a.png");
		for (const picture of ["javascript:alert(1)", "http://acme.example/a.png", "data:text/html,x", 7, undefined]) {
			expect(await shown(picture)).toBeUndefined();
		}
	});
});

test("what happens is in the audit log, and who is refused with the code", async () => {
	const person = somebody({ role: "Dev" });
	const { id } = await user("SYNCED", person);
	await user("SYNCED", { ...person, role: "Owner" });
	await signIn("STRICT", somebody({ role: "Stranger" }));
	const events = await asAdmin(server).data("GET", "/v1/audit_events?limit=5");
	const told = events.map((event: Record<string, unknown>) => [
		event["action"],
		event["outcome"],
		event["code"] ?? null,
	]);
	expect(told).toEqual([
		["login", "failure", "auth_failed"],
		["login", "success", null],
		["user.update", "success", null],
		["login", "success", null],
		["user.create", "success", null],
	]);
	expect(JSON.stringify(events[0])).not.toContain("Stranger");
	expect(JSON.stringify(events[4])).toContain(id);
});

test("the log names the settings to change, and neither people nor secrets", async () => {
	const person = somebody({ groups: ["secret-group"], role: "secret-role" });
	await signIn("GROUPED", person);
	await signIn("STRICT", person);
	await signIn("SHUT", person);
	const { output } = server;
	for (const name of ["GROUPED_ALLOWED_GROUPS", "STRICT_ROLE_ATTRIBUTE_STRICT", "SHUT_ALLOW_SIGN_UP"]) {
		expect(output).toContain(`SERVICE_OAUTH2_${name}`);
	}
	for (const text of [person.email, person.sub, person.name, "secret-group", "secret-role", acme.clientSecret]) {
		expect(output.includes(text), `the log says ${text}`).toBe(false);
	}
});

describe("SERVICE_DISABLE_BASIC_AUTH", () => {
	test("leaves the provider as the only way in, for listed admins too", async () => {
		await using only = await startWithAuth({
			...settingsOf(acme, { ACME: {} }),
			SERVICE_ADMINS: "Lea Listed=lea@example.com",
			SERVICE_DISABLE_BASIC_AUTH: "true",
		});
		expect(await tryLogIn(only, "admin@localhost", "admin")).toBe(403);
		expect((await requestLink(only, "admin@localhost")).status).toBe(403);
		const { client } = await signIn("ACME", somebody({ email: "lea@example.com" }), only);
		expect(await client.data("GET", "/v1/user")).toMatchObject({
			role: "ADMIN",
			username: "Lea Listed",
			is_bound: true,
		});
		const local = { auth_method: "LOCAL", email: "l@example.com", username: "L", role: "MEMBER" };
		expect((await client.send("POST", "/v1/users", { user: local })).status).toBe(403);
		acme.behaviour = { claims: { ...somebody(), email: "admin@localhost" } };
		const { response } = await signInWith(only, acme, { idp: "acme" });
		expect(response.headers.get("location")).toBe("/logout?error=email_in_use");
	});

	test("ends the sessions of passwords at the start; keys and sessions of the provider go on", async () => {
		const settings = settingsOf(acme, { ACME: {} });
		await using first = await startWithAuth(settings);
		const { email, password } = await createAccount(first, "MEMBER");
		const local = await logIn(first, email, password);
		const key = await createUserKey(local);
		const { client } = await signIn("ACME", somebody(), first);
		await first.stop();
		await using second = await startWithAuth({ ...settings, SERVICE_DISABLE_BASIC_AUTH: "true" }, first.workingDir);
		const status = async (headers: Record<string, string>) => (await second.fetch("/v1/user", { headers })).status;
		const cookies = ({ cookies: kept }: Client) => [...kept].map(([name, value]) => `${name}=${value}`).join("; ");
		expect(await status({ cookie: cookies(local) })).toBe(401);
		expect(await status({ cookie: cookies(client) })).toBe(200);
		expect(await status({ authorization: `Bearer ${key}` })).toBe(200);
	});

	test("warns at the start when no account of an admin can log in", async () => {
		await using only = await startWithAuth({ ...settingsOf(acme, { ACME: {} }), SERVICE_DISABLE_BASIC_AUTH: "true" });
		expect(only.output).toContain("no admin can log in another way");
	});
});

test("sessions of a provider that was taken out of the settings end at the start", async () => {
	await using first = await startWithAuth({ ...settingsOf(acme, { ACME: {} }), ...settingsOf(other, { OTHER: {} }) });
	const { client } = await signIn("OTHER", somebody(), first);
	const refresh = [...client.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
	await first.stop();
	await using second = await startWithAuth(settingsOf(acme, { ACME: {} }), first.workingDir);
	expect((await second.fetch("/v1/user", { headers: { cookie: refresh } })).status).toBe(401);
	const refreshed = await second.fetch("/auth/refresh", { method: "POST", headers: { cookie: refresh } });
	expect(refreshed.status).toBe(401);
});

function nested(depth: number): unknown {
	let value: unknown = "ADMIN";
	for (let level = 0; level < depth; level++) value = [value];
	return value;
}
