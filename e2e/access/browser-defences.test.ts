import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SubPathProxy } from "../proxy.ts";
import { createTestServer, type TestServer } from "../server.ts";
import { type Account, ADMIN_SECRET, Client, createAccount, logIn, startWithAuth } from "./accounts.ts";
import { type PlainAnswer, sendPlain } from "./plain-request.ts";

const ACCESS = "service-access-token";
const REFRESH = "service-refresh-token";
const GOOD = "https://good.example";
const EVIL = "https://evil.example";
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";
const JSON_TYPE = { "content-type": "application/json" };
const AS_ADMIN = { authorization: `Bearer ${ADMIN_SECRET}` };

/** Nothing is trusted beyond what the browser does by itself. */
let server: TestServer;
let account: Account;
/** Trusts {@link GOOD}. */
let guarded: TestServer;
let guardedAccount: Account;

beforeAll(async () => {
	server = await startWithAuth();
	account = await createAccount(server, "MEMBER");
	guarded = await startWithAuth({
		SERVICE_CSRF_TRUSTED_ORIGINS: `,${GOOD},http://xn--bcher-kva.example:8080/,`,
		SERVICE_ALLOWED_ORIGINS: GOOD,
	});
	guardedAccount = await createAccount(guarded, "MEMBER");
});
afterAll(async () => {
	await server[Symbol.asyncDispose]();
	await guarded[Symbol.asyncDispose]();
});

describe("T024 logging somebody in from a foreign page", () => {
	const types = [
		"text/plain",
		"application/x-www-form-urlencoded",
		"multipart/form-data; boundary=x",
		"text/plain; application/json",
	];

	test.each(types)("with a body of type %s answers 415", async (type) => {
		const answer = await post(server, "/auth/login", { "content-type": type, origin: EVIL }, credentials(account));
		expect(answer.status).toBe(415);
		expect(answer.headers["set-cookie"]).toBeUndefined();
	});

	test("with a body of no type answers 415", async () => {
		expect((await post(server, "/auth/login", { origin: EVIL }, credentials(account))).status).toBe(415);
	});

	test.each([...types, "application/json"])("answers 401 to %s where origins are trusted", async (type) => {
		const headers = { "content-type": type, origin: EVIL };
		const answer = await post(guarded, "/auth/login", headers, credentials(guardedAccount));
		expect([answer.status, answer.text]).toEqual([401, "untrusted origin"]);
		expect(answer.headers["set-cookie"]).toBeUndefined();
	});

	test.each(types)("and out, by a form of type %s without a body, answers 415", async (type) => {
		const client = await logIn(server, account.email, account.password);
		for (const path of ["/auth/logout", "/auth/logout-all", "/auth/refresh"]) {
			const answer = await post(server, path, { "content-type": type, cookie: cookieOf(client), origin: EVIL });
			expect(answer.status).toBe(415);
		}
		expect((await client.send("POST", "/auth/refresh")).status).toBe(204);
	});

	test("works from a page that is trusted", async () => {
		const headers = { ...JSON_TYPE, origin: GOOD, referer: `${GOOD}/page?a=b` };
		expect((await post(guarded, "/auth/login", headers, credentials(guardedAccount))).status).toBe(204);
	});
});

describe("where origins are trusted, a change with cookies", () => {
	const IDN = "http://xn--bcher-kva.example:8080";
	test.each([
		["T091 the right host and another scheme", "http://good.example"],
		["T091 the right host and another port", `${GOOD}:8443`],
		["T091 the right host and port 80 under https", `${GOOD}:80`],
		["T091 our host and another port", "http://127.0.0.1:1"],
		["T093 a longer host", `${GOOD}.evil.example`],
		["T093 a shorter host", "https://d.example"],
		["T093 a subdomain", "https://sub.good.example"],
		["T093 user information", `${GOOD}@evil.example`],
		["T093 a dot at the end", `${GOOD}.`],
		["T093 a path", `${GOOD}/page`],
		["T093 a backslash", `${GOOD}\\@evil.example`],
		["T093 a script that looks alike", "https://xn--gd-fma.example"],
		["T093 the international name without its port", "http://xn--bcher-kva.example"],
		["T093 another scheme of the kind", "ws://good.example"],
		["T093 null", "null"],
		["T093 nothing", ""],
		["T093 a list", `${GOOD}, ${EVIL}`],
		["T093 garbage", "https://"],
	])("is refused from %s", async (_, origin) => {
		const answer = await change(guarded, { origin });
		expect([answer.status, answer.text]).toEqual([401, "untrusted origin"]);
	});

	test.each([
		["T093 in upper case", "HTTPS://GOOD.EXAMPLE"],
		["T093 with the default port", `${GOOD}:443`],
		["T093 as an international name", IDN],
		["that is listed", GOOD],
	])("works from an origin %s", async (_, origin) => {
		expect((await change(guarded, { origin })).status).toBe(204);
	});

	test("T092 works from our own origin, which nobody listed", async () => {
		const { origin } = new URL(guarded.url);
		expect((await change(guarded, { origin, referer: `${origin}/settings` })).status).toBe(204);
		expect((await change(guarded, { origin: `https:${origin.slice("http:".length)}` })).status).toBe(401);
	});

	test("is refused by its referer too", async () => {
		for (const headers of [{ referer: `${EVIL}/` }, { origin: GOOD, referer: `${EVIL}/${GOOD}` }]) {
			const answer = await change(guarded, headers);
			expect([answer.status, answer.text]).toEqual([401, "untrusted referer"]);
		}
		expect((await change(guarded, { referer: `${GOOD}/a/b?c` })).status).toBe(204);
	});

	test("works without either header, and with a bearer token from anywhere", async () => {
		expect((await change(guarded, {})).status).toBe(204);
		const client = await logIn(guarded, guardedAccount.email, guardedAccount.password);
		const authorization = `Bearer ${client.cookies.get(ACCESS)}`;
		const answer = await sendPlain("DELETE", `${guarded.url}/v1/user/sessions/none`, { authorization, origin: EVIL });
		expect(answer.status).toBe(422);
	});

	test.each(["/auth/refresh", "/auth/logout", "/auth/logout-all", "/auth/password-reset"])(
		"is refused on %s, and ends no session",
		async (path) => {
			const client = await logIn(guarded, guardedAccount.email, guardedAccount.password);
			const answer = await post(guarded, path, { cookie: cookieOf(client), origin: EVIL });
			expect([answer.status, answer.text]).toEqual([401, "untrusted origin"]);
			expect((await client.send("POST", "/auth/refresh")).status).toBe(204);
		},
	);
});

describe("T094 a stream or socket opened by a foreign page", () => {
	const upgrade = {
		connection: "Upgrade",
		upgrade: "websocket",
		"sec-websocket-version": "13",
		"sec-websocket-key": "a",
	};
	test.each([
		["a stream", { accept: "text/event-stream" }],
		["a socket", upgrade],
	])("(%s) is refused with cookies where origins are trusted", async (_, kind) => {
		const cookie = cookieOf(await logIn(guarded, guardedAccount.email, guardedAccount.password));
		const url = `${guarded.url}/v1/projects`;
		expect((await sendPlain("GET", url, { ...kind, cookie, origin: EVIL })).status).toBe(401);
		expect((await sendPlain("GET", url, { ...kind, cookie, origin: GOOD })).status).toBe(200);
	});

	test.each([
		["a stream", { accept: "text/event-stream" }],
		["a socket", upgrade],
	])("(%s) is refused with cookies when the browser calls it cross-site", async (_, kind) => {
		const cookie = cookieOf(await logIn(server, account.email, account.password));
		const headers = { ...kind, cookie, "sec-fetch-site": "cross-site" };
		expect((await sendPlain("GET", `${server.url}/v1/projects`, headers)).status).toBe(403);
	});
});

describe("what the browser calls cross-site", () => {
	const crossSite = { "sec-fetch-site": "cross-site" };

	test("changes nothing by cookies, whatever is trusted", async () => {
		expect((await change(server, crossSite)).status).toBe(403);
		expect((await change(server, { ...crossSite, origin: EVIL })).status).toBe(403);
		expect((await change(guarded, crossSite)).status).toBe(403);
	});

	test("changes what it may when its origin is trusted", async () => {
		expect((await change(guarded, { ...crossSite, origin: GOOD })).status).toBe(204);
	});

	test("reads, as links from other sites do", async () => {
		const cookie = cookieOf(await logIn(server, account.email, account.password));
		expect((await sendPlain("GET", `${server.url}/v1/projects`, { ...crossSite, cookie })).status).toBe(200);
	});
});

describe("what a proxy says of a request", () => {
	const forwarded = {
		"x-forwarded-for": "203.0.113.9, 192.0.2.7",
		"x-forwarded-proto": "https",
		"x-forwarded-host": "spans.example",
	};

	/** The address that the new session has, and the status of a log-in from the origin that the proxy tells. */
	async function logInThroughProxy(env: Readonly<Record<string, string>>) {
		await using of = await startWithAuth({ SERVICE_CSRF_TRUSTED_ORIGINS: GOOD, ...env });
		const { email, password } = await createAccount(of, "VIEWER");
		const body = JSON.stringify({ email, password });
		const fromOwn = await post(
			of,
			"/auth/login",
			{ ...JSON_TYPE, ...forwarded, origin: "https://spans.example" },
			body,
		);
		await post(of, "/auth/login", { ...JSON_TYPE, ...forwarded }, body);
		const client = await logIn(of, email, password);
		const [, session] = await client.data("GET", "/v1/user/sessions");
		const warnings = of.output.split("\n").filter((line) => line.includes("SERVICE_TRUSTED_PROXIES"));
		return { ip: session.ip, fromOwn: fromOwn.status, warnings: warnings.length };
	}

	test("counts when it is trusted: the last address that is no proxy, and the own origin", async () => {
		const env = { SERVICE_TRUSTED_PROXIES: "127.0.0.0/8" };
		expect(await logInThroughProxy(env)).toEqual({ ip: "192.0.2.7", fromOwn: 204, warnings: 0 });
	});

	test("counts for nothing when nobody named it, which is said once", async () => {
		expect(await logInThroughProxy({})).toEqual({ ip: "127.0.0.1", fromOwn: 401, warnings: 1 });
	});

	test("counts for nothing when it is another one", async () => {
		const env = { SERVICE_TRUSTED_PROXIES: "192.0.2.0/24,::1" };
		expect(await logInThroughProxy(env)).toEqual({ ip: "127.0.0.1", fromOwn: 401, warnings: 0 });
	});
});

test("without trusted origins Origin and Referer are not looked at", async () => {
	expect((await change(server, { origin: EVIL, referer: `${EVIL}/` })).status).toBe(204);
	expect((await change(server, { origin: "null" })).status).toBe(204);
});

describe("T096 another origin that asks whether it may call", () => {
	const preflight = {
		"access-control-request-method": "DELETE",
		"access-control-request-headers": "content-type,x-project-name",
	};

	test.each([EVIL, "null", `${GOOD}.evil.example`, "http://good.example"])("(%s) is told nothing", async (origin) => {
		for (const of of [server, guarded]) {
			const answer = await sendPlain("OPTIONS", `${of.url}/v1/projects`, { ...preflight, origin });
			expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
			const read = await sendPlain("GET", `${of.url}/healthz`, { origin });
			expect(read.headers["access-control-allow-origin"]).toBeUndefined();
		}
	});

	test("may, when it is listed, with credentials; its requests need them as everybody's", async () => {
		const answer = await sendPlain("OPTIONS", `${guarded.url}/v1/projects`, { ...preflight, origin: GOOD });
		expect(answer.status).toBe(204);
		expect(answer.headers).toMatchObject({
			"access-control-allow-origin": GOOD,
			"access-control-allow-credentials": "true",
			"access-control-allow-headers": "content-type,x-project-name",
		});
		expect(answer.headers["access-control-allow-methods"]).toContain("DELETE");
		expect(answer.headers.vary).toContain("Origin");
		const read = await sendPlain("GET", `${guarded.url}/v1/projects`, { origin: GOOD });
		expect(read.status).toBe(401);
		expect(read.headers["access-control-allow-origin"]).toBe(GOOD);
		expect((await sendPlain("OPTIONS", `${guarded.url}/v1/projects`, { origin: GOOD })).status).not.toBe(204);
	});

	test("may not start the server as *", async () => {
		await using open = await createTestServer({ env: { SERVICE_ALLOWED_ORIGINS: "*" } });
		const [code] = await once(open.spawn(), "exit");
		expect(code).toBe(78);
		expect(open.output).toContain("SERVICE_ALLOWED_ORIGINS");
	});
});

describe("T097 the headers that defend a page", () => {
	const answers: readonly (readonly [string, () => Promise<PlainAnswer>])[] = [
		["the page", () => sendPlain("GET", `${server.url}/`)],
		["the docs", () => sendPlain("GET", `${server.url}/docs/`, AS_ADMIN)],
		["the docs' own files", () => sendPlain("GET", `${server.url}/docs/static/swagger-ui.css`, AS_ADMIN)],
		["the address of the docs without its slash", () => sendPlain("GET", `${server.url}/docs`, AS_ADMIN)],
		["the health", () => sendPlain("GET", `${server.url}/healthz`)],
		["a 401", () => sendPlain("GET", `${server.url}/v1/projects`)],
		["a 401 at log-in", () => post(server, "/auth/login", JSON_TYPE, "{}")],
		["a 401 of OTLP", () => sendPlain("POST", `${server.url}/v1/traces`)],
		["a 401 of an untrusted origin", () => post(guarded, "/auth/login", { origin: EVIL })],
		["a 403", async () => change(server, { "sec-fetch-site": "cross-site" })],
		["a 404 of the API", () => sendPlain("GET", `${server.url}/v1/nothing`)],
		["a 404 of a file", () => sendPlain("GET", `${server.url}/assets/nothing.js`)],
		["a 405", () => sendPlain("DELETE", `${server.url}/v1/projects`)],
		["a 415", () => post(server, "/auth/login", { "content-type": "text/plain" }, "x")],
		["a 422", () => post(server, "/auth/login", JSON_TYPE, "{")],
		["a redirect", () => sendPlain("GET", `${server.url}/auth/logout`)],
		["a preflight", () => sendPlain("OPTIONS", `${server.url}/v1/projects`, { origin: EVIL })],
		["an address that does not decode", () => sendPlain("GET", `${server.url}/v1/%`)],
		["what is no HTTP", () => sendBytes(server, "GET / HTTP/9.9\r\n\r\n")],
		["headers that are too large", () => sendBytes(server, `GET / HTTP/1.1\r\nx: ${"y".repeat(200_000)}\r\n\r\n`)],
	];

	test.each(answers)("are on %s", async (name, send) => {
		const { headers } = await send();
		const policy = headers["content-security-policy"];
		expect(policy).toContain("frame-ancestors 'none'");
		expect(policy).not.toMatch(/script-src[^;]*unsafe/);
		expect(headers).toMatchObject({
			"x-content-type-options": "nosniff",
			"x-frame-options": "DENY",
			"referrer-policy": "same-origin",
			"cross-origin-resource-policy": "same-origin",
		});
		if (policy === DATA_POLICY) {
			expect(headers["content-type"] ?? "application/json").toMatch(/^(application\/json|text\/plain)(;|$)/);
			return;
		}
		// The page that shows the API has styles of its own in its elements.
		if (!name.includes("docs")) expect(policy).not.toContain("unsafe");
		expect(policy).toMatch(/(^|; )script-src 'self'(;|$)/);
		expect(policy).toContain("object-src 'none'");
		expect(policy).toMatch(/default-src 'self'/);
		expect(headers["cross-origin-opener-policy"]).toBe("same-origin");
		expect(headers["permissions-policy"]).toContain("camera=()");
	});

	test("let nothing of the API load or run anything", async () => {
		for (const path of ["/v1/projects", "/v1/nothing"]) {
			const { headers } = await sendPlain("GET", server.url + path, AS_ADMIN);
			expect([path, headers["content-security-policy"]]).toEqual([path, DATA_POLICY]);
		}
	});

	test("do not ask for https where the service is not reached by it", async () => {
		const { headers } = await sendPlain("GET", `${server.url}/healthz`);
		expect(headers["strict-transport-security"]).toBeUndefined();
	});

	test.each([
		["GET", "/v1/user"],
		["GET", "/v1/users"],
		["GET", "/v1/user/sessions"],
		["GET", "/v1/secrets"],
		["GET", "/v1/audit_events"],
		["GET", "/v1/system/api_keys"],
		["GET", "/v1/projects"],
		["POST", "/auth/refresh"],
		["GET", "/auth/logout"],
	])("keep %s %s out of caches, refused or not", async (method, path) => {
		const cookie = cookieOf(await logIn(server, account.email, account.password));
		expect((await sendPlain(method, server.url + path)).headers["cache-control"]).toBe("no-store");
		expect((await sendPlain(method, server.url + path, { cookie })).headers["cache-control"]).toBe("no-store");
	});

	test("tell nobody where the page with the link of a mail is", async () => {
		const { headers } = await sendPlain("GET", `${server.url}/reset-password-with-token`);
		expect(headers["referrer-policy"]).toBe("no-referrer");
	});

	test("ask for https where the service is reached by it, and the own origin is that of SERVICE_ROOT_URL", async () => {
		await using https = await startWithAuth({
			SERVICE_ROOT_URL: "https://spans.example",
			SERVICE_CSRF_TRUSTED_ORIGINS: GOOD,
		});
		const { headers } = await sendPlain("GET", `${https.url}/healthz`);
		expect(headers["strict-transport-security"]).toMatch(/^max-age=\d{8}/);
		const wrong = { email: "nobody@example.com", password: "wrong-Password1!" };
		const logInFrom = async (origin: string) =>
			(await post(https, "/auth/login", { ...JSON_TYPE, origin }, JSON.stringify(wrong))).text;
		expect(await logInFrom("https://spans.example")).toBe("Wrong email or password");
		expect(await logInFrom("http://spans.example")).toBe("untrusted origin");
		expect(await logInFrom(new URL(https.url).origin)).toBe("untrusted origin");
	});
});

test("T102 answers opened as a page are no page", async () => {
	const script = "<script>alert(1)</script>";
	const cookie = cookieOf(await logIn(server, account.email, account.password));
	const created = await post(server, "/v1/projects", { ...JSON_TYPE, cookie }, JSON.stringify({ name: script }));
	expect(created.status).toBeLessThan(300);
	const paths = [
		"/v1/projects",
		"/v1/user",
		`/v1/projects/${encodeURIComponent(`${script}x`)}`,
		`/v1/projects?limit=${encodeURIComponent(script)}`,
		`/v1/spans/${encodeURIComponent(script)}`,
		"/openapi.json",
	];
	for (const path of paths) {
		const { headers } = await sendPlain("GET", server.url + path, { cookie, accept: "text/html" });
		expect(headers["content-type"]).toMatch(/^(application\/json|text\/plain)(;|$)/);
		expect(headers["x-content-type-options"]).toBe("nosniff");
	}
});

describe("T044 the cookies of a session", () => {
	const modes = [
		["over http", {}, ACCESS, "/", REFRESH, "/auth"],
		["over https", { SERVICE_USE_SECURE_COOKIES: "true" }, `__Host-${ACCESS}`, "/", `__Secure-${REFRESH}`, "/auth"],
		[
			"below a path",
			{ SERVICE_HOST_ROOT_PATH: "/tools/traces" },
			ACCESS,
			"/tools/traces",
			REFRESH,
			"/tools/traces/auth",
		],
		[
			"over https below a path",
			{ SERVICE_HOST_ROOT_PATH: "/tools/traces", SERVICE_USE_SECURE_COOKIES: "true" },
			`__Secure-${ACCESS}`,
			"/tools/traces",
			`__Secure-${REFRESH}`,
			"/tools/traces/auth",
		],
	] as const;

	test.each(modes)("%s", async (_, env, access, accessPath, refresh, refreshPath) => {
		await using of = await startWithAuth(env);
		const secure = "SERVICE_USE_SECURE_COOKIES" in env ? "; Secure" : "";
		const client = new Client(of);
		const answer = await client.send("POST", "/auth/login", { email: "admin@localhost", password: "admin" });
		expect(answer.headers.getSetCookie().map((line) => line.replace(/=[\w.-]+;/, "=…;"))).toEqual([
			`${access}=…; HttpOnly; Max-Age=600; Path=${accessPath}; SameSite=strict${secure}`,
			`${refresh}=…; HttpOnly; Max-Age=604800; Path=${refreshPath}; SameSite=strict${secure}`,
		]);
		expect((await client.send("GET", "/v1/user")).status).toBe(200);
		expect((await client.send("POST", "/auth/refresh")).status).toBe(204);

		const stolen = new Client(of);
		for (const [name, value] of client.cookies) stolen.cookies.set(name, value);
		const end = await client.send("GET", "/auth/logout");
		expect(end.headers.get("location")).toBe(`${accessPath === "/" ? "" : accessPath}/login`);
		const gone = "expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; Max-Age=0";
		expect(end.headers.getSetCookie()).toEqual([
			`${access}=""; ${gone}; Path=${accessPath}; SameSite=strict${secure}`,
			`${refresh}=""; ${gone}; Path=${refreshPath}; SameSite=strict${secure}`,
		]);
		expect((await stolen.send("GET", "/v1/user")).status).toBe(401);
	});

	test("have the path that SERVICE_COOKIES_PATH says", async () => {
		await using of = await startWithAuth({
			SERVICE_HOST_ROOT_PATH: "/tools/traces",
			SERVICE_COOKIES_PATH: "/",
			SERVICE_USE_SECURE_COOKIES: "true",
		});
		const answer = await new Client(of).send("POST", "/auth/login", { email: "admin@localhost", password: "admin" });
		expect(answer.headers.getSetCookie()[0]).toMatch(/^__Host-service-access-token=.*; Path=\/; /);
		expect(answer.headers.getSetCookie()[1]).toMatch(
			/^__Secure-service-refresh-token=.*; Path=\/tools\/traces\/auth; /,
		);
	});

	test.each([true, false])("and redirects are right behind a proxy (that strips the path: %s)", async (strip) => {
		const prefix = "/tools/traces";
		// Through a proxy the default password is refused.
		const password = "chosen before the start";
		await using of = await startWithAuth({
			SERVICE_HOST_ROOT_PATH: prefix,
			SERVICE_DEFAULT_ADMIN_INITIAL_PASSWORD: password,
		});
		await using proxy = await SubPathProxy.start({ target: of.port, prefix, strip });
		const body = JSON.stringify({ email: "admin@localhost", password });
		const opened = await sendPlain("POST", `${proxy.url}/auth/login`, JSON_TYPE, body);
		expect(opened.status).toBe(204);
		expect(opened.headers["set-cookie"]?.map((line) => /Path=([^;]*)/.exec(line)?.[1])).toEqual([
			prefix,
			`${prefix}/auth`,
		]);
		const cookie = opened.headers["set-cookie"]?.map((line) => line.split(";")[0]).join("; ") ?? "";
		expect((await sendPlain("GET", `${proxy.url}/v1/user`, { cookie })).status).toBe(200);
		const closed = await sendPlain("GET", `${proxy.url}/auth/logout`, { cookie });
		expect([closed.status, closed.headers.location]).toEqual([302, `${prefix}/login`]);
		expect((await sendPlain("GET", `${proxy.url}/v1/user`, { cookie })).status).toBe(401);
	});
});

function post(
	of: TestServer,
	path: string,
	headers: Readonly<Record<string, string>>,
	body = "",
): Promise<PlainAnswer> {
	return sendPlain("POST", of.url + path, headers, body);
}

/** Ends a session of one's own by its cookies, with these headers beside them: 204 where they are let through. */
async function change(of: TestServer, headers: Readonly<Record<string, string>>): Promise<PlainAnswer> {
	const { email, password } = of === server ? account : guardedAccount;
	const client = await logIn(of, email, password);
	const sessions: { id: string; current: boolean }[] = await client.data("GET", "/v1/user/sessions");
	const current = sessions.find((session) => session.current);
	const cookie = cookieOf(client);
	return await sendPlain("DELETE", `${of.url}/v1/user/sessions/${current?.id}`, { cookie, ...headers });
}

function cookieOf({ cookies }: Client): string {
	return [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
}

function credentials({ email, password }: Account): string {
	return JSON.stringify({ email, password });
}

/** What `fetch` and `http` would not send. */
async function sendBytes(of: TestServer, bytes: string): Promise<PlainAnswer> {
	const socket = connect(of.port, "127.0.0.1");
	socket.on("error", () => undefined); // the server may close while we still send
	socket.end(bytes);
	let text = "";
	for await (const chunk of socket.setEncoding("latin1")) text += chunk;
	const [head = "", body = ""] = text.split("\r\n\r\n");
	const [status = "", ...lines] = head.split("\r\n");
	const headers = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s).slice(0, 2)));
	return { status: Number(status.split(" ")[1]), headers, text: body };
}
