import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from "vitest";
import { asAdmin, Client, createUserKey, startWithAuth } from "../access/accounts.ts";
import { requestLink, tryLogIn } from "../access/password-mails.ts";
import { MailSink } from "../mail-sink.ts";
import { testWith } from "../peers/requirements.ts";
import { type Slapd, startSlapd } from "../peers/slapd.ts";
import type { TestServer } from "../server.ts";
import { directoryStatus, listUsers, logInWithDirectory } from "./directory-log-in.ts";

const test = testWith("slapd");
const BOB = "uid=bob,ou=users,dc=example,dc=com";
const ADMINS = "cn=admins,ou=groups,dc=example,dc=com";

let slapd: Slapd;
let sink: MailSink;
beforeAll(async () => {
	sink = await MailSink.start();
});
afterAll(() => sink[Symbol.asyncDispose]());
beforeEach(async () => {
	slapd = await startSlapd();
});
afterEach(() => slapd[Symbol.asyncDispose]());

async function start(settings: Readonly<Record<string, string>> = {}, workingDir?: string): Promise<TestServer> {
	const all = { ...slapd.settings, SERVICE_LDAP_ATTR_UNIQUE_ID: "entryUUID", ...settings };
	return await startWithAuth(all, workingDir);
}

/** Who has logged in, with their client. */
async function logIn(server: TestServer, username: string): Promise<Client> {
	const client = new Client(server);
	const response = await client.send("POST", "/auth/ldap/login", { username, password: `${username}-pw` });
	if (response.status !== 204) throw new Error(`log-in answered ${response.status}\n${server.output}`);
	return client;
}

async function create(server: TestServer, user: object) {
	const account = { role: "MEMBER", ...user };
	return await asAdmin(server).data("POST", "/v1/users", { user: account, send_welcome_email: false });
}

describe("an admin of the list", () => {
	const LISTED = { SERVICE_ADMINS: "Bobby=Bob@example.com;Carla=carla@example.com" };

	test("whose password nobody knows is the directory's from the first log-in there", async () => {
		await using server = await start({ ...sink.env, ...LISTED });
		const [listed] = (await listUsers(server)).filter(({ username }) => username === "Bobby");
		expect(listed).toMatchObject({ auth_method: "LOCAL", role: "ADMIN" });
		// A link that was asked for before dies with the password.
		expect((await requestLink(server, "bob@example.com")).status).toBe(204);
		const bob = await logInWithDirectory(server, "bob", "bob-pw");
		expect(bob).toMatchObject({ id: listed?.id, username: "Bobby", auth_method: "LDAP", role: "MEMBER" });
		const mail = await sink.waitUntil("the link", () =>
			sink.mailsTo("bob@example.com").find(({ html }) => html.includes("#token=")),
		);
		const token = /#token=([\w.-]+)/.exec(mail.text)?.[1];
		const reset = await new Client(server).send("POST", "/auth/password-reset", { token, password: "new-Password1!" });
		expect(reset.status).toBe(401);
		expect(await tryLogIn(server, "bob@example.com", "new-Password1!")).toBe(401);
	});

	test("who has chosen a password keeps it, and the directory opens nothing", async () => {
		await using server = await start(LISTED);
		const [listed] = (await listUsers(server)).filter(({ username }) => username === "Bobby");
		await asAdmin(server).data("PATCH", `/v1/users/${listed?.id}`, { password: "own-Password1!" });
		expect(await directoryStatus(server, "bob", "bob-pw")).toBe(401);
		expect(await tryLogIn(server, "bob@example.com", "own-Password1!")).toBe(204);
	});

	test("is created for the directory while passwords are off, and logs in with the role of a group", async () => {
		await using server = await start({ ...LISTED, SERVICE_DISABLE_BASIC_AUTH: "true" });
		const before = await listUsers(server);
		const methods = before.map(({ username, auth_method }) => [username, auth_method]);
		expect(methods).toContainEqual(["Bobby", "LDAP"]);
		expect(methods).toContainEqual(["Carla", "LDAP"]);
		expect(await tryLogIn(server, "admin@localhost", "admin")).toBe(403);
		// Nobody else who is an admin has logged in yet.
		const bob = { username: "Bobby", role: "ADMIN" };
		expect(await logInWithDirectory(server, "bob", "bob-pw")).toMatchObject(bob);
		expect(await logInWithDirectory(server, "alice", "alice-pw")).toMatchObject({ role: "ADMIN" });
		expect(await logInWithDirectory(server, "bob", "bob-pw")).toMatchObject({ ...bob, role: "MEMBER" });
		expect(await listUsers(server)).toHaveLength(before.length + 1);
	});
});

test("the role follows the groups at each log-in, in sessions and keys of before too", async () => {
	await using server = await start();
	const client = await logIn(server, "bob");
	const key = await createUserKey(client);
	await slapd.modify(`dn: ${ADMINS}\nchangetype: modify\nadd: member\nmember: ${BOB}\n`);
	expect((await client.send("GET", "/v1/users")).status).toBe(403);
	await logIn(server, "bob");
	expect((await client.send("GET", "/v1/users")).status).toBe(200);
	expect((await new Client(server, key).send("GET", "/v1/users")).status).toBe(200);
	// The only admin who can log in; and yet.
	await slapd.modify(`dn: ${ADMINS}\nchangetype: modify\ndelete: member\nmember: ${BOB}\n`);
	await logIn(server, "bob");
	expect((await client.send("GET", "/v1/users")).status).toBe(403);
	expect((await new Client(server, key).send("GET", "/v1/users")).status).toBe(403);
});

test("T144: an email that has changed to a taken one lets in with the old one", async () => {
	await using server = await start();
	const { id } = await logInWithDirectory(server, "bob", "bob-pw");
	await create(server, { auth_method: "OAUTH2", email: "alice@example.com", username: "Al" });
	for (const mail of ["alice@example.com", "admin@localhost"]) {
		await slapd.modify(`dn: ${BOB}\nchangetype: modify\nreplace: mail\nmail: ${mail}\n`);
		expect(await logInWithDirectory(server, "bob", "bob-pw")).toMatchObject({ id, email: "bob@example.com" });
	}
});

test("T150: log-ins at once for the first time make one account", async () => {
	await using server = await start();
	const ids = await Promise.all(
		Array.from({ length: 4 }, async () => (await (await logIn(server, "bob")).data("GET", "/v1/user")).id),
	);
	expect(new Set(ids).size).toBe(1);
	expect((await listUsers(server)).filter(({ email }) => email === "bob@example.com")).toHaveLength(1);
});

test("T172: the email of a user of another method opens nothing, and leaves the account as it is", async () => {
	await using server = await start();
	const ids = { oauth2_client_id: "some-client", oauth2_user_id: "some-sub" };
	await create(server, { auth_method: "OAUTH2", email: "bob@example.com", username: "Bob of the provider", ...ids });
	await create(server, {
		auth_method: "LOCAL",
		email: "alice@example.com",
		username: "Al",
		password: "first-Password1!",
	});
	const before = await listUsers(server);
	for (const name of ["bob", "alice", "victimmail"])
		expect(await directoryStatus(server, name, `${name}-pw`)).toBe(401);
	expect(await listUsers(server)).toEqual(before);
	expect(await tryLogIn(server, "alice@example.com", "first-Password1!")).toBe(204);
});

test("T142: a user of the directory has no password here: none logs in, none is set", async () => {
	await using server = await start(sink.env);
	const client = await logIn(server, "bob");
	const { id, email } = await client.data("GET", "/v1/user");
	for (const password of ["bob-pw", "", "null"]) expect(await tryLogIn(server, email, password)).toBe(401);
	expect((await requestLink(server, email)).status).toBe(204);
	expect(
		(await client.send("PATCH", "/v1/user", { password: "x-Password1!", current_password: "bob-pw" })).status,
	).toBe(409);
	expect((await asAdmin(server).send("PATCH", `/v1/users/${id}`, { password: "x-Password1!" })).status).toBe(409);
	// Recorded after the answer, which tells nothing.
	await expect
		.poll(async () => await asAdmin(server).data("GET", "/v1/audit_events?limit=1&action=password.reset_request"))
		.toMatchObject([{ outcome: "denied", code: "unknown_account" }]);
});

test("who was deleted is new at the next log-in, with a session of their own", async () => {
	await using server = await start();
	const client = await logIn(server, "bob");
	const { id } = await client.data("GET", "/v1/user");
	await asAdmin(server).send("DELETE", `/v1/users/${id}`);
	expect((await client.send("GET", "/v1/user")).status).toBe(401);
	expect((await logInWithDirectory(server, "bob", "bob-pw")).id).not.toBe(id);
});

test("a cleared binding gives the account to the next entry with its email", async () => {
	await using server = await start();
	const client = await logIn(server, "bob");
	const { id } = await client.data("GET", "/v1/user");
	await slapd.modify(`dn: ${BOB}\nchangetype: delete\n`);
	await slapd.add(
		`dn: ${BOB}\nobjectClass: inetOrgPerson\nuid: bob\ncn: Bob\nsn: B\nmail: bob@example.com\nuserPassword: bob-pw\n\ndn: ${ADMINS}\nchangetype: modify\nadd: member\nmember: ${BOB}\n`,
	);
	expect(await directoryStatus(server, "bob", "bob-pw")).toBe(401);
	expect(await asAdmin(server).data("DELETE", `/v1/users/${id}/binding`)).toMatchObject({ is_bound: false });
	expect((await client.send("GET", "/v1/user")).status).toBe(401);
	expect(await logInWithDirectory(server, "bob", "bob-pw")).toMatchObject({ id, is_bound: true });
});

test("sessions of the directory end at a start without it, and keys go on", async () => {
	await using first = await start();
	const client = await logIn(first, "bob");
	const key = await createUserKey(client);
	const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
	await first.stop();
	await using second = await startWithAuth({}, first.workingDir);
	const status = async (headers: Record<string, string>) => (await second.fetch("/v1/user", { headers })).status;
	expect(await status({ cookie })).toBe(401);
	expect(await status({ authorization: `Bearer ${key}` })).toBe(200);
	const refreshed = await second.fetch("/auth/refresh", { method: "POST", headers: { cookie } });
	expect(refreshed.status).toBe(401);
});
