import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MailSink } from "../mail-sink.ts";
import { createTestServer, type TestServer } from "../server.ts";
import {
	asAdmin,
	Client,
	createAccount,
	createUserKey,
	DEFAULT_ADMIN,
	logIn,
	SECRET,
	startWithAuth,
} from "./accounts.ts";
import { runSql } from "./database-file.ts";
import { requestToken, setPassword } from "./password-mails.ts";

let server: TestServer;
let strong: TestServer;
let folder: string;
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "spanward-passwords-"));
	[server, strong] = await Promise.all([
		startWithAuth(),
		startWithAuth({ SERVICE_ENABLE_STRONG_PASSWORD_POLICY: "true" }),
	]);
});
afterAll(async () => {
	await server[Symbol.asyncDispose]();
	await strong[Symbol.asyncDispose]();
	await rm(folder, { recursive: true, force: true });
});

async function logInStatus(on: TestServer, email: string, password: string): Promise<number> {
	return (await new Client(on).send("POST", "/auth/login", { email, password })).status;
}

/** An account with this password, which has to be replaced. */
async function createWith(on: TestServer, email: string, password: string): Promise<Response> {
	const user = { auth_method: "LOCAL", email, username: email, role: "MEMBER", password };
	return await asAdmin(on).send("POST", "/v1/users", { user, send_welcome_email: false });
}

/** Of "abcd", with less memory and fewer passes than ours. */
const WEAK_HASH = "$argon2id$v=19$m=1024,t=1,p=1$XgFXwlhoKEjQAAZ8ERuzUw$oxSMoVDxf3xgs0N5GDksEUm6ekx1AnCZta02HOrO2mk";

/** Each breaks one rule of the strong policy. */
const WEAK_PASSWORDS = [
	["Abcdefgh12!", "at least 12 characters"],
	["abcdefghi12!", "upper-case"],
	["ABCDEFGHI12!", "lower-case"],
	["Abcdefghijk!", "digit"],
	["Abcdefghij12", "!@#$%^&*()_+"],
	["Abcdefghi12-", "!@#$%^&*()_+"],
	["Password123!", "most common"],
] as const;

const DATA_ROUTES = [
	["GET", "/v1/projects"],
	["POST", "/v1/projects"],
	["GET", "/v1/projects/default/traces"],
	["GET", "/v1/users"],
	["POST", "/v1/users"],
	["POST", "/v1/user/api_keys"],
	["GET", "/v1/user/api_keys"],
	["GET", "/v1/system/api_keys"],
	["PUT", "/v1/secrets"],
] as const;

test("T015 a session that has to set a new password may do nothing else until it has", async () => {
	const session = await logIn(server, DEFAULT_ADMIN, "admin");
	for (const [method, path] of DATA_ROUTES) {
		const body = method === "GET" ? undefined : {};
		const answer = await session.send(method, path, body, { accept: "application/problem+json" });
		expect([answer.status, (await answer.json()).code], `${method} ${path}`).toEqual([403, "password_reset_required"]);
	}
	expect((await session.send("POST", "/v1/traces", {})).status).toBe(403);
	expect(await session.data("GET", "/v1/user")).toMatchObject({ email: DEFAULT_ADMIN, password_needs_reset: true });
	expect((await session.send("POST", "/auth/refresh")).status).toBe(204);
	expect((await session.send("GET", "/v1/projects")).status).toBe(403);

	const same = await session.send("PATCH", "/v1/user", { password: "admin", current_password: "admin" });
	expect(same.status).toBe(422);
	expect((await session.send("PATCH", "/v1/user", { username: "renamed" })).status).toBe(200);
	expect((await session.send("GET", "/v1/projects")).status).toBe(403);
	await session.data("PATCH", "/v1/user", { username: "admin", password: "changed-1", current_password: "admin" });
	expect(await session.data("GET", "/v1/user")).toMatchObject({ password_needs_reset: false });
	expect((await session.send("GET", "/v1/projects")).status).toBe(200);
	expect((await session.send("GET", "/v1/users")).status).toBe(200);
	expect(await logInStatus(server, DEFAULT_ADMIN, "admin")).toBe(401);
});

test("T015 SERVICE_ENFORCE_PASSWORD_RESET=false leaves the new password to the web app", async () => {
	await using lenient = await startWithAuth({ SERVICE_ENFORCE_PASSWORD_RESET: "false" });
	const session = await logIn(lenient, DEFAULT_ADMIN, "admin");
	expect((await session.send("GET", "/v1/projects")).status).toBe(200);
	expect(await session.data("GET", "/v1/user")).toMatchObject({ password_needs_reset: true });
});

test("a start warns while the default admin has the password that everybody knows", async () => {
	const warning = "admin@localhost still has the default password";
	await using fresh = await startWithAuth();
	expect(fresh.output).toContain(warning);
	const admin = await logIn(fresh, DEFAULT_ADMIN, "admin");
	await admin.data("PATCH", "/v1/user", { password: "another-Password1!", current_password: "admin" });
	await fresh.stop();
	const before = fresh.output.length;
	await fresh.start();
	expect(fresh.output.slice(before)).not.toContain(warning);
});

test("T016 the initial password counts at the first start only", async () => {
	const workingDir = join(folder, "initial");
	await using first = await startWithAuth({ SERVICE_DEFAULT_ADMIN_INITIAL_PASSWORD: "the-first-one" }, workingDir);
	expect(await logInStatus(first, DEFAULT_ADMIN, "admin")).toBe(401);
	expect(await logInStatus(first, DEFAULT_ADMIN, "the-first-one")).toBe(204);
	await first.stop();

	await using second = await startWithAuth({ SERVICE_DEFAULT_ADMIN_INITIAL_PASSWORD: "another-one" }, workingDir);
	expect(await logInStatus(second, DEFAULT_ADMIN, "another-one")).toBe(401);
	const session = await logIn(second, DEFAULT_ADMIN, "the-first-one");
	await session.data("PATCH", "/v1/user", { password: "my-own-one", current_password: "the-first-one" });
	await second.stop();

	await using third = await startWithAuth({ SERVICE_DEFAULT_ADMIN_INITIAL_PASSWORD: "a-third-one" }, workingDir);
	expect(await logInStatus(third, DEFAULT_ADMIN, "a-third-one")).toBe(401);
	expect(await logInStatus(third, DEFAULT_ADMIN, "the-first-one")).toBe(401);
	expect(await logInStatus(third, DEFAULT_ADMIN, "my-own-one")).toBe(204);
	expect(runSql(third, "select count(*) as users from users")).toEqual([{ users: 2 }]);
	expect(third.output).not.toMatch(/the-first-one|another-one|a-third-one|my-own-one/);
});

test("V09 an initial password that breaks the policy stops the start while the account is to be created", async () => {
	const env = {
		SERVICE_HOST: "127.0.0.1",
		SERVICE_ENABLE_AUTH: "true",
		SERVICE_SECRET: SECRET,
		SERVICE_ENABLE_STRONG_PASSWORD_POLICY: "true",
		SERVICE_DEFAULT_ADMIN_INITIAL_PASSWORD: "lower-case-only",
	};
	await using weak = await createTestServer({ env, workingDir: join(folder, "weak") });
	const child = weak.spawn();
	const code = await new Promise((resolve) => child.once("exit", resolve));
	expect(code).toBe(78);
	expect(weak.output).toContain("SERVICE_DEFAULT_ADMIN_INITIAL_PASSWORD");
	expect(weak.output).toContain("upper-case");
	expect(weak.output).not.toContain("lower-case-only");

	await using first = await startWithAuth({ SERVICE_ENABLE_STRONG_PASSWORD_POLICY: "true" }, join(folder, "weak"));
	expect(await logInStatus(first, DEFAULT_ADMIN, "admin")).toBe(204);
	await first.stop();
	await using later = await startWithAuth(env, join(folder, "weak"));
	expect(await logInStatus(later, DEFAULT_ADMIN, "admin")).toBe(204);
});

test.each([
	["umlaut", "pässwörter", "pa\u0308sswo\u0308rter"],
	["full width", "ｐａｓｓ-１２３", "pass-123"],
	["ligature", "eﬀect", "effect"],
])("T019 forms of Unicode that look alike are one password: %s", async (name, one, other) => {
	const email = `${name.replace(" ", "-")}@example.com`;
	expect((await createWith(server, email, one)).status).toBe(201);
	expect(await logInStatus(server, email, other)).toBe(204);
	expect(await logInStatus(server, email, one)).toBe(204);
	expect(await logInStatus(server, email, `${one}x`)).toBe(401);
});

test("T019 the whole of a long password counts", async () => {
	const long = "0123456789".repeat(100);
	await createWith(server, "long@example.com", `${long}A`);
	expect(await logInStatus(server, "long@example.com", `${long}B`)).toBe(401);
	expect(await logInStatus(server, "long@example.com", long)).toBe(401);
	expect(await logInStatus(server, "long@example.com", `${long}A`)).toBe(204);
});

test.each([
	["NUL", "before\u0000after"],
	["a line break", "before\nafter"],
	["a delete", "before\u007fafter"],
	["half a surrogate pair", "before\ud800after"],
	["1,025 bytes", "a".repeat(1_025)],
	["1,026 bytes of two each", "ü".repeat(513)],
	["three characters", "abc"],
	["three characters of several units", "🙂🙂🙂"],
	["nothing", ""],
])("T019 a password with %s cannot be set", async (name, password) => {
	const created = await createWith(server, `${name.replace(/\W/g, "-")}@example.com`, password);
	expect(created.status).toBe(422);
	const { id, email, password: current } = await createAccount(server, "VIEWER");
	const session = await logIn(server, email, current);
	expect((await session.send("PATCH", "/v1/user", { password, current_password: current })).status).toBe(422);
	expect((await asAdmin(server).send("PATCH", `/v1/users/${id}`, { password })).status).toBe(422);
	expect(await logInStatus(server, email, current)).toBe(204);
});

test.each(["a b c", "🙂🙂🙂🙂", "пароль", "1234", "ana ".repeat(100)])(
	"T019 %s can be set under the default policy",
	async (password) => {
		const email = `fine-${Buffer.from(password).toString("hex").slice(0, 12)}@example.com`;
		expect((await createWith(server, email, password)).status).toBe(201);
		expect(await logInStatus(server, email, password)).toBe(204);
	},
);

test.each(WEAK_PASSWORDS)(
	"T020 the strong policy refuses %s on create, change and reset by an admin, and says why: %s",
	async (password, rule) => {
		const created = await createWith(strong, "weak@example.com", password);
		expect([created.status, await created.text()]).toEqual([422, expect.stringContaining(rule)]);
		const { id, email, password: current } = await createAccount(strong, "VIEWER");
		const session = await logIn(strong, email, current);
		const changed = await session.send("PATCH", "/v1/user", { password, current_password: current });
		expect([changed.status, await changed.text()]).toEqual([422, expect.stringContaining(rule)]);
		const reset = await asAdmin(strong).send("PATCH", `/v1/users/${id}`, { password });
		expect([reset.status, await reset.text()]).toEqual([422, expect.stringContaining(rule)]);
		expect(await logInStatus(strong, email, current)).toBe(204);
	},
);

test("T020 the strong policy names every rule that is broken, and refuses one's name and email", async () => {
	const created = await createWith(strong, "weak@example.com", "abc");
	const text = await created.text();
	for (const rule of ["12 characters", "upper-case", "digit", "!@#$%^&*()_+"]) expect(text).toContain(rule);
	expect(text).not.toContain("lower-case");
	const user = { auth_method: "LOCAL", role: "MEMBER", username: "Somebody_Else_1", email: "one_Else_2@example.com" };
	for (const password of [
		"Somebody_Else_1",
		"SOMEBODY_Else_1".replace("SOMEBODY", "Somebody"),
		"One_Else_2@example.com",
	]) {
		const answer = await asAdmin(strong).send("POST", "/v1/users", { user: { ...user, password } });
		expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining("username and email")]);
	}
});

test("T020 the strong policy counts for a link of a mail too, and leaves the link alive", async () => {
	await using sink = await MailSink.start();
	await using mailing = await startWithAuth({ ...sink.env, SERVICE_ENABLE_STRONG_PASSWORD_POLICY: "true" });
	const { email, password: current } = await createAccount(mailing, "VIEWER");
	const token = await requestToken(mailing, sink, email);
	for (const [password, rule] of WEAK_PASSWORDS) {
		const answer = await setPassword(mailing, token, password);
		expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining(rule)]);
	}
	expect(await logInStatus(mailing, email, current)).toBe(204);
	expect((await setPassword(mailing, token, "Abcdefghij1+")).status).toBe(204);
	expect(await logInStatus(mailing, email, "Abcdefghij1+")).toBe(204);
});

test("T020 the strong policy does not ask of passwords that are set already", async () => {
	const workingDir = join(folder, "later-strong");
	await using lax = await startWithAuth({}, workingDir);
	await createWith(lax, "old@example.com", "abcd");
	await lax.stop();
	await using strict = await startWithAuth({ SERVICE_ENABLE_STRONG_PASSWORD_POLICY: "true" }, workingDir);
	expect(await logInStatus(strict, "old@example.com", "abcd")).toBe(204);
});

test("a password is stored as an argon2id hash with a salt of its own", async () => {
	await createWith(server, "hash-1@example.com", "same-password");
	await createWith(server, "hash-2@example.com", "same-password");
	const hashes = runSql(server, "select password_hash from users where email like 'hash-%'").map(
		(row) => row["password_hash"],
	);
	expect(new Set(hashes).size).toBe(2);
	for (const hash of hashes) expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
	expect(server.output).not.toContain("same-password");
});

test("a hash with weaker parameters is replaced at the next log-in", async () => {
	const email = "weak-hash@example.com";
	await createWith(server, email, "abcd");
	runSql(server, "update users set password_hash = ? where email = ?", WEAK_HASH, email);
	expect(await logInStatus(server, email, "abce")).toBe(401);
	expect(runSql(server, "select password_hash from users where email = ?", email)).toEqual([
		{ password_hash: WEAK_HASH },
	]);
	expect(await logInStatus(server, email, "abcd")).toBe(204);
	const [row] = runSql(server, "select password_hash from users where email = ?", email);
	expect(row?.["password_hash"]).toContain("$m=19456,t=2,p=1$");
	expect(await logInStatus(server, email, "abcd")).toBe(204);
});

test("T040 a change of one's password ends every other session, renews this one and keeps the keys", async () => {
	const { email, password } = await createAccount(server, "MEMBER");
	const [mine, other] = [await logIn(server, email, password), await logIn(server, email, password)];
	const key = new Client(server, await createUserKey(mine));
	const before = new Map(mine.cookies);
	// Known to the server, which must forget them at once.
	for (const client of [mine, other]) expect((await client.send("GET", "/v1/user")).status).toBe(200);
	await mine.data("PATCH", "/v1/user", { password: "third-Password3!", current_password: password });

	const stolen = new Client(server);
	for (const [name, value] of before) stolen.cookies.set(name, value);
	for (const client of [other, stolen]) expect((await client.send("GET", "/v1/user")).status).toBe(401);
	expect((await mine.send("GET", "/v1/user")).status).toBe(200);
	expect((await mine.send("POST", "/auth/refresh")).status).toBe(204);
	expect((await other.send("POST", "/auth/refresh")).status).toBe(401);
	expect((await key.send("GET", "/v1/projects")).status).toBe(200);
	expect((await stolen.send("POST", "/auth/refresh")).status).toBe(401);
	expect(await logInStatus(server, email, password)).toBe(401);
	expect(await logInStatus(server, email, "third-Password3!")).toBe(204);
});

test("T040 a reset by an admin ends every session and has to be replaced", async () => {
	const { id, email, password } = await createAccount(server, "MEMBER");
	const session = await logIn(server, email, password);
	expect((await session.send("GET", "/v1/user")).status).toBe(200);
	await asAdmin(server).data("PATCH", `/v1/users/${id}`, { password: "given-by-the-admin" });
	expect((await session.send("GET", "/v1/user")).status).toBe(401);
	expect((await session.send("POST", "/auth/refresh")).status).toBe(401);
	expect(await logInStatus(server, email, password)).toBe(401);
	const again = await logIn(server, email, "given-by-the-admin");
	expect((await again.send("GET", "/v1/projects")).status).toBe(403);
	await again.data("PATCH", "/v1/user", { password: "my-own-again", current_password: "given-by-the-admin" });
	expect((await again.send("GET", "/v1/projects")).status).toBe(200);
});

test("T040 a change of role ends every session", async () => {
	const { id, email, password } = await createAccount(server, "MEMBER");
	const session = await logIn(server, email, password);
	await asAdmin(server).data("PATCH", `/v1/users/${id}`, { username: `renamed ${email}` });
	await asAdmin(server).data("PATCH", `/v1/users/${id}`, { role: "member" });
	expect((await session.send("GET", "/v1/user")).status).toBe(200);
	await asAdmin(server).data("PATCH", `/v1/users/${id}`, { role: "viewer" });
	expect((await session.send("GET", "/v1/user")).status).toBe(401);
	expect((await session.send("POST", "/auth/refresh")).status).toBe(401);
	expect(await (await logIn(server, email, password)).data("GET", "/v1/user")).toMatchObject({ role: "VIEWER" });
});

test("T040 the deletion of a user ends every session", async () => {
	const { id, email, password } = await createAccount(server, "ADMIN");
	const session = await logIn(server, email, password);
	expect((await session.send("GET", "/v1/user")).status).toBe(200);
	expect((await asAdmin(server).send("DELETE", `/v1/users/${id}`)).status).toBe(204);
	expect((await session.send("GET", "/v1/user")).status).toBe(401);
	expect((await session.send("POST", "/auth/refresh")).status).toBe(401);
	expect(await logInStatus(server, email, password)).toBe(401);
});

test("only a session changes a password, and only with the current one", async () => {
	const { email, password } = await createAccount(server, "MEMBER");
	const session = await logIn(server, email, password);
	const key = new Client(server, await createUserKey(session));
	const body = { password: "third-Password3!", current_password: password };
	expect((await key.send("PATCH", "/v1/user", body)).status).toBe(403);
	expect((await asAdmin(server).send("PATCH", "/v1/user", body)).status).toBe(403);
	expect((await session.send("PATCH", "/v1/user", { password: "third-Password3!" })).status).toBe(422);
	for (const current_password of [null, 1, {}, [password]]) {
		expect((await session.send("PATCH", "/v1/user", { ...body, current_password })).status).toBe(422);
	}
	const wrong = await session.send("PATCH", "/v1/user", { ...body, current_password: "wrong" });
	expect([wrong.status, wrong.headers.getSetCookie()]).toEqual([403, []]);
	expect((await session.send("PATCH", "/v1/user", { password, current_password: password })).status).toBe(422);
	expect(await logInStatus(server, email, password)).toBe(204);
});

test("of two changes at once with one current password the first wins", async () => {
	const { email, password } = await createAccount(server, "MEMBER");
	const [one, other] = [await logIn(server, email, password), await logIn(server, email, password)];
	const answers = await Promise.all([
		one.send("PATCH", "/v1/user", { password: "password-of-one", current_password: password }),
		other.send("PATCH", "/v1/user", { password: "password-of-other", current_password: password }),
	]);
	expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
	const winner = answers[0]?.status === 200 ? "password-of-one" : "password-of-other";
	expect(await logInStatus(server, email, winner)).toBe(204);
});

test("T017 of two first starts at once on one folder one wins, and restarts add nobody", async () => {
	const env = { SERVICE_ADMINS: "Ana=ana@example.com" };
	const workingDir = join(folder, "twins");
	const start = () => startWithAuth(env, workingDir, { inProcess: false });
	const starts = await Promise.allSettled([start(), start()]);
	const running = starts.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
	expect(running).toHaveLength(1);
	const [winner] = running;
	if (winner === undefined) throw new Error("no server started");
	await using one = winner;
	const users = () => runSql(one, "select id, username, email, role from users order by id");
	const expected = [
		{ id: 1, username: "system", email: "system@localhost", role: "SYSTEM" },
		{ id: 2, username: "admin", email: "admin@localhost", role: "ADMIN" },
		{ id: 3, username: "Ana", email: "ana@example.com", role: "ADMIN" },
	];
	expect(users()).toEqual(expected);
	for (let restart = 1; restart <= 2; restart++) {
		await one.stop();
		await one.start();
		expect(users()).toEqual(expected);
	}
});
