import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestServer } from "../server.ts";
import {
	ADMIN_SECRET,
	asAdmin,
	Client,
	createAccount,
	createSystemKey,
	createUserKey,
	logIn,
	logInAs,
	SECRET,
	startWithAuth,
} from "./accounts.ts";

let server: TestServer;
let admin: Client;
beforeAll(async () => {
	server = await startWithAuth();
	admin = await logInAs(server, "ADMIN");
});
afterAll(async () => server[Symbol.asyncDispose]());

interface Event {
	readonly id: string;
	readonly time: string;
	readonly action: string;
	readonly outcome: string;
	readonly code?: string;
	readonly actor: { readonly kind: string; readonly id?: string; readonly username?: string };
	readonly target?: { readonly type: string; readonly id?: string; readonly name?: string };
	readonly ip?: string;
	readonly user_agent?: string;
	readonly request_id?: string;
	readonly details?: Readonly<Record<string, unknown>>;
}

async function events(query = ""): Promise<Event[]> {
	return await admin.data("GET", `/v1/audit_events?limit=1000${query}`);
}

async function page(query: string): Promise<{ data: Event[]; next_cursor: string | null }> {
	const response = await admin.send("GET", `/v1/audit_events?${query}`);
	expect(response.status).toBe(200);
	return (await response.json()) as { data: Event[]; next_cursor: string | null };
}

test("log-ins, log-outs, accounts, keys and refusals are in the log, with who, from where and whether it was let", async () => {
	const member = await createAccount(server, "MEMBER");
	const client = await logIn(server, member.email, member.password);
	const { username } = await client.data("GET", "/v1/user");
	await new Client(server).send("POST", "/auth/login", { email: member.email, password: "wrong" });
	await createUserKey(client);
	expect((await client.send("GET", "/v1/users")).status).toBe(403);
	expect((await client.send("POST", "/auth/logout")).status).toBe(204);

	const own = await events(`&actor=${encodeURIComponent(username)}`);
	const actions = own.map(({ action, outcome }) => `${action} ${outcome}`);
	expect(actions).toEqual(
		expect.arrayContaining(["login success", "api_key.create success", "access.denied denied", "logout success"]),
	);
	for (const event of own.filter(({ action }) => action !== "login")) {
		expect(event).toMatchObject({
			actor: { kind: "session", username },
			ip: "127.0.0.1",
			request_id: expect.any(String),
		});
	}
	expect(await events("&action=login&outcome=failure")).not.toEqual([]);
	expect(await events(`&target=${encodeURIComponent(username)}&action=user.create`)).toHaveLength(1);
});

test("the start of the service is the first entry", async () => {
	const all = await events();
	expect(all.filter(({ action }) => action === "service.start")).toHaveLength(1);
	expect(all.find(({ action }) => action === "service.start")?.details).toMatchObject({ authentication: true });
});

test("pages follow each other without gap or repetition while entries are added", async () => {
	await createAccount(server, "VIEWER");
	const before = await events();
	const ids: string[] = [];
	let cursor: string | null = "";
	while (cursor !== null) {
		const next = await page(`limit=3${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`);
		expect(next.data.length).toBeLessThanOrEqual(3);
		ids.push(...next.data.map(({ id }) => id));
		if (ids.length === 3) await new Client(server).send("POST", "/auth/login", { email: "a@b.example", password: "x" });
		cursor = next.next_cursor;
	}
	expect(ids).toEqual(before.map(({ id }) => id));
});

test("filters narrow by action, outcome, actor, target, address and time", async () => {
	const all = await events();
	const some = all[Math.floor(all.length / 2)];
	if (some === undefined) throw new Error("there are no entries");
	const matching = async (query: string, matches: (event: Event) => boolean) => {
		expect((await events(query)).map(({ id }) => id)).toEqual(all.filter(matches).map(({ id }) => id));
	};
	await matching("&action=user.create&action=password.change", ({ action }) =>
		/user.create|password.change/.test(action),
	);
	await matching("&outcome=failure", ({ outcome }) => outcome === "failure");
	await matching("&ip=192.0.2.1", () => false);
	await matching(`&end_time=${encodeURIComponent(some.time)}`, ({ time }) => time < some.time);
	await matching(`&start_time=${encodeURIComponent(some.time)}`, ({ time }) => time >= some.time);
	const [byUser] = all.filter(({ actor }) => actor.id !== undefined);
	await matching(`&actor=${byUser?.actor.id}`, ({ actor }) => actor.id === byUser?.actor.id);
	for (const [action, type] of [
		["user.create", "User"],
		["api_key.create", "UserApiKey"],
		["logout", "LoginSession"],
	]) {
		const id = all.find((event) => event.action === action)?.target?.id ?? "";
		expect(Buffer.from(id, "base64").toString()).toMatch(new RegExp(`^${type}:\\d+$`));
		await matching(`&target=${encodeURIComponent(id)}`, ({ target }) => target?.id === id);
	}
});

test.each([
	"limit=0",
	"limit=1001",
	"limit=1e3",
	"cursor=abc",
	"cursor=UHJvamVjdDox",
	"action=nonsense",
	"outcome=x",
	"start_time=x",
	"format=csv",
])("%s is refused", async (query) => {
	expect((await admin.send("GET", `/v1/audit_events?${query}`)).status).toBe(422);
});

test("the export has every entry that matches, one JSON object a line", async () => {
	const response = await admin.send("GET", "/v1/audit_events?format=ndjson&action=user.create");
	expect(response.headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
	expect(response.headers.get("cache-control")).toBe("no-store");
	const lines = (await response.text()).trimEnd().split("\n");
	expect(lines.map((line): unknown => JSON.parse(line))).toEqual(await events("&action=user.create"));
});

test("an export of more than one chunk is whole", async () => {
	const folder = await mkdtemp(join(tmpdir(), "spanward-audit-"));
	await using first = await startWithAuth({}, folder);
	await first.stop();
	const db = new DatabaseSync(join(folder, "spanward.db"));
	db.exec(`
		with recursive n(i) as (select 1 union all select i + 1 from n where i < 2345)
		insert into audit_events (time, action, outcome, actor_kind)
		select cast(strftime('%s', 'now') as integer) * 1000000, 'login', 'failure', 'none' from n
	`);
	const { count } = db.prepare("select count(*) as count from audit_events").get() as { count: number };
	db.close();
	await using second = await startWithAuth({}, folder);
	const text = await (await asAdmin(second).send("GET", "/v1/audit_events?format=ndjson")).text();
	const ids = text
		.trimEnd()
		.split("\n")
		.map((line) => JSON.parse(line).id);
	expect(new Set(ids).size).toBe(ids.length);
	// The second start added its own.
	expect(ids.length).toBe(count + 1);
	await second.stop();
	await rm(folder, { recursive: true });
});

test("only admins and the admin secret read the log", async () => {
	const member = await logInAs(server, "MEMBER");
	const viewer = await logInAs(server, "VIEWER");
	const refused: readonly (readonly [Client, number])[] = [
		[member, 403],
		[viewer, 403],
		[new Client(server, await createSystemKey(server)), 403],
		[new Client(server), 401],
	];
	for (const [client, status] of refused) expect((await client.send("GET", "/v1/audit_events")).status).toBe(status);
	expect((await new Client(server, await createUserKey(admin)).send("GET", "/v1/audit_events")).status).toBe(200);
	expect((await asAdmin(server).send("GET", "/v1/audit_events")).status).toBe(200);
});

test("the log can be changed by no route", async () => {
	for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
		for (const path of ["/v1/audit_events", `/v1/audit_events/${(await events())[0]?.id}`]) {
			expect([404, 405]).toContain((await admin.send(method, path, {})).status);
		}
	}
});

test("entries older than SERVICE_AUDIT_RETENTION_DAYS are deleted, others stay", async () => {
	const folder = await mkdtemp(join(tmpdir(), "spanward-audit-"));
	await using first = await startWithAuth({}, folder);
	await first.stop();
	const db = new DatabaseSync(join(folder, "spanward.db"));
	db.exec(`
		with recursive n(i) as (select 1 union all select i + 1 from n where i < 2500)
		insert into audit_events (time, action, outcome, actor_kind)
		select (cast(strftime('%s', 'now') as integer) - 86400 * (case i % 2 when 0 then 8 else 6 end)) * 1000000, 'logout', 'success', 'none' from n
	`);
	db.close();
	await using second = await startWithAuth({ SERVICE_AUDIT_RETENTION_DAYS: "7" }, folder);
	while (!second.output.includes("deleted old entries of the audit log")) await sleep(20);
	const text = await (await asAdmin(second).send("GET", "/v1/audit_events?format=ndjson&action=logout")).text();
	expect(text.trimEnd().split("\n")).toHaveLength(1_250);
	await second.stop();
	await rm(folder, { recursive: true });
});

const ESC = "\u001b";
const HOSTILE = `evil${ESC}[2J\r\n{"level":60,"msg":"forged"}\u009b31m\u202egnp.exe\u2028`;
/** Control characters, and those that turn or hide text. */
const ACTS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

test("T198 what comes in an email, user agent, username, span name or path forges no line and acts on no terminal, in log and audit", async () => {
	await using own = await startWithAuth({ SERVICE_LOG_LEVEL: "debug" });
	const secret = asAdmin(own);
	await new Client(own).send("POST", "/auth/login", { email: HOSTILE, password: HOSTILE });
	await new Client(own).send(
		"POST",
		"/auth/login",
		{ email: "admin@localhost", password: "x" },
		{ "user-agent": "\u009b31mred" },
	);
	await new Client(own).send("POST", "/auth/password-reset-email", { email: HOSTILE });
	const user = {
		auth_method: "LOCAL",
		email: `x@example.com${HOSTILE}`,
		username: HOSTILE,
		role: "VIEWER",
		password: "long enough",
	};
	expect((await secret.send("POST", "/v1/users", { user, send_welcome_email: false })).status).toBe(422);
	await secret.send("GET", `/v1/projects/${encodeURIComponent(HOSTILE)}`);
	await secret.send("PUT", "/v1/secrets", { secrets: [{ key: HOSTILE, value: HOSTILE }] });
	const span = { traceId: "1".repeat(32), spanId: "1".repeat(16), name: HOSTILE };
	const sent = await secret.send("POST", "/v1/traces", { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
	expect(sent.status).toBe(200);

	const lines = own.output
		.trimEnd()
		.split("\n")
		.filter((line) => !line.startsWith("Spanward is ready"));
	for (const line of lines) {
		expect(() => JSON.parse(line)).not.toThrow();
		expect(line).not.toMatch(ACTS);
		expect(JSON.parse(line).msg).not.toBe("forged");
	}
	const exported = await (await secret.send("GET", "/v1/audit_events?format=ndjson")).text();
	for (const line of exported.trimEnd().split("\n")) {
		const event: Event = JSON.parse(line);
		for (const text of [
			event.user_agent,
			event.target?.name,
			event.actor.username,
			JSON.stringify(event.details ?? {}),
		]) {
			expect(text ?? "").not.toMatch(ACTS);
			expect(text?.length ?? 0).toBeLessThan(4_096);
		}
	}
	expect(exported).toContain("\\\\u{9b}31mred");
});

test("a long user agent is cut", async () => {
	const client = new Client(server);
	await client.send(
		"POST",
		"/auth/login",
		{ email: "long@example.com", password: "x" },
		{ "user-agent": "a".repeat(5_000) },
	);
	const [event] = await events("&action=login&outcome=failure");
	expect(event?.user_agent).toBe("a".repeat(256));
});

test("no entry has a password, token, key or cookie", async () => {
	const account = await createAccount(server, "ADMIN");
	const client = await logIn(server, account.email, account.password);
	const key = await createUserKey(client);
	const text = await (await admin.send("GET", "/v1/audit_events?format=ndjson")).text();
	for (const secret of [account.password, "first-Password1!", key, ADMIN_SECRET, SECRET, ...client.cookies.values()]) {
		expect(text).not.toContain(secret);
		expect(server.output).not.toContain(secret);
	}
});
