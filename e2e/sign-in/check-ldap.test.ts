import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { asAdmin, type Client, logInAs, othersThanAdmins, SECRET, startWithAuth } from "../access/accounts.ts";
import { testWith } from "../peers/requirements.ts";
import { type Slapd, startSlapd } from "../peers/slapd.ts";
import { freePort, type TestServer } from "../server.ts";
import { directoryStatus } from "./directory-log-in.ts";
import { askDoctor, type ReportedStep } from "./doctor.ts";
import { accountsOf, failedStep, type TryReport } from "./sign-in-tries.ts";

const test = testWith("slapd");
const CERTIFICATES = join(import.meta.dirname, "../certificates");
const BIND_PASSWORD = "svc-pw";

let slapd: Slapd;
let server: TestServer;
let admin: Client;

beforeAll(async () => {
	slapd = await startSlapd();
	server = await startWithAuth(slapd.settings);
	admin = await logInAs(server, "ADMIN");
});
afterAll(async () => {
	await server?.[Symbol.asyncDispose]();
	await slapd?.[Symbol.asyncDispose]();
});

async function tryUser(username: string, password?: string, client = admin): Promise<TryReport> {
	return await client.data("POST", "/v1/sign_in/ldap/try", {
		username,
		...(password === undefined ? {} : { password }),
	});
}

describe("a try with the directory", () => {
	test("shows filter, entry, groups, mapping and account of a name, without a password and without a bind as it", async () => {
		const before = accountsOf(server);
		const binds = slapd.log.length;
		const report = await tryUser("alice");
		expect(report).toMatchObject({ method: "LDAP", provider: null, accepted: true, code: null, claims: null });
		const shown = JSON.stringify(report.steps);
		expect(shown).toContain("(uid=alice)");
		expect(shown).toContain("uid=alice,ou=users,dc=example,dc=com");
		expect(shown).toContain("cn=admins,ou=groups,dc=example,dc=com");
		expect(report.steps.find(({ name }) => name === "role")).toMatchObject({ outcome: "ok" });
		expect(report.steps.find(({ name }) => name === "account")).toBeDefined();
		expect(slapd.log.slice(binds)).not.toContain('BIND dn="uid=alice');
		expect(accountsOf(server)).toEqual(before);
	});

	test("with a password checks it, and opens no session", async () => {
		const before = accountsOf(server);
		const response = await admin.send("POST", "/v1/sign_in/ldap/try", { username: "bob", password: "bob-pw" });
		expect(response.headers.getSetCookie()).toEqual([]);
		expect((await response.json()).data).toMatchObject({ accepted: true });
		const wrong = await tryUser("bob", "guess-1234");
		expect(wrong).toMatchObject({ accepted: false, code: "invalid_login" });
		expect(failedStep(wrong)?.name).toBe("user_bind");
		expect(JSON.stringify(wrong)).not.toContain("guess-1234");
		expect(accountsOf(server)).toEqual(before);
	});

	test("says why nobody is found, several are, the email is missing, and no group is mapped", async () => {
		const nobody = await tryUser("nobody-here");
		expect(failedStep(nobody)?.settings).toContain("SERVICE_LDAP_USER_SEARCH_FILTER");
		const noMail = await tryUser("nomail");
		expect(noMail.accepted).toBe(false);
		expect(failedStep(noMail)?.settings).toContain("SERVICE_LDAP_ATTR_EMAIL");
		const several = await tryUser("dup");
		expect(failedStep(several)?.settings).toContain("SERVICE_LDAP_USER_SEARCH_FILTER");
		const loner = await tryUser("nogroup");
		expect(failedStep(loner)?.settings).toContain("SERVICE_LDAP_GROUP_ROLE_MAPPINGS");
		for (const hostile of ["*", "alice)(uid=*", "a\u0000b", " "]) {
			expect((await tryUser(hostile)).accepted, hostile).toBe(false);
		}
	});

	test("counts wrong passwords with those of the log-in, and is refused while the name is locked", async () => {
		for (let n = 0; n < 4; n++) await tryUser("carol", "guess");
		expect(await directoryStatus(server, "carol", "guess")).toBe(401);
		const locked = await admin.send("POST", "/v1/sign_in/ldap/try", { username: "CAROL", password: "guess" });
		expect(locked.status).toBe(429);
		expect((await admin.send("POST", "/v1/sign_in/ldap/try", { username: "carol" })).status).toBe(200);
	});

	test("with a password is limited by address, as a log-in is", async () => {
		await using limited = await startWithAuth({ ...slapd.settings, SERVICE_DISABLE_RATE_LIMIT: "false" });
		const client = await logInAs(limited, "ADMIN");
		const attempts = Array.from({ length: 40 }, async (_, n) => {
			const body = { username: `nobody-${n}`, password: "guess" };
			return (await client.send("POST", "/v1/sign_in/ldap/try", body)).status;
		});
		const statuses = await Promise.all(attempts);
		expect(statuses).toContain(429);
		expect((await client.send("POST", "/v1/sign_in/ldap/try", { username: "alice" })).status).toBe(200);
	});

	test("is for admins who are logged in, and audited without the name that was tried", async () => {
		const statuses = (await othersThanAdmins(server, admin)).map(
			async (client) => (await client.send("POST", "/v1/sign_in/ldap/try", { username: "alice" })).status,
		);
		expect(await Promise.all(statuses)).toEqual([401, 403, 403, 403, 403]);
		await tryUser("alice", "alice-pw");
		const [event] = await asAdmin(server).data("GET", "/v1/audit_events?action=sign_in.try");
		const { username } = await admin.data("GET", "/v1/user");
		expect(event).toMatchObject({ outcome: "success", actor: { username }, details: { directory: "ldap" } });
		expect(JSON.stringify(event)).not.toContain("alice");
		expect(server.output).not.toMatch(/alice-pw|svc-pw/);
	});

	test("says what the log-in then does", async () => {
		expect((await tryUser("nogroup", "nogroup-pw")).accepted).toBe(
			(await directoryStatus(server, "nogroup", "nogroup-pw")) === 204,
		);
		expect((await tryUser("alice", "alice-pw")).accepted).toBe(
			(await directoryStatus(server, "alice", "alice-pw")) === 204,
		);
	});
});

describe("the state and the doctor", () => {
	function settingsOf(more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
		return {
			SERVICE_ENABLE_AUTH: "true",
			SERVICE_SECRET: SECRET,
			SERVICE_PORT: String(server.port),
			SERVICE_WORKING_DIR: server.workingDir,
			...slapd.settings,
			...more,
		};
	}

	test("show the settings without the password, and each step of a server that works", async () => {
		const { ldap } = await admin.data("GET", "/v1/sign_in");
		const values = Object.fromEntries(
			ldap.settings.map(({ name, value }: { name: string; value: string }) => [name, value]),
		);
		expect(values).toMatchObject({
			SERVICE_LDAP_BIND_PASSWORD: "(set)",
			SERVICE_LDAP_ATTR_EMAIL: "mail",
			SERVICE_LDAP_GROUP_ROLE_MAPPINGS: slapd.settings["SERVICE_LDAP_GROUP_ROLE_MAPPINGS"],
		});
		expect(JSON.stringify(ldap)).not.toContain(BIND_PASSWORD);
		const [first] = ldap.servers;
		expect(first.address).toBe(`127.0.0.1:${slapd.port}`);
		expect(first.steps.map(({ name, outcome }: ReportedStep) => [name, outcome])).toEqual([
			["connect", "ok"],
			["tls", "ok"],
			["bind", "ok"],
			["search", "ok"],
		]);
		const doctor = await askDoctor(settingsOf());
		expect({ code: doctor.code, failed: doctor.failed }).toEqual({ code: 0, failed: [] });
		expect(doctor.output).not.toContain(BIND_PASSWORD);
		const tls = doctor.sections.at(-1)?.steps.find(({ name }) => name === "tls");
		expect(JSON.stringify(tls?.facts)).toMatch(/localhost/);
	});

	const turns: readonly [string, Readonly<Record<string, string>>, string, string][] = [
		[
			"the base DN",
			{ SERVICE_LDAP_USER_SEARCH_BASE_DNS: '["ou=nowhere,dc=example,dc=com"]' },
			"search",
			"SERVICE_LDAP_USER_SEARCH_BASE_DNS",
		],
		["the bind password", { SERVICE_LDAP_BIND_PASSWORD: "wrong-bind-pw" }, "bind", "SERVICE_LDAP_BIND_PASSWORD"],
		[
			"the authority",
			{ SERVICE_LDAP_TLS_CA_CERT_FILE: join(CERTIFICATES, "untrusted.pem") },
			"tls",
			"SERVICE_LDAP_TLS_CA_CERT_FILE",
		],
		["the host", { SERVICE_LDAP_HOST: "no-such-host.invalid" }, "connect", "SERVICE_LDAP_HOST"],
	];
	test.each(turns)("name the setting when %s is wrong", async (_, wrong, step, setting) => {
		const { code, failed, output } = await askDoctor(settingsOf(wrong));
		expect(code).toBe(1);
		expect(failed[0]).toMatchObject({ name: step });
		expect(failed[0]?.settings).toContain(setting);
		expect(output).not.toMatch(/svc-pw|wrong-bind-pw/);
		await using broken = await startWithAuth({ ...slapd.settings, ...wrong });
		const { ldap } = await asAdmin(broken).data("GET", "/v1/sign_in");
		expect(failedStep(ldap.servers[0])?.settings).toContain(setting);
		const report = await tryUser("alice", "alice-pw", await logInAs(broken, "ADMIN"));
		expect(report.accepted).toBe(false);
		expect(report.steps.filter(({ outcome }) => outcome === "failed").flatMap(({ settings }) => settings)).toContain(
			setting,
		);
	});

	test("name SERVICE_LDAP_PORT or the host when nothing listens there, and tell of each of several servers", async () => {
		const dead = await freePort();
		const { failed } = await askDoctor(settingsOf({ SERVICE_LDAP_PORT: String(dead) }));
		expect(failed).toMatchObject([{ name: "connect" }]);
		const two = await askDoctor(settingsOf({ SERVICE_LDAP_HOST: "no-such-host.invalid,127.0.0.1" }));
		expect(two.sections.filter(({ title }) => title.startsWith("Directory"))).toHaveLength(2);
		expect(two.failed).toHaveLength(1);
	});

	test("the doctor looks up a user, and checks a password from standard input only", async () => {
		const before = accountsOf(server);
		const looked = await askDoctor(settingsOf(), ["--ldap-user", "alice"]);
		expect(looked.code).toBe(0);
		expect(looked.steps.find(({ name }) => name === "role")).toMatchObject({ outcome: "ok" });
		expect(looked.steps.find(({ name }) => name === "account")).toBeDefined();
		const right = await askDoctor(settingsOf(), ["--ldap-user", "bob", "--password"], "bob-pw\n");
		expect(right.code).toBe(0);
		expect(right.steps.find(({ name }) => name === "user_bind")).toMatchObject({ outcome: "ok" });
		const wrong = await askDoctor(settingsOf(), ["--ldap-user", "bob", "--password"], "wrong-pw-77\n");
		expect(wrong.code).toBe(1);
		expect(wrong.failed).toMatchObject([{ name: "user_bind" }]);
		expect(wrong.output).not.toContain("wrong-pw-77");
		expect(accountsOf(server)).toEqual(before);
	});
});

describe("the doctor with claims", () => {
	const IDP = {
		SERVICE_ENABLE_AUTH: "true",
		SERVICE_SECRET: SECRET,
		SERVICE_OAUTH2_DEV_CLIENT_ID: "spanward",
		SERVICE_OAUTH2_DEV_CLIENT_SECRET: "claims-client-secret-1234",
		SERVICE_OAUTH2_DEV_OIDC_CONFIG_URL: "http://127.0.0.1:9/.well-known/openid-configuration",
		SERVICE_OAUTH2_DEV_GROUPS_ATTRIBUTE_PATH: "groups",
		SERVICE_OAUTH2_DEV_ALLOWED_GROUPS: "eng",
		SERVICE_OAUTH2_DEV_ROLE_ATTRIBUTE_PATH: "contains(groups, 'leads') && 'ADMIN' || 'MEMBER'",
	};
	let folder: string;
	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), "spanward-claims-"));
	});
	afterAll(async () => rm(folder, { recursive: true, force: true }));

	async function askWith(claims: unknown, settings: Readonly<Record<string, string>> = {}) {
		const file = join(folder, "claims.json");
		await writeFile(file, typeof claims === "string" ? claims : JSON.stringify(claims));
		return await askDoctor({ ...IDP, SERVICE_WORKING_DIR: folder, ...settings }, [
			"--provider",
			"dev",
			"--claims",
			file,
		]);
	}

	test("says email, groups, role and, with a database, the account", async () => {
		const claims = { sub: "1", email: "eve@example.com", groups: ["eng", "leads"] };
		const { code, sections } = await askWith(claims);
		expect(code).toBe(0);
		const last = sections.at(-1);
		expect(last?.steps.map(({ name, outcome }) => [name, outcome])).toEqual([
			["email", "ok"],
			["groups", "ok"],
			["role", "ok"],
			["account", "skipped"],
		]);
		expect(JSON.stringify(last)).toContain("ADMIN");
		const beside = await askWith({ ...claims, email: "admin@localhost" }, { SERVICE_WORKING_DIR: server.workingDir });
		expect(beside.sections.at(-1)?.steps.at(-1)).toMatchObject({ name: "account", outcome: "failed" });
	});

	test("names the setting of a missing claim and of a group that is not allowed", async () => {
		const noEmail = await askWith({ sub: "1", groups: ["eng"] });
		expect(noEmail.failed.at(-1)?.settings).toContain("SERVICE_OAUTH2_DEV_EMAIL_ATTRIBUTE_PATH");
		const outside = await askWith({ sub: "1", email: "eve@example.com", groups: ["sales"] });
		expect(outside.failed.at(-1)?.settings).toContain("SERVICE_OAUTH2_DEV_ALLOWED_GROUPS");
		expect(outside.code).toBe(1);
	});

	test("a file that has no claims ends with 65", async () => {
		for (const content of ["no json", "[1]", "null"]) {
			await expect(askWith(content)).rejects.toThrow(/ended with 65: The file .* has no JSON object/);
		}
		const missing = askDoctor({ ...IDP, SERVICE_WORKING_DIR: folder }, [
			"--provider",
			"dev",
			"--claims",
			join(folder, "none"),
		]);
		await expect(missing).rejects.toThrow(/ended with 65: The file .* does not exist/);
	});
});
