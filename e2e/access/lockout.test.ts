import { readFileSync } from "node:fs";
import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestServer } from "../server.ts";
import { asAdmin, Client, createAccount, DEFAULT_ADMIN, logIn, startWithAuth } from "./accounts.ts";
import { runSql } from "./database-file.ts";

const SECOND = 1_000_000;

let server: TestServer;
beforeAll(async () => {
	server = await startWithAuth();
});
afterAll(() => server[Symbol.asyncDispose]());

async function attempt(email: string, password = "wrong-password", on = server): Promise<Response> {
	return await new Client(on).send("POST", "/auth/login", { email, password });
}

async function statuses(count: number, email: string, password?: string, on = server): Promise<number[]> {
	const all: number[] = [];
	for (let time = 1; time <= count; time++) all.push((await attempt(email, password, on)).status);
	return all;
}

test("T001 five wrong passwords answer 401, then the right one 429 with Retry-After", async () => {
	const { email, password } = await createAccount(server, "MEMBER");
	expect(await statuses(5, email)).toEqual([401, 401, 401, 401, 401]);
	const locked = await attempt(email, password);
	expect(locked.status).toBe(429);
	expect(Number(locked.headers.get("retry-after"))).toBeGreaterThan(290);
	expect(Number(locked.headers.get("retry-after"))).toBeLessThanOrEqual(300);
	expect(locked.headers.getSetCookie()).toEqual([]);
});

test("T001 a success clears the failures", async () => {
	const { email, password } = await createAccount(server, "MEMBER");
	for (let round = 1; round <= 2; round++) {
		expect(await statuses(4, email)).toEqual([401, 401, 401, 401]);
		expect((await attempt(email, password)).status).toBe(204);
	}
});

test("T002 spellings of one email share a counter", async () => {
	const { email, password } = await createAccount(server, "MEMBER");
	const spellings = [email.toUpperCase(), ` ${email}`, `${email}\t`, email.replace("e", "E"), email];
	for (const spelling of spellings) expect((await attempt(spelling)).status).toBe(401);
	expect((await attempt(email, password)).status).toBe(429);
	expect((await attempt(email.toUpperCase(), password)).status).toBe(429);
});

test.each([true, false])("T004 of 60 guesses at once five are checked (the account exists: %s)", async (exists) => {
	const { email } = exists ? await createAccount(server, "MEMBER") : { email: "nobody@example.com" };
	const answers = await Promise.all(Array.from({ length: 60 }, () => attempt(email)));
	const count = (status: number) => answers.filter((answer) => answer.status === status).length;
	expect([count(401), count(429)]).toEqual([5, 55]);
	expect((await attempt(email)).status).toBe(429);
});

test("T004 ten right log-ins at once all succeed", async () => {
	const { email, password } = await createAccount(server, "MEMBER");
	const answers = await Promise.all(Array.from({ length: 10 }, () => attempt(email, password)));
	expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(204));
});

test("T005 attempts while locked do not extend the lock, and after it the count restarts", async () => {
	const { email, password } = await createAccount(server, "MEMBER");
	runSql(server, "delete from login_attempts");
	await statuses(5, email);
	runSql(server, "update login_attempts set last_failure_at = last_failure_at - ?", 290 * SECOND);
	expect(await statuses(3, email, password)).toEqual([429, 429, 429]);
	runSql(server, "update login_attempts set last_failure_at = last_failure_at - ?", 11 * SECOND);
	expect(await statuses(4, email)).toEqual([401, 401, 401, 401]);
	expect((await attempt(email, password)).status).toBe(204);
});

test("T007 a restart does not lift the lock", async () => {
	await using other = await startWithAuth({}, undefined, { inProcess: false });
	const { email, password } = await createAccount(other, "MEMBER");
	await statuses(5, email, undefined, other);
	await other.stop();
	await other.start();
	expect((await attempt(email, password, other)).status).toBe(429);
	await statuses(2, "else@example.com", undefined, other);
	await other.kill();
	await other.start();
	expect((await attempt(email, password, other)).status).toBe(429);
	expect(await statuses(3, "else@example.com", undefined, other)).toEqual([401, 401, 401]);
	expect((await attempt("else@example.com", "wrong", other)).status).toBe(429);
});

test.each(["OAUTH2", "LDAP"])("T010 a %s user's email with any password answers 401 and counts", async (method) => {
	const email = `${method.toLowerCase()}@example.com`;
	const user = { auth_method: method, email, username: method, role: "ADMIN" };
	await asAdmin(server).data("POST", "/v1/users", { user, send_welcome_email: false });
	for (const password of ["x", "null", "undefined", email, "wrong-password"]) {
		const answer = await attempt(email, password);
		expect([answer.status, await answer.text()]).toEqual([401, "Wrong email or password"]);
	}
	expect((await attempt(email)).status).toBe(429);
});

test("T010 the system's account cannot be logged in to", async () => {
	expect(await statuses(5, "system@localhost", "system")).toEqual([401, 401, 401, 401, 401]);
	expect((await attempt("system@localhost")).status).toBe(429);
});

test("T010 an account that does not exist answers as one that does", async () => {
	const { email } = await createAccount(server, "VIEWER");
	const [known, unknown] = [await attempt(email), await attempt("unknown@example.com")];
	const told = async (answer: Response) => [
		answer.status,
		await answer.text(),
		[...answer.headers.keys()].filter((name) => name !== "date").sort(),
	];
	expect(await told(unknown)).toEqual(await told(known));
});

test("T011 log-ins of the wrong shape are refused by the schema, without a stack and without counting", async () => {
	const { email, password } = await createAccount(server, "MEMBER");
	const bodies = [
		{ email, password: {} },
		{ email, password: [password] },
		{ email, password: 1234 },
		{ email, password: null },
		{ email, password: true },
		{ email: [email], password },
		{ email: { $ne: "" }, password },
		{ email, password: "x".repeat(1_000_000) },
		{ email: "x".repeat(10_000), password },
		[],
		[{ email, password }],
		"text",
		1,
		null,
	].map((body) => JSON.stringify(body));
	bodies.push("", "{", "{]", `{"email":"${email}","password":`, "\u0000", `{"email":"\ud800"}`);
	for (const body of bodies) {
		const answer = await fetch(`${server.url}/auth/login`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body,
		});
		const text = await answer.text();
		expect([400, 401, 413, 422], body.slice(0, 80)).toContain(answer.status);
		expect(text).not.toMatch(/\bat .*:\d+:\d+|node_modules|apps\/server/);
		expect(answer.headers.getSetCookie()).toEqual([]);
	}
	expect((await attempt(email, password)).status).toBe(204);
});

test("T011 of two keys of one name one counts, and which one is settled", async () => {
	const { email, password } = await createAccount(server, "MEMBER");
	const body = `{"email":"${email}","password":"wrong","password":"${password}"}`;
	const headers = { "content-type": "application/json" };
	const answer = await fetch(`${server.url}/auth/login`, { method: "POST", headers, body });
	expect([204, 422]).toContain(answer.status);
	const reversed = `{"email":"${email}","password":"${password}","password":"wrong"}`;
	expect([401, 422]).toContain(
		(await fetch(`${server.url}/auth/login`, { method: "POST", headers, body: reversed })).status,
	);
});

test("T012 500 log-ins at once keep the memory bounded and the health route answering", async () => {
	await using busy = await startWithAuth({}, undefined, { inProcess: false });
	let running = 500;
	const logIns = Array.from({ length: 500 }, async (_, index) => {
		const answer = await attempt(`user-${index}@example.com`, "wrong-password", busy);
		running--;
		return { status: answer.status, retryAfter: answer.headers.get("retry-after") };
	});
	let healthyWhileBusy = 0;
	let peakKib = 0;
	while (running > 0) {
		if ((await fetch(`${busy.url}/healthz`)).ok && running > 0) healthyWhileBusy++;
		const status = readFileSync(`/proc/${busy.pid}/status`, "utf8");
		peakKib = Math.max(peakKib, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]));
	}
	const answers = await Promise.all(logIns);
	// How many have to come again depends on how fast they arrive.
	for (const { status, retryAfter } of answers) {
		expect([401, 503]).toContain(status);
		expect(retryAfter !== null).toBe(status === 503);
	}
	expect(healthyWhileBusy).toBeGreaterThan(5);
	expect(peakKib).toBeLessThan(500 * 1_024);
	expect((await attempt(DEFAULT_ADMIN, "admin", busy)).status).toBe(204);
});

test("T014 guesses of the current password count as failed log-ins, and lock", async () => {
	const { email, password } = await createAccount(server, "MEMBER");
	const session = await logIn(server, email, password);
	const guess = (current_password: string) =>
		session.send("PATCH", "/v1/user", { password: "third-Password3!", current_password });
	const answers = [];
	for (let time = 1; time <= 5; time++) answers.push((await guess("wrong-password")).status);
	expect(answers).toEqual([403, 403, 403, 403, 403]);
	const locked = await guess(password);
	expect(locked.status).toBe(429);
	expect(Number(locked.headers.get("retry-after"))).toBeGreaterThan(200);
	expect((await attempt(email, password)).status).toBe(429);
	expect((await session.send("GET", "/v1/user")).status).toBe(200);
	const audited = runSql(
		server,
		"select outcome, code from audit_events where action = 'password.change' order by id desc limit 2",
	);
	expect(audited).toEqual([
		{ outcome: "failure", code: "login_locked" },
		{ outcome: "failure", code: "wrong_password" },
	]);
});

test("T014 of 30 guesses at once through the change of one's password five are checked", async () => {
	const { email, password } = await createAccount(server, "MEMBER");
	const session = await logIn(server, email, password);
	const change = (current_password: string) =>
		session.send("PATCH", "/v1/user", { password: "third-Password3!", current_password });
	const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => change(`guess-${index}`)));
	expect(answers.filter(({ status }) => status === 403)).toHaveLength(5);
	expect(answers.filter(({ status }) => status === 429)).toHaveLength(25);
});

test("the lockout is set and switched off by its variables", async () => {
	await using strict = await startWithAuth({ SERVICE_BRUTE_FORCE_LOGIN_PROTECTION_MAX_ATTEMPTS: "2" });
	expect(await statuses(4, DEFAULT_ADMIN, undefined, strict)).toEqual([401, 401, 429, 429]);
	await strict.stop();
	await using off = await startWithAuth({ SERVICE_DISABLE_BRUTE_FORCE_LOGIN_PROTECTION: "true" }, strict.workingDir);
	expect(await statuses(8, DEFAULT_ADMIN, undefined, off)).toEqual(Array(8).fill(401));
	expect((await attempt(DEFAULT_ADMIN, "admin", off)).status).toBe(204);
});

test("T022 an address has 12 attempts at once, whatever accounts it tries and whatever it says where it comes from", async () => {
	await using limited = await startWithAuth({ SERVICE_DISABLE_RATE_LIMIT: "false" });
	// Together: one attempt comes back every five seconds.
	const answers = await Promise.all(
		Array.from({ length: 13 }, (_, account) =>
			new Client(limited).send(
				"POST",
				"/auth/login",
				{ email: `${account}@example.com`, password: "wrong" },
				{
					"x-forwarded-for": `192.0.2.${account}`,
					"x-real-ip": `192.0.2.${account}`,
					forwarded: `for=192.0.2.${account}`,
				},
			),
		),
	);
	expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(12).fill(401), 429]);
	const refused = answers.find(({ status }) => status === 429);
	expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
	expect(limited.output).toContain("SERVICE_TRUSTED_PROXIES");
	// Other routes are not limited.
	expect((await asAdmin(limited).send("GET", "/v1/users")).status).toBe(200);
});

test("T022 behind a trusted proxy the client's address counts, which it cannot make up", async () => {
	await using limited = await startWithAuth({
		SERVICE_DISABLE_RATE_LIMIT: "false",
		SERVICE_TRUSTED_PROXIES: "127.0.0.0/8, 10.0.0.0/8",
	});
	const from = (forwardedFor: string) => forwardedFrom(limited, forwardedFor);
	// Together: one attempt comes back every five seconds.
	const madeUp = Array.from({ length: 12 }, (_, time) => `203.0.113.${time}, 198.51.100.7, 10.1.2.3`);
	const statuses = await Promise.all([...madeUp, "198.51.100.7", "198.51.100.8, 198.51.100.7"].map(from));
	expect(statuses.toSorted()).toEqual([...Array(12).fill(401), 429, 429]);
	expect(await from("198.51.100.8")).toBe(401);
});

function forwardedFrom(on: TestServer, forwardedFor: string): Promise<number | undefined> {
	return new Promise((resolve, reject) => {
		const sent = request(
			`${on.url}/auth/login`,
			{ method: "POST", headers: { "content-type": "application/json", "x-forwarded-for": forwardedFor } },
			(answer) => {
				answer.resume();
				resolve(answer.statusCode);
			},
		);
		sent.on("error", reject).end(JSON.stringify({ email: `${Math.random()}@example.com`, password: "wrong" }));
	});
}
