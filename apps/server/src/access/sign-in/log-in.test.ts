import { connect } from "node:net";
import { hash, verify } from "@node-rs/argon2";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { buildApp } from "#app.ts";
import { openTestApp, type TestApp } from "#test-app.ts";

const EMAIL = "ana@example.com";
const PASSWORD = "a-Password1!";
const ARGON2ID = 2;

let server: TestApp;
beforeAll(async () => {
	server = await openTestApp({
		SERVICE_ENABLE_AUTH: "true",
		SERVICE_BRUTE_FORCE_LOGIN_PROTECTION_MAX_ATTEMPTS: "2",
	});
	await server.context.db.write((transaction) =>
		transaction
			.insertInto("users")
			.values({
				username: "ana",
				username_key: "ana",
				email: EMAIL,
				role: "MEMBER",
				auth_method: "LOCAL",
				password_hash: "",
				password_due: 0,
				password_replaced: 1,
				created_at: 1,
				updated_at: 1,
			})
			.execute(),
	);
});
beforeEach(async () => {
	await setHash(await server.context.auth.passwords.hash(PASSWORD));
	await server.context.db.write(async (transaction) => {
		await transaction.deleteFrom("audit_events").execute();
		await transaction.deleteFrom("login_attempts").execute();
		await transaction.deleteFrom("login_sessions").execute();
	});
});
afterAll(async () => server[Symbol.asyncDispose]());

describe("a hash made with weaker parameters", () => {
	test("is replaced when its password is typed, and the password still opens", async () => {
		await setHash(await hash(PASSWORD, { algorithm: ARGON2ID, memoryCost: 4_096, timeCost: 1, parallelism: 1 }));
		expect(await logIn(PASSWORD)).toBe(204);
		const { password_hash } = await account();
		expect(password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
		expect(await verify(password_hash ?? "", PASSWORD)).toBe(true);
		expect(await logIn(PASSWORD)).toBe(204);
	});

	test("stays when another password is typed", async () => {
		const weak = await hash(PASSWORD, { algorithm: ARGON2ID, memoryCost: 4_096, timeCost: 1, parallelism: 1 });
		await setHash(weak);
		expect(await logIn("another")).toBe(401);
		expect((await account()).password_hash).toBe(weak);
	});
});

test("a password that is replaced while it is checked opens no session", async () => {
	const { passwords } = server.context.auth;
	const next = await passwords.hash("another-Password2!");
	const check = vi.spyOn(passwords, "verify").mockImplementationOnce(async (phc, password) => {
		const isRight = await passwords.verify(phc, password);
		await setHash(next);
		return isRight;
	});
	expect(await logIn(PASSWORD)).toBe(401);
	check.mockRestore();
	expect(await server.context.db.read.selectFrom("login_sessions").select("id").execute()).toEqual([]);
	expect(await logIn("another-Password2!")).toBe(204);
});

describe("the default admin with the default password", () => {
	const email = " Admin@LocalHost";
	const from = async (remoteAddress: string, headers: Record<string, string> = {}, password = "admin") =>
		await server.app.inject({
			method: "POST",
			url: "/auth/login",
			payload: { email, password },
			headers,
			remoteAddress,
		});

	test("logs in on the server's own machine", async () => {
		expect((await from("127.0.0.1")).statusCode).toBe(204);
		expect((await from("::1", { host: "localhost:6006" })).statusCode).toBe(204);
	});

	test("is refused from another machine with what to do, whatever the request claims, and the audit log has it", async () => {
		for (const [headers, password] of [
			[{}, "admin"],
			[{ "x-forwarded-for": "127.0.0.1", host: "localhost" }, "ａｄｍｉｎ"],
		] as const) {
			const refused = await from("192.0.2.7", headers, password);
			expect([refused.statusCode, refused.headers["set-cookie"]]).toEqual([403, undefined]);
			expect(refused.body).toContain("SERVICE_DEFAULT_ADMIN_INITIAL_PASSWORD");
		}
		expect((await from("192.0.2.7", {}, "wrong")).statusCode).toBe(401);
		expect((await events())[0]).toMatchObject({
			action: "login",
			outcome: "denied",
			code: "default_password",
			target_name: "admin",
			ip: "192.0.2.7",
		});
	});

	test("is refused by way of a proxy on the same machine, also of a trusted one", async () => {
		const { context } = server;
		const config = { ...context.config, SERVICE_TRUSTED_PROXIES: ["127.0.0.1"] };
		await using trusting = await buildApp({ ...context, config });
		const payload = { email, password: "admin" };
		const headers = { "x-forwarded-for": "127.0.0.1" };
		for (const app of [server.app, trusting]) {
			expect((await app.inject({ method: "POST", url: "/auth/login", payload, headers })).statusCode).toBe(403);
		}
	});

	test("is refused by way of nginx with its default settings", async () => {
		const { port } = new URL(await server.app.listen({ host: "127.0.0.1", port: 0 }));
		const body = JSON.stringify({ email: "admin@localhost", password: "admin" });
		const head = [
			"POST /auth/login HTTP/1.0",
			`Host: 127.0.0.1:${port}`,
			"Connection: close",
			"Content-Type: application/json",
			`Content-Length: ${body.length}`,
		];
		const socket = connect(Number(port), "127.0.0.1");
		socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
		expect(String(Buffer.concat(await socket.toArray()))).toMatch(/^HTTP\/1\.1 403 /);
	});

	test("logs in from everywhere once it has another one", async () => {
		const hashed = await server.context.auth.passwords.hash(PASSWORD);
		await server.context.db.write((transaction) =>
			transaction.updateTable("users").set({ password_hash: hashed }).where("email", "=", "admin@localhost").execute(),
		);
		expect((await from("192.0.2.7", {}, PASSWORD)).statusCode).toBe(204);
	});
});

describe("the audit log", () => {
	test("says who logged in, and for whom it failed or was locked", async () => {
		for (const password of [PASSWORD, "wrong", "wrong", "wrong"]) await logIn(password);
		const { id } = await account();
		const target = { target_type: "user", target_id: id, target_name: "ana" };
		expect(await events()).toMatchObject([
			{ action: "login", outcome: "success", actor_kind: "session", actor_id: id, ...target },
			{ action: "login", outcome: "failure", actor_kind: "none", code: "invalid_login", ...target },
			{ action: "login", outcome: "failure", actor_kind: "none", code: "invalid_login", ...target },
			{ action: "login.locked", outcome: "denied", actor_kind: "none", code: "login_locked", ...target },
		]);
	});

	test("keeps nothing of what was typed for an account that does not exist", async () => {
		const typed = "my-Password-in-the-wrong-field";
		await logIn("secret-typed", typed);
		const [event] = await events();
		expect(event).toMatchObject({ action: "login", outcome: "failure", target_id: null, target_name: null });
		expect(JSON.stringify(event)).not.toMatch(/my-Password|secret-typed/i);
	});
});

test("with passwords switched off log-in is refused, and log-out leads to a page that logs nobody in again", async () => {
	const { context } = server;
	const config = { ...context.config, SERVICE_DISABLE_BASIC_AUTH: true, SERVICE_HOST_ROOT_PATH: "/traces" };
	await using app = await buildApp({ ...context, config });
	const payload = { email: EMAIL, password: PASSWORD };
	const refused = await app.inject({ method: "POST", url: "/auth/login", payload });
	expect([refused.statusCode, refused.headers["set-cookie"]]).toEqual([403, undefined]);
	const left = await app.inject({ method: "GET", url: "/auth/logout" });
	expect([left.statusCode, left.headers.location]).toEqual([302, "/traces/logout"]);
});

test.each(["/auth/login", "/auth/refresh", "/auth/logout", "/auth/logout-all"])(
	"%s is unknown while authentication is off, and one's own sessions are refused",
	async (url) => {
		await using off = await openTestApp();
		expect((await off.call("POST", url, {})).status).toBe(404);
		expect((await off.get("/auth/logout")).status).toBe(404);
		expect((await off.get("/v1/user/sessions")).status).toBe(403);
	},
);

async function logIn(password: string, email = EMAIL): Promise<number> {
	return (await server.call("POST", "/auth/login", { email, password })).status;
}

function account() {
	return server.context.db.read
		.selectFrom("users")
		.select(["id", "password_hash"])
		.where("email", "=", EMAIL)
		.executeTakeFirstOrThrow();
}

function events() {
	return server.context.db.read.selectFrom("audit_events").selectAll().orderBy("id").execute();
}

async function setHash(passwordHash: string): Promise<void> {
	await server.context.db.write((transaction) =>
		transaction.updateTable("users").set({ password_hash: passwordHash }).where("email", "=", EMAIL).execute(),
	);
}
