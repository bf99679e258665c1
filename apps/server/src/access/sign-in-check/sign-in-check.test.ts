import { afterAll, expect, test } from "vitest";
import { openTestApp } from "#test-app.ts";
import { storeTry, type TryReport } from "../sign-in-tries/tries.ts";

const opened = await openTestApp({ SERVICE_ENABLE_AUTH: "true", SERVICE_ROOT_URL: "https://traces.example.com" });
const { context, get, call, signedIn } = opened;
const behindProxy = await openTestApp({
	SERVICE_ENABLE_AUTH: "true",
	SERVICE_ROOT_URL: "https://traces.example.com",
	SERVICE_HOST_ROOT_PATH: "/traces",
	SERVICE_TRUSTED_PROXIES: "127.0.0.1",
	SERVICE_USE_SECURE_COOKIES: "true",
});
afterAll(async () => {
	await opened[Symbol.asyncDispose]();
	await behindProxy[Symbol.asyncDispose]();
});
const admin = await signedIn("ADMIN");

const REPORT: TryReport = {
	method: "OAUTH2",
	provider: "keycloak",
	code: "auth_failed",
	steps: [
		{ name: "groups", outcome: "failed", text: "no", settings: ["X"], facts: [{ name: "groups", value: "eng" }] },
	],
	claims: { sub: "7", groups: ["eng"] },
};

async function stepsOf(headers: Readonly<Record<string, string>>): Promise<readonly { name: string; text: string }[]> {
	const { status, json } = await get("/v1/sign_in", { ...admin.headers, ...headers });
	expect(status).toBe(200);
	return json.data.steps;
}

test("a try is read by the admin who made it, and by nobody else", async () => {
	const id = await storeTry(context, admin.userId, REPORT);
	const { status, json, headers } = await get(`/v1/sign_in/tries/${id}`, admin.headers);
	expect(status).toBe(200);
	expect(headers["cache-control"]).toBe("no-store");
	expect(json.data).toMatchObject({ ...REPORT, accepted: false });

	const others = await Promise.all([
		signedIn("ADMIN"),
		signedIn("MEMBER"),
		signedIn("VIEWER"),
		signedIn("ADMIN", "key"),
		signedIn("SYSTEM"),
	]);
	const statuses = others.map(async (other) => (await get(`/v1/sign_in/tries/${id}`, other.headers)).status);
	expect(await Promise.all(statuses)).toEqual([404, 403, 403, 403, 403]);
});

test("a key of the admin who made a try does not read it", async () => {
	const key = await signedIn("ADMIN", "key");
	const id = await storeTry(context, key.userId, REPORT);
	expect((await get(`/v1/sign_in/tries/${id}`, key.headers)).status).toBe(403);
});

test("a try is forgotten after ten minutes, and no user has more than twenty", async () => {
	const other = await signedIn("ADMIN");
	const old = await storeTry(context, other.userId, REPORT);
	const expiry = await context.db.read
		.selectFrom("sign_in_tries")
		.select("expires_at")
		.where("id", "=", old)
		.executeTakeFirstOrThrow();
	expect(Math.round((expiry.expires_at - context.now()) / 60e6)).toBe(10);
	await context.db.write((transaction) =>
		transaction.updateTable("sign_in_tries").set({ expires_at: context.now() }).where("id", "=", old).execute(),
	);
	expect((await get(`/v1/sign_in/tries/${old}`, other.headers)).status).toBe(404);

	const ids = [];
	const start = context.now();
	// Of tries in the same microsecond, any may go.
	for (let n = 0; n < 23; n++) ids.push(await storeTry({ ...context, now: () => start + n }, other.userId, REPORT));
	const rows = await context.db.read
		.selectFrom("sign_in_tries")
		.select("id")
		.where("user_id", "=", other.userId)
		.execute();
	expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(ids.slice(-20)));
});

test("credentials are removed from claims, and what exceeds the limits is left out", async () => {
	let deep: unknown = "end";
	for (let n = 0; n < 5_000; n++) deep = { deep };
	const claims = {
		email: "alice@example.com",
		nonce: "nonce-value",
		at_hash: "hash-value",
		access_token: "token-value",
		"https://example.com/id_token": "eyJhbGciOiJub25lIn0.e30.c2ln",
		picture: "eyJhbGciOiJub25lIn0.e30.c2ln",
		sid: "session-value",
		groups: Array.from({ length: 10_000 }, (_, n) => `group-${n}`),
		long: "x".repeat(1_000_000),
		many: Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`claim-${n}`, "x".repeat(5_000)])),
		deep,
		...JSON.parse('{"__proto__": {"polluted": true}}'),
	};
	const id = await storeTry(context, admin.userId, { ...REPORT, code: null, claims });
	const { text, json } = await get(`/v1/sign_in/tries/${id}`, admin.headers);
	expect(text).not.toMatch(/nonce-value|hash-value|token-value|session-value|eyJ/);
	expect(text.length).toBeLessThan(300_000);
	expect(json.data).toMatchObject({ accepted: true, claims: { email: "alice@example.com", nonce: "(not shown)" } });
	expect(json.data.claims.groups).toHaveLength(200);
	expect(Object.prototype).not.toHaveProperty("polluted");
});

test("steps of any size are cut before they are kept", async () => {
	const fact = { name: "entry", value: "y".repeat(100_000) };
	const step = { name: "search", outcome: "ok", text: "z".repeat(100_000), settings: [], facts: [fact] } as const;
	const facts = Array.from({ length: 1_000 }, () => fact);
	const steps = Array.from({ length: 1_000 }, () => ({ ...step, facts }));
	const id = await storeTry(context, admin.userId, { ...REPORT, steps });
	const { text, json } = await get(`/v1/sign_in/tries/${id}`, admin.headers);
	expect(text.length).toBeLessThan(1_000_000);
	expect(json.data.steps[0].facts[0]).toEqual({ name: "entry", value: `${"y".repeat(2_000)}…` });
});

test("trying what is not set up answers 404, and a name that is too long 422", async () => {
	const tryProvider = (id: string) => call("POST", `/v1/sign_in/providers/${id}/try`, undefined, admin.headers);
	expect((await tryProvider("keycloak")).status).toBe(404);
	expect((await tryProvider("__proto__")).status).toBe(404);
	const tryLdap = (body: object) => call("POST", "/v1/sign_in/ldap/try", body, admin.headers);
	expect((await tryLdap({ username: "alice" })).status).toBe(404);
	expect((await tryLdap({ username: "a".repeat(257) })).status).toBe(422);
	expect((await tryLdap({ username: "alice", password: "a".repeat(1_025) })).status).toBe(422);
	expect((await tryLdap({ username: { $ne: "" } })).status).toBe(422);
});

test.each([
	["the address of the page", { referer: "https://traces.example.com/settings" }, "ok", []],
	["another address of the page", { referer: "http://10.0.0.7:6006/settings" }, "warning", ["SERVICE_ROOT_URL"]],
	["the host alone", { host: "traces.example.com", "x-forwarded-proto": "https" }, "ok", []],
	["another host alone", { host: "10.0.0.7:6006" }, "warning", ["SERVICE_ROOT_URL"]],
	["a host that is none", { host: "a b\\c", referer: "javascript:alert(1)" }, "warning", ["SERVICE_ROOT_URL"]],
])("SERVICE_ROOT_URL is compared with %s", async (_, headers, outcome, settings) => {
	const [step] = await stepsOf(headers);
	expect(step).toMatchObject({ name: "address", outcome, settings });
});

test("without SERVICE_TRUSTED_PROXIES the headers of a proxy lead to a step that names the setting", async () => {
	const proxy = (steps: readonly { name: string }[]) => steps.find(({ name }) => name === "proxy");
	expect(proxy(await stepsOf({}))).toMatchObject({ outcome: "ok" });
	expect(proxy(await stepsOf({ "x-forwarded-for": "203.0.113.7" }))).toMatchObject({
		outcome: "warning",
		settings: ["SERVICE_TRUSTED_PROXIES"],
	});
});

test("insecure cookies where browsers use https lead to a step that names the setting", async () => {
	const steps = await stepsOf({ referer: "https://traces.example.com/" });
	expect(steps.find(({ name }) => name === "cookies")).toMatchObject({
		outcome: "warning",
		settings: ["SERVICE_USE_SECURE_COOKIES"],
	});
});

test("behind a trusted proxy, the client's address and the root path are reported", async () => {
	const { headers } = await behindProxy.signedIn("ADMIN");
	const forwarded = { "x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "https" };
	const ask = async (url: string, extra: Readonly<Record<string, string>> = {}) => {
		const { json } = await behindProxy.get(url, {
			...headers,
			...forwarded,
			referer: "https://traces.example.com/traces/",
			...extra,
		});
		return json.data.steps;
	};
	const steps = await ask("/traces/v1/sign_in");
	expect(steps.map(({ outcome }: { outcome: string }) => outcome)).toEqual(["ok", "ok", "ok", "ok"]);
	expect(JSON.stringify(steps)).toMatch(/"Address of the client","value":"203.0.113.7".*does not strip it/);
	expect(JSON.stringify(await ask("/v1/sign_in"))).toContain("strips it");
	const prefixed = await ask("/v1/sign_in", { "x-forwarded-prefix": "/other" });
	expect(prefixed[2]).toMatchObject({ outcome: "warning", settings: ["SERVICE_HOST_ROOT_PATH"] });
});

test("the state is for admins, and says that there are no providers and no directory", async () => {
	expect((await get("/v1/sign_in", (await signedIn("MEMBER")).headers)).status).toBe(403);
	const { json } = await get("/v1/sign_in", admin.headers);
	expect(json.data).toMatchObject({ passwords: true, providers: [], ldap: null });
});
