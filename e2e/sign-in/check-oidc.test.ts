import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createProviders } from "../../apps/server/src/access/oauth2/providers.ts";
import { readConfig } from "../../apps/server/src/base/config.ts";
import {
	ADMIN_SECRET,
	asAdmin,
	Client,
	createUserKey,
	logInAs,
	othersThanAdmins,
	SECRET,
	startWithAuth,
} from "../access/accounts.ts";
import { freePort, type TestServer } from "../server.ts";
import { askDoctor } from "./doctor.ts";
import { type Behaviour, HostileProvider, signInWith, startSignIn, visitProvider } from "./hostile-provider.ts";
import { accountsOf, beginTry, browserFromElsewhere, failedStep, tryProvider } from "./sign-in-tries.ts";

const AUTHORITY = join(import.meta.dirname, "../certificates/authority.pem");
const ENGINEER = { email: "eve@example.com", groups: ["eng", "all"], role: "Owner" };

let provider: HostileProvider;
let secure: HostileProvider;
let server: TestServer;
let admin: Client;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
	[provider, secure] = await Promise.all([
		HostileProvider.start(),
		HostileProvider.start({ certificate: "untrusted", clientSecret: "hostile-client-secret-6b1f" }),
	]);
	const dead = await freePort();
	env = {
		...provider.settings("GOOD"),
		SERVICE_OAUTH2_GOOD_GROUPS_ATTRIBUTE_PATH: "groups",
		SERVICE_OAUTH2_GOOD_ALLOWED_GROUPS: "eng,ops",
		SERVICE_OAUTH2_GOOD_ROLE_ATTRIBUTE_PATH: "role",
		SERVICE_OAUTH2_GOOD_ROLE_MAPPING: "Owner:ADMIN,Dev:MEMBER",
		...provider.settings("STRICT"),
		SERVICE_OAUTH2_STRICT_ROLE_ATTRIBUTE_PATH: "role",
		SERVICE_OAUTH2_STRICT_ROLE_MAPPING: "Owner:ADMIN",
		SERVICE_OAUTH2_STRICT_ROLE_ATTRIBUTE_STRICT: "true",
		...provider.settings("WRONG_SECRET"),
		SERVICE_OAUTH2_WRONG_SECRET_CLIENT_SECRET: "another-client-secret-77aa",
		...provider.settings("OTHER_CLAIM"),
		SERVICE_OAUTH2_OTHER_CLAIM_EMAIL_ATTRIBUTE_PATH: "mails[0]",
		...provider.settings("CLOSED"),
		SERVICE_OAUTH2_CLOSED_ALLOW_SIGN_UP: "false",
		...secure.settings("UNTRUSTED"),
		SERVICE_OAUTH2_UNTRUSTED_CA_CERT_FILE: AUTHORITY,
		...provider.settings("DEAD"),
		SERVICE_OAUTH2_DEAD_OIDC_CONFIG_URL: `http://127.0.0.1:${dead}/.well-known/openid-configuration`,
	};
	server = await startWithAuth(env);
	admin = await logInAs(server, "ADMIN");
});
beforeEach(() => {
	provider.behaviour = {};
});
afterAll(async () => {
	await server?.[Symbol.asyncDispose]();
	await provider?.[Symbol.asyncDispose]();
	await secure?.[Symbol.asyncDispose]();
});

describe("a try", () => {
	test("shows claims, email, groups, role and account, and changes no account", async () => {
		const before = accountsOf(server);
		provider.behaviour = { claims: ENGINEER };
		const { id, report, response } = await tryProvider(server, admin, provider, "good");
		expect(accountsOf(server)).toEqual(before);
		expect(response?.headers.get("location")).toBe(`/settings/sign-in?try=${id}`);
		expect(response?.headers.getSetCookie().join()).not.toMatch(/service-(access|refresh)-token=[^"]/);
		expect(report).toMatchObject({ method: "OAUTH2", provider: "good", accepted: true, code: null });
		expect(report.claims).toMatchObject({ ...ENGINEER, nonce: "(not shown)" });
		expect(report.steps.filter(({ outcome }) => outcome === "failed")).toEqual([]);
		const names = report.steps.map(({ name }) => name);
		expect(names).toEqual(
			expect.arrayContaining(["discovery", "tokens", "id_token", "email", "groups", "role", "account"]),
		);
		const role = report.steps.find(({ name }) => name === "role");
		expect(JSON.stringify(role)).toContain("ADMIN");
	});

	const turns: readonly [why: string, idp: string, Behaviour, code: string, step: string, setting: string][] = [
		["the client secret is wrong", "wrong_secret", {}, "oauth_error", "tokens", "CLIENT_SECRET"],
		["the claim with the email is missing", "other_claim", {}, "missing_email_scope", "email", "EMAIL_ATTRIBUTE_PATH"],
		[
			"no group is allowed",
			"good",
			{ claims: { ...ENGINEER, groups: ["all"] } },
			"auth_failed",
			"groups",
			"ALLOWED_GROUPS",
		],
		["the claim with the groups is missing", "good", {}, "auth_failed", "groups", "GROUPS_ATTRIBUTE_PATH"],
		["the role is not mapped", "strict", { claims: { role: "Guest" } }, "auth_failed", "role", "ROLE_MAPPING"],
		["the claim with the role is missing", "strict", {}, "auth_failed", "role", "ROLE_ATTRIBUTE_PATH"],
		["nobody may sign up", "closed", {}, "sign_in_not_allowed", "account", "ALLOW_SIGN_UP"],
		["the certificate is not trusted", "untrusted", {}, "oauth_error", "discovery", "CA_CERT_FILE"],
		["the provider is dead", "dead", {}, "oauth_error", "discovery", "OIDC_CONFIG_URL"],
	];
	test.each(turns)("names the setting to change when %s", async (_, idp, behaviour, code, step, setting) => {
		provider.behaviour = behaviour;
		const before = accountsOf(server);
		const { report } = await tryProvider(server, admin, provider, idp);
		expect(report).toMatchObject({ accepted: false, code });
		expect(failedStep(report)).toMatchObject({ name: step, outcome: "failed" });
		expect(failedStep(report)?.settings).toContain(`SERVICE_OAUTH2_${idp.toUpperCase()}_${setting}`);
		expect(accountsOf(server)).toEqual(before);
	});

	test("says that the clocks differ, by how much and on which side", async () => {
		provider.behaviour = { clock: -3_600 };
		const { report } = await tryProvider(server, admin, provider, "strict");
		expect(report.accepted).toBe(false);
		expect(failedStep(report)?.text).toMatch(/clock/i);
	});

	test("says that the role falls to VIEWER where it is not mapped, and lets in", async () => {
		provider.behaviour = { claims: { ...ENGINEER, role: "Guest" } };
		const { report } = await tryProvider(server, admin, provider, "good");
		expect(report.accepted).toBe(true);
		const role = report.steps.find(({ name }) => name === "role");
		expect(role).toMatchObject({ outcome: "warning" });
		expect(role?.settings).toContain("SERVICE_OAUTH2_GOOD_ROLE_MAPPING");
	});

	test("says what the provider answered when it refuses, and the state which redirect address to register", async () => {
		provider.behaviour = { callback: { code: undefined, error: "invalid_request" } };
		const { report } = await tryProvider(server, admin, provider, "good");
		expect(failedStep(report)).toMatchObject({ name: "callback" });
		expect(JSON.stringify(failedStep(report))).toContain("invalid_request");
		const state = await admin.data("GET", "/v1/sign_in");
		const good = state.providers.find(({ id }: { id: string }) => id === "good");
		expect(good.redirect_uri).toBe(`${server.url}/oauth2/good/tokens`);
	});

	test("tells of an email that is a local user's", async () => {
		const { email } = await admin.data("GET", "/v1/user");
		provider.behaviour = { claims: { email } };
		const before = accountsOf(server);
		const { report } = await tryProvider(server, admin, provider, "strict");
		expect(report.accepted).toBe(false);
		provider.behaviour = { claims: { email, role: "Owner" } };
		const taken = await tryProvider(server, admin, provider, "strict");
		expect(taken.report).toMatchObject({ accepted: false, code: "email_in_use" });
		expect(accountsOf(server)).toEqual(before);
	});

	test("is audited with who tried and nothing of the person, and shows no secret anywhere", async () => {
		provider.behaviour = { claims: { ...ENGINEER, email: "secret.person@example.com" } };
		const { report } = await tryProvider(server, admin, provider, "good");
		const [event] = await asAdmin(server).data("GET", "/v1/audit_events?action=sign_in.try");
		const { username } = await admin.data("GET", "/v1/user");
		expect(event).toMatchObject({ actor: { username }, details: { provider: "good" } });
		expect(JSON.stringify(event)).not.toContain("secret.person");
		const code = provider.tokenRequests.at(-1)?.body.get("code") ?? "";
		expect(code).not.toBe("");
		const told = JSON.stringify(report) + JSON.stringify(await admin.data("GET", "/v1/sign_in")) + server.output;
		for (const secret of [
			provider.clientSecret,
			"another-client-secret-77aa",
			code,
			"hostile-access-token",
			SECRET,
			ADMIN_SECRET,
		]) {
			expect(told).not.toContain(secret);
		}
		expect(told).not.toMatch(/eyJ[\w-]+\.eyJ/);
	});
});

test("a try asks for the password again where the admin wants that, and only there", async () => {
	const asked = async (body: object) => {
		const { authorization_url } = await admin.data("POST", "/v1/sign_in/providers/good/try", body);
		return new URL(authorization_url).searchParams.get("prompt");
	};
	expect([await asked({}), await asked({ prompt: "login" })]).toEqual([null, "login"]);
});

describe("who may try", () => {
	test("only an admin who is logged in begins one", async () => {
		const statuses = (await othersThanAdmins(server, admin)).map(
			async (client) => (await client.send("POST", "/v1/sign_in/providers/good/try", {})).status,
		);
		expect(await Promise.all(statuses)).toEqual([401, 403, 403, 403, 403]);
		expect((await admin.send("POST", "/v1/sign_in/providers/nobody/try", {})).status).toBe(404);
		expect((await admin.send("POST", "/v1/sign_in/providers/good/try", { prompt: "none" })).status).toBe(422);
	});

	test("nobody but its admin reads one, not by a key either", async () => {
		provider.behaviour = { claims: ENGINEER };
		const { id } = await tryProvider(server, admin, provider, "good");
		const others = [
			new Client(server),
			await logInAs(server, "VIEWER"),
			await logInAs(server, "MEMBER"),
			await logInAs(server, "ADMIN"),
			new Client(server, await createUserKey(admin)),
			asAdmin(server),
		];
		const statuses = others.map(async (client) => (await client.send("GET", `/v1/sign_in/tries/${id}`)).status);
		expect(await Promise.all(statuses)).toEqual([401, 403, 403, 404, 403, 403]);
	});

	test("one whose admin was deleted meanwhile leaves nothing", async () => {
		const other = await logInAs(server, "ADMIN");
		const { id } = await other.data("GET", "/v1/user");
		const url = await beginTry(other, "good");
		const browser = browserFromElsewhere(server, other);
		await asAdmin(server).send("DELETE", `/v1/users/${id}`);
		const response = await browser.send("GET", await visitProvider(url, provider));
		expect(response.status).toBe(302);
	});
});

describe("its cookie", () => {
	test("logs nobody in, and ends one try only", async () => {
		provider.behaviour = { claims: ENGINEER, reusableCodes: true };
		const callback = await visitProvider(await beginTry(admin, "good"), provider);
		const [browser, again] = [browserFromElsewhere(server, admin), browserFromElsewhere(server, admin)];
		const before = accountsOf(server);
		const first = await browser.send("GET", callback);
		expect(first.headers.get("location")).toMatch(/^\/settings\/sign-in\?try=/);
		expect((await browser.send("GET", "/v1/user")).status).toBe(401);
		expect((await again.send("GET", callback)).headers.get("location")).toBe("/login?error=invalid_state");
		expect(accountsOf(server)).toEqual(before);
	});

	test("is good only for its own state: neither a log-in's nor a try's ends the other", async () => {
		provider.behaviour = { claims: ENGINEER, reusableCodes: true };
		const tried = new Client(server);
		for (const [name, value] of admin.cookies) tried.cookies.set(name, value);
		const tryCallback = await visitProvider(await beginTry(tried, "good"), provider);
		const loggingIn = new Client(server);
		const logInCallback = await visitProvider(await startSignIn(loggingIn, "good"), provider);
		const cookieOf = (client: Client) =>
			[...client.cookies].findLast(([name]) => name.includes("oauth2-tx")) ?? (["", ""] as const);
		const [tryName, tryValue] = cookieOf(tried);
		const [logInName, logInValue] = cookieOf(loggingIn);
		const before = accountsOf(server);
		for (const [callback, name, value] of [
			[logInCallback, logInName, tryValue],
			[logInCallback, tryName, tryValue],
			[tryCallback, tryName, logInValue],
			[tryCallback, logInName, logInValue],
		] as const) {
			const swapped = new Client(server);
			swapped.cookies.set(name, value);
			const { headers } = await swapped.send("GET", callback);
			expect(headers.get("location")).toBe("/login?error=invalid_state");
		}
		expect(accountsOf(server)).toEqual(before);
	});
});

describe("the state", () => {
	test("shows what each provider is, what is set, and why it does not work", async () => {
		const { passwords, providers, ldap } = await admin.data("GET", "/v1/sign_in");
		expect({ passwords, ldap }).toEqual({ passwords: true, ldap: null });
		// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it
		const byId = Object.fromEntries(providers.map((each: any) => [each.id, each]));
		expect(Object.keys(byId)).toEqual(["closed", "dead", "good", "other_claim", "strict", "untrusted", "wrong_secret"]);
		const settings = Object.fromEntries(
			byId["good"].settings.map(({ name, value }: { name: string; value: string }) => [name, value]),
		);
		expect(settings).toMatchObject({
			SERVICE_OAUTH2_GOOD_CLIENT_ID: provider.clientId,
			SERVICE_OAUTH2_GOOD_CLIENT_SECRET: "(set)",
			SERVICE_OAUTH2_GOOD_ALLOWED_GROUPS: "eng,ops",
			SERVICE_OAUTH2_GOOD_ROLE_MAPPING: "Owner:ADMIN,Dev:MEMBER",
		});
		expect(failedStep(byId["good"])).toBeUndefined();
		const wrongSecret = failedStep(byId["wrong_secret"]);
		expect(wrongSecret?.settings).toContain("SERVICE_OAUTH2_WRONG_SECRET_CLIENT_SECRET");
		expect(failedStep(byId["dead"])?.settings).toContain("SERVICE_OAUTH2_DEAD_OIDC_CONFIG_URL");
		expect(failedStep(byId["untrusted"])?.settings).toContain("SERVICE_OAUTH2_UNTRUSTED_CA_CERT_FILE");
	});

	test("asks a provider for all who look at once, not for each", async () => {
		await using other = await HostileProvider.start();
		await using looked = await startWithAuth(other.settings("ONE"));
		await Promise.all(Array.from({ length: 20 }, () => asAdmin(looked).data("GET", "/v1/sign_in")));
		expect(other.count("/.well-known/openid-configuration")).toBeLessThan(5);
	});

	test("comes in bounded time from a provider that never answers, and tells of clocks that differ", async () => {
		await using silent = await HostileProvider.start();
		silent.behaviour = { answers: { discovery: () => {} } };
		await using late = await HostileProvider.start();
		late.behaviour = { clock: 600 };
		await using slow = await startWithAuth({ ...silent.settings("SILENT"), ...late.settings("LATE") });
		const { providers } = await asAdmin(slow).data("GET", "/v1/sign_in");
		expect(failedStep(providers[0])).toMatchObject({ name: "clock" });
		expect(failedStep(providers[1])?.settings).toContain("SERVICE_OAUTH2_SILENT_OIDC_CONFIG_URL");
	});
});

describe("without anybody logging in", () => {
	const ask = async (behaviour: Behaviour, idp: string) => {
		provider.behaviour = behaviour;
		await using providers = createProviders(
			readConfig({ ...env, SERVICE_ENABLE_AUTH: "true", SERVICE_SECRET: SECRET }),
		);
		return { steps: (await providers.get(idp)?.check(`https://traces.example.com/oauth2/${idp}/tokens`)) ?? [] };
	};

	test("a wrong client secret shows, and a right one does not", async () => {
		expect(failedStep(await ask({}, "good"))).toBeUndefined();
		const wrong = failedStep(await ask({}, "wrong_secret"));
		expect(wrong?.settings).toContain("SERVICE_OAUTH2_WRONG_SECRET_CLIENT_SECRET");
		expect(JSON.stringify(wrong)).not.toContain("another-client-secret");
	});

	test.each([
		["to our address without a page", { callback: { code: undefined, error: "login_required" } }, "ok"],
		["to our address with an error", { callback: { code: undefined, error: "invalid_scope" } }, "warning"],
		["nowhere, with 400", { answers: { authorize: (_, response) => response.writeHead(400).end() } }, "failed"],
		["to a page", { answers: { authorize: (_, response) => response.end("log in") } }, "skipped"],
		[
			"elsewhere",
			{ answers: { authorize: (_, response) => response.writeHead(302, { location: "https://evil.example/" }).end() } },
			"skipped",
		],
		[
			"to what is no address",
			{ answers: { authorize: (_, response) => response.writeHead(302, { location: "http://[" }).end() } },
			"skipped",
		],
		["nowhere, hanging up", { answers: { authorize: (request) => request.socket.destroy() } }, "skipped"],
	] as readonly (readonly [string, Behaviour, string])[])(
		"the redirect address of a provider that leads %s is told",
		async (_, behaviour, outcome) => {
			const { steps } = await ask(behaviour, "good");
			expect(steps.find(({ name }) => name === "callback")).toMatchObject({ outcome });
		},
	);
});

test("a real log-in is what the try said", async () => {
	provider.behaviour = { claims: { ...ENGINEER, sub: "eve-1" } };
	const { report } = await tryProvider(server, admin, provider, "good");
	expect(report.accepted).toBe(true);
	const { client } = await signInWith(server, provider, { idp: "good" });
	expect(await client.data("GET", "/v1/user")).toMatchObject({ email: "eve@example.com", role: "ADMIN" });
});

describe("the doctor", () => {
	test("says the same of each provider, beside the server", async () => {
		const settings = {
			...env,
			SERVICE_ENABLE_AUTH: "true",
			SERVICE_SECRET: SECRET,
			SERVICE_PORT: String(server.port),
			SERVICE_WORKING_DIR: server.workingDir,
			SERVICE_ROOT_URL: server.url,
		};
		const all = await askDoctor(settings);
		const named = all.failed.flatMap((step) => step.settings);
		expect(all.code).toBe(1);
		expect(named).toContain("SERVICE_OAUTH2_DEAD_OIDC_CONFIG_URL");
		expect(named).toContain("SERVICE_OAUTH2_UNTRUSTED_CA_CERT_FILE");
		expect(named).toContain("SERVICE_OAUTH2_WRONG_SECRET_CLIENT_SECRET");
		expect(all.output).toContain(`${server.url}/oauth2/good/tokens`);
		expect(all.output).not.toContain(provider.clientSecret);
		const good = await askDoctor(settings, ["--provider", "GOOD"]);
		expect({ code: good.code, failed: good.failed }).toEqual({ code: 0, failed: [] });
		expect(good.sections.map(({ title }) => title)).toEqual(["Settings", "Database", expect.stringContaining("good")]);
		expect(good.steps).toContainEqual(expect.objectContaining({ name: "tokens", outcome: "ok" }));
		provider.behaviour = {
			answers: { authorize: (_, response) => response.writeHead(400).end("Invalid redirect_uri") },
		};
		const unregistered = await askDoctor(settings, ["--provider", "good"]);
		expect(unregistered.failed).toMatchObject([{ name: "callback" }]);
		expect(unregistered.failed[0]?.settings).toContain("SERVICE_ROOT_URL");
		expect(JSON.stringify(unregistered.failed)).toContain(`${server.url}/oauth2/good/tokens`);
	});
});
