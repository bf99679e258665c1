import { createHmac, hkdfSync } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestServer } from "../server.ts";
import { asAdmin, Client, createAccount, createUserKey, logIn, logInAs, SECRET, startWithAuth } from "./accounts.ts";
import { type PlainAnswer, sendPlain } from "./plain-request.ts";

const ACCESS = "service-access-token";
const REFRESH = "service-refresh-token";
/** A read that every role may do. */
const READ = "/v1/projects";

let server: TestServer;

beforeAll(async () => {
	server = await startWithAuth();
});
afterAll(async () => server[Symbol.asyncDispose]());

describe("T030 a token that somebody else made", () => {
	const cases: readonly (readonly [string, (own: Jwt) => string])[] = [
		["without signature (alg none)", (own) => encode({ ...own.header, alg: "none" }, own.payload, "")],
		[
			"of alg none that keeps our signature",
			(own) => encode({ ...own.header, alg: "none" }, own.payload, own.signature),
		],
		["of alg None", (own) => encode({ ...own.header, alg: "None" }, own.payload, "")],
		["with an empty signature", (own) => encode(own.header, own.payload, "")],
		["signed with another key", (own) => sign(own.header, own.payload, "another key")],
		["signed with an empty key", (own) => sign(own.header, own.payload, "")],
		["signed with SERVICE_SECRET itself", (own) => sign(own.header, own.payload, SECRET)],
		["that says RS256", (own) => sign({ ...own.header, alg: "RS256" }, own.payload, derivedKey("access"))],
		["that says HS512", (own) => sign({ ...own.header, alg: "HS512" }, own.payload, derivedKey("access"))],
		["whose kid is a path", (own) => sign({ ...own.header, kid: "../../dev/null" }, own.payload, "")],
		["that brings its key", (own) => sign({ ...own.header, jwk: { kty: "oct", k: "YQ" } }, own.payload, "a")],
		[
			"with a critical extension",
			(own) => sign({ ...own.header, crit: ["x"], x: 1 }, own.payload, derivedKey("access")),
		],
		["with another subject", (own) => encode(own.header, { ...own.payload, sub: globalId("User", 1) }, own.signature)],
		["with a truncated payload", (own) => [own.parts[0], own.parts[1]?.slice(0, -4), own.parts[2]].join(".")],
		["with a truncated header", (own) => [own.parts[0]?.slice(0, -4), own.parts[1], own.parts[2]].join(".")],
		["with padding", (own) => `${own.parts.join(".")}=`],
		["whose last bits differ, which decodes to the same", (own) => withOtherLastBits(own.parts.join("."))],
		["with a fourth part", (own) => `${own.parts.join(".")}.`],
	];

	test.each(cases)("%s is refused", async (_, forge) => {
		const forged = forge(decode(await accessTokenOf("VIEWER")));
		const asBearer = await new Client(server, forged).send("GET", READ);
		expect(asBearer.status).toBe(401);
		expect(asBearer.headers.get("www-authenticate")).toMatch(
			/^Bearer realm="service", error="invalid_token", resource_metadata="/,
		);
		expect((await withCookies({ [ACCESS]: forged }).send("GET", READ)).status).toBe(401);
	});

	test("signed as we do is accepted, so that the others are refused for their faults", async () => {
		const own = decode(await accessTokenOf("VIEWER"));
		const again = sign(own.header, own.payload, derivedKey("access"));
		expect((await new Client(server, again).send("GET", READ)).status).toBe(200);
	});
});

describe("T031 a token of one kind", () => {
	test("for refreshing is no bearer token and no access cookie", async () => {
		const { cookies } = await logInAs(server, "MEMBER");
		const refresh = cookies.get(REFRESH) ?? "";
		expect((await new Client(server, refresh).send("GET", READ)).status).toBe(401);
		expect((await withCookies({ [ACCESS]: refresh }).send("GET", READ)).status).toBe(401);
	});

	test("for access does not refresh and resets no password", async () => {
		const { cookies } = await logInAs(server, "MEMBER");
		const access = cookies.get(ACCESS) ?? "";
		expect((await withCookies({ [REFRESH]: access }).send("POST", "/auth/refresh")).status).toBe(401);
		const reset = await new Client(server).send("POST", "/auth/password-reset", {
			token: access,
			password: "another-Password3!",
		});
		expect(reset.status).toBe(401);
	});

	test("that is an API key does not refresh and is no cookie", async () => {
		const key = await createUserKey(await logInAs(server, "MEMBER"));
		expect((await new Client(server, key).send("GET", READ)).status).toBe(200);
		expect((await withCookies({ [REFRESH]: key }).send("POST", "/auth/refresh")).status).toBe(401);
		expect((await withCookies({ [ACCESS]: key }).send("GET", READ)).status).toBe(401);
	});
});

test.each(["refresh", "reset", "oauth-state", "encryption", "lockout", "canary"])(
	"T032 a token signed with the key for %s gives no access",
	async (purpose) => {
		const own = decode(await accessTokenOf("MEMBER"));
		const forged = sign(own.header, own.payload, derivedKey(purpose));
		expect((await new Client(server, forged).send("GET", READ)).status).toBe(401);
	},
);

describe("T034 a spent refresh token", () => {
	test("ends the session, and the audit log says so", async () => {
		const account = await createAccount(server, "MEMBER");
		const victim = await logIn(server, account.email, account.password);
		const stolen = withCookies({ [REFRESH]: victim.cookies.get(REFRESH) });
		expect((await victim.send("POST", "/auth/refresh")).status).toBe(204);
		expect((await victim.send("GET", READ)).status).toBe(200);

		const reuse = await stolen.send("POST", "/auth/refresh");
		expect(reuse.status).toBe(401);
		expect(reuse.headers.getSetCookie()).toEqual([]);
		expect((await victim.send("GET", READ)).status).toBe(401);
		expect((await victim.send("POST", "/auth/refresh")).status).toBe(401);
		const events = await asAdmin(server).data("GET", "/v1/audit_events?action=session.reuse");
		expect(events[0]).toMatchObject({ outcome: "denied", code: "refresh_token_reused", target: { type: "session" } });
	});

	test("leaves the user's other sessions alone", async () => {
		const account = await createAccount(server, "MEMBER");
		const [first, other] = [
			await logIn(server, account.email, account.password),
			await logIn(server, account.email, account.password),
		];
		const spent = withCookies({ [REFRESH]: first.cookies.get(REFRESH) });
		await first.send("POST", "/auth/refresh");
		await first.send("POST", "/auth/refresh");
		expect((await spent.send("POST", "/auth/refresh")).status).toBe(401);
		expect((await first.send("GET", READ)).status).toBe(401);
		expect((await other.send("GET", READ)).status).toBe(200);
	});

	test("of which the answer was lost gets the same tokens again", async () => {
		const client = await logInAs(server, "MEMBER");
		const again = withCookies({ [REFRESH]: client.cookies.get(REFRESH) });
		await client.send("POST", "/auth/refresh");
		expect((await again.send("POST", "/auth/refresh")).status).toBe(204);
		expect(again.cookies).toEqual(client.cookies);
		expect((await again.send("GET", READ)).status).toBe(200);
	});
});

test("T035 eight refreshes of one token at once give one new pair", async () => {
	const client = await logInAs(server, "MEMBER");
	const tabs = Array.from({ length: 8 }, () => withCookies(Object.fromEntries(client.cookies)));
	const statuses = await Promise.all(tabs.map(async (tab) => (await tab.send("POST", "/auth/refresh")).status));
	expect(statuses).toEqual(Array.from({ length: 8 }, () => 204));
	expect(new Set(tabs.map((tab) => tab.cookies.get(REFRESH))).size).toBe(1);
	expect(tabs[0]?.cookies.get(REFRESH)).not.toBe(client.cookies.get(REFRESH));
	expect(await client.send("GET", READ).then(({ status }) => status)).toBe(401);
	expect((await tabs[7]?.send("GET", READ))?.status).toBe(200);
});

test("T036 the access token before a refresh counts no longer", async () => {
	const client = await logInAs(server, "MEMBER");
	const before = withCookies({ [ACCESS]: client.cookies.get(ACCESS) });
	expect((await before.send("GET", READ)).status).toBe(200);
	await client.send("POST", "/auth/refresh");
	expect((await before.send("GET", READ)).status).toBe(401);
	expect((await client.send("GET", READ)).status).toBe(200);
});

describe("T037 after log-out", () => {
	test("neither token of the session counts, and no other session ends", async () => {
		const account = await createAccount(server, "MEMBER");
		const here = await logIn(server, account.email, account.password);
		const there = await logIn(server, account.email, account.password);
		const stolen = withCookies(Object.fromEntries(here.cookies));
		expect((await stolen.send("GET", READ)).status).toBe(200);

		const answer = await here.send("POST", "/auth/logout");
		expect(answer.status).toBe(204);
		expect(answer.headers.get("clear-site-data")).toBe('"cache", "storage"');
		expect(here.cookies.size).toBe(0);
		expect((await stolen.send("GET", READ)).status).toBe(401);
		expect((await stolen.send("POST", "/auth/refresh")).status).toBe(401);
		expect((await new Client(server, stolen.cookies.get(ACCESS)).send("GET", READ)).status).toBe(401);
		expect((await there.send("GET", READ)).status).toBe(200);
	});

	test.each([
		["POST", "/auth/logout-all", 204],
		["GET", "/auth/logout", 302],
	] as const)("everywhere (%s %s) no session of the user counts, but keys do", async (method, path, status) => {
		const account = await createAccount(server, "MEMBER");
		const here = await logIn(server, account.email, account.password);
		const there = await logIn(server, account.email, account.password);
		const key = await createUserKey(here);
		const stranger = await logInAs(server, "MEMBER");
		expect((await there.send("GET", READ)).status).toBe(200);

		const answer = await here.send(method, path);
		expect(answer.status).toBe(status);
		if (status === 302) expect(answer.headers.get("location")).toBe("/login");
		expect(answer.headers.getSetCookie().map((line) => line.split(";")[0])).toEqual([`${ACCESS}=""`, `${REFRESH}=""`]);
		expect((await there.send("GET", READ)).status).toBe(401);
		expect((await there.send("POST", "/auth/refresh")).status).toBe(401);
		expect((await new Client(server, key).send("GET", READ)).status).toBe(200);
		expect((await stranger.send("GET", READ)).status).toBe(200);
	});

	test("the refresh cookie alone is enough to log out, as access cookies end early", async () => {
		const account = await createAccount(server, "MEMBER");
		const here = await logIn(server, account.email, account.password);
		const there = await logIn(server, account.email, account.password);
		expect((await withCookies({ [REFRESH]: here.cookies.get(REFRESH) }).send("GET", "/auth/logout")).status).toBe(302);
		expect((await here.send("GET", READ)).status).toBe(401);
		expect((await there.send("GET", READ)).status).toBe(401);
	});

	test("who is not logged in gets the same answer", async () => {
		const answer = await new Client(server).send("GET", "/auth/logout");
		expect([answer.status, answer.headers.get("location")]).toEqual([302, "/login"]);
		expect((await new Client(server).send("POST", "/auth/logout")).status).toBe(204);
		expect((await new Client(server).send("POST", "/auth/logout-all")).status).toBe(204);
	});

	test("a key logs nobody out", async () => {
		const client = await logInAs(server, "MEMBER");
		const key = await createUserKey(client);
		expect((await new Client(server, key).send("POST", "/auth/logout-all")).status).toBe(204);
		expect((await client.send("GET", READ)).status).toBe(200);
	});

	test("a refresh at the same moment leaves no session", async () => {
		for (let time = 1; time <= 5; time++) {
			const client = await logInAs(server, "VIEWER");
			const other = withCookies(Object.fromEntries(client.cookies));
			await Promise.all([other.send("POST", "/auth/refresh"), client.send("POST", "/auth/logout")]);
			expect((await other.send("GET", READ)).status).toBe(401);
			expect((await other.send("POST", "/auth/refresh")).status).toBe(401);
		}
	});
});

describe("T039 logging in with a planted cookie", () => {
	test("opens another session, with new ids", async () => {
		const attacker = await logInAs(server, "VIEWER");
		const { email, password } = await createAccount(server, "MEMBER");
		const victim = withCookies(Object.fromEntries(attacker.cookies));
		expect((await victim.send("POST", "/auth/login", { email, password })).status).toBe(204);
		const [planted, own] = [attacker, victim].map((client) => decode(client.cookies.get(ACCESS) ?? "").payload);
		expect(own?.["sid"]).not.toBe(planted?.["sid"]);
		expect(own?.["jti"]).not.toBe(planted?.["jti"]);
		expect((await victim.data("GET", "/v1/user")).email).toBe(email);
		expect((await attacker.data("GET", "/v1/user")).email).not.toBe(email);
	});

	test("ignores cookies that nobody signed, and two of one name", async () => {
		const { email, password } = await createAccount(server, "MEMBER");
		const cookie = `${ACCESS}=garbage; ${ACCESS}=more; ${REFRESH}=a; ${REFRESH}=b`;
		expect((await new Client(server).send("POST", "/auth/login", { email, password }, { cookie })).status).toBe(204);
	});

	test("with the same account gives different ids every time", async () => {
		const { email, password } = await createAccount(server, "MEMBER");
		const tokens = [await logIn(server, email, password), await logIn(server, email, password)].flatMap(({ cookies }) =>
			[...cookies.values()].map((token) => decode(token).payload),
		);
		expect(new Set(tokens.map(({ jti }) => jti)).size).toBe(4);
		expect(new Set(tokens.map(({ sid }) => sid)).size).toBe(2);
	});
});

describe("T045 two cookies of one name", () => {
	test("prove nothing, whichever comes first", async () => {
		const [own, planted] = [await logInAs(server, "MEMBER"), await logInAs(server, "VIEWER")].map(
			({ cookies }) => cookies,
		);
		for (const name of [ACCESS, REFRESH]) {
			const [a, b] = [`${name}=${own?.get(name)}`, `${name}=${planted?.get(name)}`];
			for (const cookie of [`${a}; ${b}`, `${b}; ${a}`, `${a};${a}`, `${name}=x; other=1; ${a}`]) {
				const [method, path] = name === ACCESS ? (["GET", READ] as const) : (["POST", "/auth/refresh"] as const);
				const answer = await new Client(server).send(method, path, undefined, { cookie });
				expect(answer.status).toBe(401);
				expect(answer.headers.getSetCookie()).toEqual([]);
			}
		}
		expect((await withCookies(Object.fromEntries(own ?? [])).send("POST", "/auth/refresh")).status).toBe(204);
	});

	test("are other cookies when their names differ at all", async () => {
		const { cookies } = await logInAs(server, "MEMBER");
		const token = cookies.get(ACCESS);
		const cookie = `x${ACCESS}=a; ${ACCESS}x=b; ${ACCESS.toUpperCase()}=c; __Host-${ACCESS}=d; ${ACCESS}=${token}`;
		expect((await new Client(server).send("GET", READ, undefined, { cookie })).status).toBe(200);
	});

	test("still log out: both sessions end", async () => {
		const [a, b] = [await logInAs(server, "MEMBER"), await logInAs(server, "VIEWER")];
		const cookie = `${ACCESS}=${a.cookies.get(ACCESS)}; ${ACCESS}=${b.cookies.get(ACCESS)}`;
		const answer = await new Client(server).send("POST", "/auth/logout", undefined, { cookie });
		expect(answer.status).toBe(204);
		expect((await a.send("GET", READ)).status).toBe(401);
		expect((await b.send("GET", READ)).status).toBe(401);
	});
});

test("the refresh cookie of one session and the access cookie of another refresh nothing", async () => {
	const [victim, attacker] = [await logInAs(server, "MEMBER"), await logInAs(server, "VIEWER")];
	const mixed = withCookies({ [ACCESS]: victim.cookies.get(ACCESS), [REFRESH]: attacker.cookies.get(REFRESH) });
	const answer = await mixed.send("POST", "/auth/refresh");
	expect(answer.status).toBe(401);
	expect(answer.headers.getSetCookie()).toEqual([]);
	expect((await victim.send("POST", "/auth/refresh")).status).toBe(204);
	expect((await attacker.send("POST", "/auth/refresh")).status).toBe(204);
});

describe("T046 GET /auth/logout", () => {
	const foreign: readonly Readonly<Record<string, string>>[] = [
		{ "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" },
		{ "sec-fetch-site": "same-origin", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" },
		{ "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" },
		{ "sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" },
		{ "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
		{ "sec-fetch-site": "same-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
		{
			"sec-fetch-site": "same-origin",
			"sec-fetch-mode": "navigate",
			"sec-fetch-dest": "document",
			"sec-purpose": "prefetch",
		},
	];

	test.each(foreign)("changes nothing when the browser says %j", async (headers) => {
		const client = await logInAs(server, "VIEWER");
		const answer = await get(client, "/auth/logout", headers);
		expect(answer.status).toBe(302);
		expect(answer.headers["set-cookie"]).toBeUndefined();
		expect(answer.headers["clear-site-data"]).toBeUndefined();
		expect((await client.send("GET", READ)).status).toBe(200);
	});

	test("changes nothing as HEAD", async () => {
		const client = await logInAs(server, "VIEWER");
		await client.send("HEAD", "/auth/logout");
		expect((await client.send("GET", READ)).status).toBe(200);
	});

	test.each([
		{ "sec-fetch-site": "none", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
		{ "sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
	])("logs out who goes there: %j", async (headers) => {
		const client = await logInAs(server, "VIEWER");
		const stolen = withCookies(Object.fromEntries(client.cookies));
		expect((await get(client, "/auth/logout", headers)).headers["set-cookie"]).toHaveLength(2);
		expect((await stolen.send("GET", READ)).status).toBe(401);
	});
});

test.each(["Bearer garbage", "Bearer", "Bearer  x", "Basic YWRtaW46YWRtaW4=", "x"])(
	"T047 a valid cookie beside the header `%s` counts for nothing",
	async (authorization) => {
		const client = await logInAs(server, "MEMBER");
		expect((await client.send("GET", READ, undefined, { authorization })).status).toBe(401);
		expect((await client.send("GET", READ)).status).toBe(200);
	},
);

describe("T052 ids of sessions", () => {
	test("are random, and knowing their form helps nobody without the key", async () => {
		const own = decode(await accessTokenOf("MEMBER"));
		expect(own.payload["jti"]).toMatch(/^[\w-]{32}$/);
		expect(own.payload["sid"]).toMatch(/^[\w-]{32}$/);
		for (const sid of ["1", "2", globalId("LoginSession", 1)]) {
			const forged = sign(own.header, { ...own.payload, sid, jti: sid }, derivedKey("access"));
			expect((await new Client(server, forged).send("GET", READ)).status).toBe(401);
		}
	});

	test("with the session of one user and the id of another prove nothing, even signed", async () => {
		const own = decode(await accessTokenOf("MEMBER"));
		const forged = sign(own.header, { ...own.payload, sub: globalId("User", 2) }, derivedKey("access"));
		expect((await new Client(server, forged).send("GET", READ)).status).toBe(401);
	});

	test.each([
		{ jti: "" },
		{ jti: "x" },
		{ jti: 5 },
		{ jti: undefined },
		{ sub: 5 },
		{ sub: "admin@localhost" },
		{ sid: 5 },
		{ sid: undefined },
		{ iss: "https://evil.example" },
		{ aud: "refresh" },
		{ aud: undefined },
		{ exp: 1 },
		{ exp: "never" },
		{ exp: undefined },
		{ nbf: 9_999_999_999 },
	])("with the claims %j prove nothing, even signed", async (claims) => {
		const own = decode(await accessTokenOf("MEMBER"));
		const forged = sign(own.header, { ...own.payload, ...claims }, derivedKey("access"));
		expect((await new Client(server, forged).send("GET", READ)).status).toBe(401);
	});
});

describe("one's own sessions", () => {
	test("are listed, the latest first, and one can be ended", async () => {
		const { email, password } = await createAccount(server, "VIEWER");
		const [there, here] = [await logIn(server, email, password), await logIn(server, email, password)];
		const sessions = await here.data("GET", "/v1/user/sessions");
		// The third is the one in which the account set its password.
		expect(sessions.map(({ current }: { current: boolean }) => current)).toEqual([true, false, false]);
		expect(sessions[0]).toMatchObject({ ip: "127.0.0.1", user_agent: "node" });
		expect((await here.send("DELETE", `/v1/user/sessions/${sessions[1].id}`)).status).toBe(204);
		expect((await there.send("GET", READ)).status).toBe(401);
		expect((await there.send("POST", "/auth/refresh")).status).toBe(401);
		expect(await here.data("GET", "/v1/user/sessions")).toHaveLength(2);

		const end = await here.send("DELETE", `/v1/user/sessions/${sessions[0].id}`);
		expect(end.status).toBe(204);
		expect(here.cookies.size).toBe(0);
	});

	test("of others are neither listed nor ended", async () => {
		const [owner, stranger] = [await logInAs(server, "ADMIN"), await logInAs(server, "ADMIN")];
		const [session] = await owner.data("GET", "/v1/user/sessions");
		expect((await stranger.send("DELETE", `/v1/user/sessions/${session.id}`)).status).toBe(404);
		expect((await stranger.send("DELETE", "/v1/user/sessions/garbage")).status).toBe(422);
		expect((await stranger.send("DELETE", `/v1/user/sessions/${globalId("User", 1)}`)).status).toBe(422);
		expect((await owner.send("GET", READ)).status).toBe(200);
	});

	test("are nothing for keys and the admin secret", async () => {
		const key = await createUserKey(await logInAs(server, "ADMIN"));
		expect((await new Client(server, key).send("GET", "/v1/user/sessions")).status).toBe(403);
		expect((await asAdmin(server).send("GET", "/v1/user/sessions")).status).toBe(403);
	});
});

describe("a session whose user", () => {
	test.each([
		["is deleted", "DELETE", undefined],
		["gets another role", "PATCH", { role: "VIEWER" }],
		["gets another password from an admin", "PATCH", { password: "third-Password3!" }],
	] as const)("%s ends, and cannot be refreshed", async (_, method, body) => {
		const { id, email, password } = await createAccount(server, "MEMBER");
		const client = await logIn(server, email, password);
		expect((await client.send("GET", READ)).status).toBe(200);
		expect((await asAdmin(server).send(method, `/v1/users/${id}`, body)).ok).toBe(true);
		expect((await client.send("GET", READ)).status).toBe(401);
		expect((await client.send("POST", "/auth/refresh")).status).toBe(401);
	});

	test("changes the password stays with new tokens, and every other one ends", async () => {
		const { email, password } = await createAccount(server, "MEMBER");
		const [here, there] = [await logIn(server, email, password), await logIn(server, email, password)];
		const before = withCookies(Object.fromEntries(here.cookies));
		await here.data("PATCH", "/v1/user", { password: "third-Password3!", current_password: password });
		expect((await here.send("GET", READ)).status).toBe(200);
		expect((await there.send("GET", READ)).status).toBe(401);
		expect((await there.send("POST", "/auth/refresh")).status).toBe(401);
		expect((await before.send("GET", READ)).status).toBe(401);
		expect((await here.send("POST", "/auth/refresh")).status).toBe(204);
	});
});

describe("tokens with short lives", () => {
	const startShort = (refreshMinutes: string) =>
		startWithAuth({
			SERVICE_ACCESS_TOKEN_EXPIRY_MINUTES: "0.05",
			SERVICE_REFRESH_TOKEN_EXPIRY_MINUTES: refreshMinutes,
		});
	const problem = { accept: "application/problem+json" };

	test("are told to be expired, and are refreshed", async () => {
		await using short = await startShort("10");
		const { email, password } = await createAccount(short, "MEMBER");
		const client = await logIn(short, email, password);
		const access = client.cookies.get(ACCESS);
		const bearer = new Client(short, access);
		await until(async () => (await bearer.send("GET", READ)).status === 401);
		const expired = await bearer.send("GET", READ, undefined, problem);
		expect(await expired.json()).toMatchObject({ code: "expired_token" });
		// Three seconds may pass before it is used.
		await until(async () => {
			expect((await client.send("POST", "/auth/refresh")).status).toBe(204);
			return (await client.send("GET", READ)).status === 200;
		});
	});

	test("are refreshed no longer than they are meant to be", async () => {
		await using short = await startShort("0.06");
		const { email, password } = await createAccount(short, "MEMBER");
		const refresh = (await logIn(short, email, password)).cookies.get(REFRESH);
		await sleep(4_000);
		const late = await withCookies({ [REFRESH]: refresh }, short).send("POST", "/auth/refresh", undefined, problem);
		expect(await late.json()).toMatchObject({ code: "expired_token" });
	});
});

describe("POST /auth/refresh", () => {
	test("needs a cookie, and takes no bearer token for one", async () => {
		expect((await new Client(server).send("POST", "/auth/refresh")).status).toBe(401);
		const { cookies } = await logInAs(server, "MEMBER");
		expect((await new Client(server, cookies.get(REFRESH)).send("POST", "/auth/refresh")).status).toBe(401);
	});

	test("is refused with Retry-After when it comes too often, and works again", async () => {
		const client = await logInAs(server, "MEMBER");
		const statuses: number[] = [];
		let retryAfter: string | null = null;
		for (let time = 1; time <= 14 && retryAfter === null; time++) {
			const answer = await client.send("POST", "/auth/refresh");
			statuses.push(answer.status);
			retryAfter = answer.headers.get("retry-after");
		}
		expect(statuses.at(-1)).toBe(429);
		expect(statuses.filter((status) => status === 204).length).toBeGreaterThanOrEqual(12);
		expect((await client.send("GET", READ)).status).toBe(200);
		await sleep(Number(retryAfter) * 1_000);
		expect((await client.send("POST", "/auth/refresh")).status).toBe(204);
	});
});

interface Jwt {
	readonly parts: readonly string[];
	readonly header: Readonly<Record<string, unknown>>;
	readonly payload: Readonly<Record<string, unknown>>;
	readonly signature: string;
}

function decode(token: string): Jwt {
	const parts = token.split(".");
	const [header = "", payload = "", signature = ""] = parts;
	return { parts, header: parse(header), payload: parse(payload), signature };
}

function parse(part: string): Readonly<Record<string, unknown>> {
	return JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
}

function encode(header: object, payload: object, signature: string): string {
	return `${toPart(header)}.${toPart(payload)}.${signature}`;
}

function sign(header: object, payload: object, key: string | Buffer): string {
	const signature = createHmac("sha256", key)
		.update(`${toPart(header)}.${toPart(payload)}`)
		.digest("base64url");
	return encode(header, payload, signature);
}

function toPart(value: object): string {
	return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** As the server derives it from its secret: what somebody with the code and the secret could do. */
function derivedKey(purpose: string): Buffer {
	return Buffer.from(hkdfSync("sha256", SECRET, "", `spanward ${purpose}`, 32));
}

/** The last of 43 characters holds 4 bits of 32 bytes and 2 that count for nothing. */
function withOtherLastBits(token: string): string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	return token.slice(0, -1) + alphabet.charAt(alphabet.indexOf(token.slice(-1)) ^ 1);
}

function globalId(type: string, id: number): string {
	return Buffer.from(`${type}:${id}`).toString("base64");
}

async function accessTokenOf(role: "ADMIN" | "MEMBER" | "VIEWER"): Promise<string> {
	return (await logInAs(server, role)).cookies.get(ACCESS) ?? "";
}

/** A browser that has these cookies. */
function withCookies(cookies: Readonly<Record<string, string | undefined>>, of: TestServer = server): Client {
	const client = new Client(of);
	for (const [name, value] of Object.entries(cookies)) client.cookies.set(name, value ?? "");
	return client;
}

/** As a browser that sends these headers beside its cookies. */
function get({ cookies }: Client, path: string, headers: Readonly<Record<string, string>>): Promise<PlainAnswer> {
	const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
	return sendPlain("GET", server.url + path, { ...headers, cookie });
}

async function until(condition: () => Promise<boolean>): Promise<void> {
	while (!(await condition())) await sleep(200);
}
