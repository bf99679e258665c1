import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestServer, startServer, type TestServer } from "../server.ts";
import {
	asAdmin,
	Client,
	createAccount,
	createSystemKey,
	createUserKey,
	DEFAULT_ADMIN,
	logIn,
	logInAs,
	SECRET,
	startWithAuth,
} from "./accounts.ts";
import { runSql } from "./database-file.ts";

const SYSTEM_ID = userId(1);
const DEFAULT_ADMIN_ID = userId(2);

let server: TestServer;
let folder: string;
let serial = 0;
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "spanward-users-"));
	server = await startWithAuth();
});
afterAll(async () => {
	await server[Symbol.asyncDispose]();
	await rm(folder, { recursive: true, force: true });
});

function userId(number: number | string): string {
	return Buffer.from(`User:${number}`).toString("base64");
}

function newUser(overrides: Readonly<Record<string, unknown>> = {}) {
	serial++;
	return {
		auth_method: "LOCAL",
		email: `user-${serial}@example.com`,
		username: `User ${serial}`,
		role: "MEMBER",
		password: "first-password",
		...overrides,
	};
}

async function create(overrides: Readonly<Record<string, unknown>> = {}, client = asAdmin(server)): Promise<Response> {
	return await client.send("POST", "/v1/users", { user: newUser(overrides), send_welcome_email: false });
}

/** Status and text of an answer. */
async function told(answer: Response): Promise<[number, string]> {
	return [answer.status, await answer.text()];
}

test("the first start makes the system's account and the default admin", async () => {
	await using fresh = await startWithAuth();
	expect(runSql(fresh, "select id, username, email, role, password_due from users order by id")).toEqual([
		{ id: 1, username: "system", email: "system@localhost", role: "SYSTEM", password_due: 0 },
		{ id: 2, username: "admin", email: "admin@localhost", role: "ADMIN", password_due: 1 },
	]);
	const [admin, ...others] = await asAdmin(fresh).data("GET", "/v1/users");
	expect(others).toEqual([]);
	expect(admin).toMatchObject({ id: DEFAULT_ADMIN_ID, username: "admin", role: "ADMIN", password_needs_reset: true });
});

test("a user is created as told, with a canonical email and no password in any answer", async () => {
	const created = await create({ email: "  Ana.Maria@Example.COM ", username: "  Ana Maria ", role: "viewer" });
	expect(created.status).toBe(201);
	const { data } = await created.json();
	expect(data).toMatchObject({
		email: "ana.maria@example.com",
		username: "Ana Maria",
		role: "VIEWER",
		auth_method: "LOCAL",
		password_needs_reset: true,
	});
	expect(Object.keys(data).sort()).toEqual(
		["auth_method", "created_at", "email", "id", "password_needs_reset", "role", "updated_at", "username"].sort(),
	);
	const listed = await asAdmin(server).data("GET", "/v1/users?limit=1");
	expect(listed).toEqual([data]);
	expect((await logIn(server, "ANA.maria@example.com", "first-password")).cookies.size).toBe(2);
});

test("users are paged, newest first", async () => {
	for (let user = 1; user <= 3; user++) await create();
	const admin = asAdmin(server);
	const all = await admin.data("GET", "/v1/users?limit=1000");
	const paged = [];
	let cursor: string | null = "";
	while (cursor !== null) {
		const answer = await admin.send("GET", `/v1/users?limit=2&cursor=${encodeURIComponent(cursor)}`);
		const page = await answer.json();
		paged.push(...page.data);
		cursor = page.next_cursor;
	}
	expect(paged).toEqual(all);
	const numbers = all.map(({ id }: { id: string }) => Number(Buffer.from(id, "base64").toString().slice(5)));
	expect(numbers).toEqual([...numbers].sort((a, b) => b - a));
});

test("a name or an email that somebody has answers 409 and says which", async () => {
	await create({ email: "taken@example.com", username: "Taken" });
	const refusal = async (overrides: object) => told(await create(overrides as Record<string, unknown>));
	expect(await refusal({ email: " TAKEN@example.com" })).toEqual([409, "Email already exists"]);
	for (const username of ["Taken", "taken", " TAKEN ", "Ｔａｋｅｎ", "Tаken"]) {
		expect(await refusal({ username })).toEqual([409, "Username already exists"]);
	}
	expect(await refusal({ email: DEFAULT_ADMIN })).toEqual([409, "Email already exists"]);
	expect(await refusal({ email: "system@localhost" })).toEqual([409, "Email already exists"]);
	const answers = await Promise.all(
		Array.from({ length: 8 }, () => create({ email: "race@example.com", username: "Race" })),
	);
	expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
});

test("an account of another sign-in is made in advance, without a password", async () => {
	const oauth = await create({
		auth_method: "OAUTH2",
		email: "SSO@example.com",
		password: "",
		oauth2_client_id: "client",
		oauth2_user_id: "subject",
	});
	expect(oauth.status).toBe(201);
	expect((await oauth.json()).data).toMatchObject({
		auth_method: "OAUTH2",
		email: "sso@example.com",
		oauth2_client_id: "client",
		oauth2_user_id: "subject",
	});
	const ldap = await create({ auth_method: "LDAP", password: null });
	expect(ldap.status).toBe(201);
	const { data } = await ldap.json();
	expect(data).not.toHaveProperty("password_needs_reset");
	expect((await create({ auth_method: "LDAP", password: "some-password" })).status).toBe(422);
	expect((await create({ auth_method: "OAUTH2", password: null, email: null })).status).toBe(422);
	expect((await create({ auth_method: "LDAP", password: null, oauth2_user_id: "x" })).status).toBe(422);
	expect((await asAdmin(server).send("PATCH", `/v1/users/${data.id}`, { password: "abcdef" })).status).toBe(409);
	expect((await asAdmin(server).send("PATCH", `/v1/users/${data.id}`, { role: "ADMIN" })).status).toBe(200);
});

test("a local account without a password gets one that nobody knows", async () => {
	const created = await create({ password: undefined });
	expect(created.status).toBe(201);
	const { email } = (await created.json()).data;
	for (const password of ["undefined", "null", "password", "admin"]) {
		expect((await new Client(server).send("POST", "/auth/login", { email, password })).status).toBe(401);
	}
});

test.each(["SYSTEM", "system", "System"])("T076 the role %s is never assigned", async (role) => {
	expect((await create({ role })).status).toBe(400);
	const { id } = await createAccount(server, "MEMBER");
	expect((await asAdmin(server).send("PATCH", `/v1/users/${id}`, { role })).status).toBe(400);
	const listed = await asAdmin(server).data("GET", "/v1/users?limit=1000");
	expect(listed.filter((user: { role: string }) => user.role === "SYSTEM")).toEqual([]);
});

test.each(["Admin ", "", "OWNER", "ADMİN", ["ADMIN"], { role: "ADMIN" }, null, 1, true])(
	"T076 %j is no role",
	async (role) => {
		expect((await create({ role })).status).toBe(422);
		const { id } = await createAccount(server, "MEMBER");
		expect((await asAdmin(server).send("PATCH", `/v1/users/${id}`, { role })).status).toBe(422);
		expect(await asAdmin(server).data("GET", "/v1/users?limit=1")).toMatchObject([{ id, role: "MEMBER" }]);
	},
);

test("T077 no route changes an email, nor anything else that is not named", async () => {
	const { id, email, password } = await createAccount(server, "ADMIN");
	const session = await logIn(server, email, password);
	const key = new Client(server, await createUserKey(session));
	const changes = [
		{ email: "other@example.com" },
		{ username: "Somebody", email: "other@example.com" },
		{ username: "Somebody", user: { email: "other@example.com" } },
		{ username: "Somebody", role: "VIEWER", id: DEFAULT_ADMIN_ID },
		{ username: "Somebody", auth_method: "OAUTH2" },
		{ username: "Somebody", password_needs_reset: false },
		{ username: "Somebody", created_at: "2020-01-01" },
		{},
	];
	for (const body of changes) {
		for (const client of [session, key]) expect((await client.send("PATCH", "/v1/user", body)).status).toBe(422);
	}
	const admin = asAdmin(server);
	const other = { email: "other@example.com" };
	for (const body of [
		other,
		{ ...other, role: "ADMIN" },
		{ auth_method: "LDAP" },
		{ id: SYSTEM_ID, role: "ADMIN" },
		{},
	]) {
		expect((await admin.send("PATCH", `/v1/users/${id}`, body)).status).toBe(422);
	}
	for (const method of ["PUT", "POST"]) {
		expect((await admin.send(method, `/v1/users/${id}`, other)).status).toBe(405);
		expect((await session.send(method, "/v1/user", other)).status).toBe(405);
	}
	expect(await session.data("GET", "/v1/user")).toMatchObject({ id, email, role: "ADMIN" });
});

test("T077 a role or a password in one's own change is refused or needs the current one", async () => {
	const viewer = await logInAs(server, "VIEWER");
	expect((await viewer.send("PATCH", "/v1/user", { role: "ADMIN" })).status).toBe(422);
	expect((await viewer.send("PATCH", "/v1/user", { username: "x", role: "ADMIN" })).status).toBe(422);
	expect((await viewer.send("PATCH", "/v1/user", { password: "another-one" })).status).toBe(422);
	expect((await viewer.send("PATCH", "/v1/user", { password: "another-one", current_password: "" })).status).toBe(403);
	// It is never checked without a new one, so it does not pass for checked either.
	expect((await viewer.send("PATCH", "/v1/user", { current_password: "any" })).status).toBe(422);
	expect(await viewer.data("GET", "/v1/user")).toMatchObject({ role: "VIEWER" });
});

test("everybody changes their own name, with a session or a key", async () => {
	const viewer = await logInAs(server, "VIEWER");
	expect(await viewer.data("PATCH", "/v1/user", { username: " My name " })).toMatchObject({ username: "My name" });
	expect(await viewer.data("PATCH", "/v1/user", { username: "MY NAME" })).toMatchObject({ username: "MY NAME" });
	const key = new Client(server, await createUserKey(viewer));
	expect(await key.data("PATCH", "/v1/user", { username: "By key" })).toMatchObject({ username: "By key" });
	expect(await viewer.data("GET", "/v1/user")).toMatchObject({ username: "By key", credential: "session" });
	expect(await key.data("GET", "/v1/user")).toMatchObject({ username: "By key", credential: "user_key" });
	expect((await viewer.send("PATCH", "/v1/user", { username: "ADMIN" })).status).toBe(409);
});

test("the system has no account to change", async () => {
	const systemKey = new Client(server, await createSystemKey(server));
	for (const client of [asAdmin(server), systemKey]) {
		expect((await client.send("PATCH", "/v1/user", { username: "root" })).status).toBe(403);
		expect((await client.send("GET", "/v1/user")).status).toBe(200);
	}
	expect(await systemKey.data("GET", "/v1/user")).toMatchObject({ role: "SYSTEM", credential: "system_key" });
	expect(await asAdmin(server).data("GET", "/v1/user")).toMatchObject({ role: "SYSTEM", credential: "admin_secret" });
	for (const body of [{ username: "root" }, { role: "ADMIN" }, { password: "abcdef" }]) {
		expect((await asAdmin(server).send("PATCH", `/v1/users/${SYSTEM_ID}`, body)).status).toBe(403);
	}
	expect((await asAdmin(server).send("DELETE", `/v1/users/${SYSTEM_ID}`)).status).toBe(403);
});

test("an admin's key names users, but gives no roles and no passwords", async () => {
	const admin = await logInAs(server, "ADMIN");
	const key = new Client(server, await createUserKey(admin));
	const { id } = await createAccount(server, "VIEWER");
	expect((await key.send("PATCH", `/v1/users/${id}`, { role: "ADMIN" })).status).toBe(403);
	expect((await key.send("PATCH", `/v1/users/${id}`, { password: "abcdef" })).status).toBe(403);
	expect((await key.send("PATCH", `/v1/users/${id}`, { username: `By key ${id}` })).status).toBe(200);
	expect((await admin.send("PATCH", `/v1/users/${id}`, { role: "MEMBER" })).status).toBe(200);
});

test("nobody changes or deletes their own account as an admin", async () => {
	const account = await createAccount(server, "ADMIN");
	const session = await logIn(server, account.email, account.password);
	const key = new Client(server, await createUserKey(session));
	for (const client of [session, key]) {
		expect((await client.send("PATCH", `/v1/users/${account.id}`, { username: "Me" })).status).toBe(403);
		expect((await client.send("DELETE", `/v1/users/${account.id}`)).status).toBe(403);
	}
	for (const body of [{ role: "VIEWER" }, { password: "no-current-one" }]) {
		expect((await session.send("PATCH", `/v1/users/${account.id}`, body)).status).toBe(403);
	}
	expect((await session.send("GET", "/v1/users")).status).toBe(200);
});

test("the default admin keeps the role and stays", async () => {
	const admin = await logInAs(server, "ADMIN");
	for (const client of [admin, asAdmin(server)]) {
		expect((await client.send("DELETE", `/v1/users/${DEFAULT_ADMIN_ID}`)).status).toBe(403);
		expect((await client.send("PATCH", `/v1/users/${DEFAULT_ADMIN_ID}`, { role: "VIEWER" })).status).toBe(403);
	}
	expect((await admin.send("PATCH", `/v1/users/${DEFAULT_ADMIN_ID}`, { role: "ADMIN", username: "Root" })).status).toBe(
		200,
	);
	await admin.data("PATCH", `/v1/users/${DEFAULT_ADMIN_ID}`, { username: "admin" });
});

test("the last admin who can log in is neither deleted nor demoted", async () => {
	await using alone = await startWithAuth();
	const admin = asAdmin(alone);
	const one = await createAccount(alone, "ADMIN");
	// As if nobody knew the default admin's password; another admin has never had one, a third signs in elsewhere.
	runSql(alone, "update users set password_replaced = 0 where email = ?", DEFAULT_ADMIN);
	await create({ role: "ADMIN", password: undefined }, admin);
	await create({ role: "ADMIN", auth_method: "OAUTH2", password: undefined }, admin);
	const demoted = await admin.send("PATCH", `/v1/users/${one.id}`, { role: "MEMBER" });
	expect(await told(demoted)).toEqual([409, expect.stringContaining("last admin")]);
	expect((await admin.send("DELETE", `/v1/users/${one.id}`)).status).toBe(409);
	const other = await createAccount(alone, "ADMIN");
	const answers = await Promise.all([
		admin.send("DELETE", `/v1/users/${one.id}`),
		admin.send("PATCH", `/v1/users/${other.id}`, { role: "VIEWER" }),
	]);
	expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([expect.toBeOneOf([200, 204]), 409]);
});

test("T079 a user with sessions and keys is deleted, and what they made stays without an author", async () => {
	const { id, email, password } = await createAccount(server, "ADMIN");
	const session = await logIn(server, email, password);
	const key = new Client(server, await createUserKey(session));
	const systemKey = new Client(
		server,
		(await session.data("POST", "/v1/system/api_keys", { data: { name: "made" } })).key,
	);
	expect((await asAdmin(server).send("DELETE", `/v1/users/${id}`)).status).toBe(204);
	expect((await session.send("GET", "/v1/user")).status).toBe(401);
	expect((await key.send("GET", "/v1/projects")).status).toBe(401);
	expect((await systemKey.send("GET", "/v1/projects")).status).toBe(200);
	const number = Number(Buffer.from(id, "base64").toString().slice(5));
	expect(runSql(server, "select 1 from login_sessions where user_id = ?", number)).toEqual([]);
	expect(runSql(server, "select 1 from api_keys where user_id = ? or created_by = ?", number, number)).toEqual([]);
	expect((await asAdmin(server).send("DELETE", `/v1/users/${id}`)).status).toBe(404);
	// The number is not used again, and the name and address are free.
	const again = await create({ email });
	expect((await again.json()).data.id).not.toBe(id);
});

test.each([
	"1",
	"User:1",
	"2",
	Buffer.from("Project:3").toString("base64"),
	Buffer.from("UserApiKey:3").toString("base64"),
	userId("3 or 1=1"),
	userId(-3),
	userId("3.0"),
	"%00",
	"me",
])("T078 %s is no id of a user", async (id) => {
	const admin = asAdmin(server);
	expect([404, 422]).toContain((await admin.send("DELETE", `/v1/users/${encodeURIComponent(id)}`)).status);
	expect([404, 422]).toContain(
		(await admin.send("PATCH", `/v1/users/${encodeURIComponent(id)}`, { username: "x" })).status,
	);
});

test("T074 other users' emails are shown to admins only", async () => {
	const victim = await createAccount(server, "MEMBER");
	const secret = `hidden-${Date.now()}@example.com`;
	runSql(server, "update users set email = ? where email = ?", secret, victim.email);
	const clients = [await logInAs(server, "MEMBER"), await logInAs(server, "VIEWER")];
	clients.push(...(await Promise.all(clients.map(async (client) => new Client(server, await createUserKey(client))))));
	clients.push(new Client(server, await createSystemKey(server)), new Client(server));
	const requests = [
		["GET", "/v1/users"],
		["GET", `/v1/users?limit=1000&email=${secret}`],
		["GET", `/v1/users/${victim.id}`],
		["PATCH", `/v1/users/${victim.id}`, { username: "x" }],
		["DELETE", `/v1/users/${victim.id}`],
		["POST", "/v1/users", { user: newUser({ email: secret }) }],
		["GET", "/v1/users/api_keys"],
		["GET", "/v1/user"],
		["PATCH", "/v1/user", { email: secret }],
		["GET", "/v1/projects"],
		["GET", "/v1/audit_events"],
		["GET", "/openapi.json"],
	] as const;
	for (const client of clients) {
		for (const [method, path, body] of requests) {
			const answer = await client.send(method, path, body);
			const text = (await answer.text()).replace(/"input":"[^"]*"/g, "");
			expect(text, `${method} ${path}`).not.toContain(secret);
			if (path.startsWith("/v1/users")) expect([401, 403, 404, 405]).toContain(answer.status);
		}
	}
	expect(await (await asAdmin(server).send("GET", "/v1/users")).text()).toContain(secret);
});

test("a member or viewer is refused before the body and the id are looked at", async () => {
	for (const role of ["MEMBER", "VIEWER"] as const) {
		const client = await logInAs(server, role);
		const answers = await Promise.all([
			client.send("GET", "/v1/users"),
			client.send("POST", "/v1/users"),
			client.send("POST", "/v1/users", { user: "nonsense" }),
			client.send("PATCH", "/v1/users/nonsense", {}),
			client.send("DELETE", "/v1/users/nonsense"),
			client.send("DELETE", `/v1/users/${userId(999_999)}`),
		]);
		expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(403));
	}
	const admin = asAdmin(server);
	expect((await admin.send("POST", "/v1/users")).status).toBe(422);
	expect((await admin.send("DELETE", "/v1/users/nonsense")).status).toBe(422);
	expect((await admin.send("DELETE", `/v1/users/${userId(999_999)}`)).status).toBe(404);
});

test.each([
	"javascript:alert(1)",
	"JavaScript:alert(1)//https://example.com",
	"data:image/svg+xml,<svg onload=alert(1)>",
	"http://tracker.example.com/pixel.png",
	"//tracker.example.com/pixel.png",
	"https://user:password@example.com/a.png",
	`https://example.com/${"a".repeat(2_048)}`,
	"not a url",
])("T099 the profile picture %s is not shown", async (url) => {
	const { email, password } = await createAccount(server, "MEMBER");
	runSql(server, "update users set profile_picture_url = ? where email = ?", url, email);
	const session = await logIn(server, email, password);
	expect(await session.data("GET", "/v1/user")).not.toHaveProperty("profile_picture_url");
	const [listed] = await asAdmin(server).data("GET", "/v1/users?limit=1");
	expect(listed).toMatchObject({ email });
	expect(listed).not.toHaveProperty("profile_picture_url");
	runSql(server, "update users set profile_picture_url = ? where email = ?", "https://example.com/a.png", email);
	expect((await session.data("GET", "/v1/user")).profile_picture_url).toBe("https://example.com/a.png");
});

test.each([
	["a right-to-left override", "\u202enimda"],
	["an isolate", "a\u2066b"],
	["a zero-width space", "ad\u200bmin"],
	["a zero-width joiner", "ad\u200dmin"],
	["a soft hyphen", "ad\u00admin"],
	["a byte order mark", "\ufeffx\ufeffy"],
	["a line break", "a\nb"],
	["an escape sequence", "\u001b[31mred"],
	["NUL", "a\u0000b"],
	["half a surrogate pair", "a\ud800"],
	["nothing to see", "\u2800\u2800"],
	["nothing", "   "],
	["129 characters", "x".repeat(129)],
])("T101 a username with %s is refused", async (_, username) => {
	expect((await create({ username })).status).toBe(422);
	const viewer = await logInAs(server, "VIEWER");
	expect((await viewer.send("PATCH", "/v1/user", { username })).status).toBe(422);
});

test.each(["аdmin", "ADMIN", "ａｄｍｉｎ", "admın", "ⓐdmin", "𝐚dmin", "αdmin"])(
	"T101 %s is too much like admin",
	async (username) => {
		expect((await create({ username })).status).toBe(409);
	},
);

test.each(["Ольга", "田中太郎", "محمد", "O'Brien-Łukasiewicz", "<b>x</b>", "'; drop table users; --", "x".repeat(128)])(
	"T101 %s is a name",
	async (username) => {
		const created = await create({ username });
		expect(created.status).toBe(201);
		expect((await created.json()).data.username).toBe(username.normalize("NFC"));
	},
);

test.each([
	"x",
	"a@b",
	"a b@c.de",
	"a@b.de,c@d.de",
	'"a@x"@y.de',
	"<a@b.de>",
	"a@b.de\r\nbcc: x@y.de",
	"a@@b.de",
	"",
	null,
	["a@b.de"],
	{},
])("T114 %j is no email", async (email) => {
	expect((await create({ email })).status).toBe(422);
});

test("SERVICE_ADMINS makes admins once, who get in by a new password only, and leaves others as they are", async () => {
	const workingDir = join(folder, "admins");
	const list = "Ana=Ana@Example.com; Bo=b=bo@example.com ;Taken=new@example.com;admin=else@example.com";
	await using first = await startWithAuth({}, workingDir);
	await create({ email: "mine@example.com", username: "taken", role: "VIEWER" }, asAdmin(first));
	await first.stop();

	await using second = await startWithAuth(
		{ SERVICE_ADMINS: list, SERVICE_MANAGEMENT_URL: "https://manage.example.com/" },
		workingDir,
	);
	const users = async (on: TestServer) => {
		const all: { email: string; username: string; role: string }[] = await asAdmin(on).data("GET", "/v1/users");
		return all.map(({ email, username, role }) => `${username} ${email} ${role}`).sort();
	};
	const expected = [
		"Ana ana@example.com ADMIN",
		"Bo=b bo@example.com ADMIN",
		"admin admin@localhost ADMIN",
		"taken mine@example.com VIEWER",
	];
	expect(await users(second)).toEqual(expected);
	for (const password of ["", "admin", "Ana", "ana@example.com"]) {
		const answer = await new Client(second).send("POST", "/auth/login", { email: "ana@example.com", password });
		expect(answer.status).toBe(401);
	}

	const ana = (await asAdmin(second).data("GET", "/v1/users")).find(
		({ username }: { username: string }) => username === "Ana",
	);
	expect(ana).toMatchObject({ password_needs_reset: true });
	await asAdmin(second).data("PATCH", `/v1/users/${ana.id}`, { password: "from-the-admin", username: "Ana Two" });
	const session = await logIn(second, "ana@example.com", "from-the-admin");
	await session.data("PATCH", "/v1/user", { password: "her-own-one", current_password: "from-the-admin" });
	const listed = new Client(second, await createUserKey(session));
	for (const client of [session, listed]) {
		expect(await client.data("GET", "/v1/user")).toMatchObject({ management_url: "https://manage.example.com/" });
	}
	const admin = await logIn(second, DEFAULT_ADMIN, "admin");
	for (const client of [admin, asAdmin(second), await logInAs(second, "ADMIN")]) {
		expect(await client.data("GET", "/v1/user")).not.toHaveProperty("management_url");
	}
	await second.stop();

	await using third = await startWithAuth({ SERVICE_ADMINS: "Ana=ana@example.com" }, workingDir);
	const later = await users(third);
	expect(later).toContain("Ana Two ana@example.com ADMIN");
	expect(later).toContain("Bo=b bo@example.com ADMIN");
	expect(later.filter((user) => user.includes("ana@"))).toHaveLength(1);
	expect((await logIn(third, "ana@example.com", "her-own-one")).cookies.size).toBe(2);
});

test("without an admin the next start makes the default one again", async () => {
	await using first = await startWithAuth();
	await first.stop();
	runSql(first, "delete from users where role = 'ADMIN'");
	await first.start();
	expect(await asAdmin(first).data("GET", "/v1/users")).toMatchObject([{ email: DEFAULT_ADMIN, role: "ADMIN" }]);
	expect((await logIn(first, DEFAULT_ADMIN, "admin")).cookies.size).toBe(2);
	await first.stop();
	runSql(first, "update users set role = 'MEMBER' where role = 'ADMIN'");
	await first.start();
	expect(await asAdmin(first).data("GET", "/v1/users")).toMatchObject([{ email: DEFAULT_ADMIN, role: "ADMIN" }]);
});

test("while authentication is off users are listed, and writing them is validated, then refused", async () => {
	const workingDir = join(folder, "off");
	await using on = await startWithAuth({}, workingDir);
	const { id } = await createAccount(on, "MEMBER");
	await on.stop();
	await using off = await startServer({ workingDir });
	const anybody = new Client(off);
	expect(await anybody.data("GET", "/v1/user")).toEqual({ auth_method: "ANONYMOUS" });
	expect(await anybody.data("GET", "/v1/users")).toMatchObject([{ id }, { id: DEFAULT_ADMIN_ID }]);
	const refused = async (method: string, path: string, body?: unknown) =>
		(await anybody.send(method, path, body)).status;
	expect(await refused("POST", "/v1/users")).toBe(422);
	expect(await refused("POST", "/v1/users", { user: newUser() })).toBe(403);
	expect(await refused("DELETE", "/v1/users/nonsense")).toBe(422);
	expect(await refused("DELETE", `/v1/users/${userId(999)}`)).toBe(404);
	expect(await refused("DELETE", `/v1/users/${id}`)).toBe(403);
	expect(await refused("PATCH", `/v1/users/${id}`, { role: "ADMIN" })).toBe(403);
	expect(await refused("PATCH", `/v1/users/${id}`, { password: "planted-one" })).toBe(403);
	expect(await refused("PATCH", "/v1/user", { username: "x" })).toBe(403);
	expect(await refused("POST", "/auth/login", { email: DEFAULT_ADMIN, password: "admin" })).toBe(404);
	await off.stop();
	await on.start();
	expect(await asAdmin(on).data("GET", "/v1/users")).toMatchObject([{ id, role: "MEMBER" }, { id: DEFAULT_ADMIN_ID }]);
});

test("a server that never had authentication has no users", async () => {
	await using off = await startServer();
	expect(await new Client(off).data("GET", "/v1/users")).toEqual([]);
});

test("SERVICE_ADMINS that cannot be read stops the start", async () => {
	const env = { SERVICE_HOST: "127.0.0.1", SERVICE_ENABLE_AUTH: "true", SERVICE_SECRET: SECRET, SERVICE_ADMINS: "Ana" };
	await using wrong = await createTestServer({ env });
	const child = wrong.spawn();
	expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(78);
	expect(wrong.output).toContain("SERVICE_ADMINS");
});
