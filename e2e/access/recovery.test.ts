import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { linkOf, MAIL_PASSWORD, MailSink, SilentMailServer } from "../mail-sink.ts";
import type { TestServer } from "../server.ts";
import { asAdmin, Client, createAccount, createUserKey, DEFAULT_ADMIN, logIn, startWithAuth } from "./accounts.ts";
import { linkMails, requestLink, requestToken, setPassword, tokenOf, tryLogIn, waitForLink } from "./password-mails.ts";

const ROOT_URL = "https://traces.example.com/spanward";
const NEW_PASSWORD = "third-Password3!";

let sink: MailSink;
let server: TestServer;

beforeAll(async () => {
	sink = await MailSink.start();
	server = await startWithAuth({
		...sink.env,
		SERVICE_ROOT_URL: ROOT_URL,
		SERVICE_HOST_ROOT_PATH: "/spanward",
		SERVICE_TRUSTED_PROXIES: "127.0.0.1",
		SERVICE_LOG_LEVEL: "debug",
	});
});
afterAll(async () => {
	await server[Symbol.asyncDispose]();
	await sink[Symbol.asyncDispose]();
});

test("T009 the answer does not wait for a mail server that is silent, whether the account exists or not", async () => {
	await using silent = await SilentMailServer.start();
	await using other = await startWithAuth({ ...silent.env });
	const { email } = await createAccount(other, "MEMBER");
	for (const address of [email, "nobody@example.com"]) {
		const answer = await requestLink(other, address);
		expect([answer.status, await answer.text()]).toEqual([204, ""]);
	}
	// The first try has not even failed yet.
	expect(other.output).not.toContain("could not be sent");
	await sink.waitUntil("a connection to the silent server", () => silent.connections > 0 || undefined);
});

test("T009 known, unknown and foreign addresses get the same answer, header for header", async () => {
	const { email } = await createAccount(server, "MEMBER");
	const oauth = await createUser({ auth_method: "OAUTH2" });
	const seen = [];
	for (const address of [email, "nobody@example.com", oauth.email, "system@localhost", "no address"]) {
		const { status, headers } = await requestLink(server, address);
		const varying = new Set(["date", "x-request-id"]);
		seen.push({ status, headers: [...headers].filter(([name]) => !varying.has(name)) });
	}
	for (const answer of seen) expect(answer).toEqual(seen[0]);
	expect(seen[0]?.status).toBe(204);
	await waitForLink(sink, email);
	expect(linkMails(sink, oauth.email)).toEqual([]);
	expect(sink.mailsTo("system@localhost")).toEqual([]);
});

test("T103 the token is in the fragment only, and in no log; the page of the link tells nobody where it came from", async () => {
	const { email } = await createAccount(server, "MEMBER");
	const token = await requestToken(server, sink, email);
	const [mail] = linkMails(sink, email);
	const link = new URL(mail === undefined ? "" : linkOf(mail, "reset-url"));
	expect([link.search, link.pathname, link.hash]).toEqual([
		"",
		"/spanward/reset-password-with-token",
		`#token=${token}`,
	]);
	expect((await setPassword(server, token, "x")).status).toBe(422);
	expect((await setPassword(server, token, NEW_PASSWORD)).status).toBe(204);
	expect((await setPassword(server, token, NEW_PASSWORD)).status).toBe(401);
	const page = await fetch(`${server.url}/reset-password-with-token`);
	expect(page.headers.get("referrer-policy")).toBe("no-referrer");
	for (const secret of [token, token.split(".")[2] ?? "", NEW_PASSWORD, MAIL_PASSWORD]) {
		expect(server.output).not.toContain(secret);
	}
	const audit = await asAdmin(server).send("GET", "/v1/audit_events?limit=1000");
	expect(await audit.text()).not.toContain(token);
});

describe("T110 the link begins with the configured address, whatever a request says of itself", () => {
	const hostile = {
		host: "evil.example",
		origin: "https://evil.example",
		referer: "https://evil.example/login",
		forwarded: "for=1.2.3.4;host=evil.example;proto=https",
		"x-forwarded-host": "evil.example",
		"x-forwarded-proto": "https",
		"x-forwarded-server": "evil.example",
		"x-original-host": "evil.example",
		"x-forwarded-prefix": "//evil.example",
	};

	test("SERVICE_ROOT_URL", async () => {
		const { email } = await createAccount(server, "MEMBER");
		expect(await sendRaw(server, email, hostile)).toBe(204);
		const mail = await waitForLink(sink, email);
		expect(linkOf(mail, "reset-url").startsWith(`${ROOT_URL}/reset-password-with-token#token=`)).toBe(true);
		expect(mail.raw).not.toContain("evil.example");
	});

	test("the address listened on, where only this machine reaches it", async () => {
		await using local = await startWithAuth({ ...sink.env, SERVICE_HOST_ROOT_PATH: "/sub" });
		const { email } = await createAccount(local, "MEMBER");
		expect(await sendRaw(local, email, hostile)).toBe(204);
		const mail = await waitForLink(sink, email);
		expect(linkOf(mail, "reset-url").startsWith(`${local.url}/reset-password-with-token#token=`)).toBe(true);
		expect(mail.raw).not.toContain("evil.example");
	});
});

test("T200 what was typed for an account that does not exist may be a password, and is not in the audit log", async () => {
	const { id, email } = await createAccount(server, "MEMBER");
	for (const typed of ["typed-Passw0rd", email]) expect((await requestLink(server, typed)).status).toBe(204);
	const entries = await sink.waitUntil("both entries of the audit log", async () => {
		const found = await asAdmin(server).data("GET", "/v1/audit_events?action=password.reset_request&limit=2");
		return found.some(({ target }: { target?: { id: string } }) => target?.id === id) ? found : undefined;
	});
	expect(entries[1]).toMatchObject({ outcome: "denied", code: "unknown_account" });
	expect(JSON.stringify(entries)).not.toContain("typed-Passw0rd");
});

test("T112 a second request kills the first link", async () => {
	const { email } = await createAccount(server, "MEMBER");
	const first = await requestToken(server, sink, email);
	const second = await requestToken(server, sink, email);
	expect((await setPassword(server, first, NEW_PASSWORD)).status).toBe(401);
	expect((await setPassword(server, second, NEW_PASSWORD)).status).toBe(204);
	expect(await tryLogIn(server, email, NEW_PASSWORD)).toBe(204);
});

describe("who hangs up without reading the answer", () => {
	test("gets the mail", async () => {
		const accounts = await Promise.all(Array.from({ length: 10 }, () => createUser({})));
		for (const { email } of accounts) await sendAndHangUp("/auth/password-reset-email", { email });
		for (const { email } of accounts) await waitForLink(sink, email);
	});

	test("is in the audit log with the address of a wrong log-in", async () => {
		const { id, email } = await createUser({});
		let guesses = 0;
		await sink.waitUntil("4 entries of the audit log", async () => {
			// Who hangs up before the server has read anything has sent nothing, and is later the next time.
			if (guesses < 12) await sendAndHangUp("/auth/login", { email, password: "wrong" }, 5 * ++guesses);
			const query = new URLSearchParams({ action: "login", outcome: "failure", target: id, ip: "127.0.0.1" });
			const entries = await asAdmin(server).data("GET", `/v1/audit_events?${query}`);
			return entries.length >= 4 || undefined;
		});
		expect(server.output).not.toContain("request failed");
	});
});

describe("T113 a link is dead once its account is no local one any more:", () => {
	test("deleted", async () => {
		const { id, email } = await createAccount(server, "MEMBER");
		const token = await requestToken(server, sink, email);
		expect((await asAdmin(server).send("DELETE", `/v1/users/${id}`)).status).toBe(204);
		expect((await setPassword(server, token, NEW_PASSWORD)).status).toBe(401);
		expect((await requestLink(server, email)).status).toBe(204);
	});

	test("another account with the same address", async () => {
		const { id, email } = await createAccount(server, "ADMIN");
		const token = await requestToken(server, sink, email);
		await asAdmin(server).send("DELETE", `/v1/users/${id}`);
		await createUser({ email, password: "its-own-Password1!" });
		expect((await setPassword(server, token, NEW_PASSWORD)).status).toBe(401);
		expect(await tryLogIn(server, email, "its-own-Password1!")).toBe(204);
	});

	test("signed in by a provider from now on", async () => {
		const { email } = await createAccount(server, "MEMBER");
		const token = await requestToken(server, sink, email);
		inDatabase((db) =>
			db.prepare("update users set auth_method = 'OAUTH2', password_hash = null where email = ?").run(email),
		);
		expect((await setPassword(server, token, NEW_PASSWORD)).status).toBe(401);
		expect(await tryLogIn(server, email, NEW_PASSWORD)).toBe(401);
	});

	test("the system's", async () => {
		const { email } = await createAccount(server, "MEMBER");
		const token = await requestToken(server, sink, email);
		inDatabase((db) => db.prepare("update users set role = 'SYSTEM' where email = ?").run(email));
		expect((await setPassword(server, token, NEW_PASSWORD)).status).toBe(401);
	});
});

describe("a link dies with the password it was made to replace:", () => {
	test("changed by its owner", async () => {
		const { email, password } = await createAccount(server, "MEMBER");
		const token = await requestToken(server, sink, email);
		const client = await logIn(server, email, password);
		await client.data("PATCH", "/v1/user", { password: "own-Password4!", current_password: password });
		expect((await setPassword(server, token, NEW_PASSWORD)).status).toBe(401);
		expect(await tryLogIn(server, email, "own-Password4!")).toBe(204);
	});

	test("set by an admin", async () => {
		const { id, email } = await createAccount(server, "MEMBER");
		const token = await requestToken(server, sink, email);
		await asAdmin(server).data("PATCH", `/v1/users/${id}`, { password: "given-Password5!" });
		expect((await setPassword(server, token, NEW_PASSWORD)).status).toBe(401);
	});

	test("edited in the database as the last resort", async () => {
		const { email } = await createAccount(server, "MEMBER");
		const other = await createAccount(server, "MEMBER");
		const token = await requestToken(server, sink, email);
		inDatabase((db) =>
			db
				.prepare("update users set password_hash = (select password_hash from users where email = ?) where email = ?")
				.run(other.email, email),
		);
		expect((await setPassword(server, token, NEW_PASSWORD)).status).toBe(401);
	});
});

test("of two parallel uses of a link exactly one passes", async () => {
	const { email } = await createAccount(server, "MEMBER");
	const token = await requestToken(server, sink, email);
	const passwords = Array.from({ length: 8 }, (_, index) => `parallel-Password${index}!`);
	const answers = await Promise.all(passwords.map((password) => setPassword(server, token, password)));
	expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array.from({ length: 7 }, () => 401)]);
	const winner = passwords[answers.findIndex(({ status }) => status === 204)] ?? "";
	expect(await tryLogIn(server, email, winner)).toBe(204);
});

test("a password that the policy refuses leaves the link alive, as does one that is missing", async () => {
	const { email } = await createAccount(server, "MEMBER");
	const token = await requestToken(server, sink, email);
	for (const password of ["abc", "", "bad\u0000password", undefined, 42, ["long-enough-1"]]) {
		expect((await setPassword(server, token, password)).status).toBe(422);
	}
	expect((await setPassword(server, token, NEW_PASSWORD)).status).toBe(204);
});

test("a link is dead after its time, and says so in the mail", async () => {
	await using brief = await startWithAuth({ ...sink.env, SERVICE_PASSWORD_RESET_TOKEN_EXPIRY_MINUTES: "0.025" });
	const { email } = await createAccount(brief, "MEMBER");
	const token = await requestToken(brief, sink, email);
	expect((await waitForLink(sink, email)).text).toContain("for 1 second");
	await sleep(2_600);
	expect((await setPassword(brief, token, NEW_PASSWORD)).status).toBe(401);
});

test("T031 a token is good for nothing but what it was made for", async () => {
	const { email, password } = await createAccount(server, "ADMIN");
	const token = await requestToken(server, sink, email);
	for (const path of ["/v1/projects", "/v1/users", "/v1/user"]) {
		expect((await new Client(server, token).send("GET", path)).status).toBe(401);
	}
	const cookies = { cookie: `service-access-token=${token}; service-refresh-token=${token}` };
	expect((await new Client(server).send("GET", "/v1/user", undefined, cookies)).status).toBe(401);
	expect((await new Client(server).send("POST", "/auth/refresh", undefined, cookies)).status).toBe(401);
	const client = await logIn(server, email, password);
	const key = await createUserKey(client);
	for (const other of [
		...client.cookies.values(),
		key,
		`${token}x`,
		token.slice(0, -2),
		"",
		"a.b.c",
		"x".repeat(9_000),
	]) {
		expect((await setPassword(server, other, NEW_PASSWORD)).status).toBe(401);
	}
	expect(await tryLogIn(server, email, password)).toBe(204);
	expect((await setPassword(server, token, NEW_PASSWORD)).status).toBe(204);
});

test("T117 of 1,000 requests for one account at most 3 send a mail, all answer 204, and the last link stays valid", async () => {
	const folder = server.workingDir;
	const { email } = await createAccount(server, "MEMBER");
	const statuses = new Map<number, number>();
	for (let round = 0; round < 20; round++) {
		const answers = await Promise.all(Array.from({ length: 50 }, () => requestLink(server, email)));
		for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
	}
	expect([...statuses]).toEqual([[204, 1_000]]);
	// A server that stops sends first what waits.
	expect(await server.stop()).toBe(0);
	const mails = linkMails(sink, email);
	expect(mails).toHaveLength(3);
	await server.start();
	expect(server.workingDir).toBe(folder);
	expect((await requestLink(server, email)).status).toBe(204);
	const statusOf = async (index: number) => {
		const mail = mails[index];
		return mail === undefined ? undefined : (await setPassword(server, tokenOf(mail), NEW_PASSWORD)).status;
	};
	// Two mails are sent at once, so that they may overtake each other.
	const results = [await statusOf(0), await statusOf(1), await statusOf(2)];
	expect(results.sort()).toEqual([204, 401, 401]);
	expect(linkMails(sink, email)).toHaveLength(3);
});

test("T118 a reset ends every session, lifts the lock, clears the due password and tells its owner; it logs nobody in", async () => {
	const { email, password } = await createAccount(server, "MEMBER");
	const [one, two] = [await logIn(server, email, password), await logIn(server, email, password)];
	const key = await createUserKey(one);
	const { data } = JSON.parse(await (await asAdmin(server).send("GET", "/v1/users?limit=1000")).text());
	const { id } = data.find((user: { email: string }) => user.email === email);
	for (let attempt = 0; attempt < 5; attempt++) expect(await tryLogIn(server, email, "wrong")).toBe(401);
	expect(await tryLogIn(server, email, password)).toBe(429);

	const token = await requestToken(server, sink, email);
	const before = sink.mailsTo(email).length;
	const answer = await setPassword(server, token, NEW_PASSWORD);
	expect([answer.status, answer.headers.getSetCookie()]).toEqual([204, []]);

	for (const client of [one, two]) {
		expect((await client.send("GET", "/v1/user")).status).toBe(401);
		expect((await client.send("POST", "/auth/refresh")).status).toBe(401);
	}
	expect((await new Client(server, key).send("GET", "/v1/projects")).status).toBe(200);
	expect(await tryLogIn(server, email, password)).toBe(401);
	const back = await logIn(server, email, NEW_PASSWORD);
	expect(await back.data("GET", "/v1/user")).toMatchObject({ id, password_needs_reset: false });
	const notice = (await sink.waitFor(email, before + 1)).at(-1);
	expect(notice?.headers.get("subject")).toEqual(["Your Spanward password was changed"]);
	expect(notice?.text).toContain("through a link");
	expect(notice?.raw).not.toContain(token.slice(0, 40));
});

test("an account whose password is due has to choose another one, and is free then", async () => {
	const { email } = await createUser({ password: "given-Password1!" });
	const token = await requestToken(server, sink, email);
	expect((await setPassword(server, token, "given-Password1!")).status).toBe(422);
	expect((await setPassword(server, token, NEW_PASSWORD)).status).toBe(204);
	const client = await logIn(server, email, NEW_PASSWORD);
	expect((await client.send("GET", "/v1/projects")).status).toBe(200);
});

test("the default admin recovers by mail like everybody, the system never", async () => {
	const token = await requestToken(server, sink, DEFAULT_ADMIN);
	expect((await requestLink(server, "system@localhost")).status).toBe(204);
	expect((await setPassword(server, token, NEW_PASSWORD)).status).toBe(204);
	expect(await tryLogIn(server, DEFAULT_ADMIN, "admin")).toBe(401);
	expect(await tryLogIn(server, DEFAULT_ADMIN, NEW_PASSWORD)).toBe(204);
	expect(sink.mailsTo("system@localhost")).toEqual([]);
});

test("a mail goes to the address that is stored, never to one that only looks or folds like it", async () => {
	const name = `kim-${randomBytes(4).toString("hex")}`;
	const { email } = await createUser({ email: `${name}@example.com` });
	const folding = `\u212a${name.slice(1).toUpperCase()}@EXAMPLE.com `;
	expect((await requestLink(server, folding)).status).toBe(204);
	await waitForLink(sink, email);
	const before = sink.mails.length;
	const lookAlikes = [
		email.replace("i", "\u0131"),
		email.replace("k", "\u043a"),
		email.replace("@", "\uff20"),
		email.replace("example", "examp\u200ble"),
		email.replace("@", "@\u00ad"),
		`${email},thief@example.com`,
		`"${email}" <thief@example.com>`,
		`${email}\r\nBcc: thief@example.com`,
		`thief@example.com ${email}`,
	];
	for (const address of lookAlikes) expect((await requestLink(server, address)).status).toBe(204);
	// The next mail is the one of another account: nothing came in between.
	const { email: other } = await createUser({});
	await requestToken(server, sink, other);
	expect(sink.mails.slice(before).map(({ to }) => to)).toEqual([[other]]);
	expect(sink.mails.flatMap(({ to }) => to).filter((address) => address.includes("thief"))).toEqual([]);
});

test("what is no request for a link is refused without looking", async () => {
	for (const body of [{}, { email: null }, { email: 1 }, { email: ["a@example.com"] }, [], "text"]) {
		expect((await new Client(server).send("POST", "/auth/password-reset-email", body)).status).toBe(422);
	}
	for (const body of [{}, { token: "x" }, { password: NEW_PASSWORD }, { token: {}, password: NEW_PASSWORD }]) {
		expect((await new Client(server).send("POST", "/auth/password-reset", body)).status).toBe(422);
	}
	const form = { "content-type": "text/plain" };
	for (const path of ["/auth/password-reset-email", "/auth/password-reset"]) {
		expect((await new Client(server).send("POST", path, { email: "a@example.com" }, form)).status).toBe(415);
		expect((await new Client(server).send("GET", path)).status).toBe(405);
	}
	expect((await requestLink(server, `${"x".repeat(10_000)}@example.com`)).status).toBe(204);
	expect((await requestLink(server, `${"x".repeat(1_000_000)}@example.com`)).status).toBe(413);
});

test("an address asks for 12 links at once, then has to wait", async () => {
	await using limited = await startWithAuth({ ...sink.env, SERVICE_DISABLE_RATE_LIMIT: "false" });
	const statuses: number[] = [];
	for (let request = 0; request < 14; request++)
		statuses.push((await requestLink(limited, `${request}@example.com`)).status);
	expect(statuses.slice(0, 12)).toEqual(Array.from({ length: 12 }, () => 204));
	expect(statuses.slice(12)).toContain(429);
	const refused = await setPassword(limited, "x", "y");
	expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
});

describe("without a way to send links", () => {
	test("no mail server: 503", async () => {
		await using none = await startWithAuth();
		const answer = await requestLink(none, DEFAULT_ADMIN, { accept: "application/problem+json" });
		expect([answer.status, JSON.parse(await answer.text()).code]).toEqual([503, "mail_not_configured"]);
		expect(none.output).toContain("SERVICE_SMTP_HOSTNAME");
	});

	test("no address to link to: 503, and the log names SERVICE_ROOT_URL", async () => {
		await using open = await startWithAuth({ ...sink.env, SERVICE_HOST: "0.0.0.0" });
		const answer = await requestLink(open, DEFAULT_ADMIN, { accept: "application/problem+json" });
		expect([answer.status, JSON.parse(await answer.text()).code]).toEqual([503, "mail_not_configured"]);
		expect(open.output).toContain("SERVICE_ROOT_URL");
		await createAccount(open, "MEMBER");
	});

	test("authentication off: 404", async () => {
		await using off = await startWithAuth({ ...sink.env, SERVICE_ENABLE_AUTH: "false" });
		expect((await requestLink(off, DEFAULT_ADMIN)).status).toBe(404);
		expect((await setPassword(off, "x", NEW_PASSWORD)).status).toBe(404);
	});
});

async function createUser(
	fields: Readonly<Record<string, string>>,
): Promise<{ readonly id: string; readonly email: string }> {
	const username = `user-${randomBytes(6).toString("hex")}`;
	const user = { auth_method: "LOCAL", role: "MEMBER", username, email: `${username}@example.com`, ...fields };
	return await asAdmin(server).data("POST", "/v1/users", { user, send_welcome_email: false });
}

function inDatabase(work: (db: DatabaseSync) => void): void {
	const db = new DatabaseSync(join(server.workingDir, "spanward.db"), { timeout: 50_000 });
	try {
		work(db);
	} finally {
		db.close();
	}
}

/** Resets the connection with the first byte of the answer, of a log-in while its password is checked. */
/** @param waitMs until it hangs up; when the answer begins to come if absent */
async function sendAndHangUp(path: string, content: object, waitMs?: number): Promise<void> {
	const body = JSON.stringify(content);
	const socket = connect(server.port, "127.0.0.1");
	socket.on("error", () => undefined);
	await once(socket, "connect");
	const head = [
		`POST /spanward${path} HTTP/1.1`,
		"Host: a",
		"Content-Type: application/json",
		`Content-Length: ${Buffer.byteLength(body)}`,
	];
	socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
	if (waitMs === undefined) await once(socket, "data");
	else await sleep(waitMs);
	socket.resetAndDestroy();
}

/** As {@link requestLink}, with headers that fetch does not let one set. */
function sendRaw(
	to: TestServer,
	email: string,
	headers: Readonly<Record<string, string>>,
): Promise<number | undefined> {
	return new Promise((resolve, reject) => {
		const sent = request(
			`${to.url}/auth/password-reset-email`,
			{ method: "POST", headers: { "content-type": "application/json", ...headers } },
			(answer) => {
				answer.resume();
				resolve(answer.statusCode);
			},
		);
		sent.on("error", reject);
		sent.end(JSON.stringify({ email }));
	});
}
