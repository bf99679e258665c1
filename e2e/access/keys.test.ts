import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Permission } from "../../apps/web/src/limits/permissions.ts";
import { keyCurls } from "../../apps/web/src/pages/settings/keys/key-curl.ts";
import { keyTable } from "../../apps/web/src/pages/settings/keys/key-table.ts";
import { startServer, type TestServer } from "../server.ts";
import { sendSpans } from "../web/otlp-json.ts";
import {
	ADMIN_SECRET,
	asAdmin,
	Client,
	createAccount,
	createSystemKey,
	createUserKey,
	logIn,
	logInAs,
	startWithAuth,
} from "./accounts.ts";
import { runSql } from "./database-file.ts";
import { sendPlain } from "./plain-request.ts";

let server: TestServer;
beforeAll(async () => {
	server = await startWithAuth();
});
afterAll(() => server[Symbol.asyncDispose]());

const statusOf = async (client: Client, path: string, method = "GET", body?: unknown) =>
	(await client.send(method, path, body)).status;

test("T041 the key of a deleted user is refused at once", async () => {
	const { id, email, password } = await createAccount(server, "MEMBER");
	const key = new Client(server, await createUserKey(await logIn(server, email, password)));
	expect(await statusOf(key, "/v1/projects")).toBe(200);
	expect(await statusOf(asAdmin(server), `/v1/users/${id}`, "DELETE")).toBe(204);
	expect(await statusOf(key, "/v1/projects")).toBe(401);
});

test("T042 the key of an admin who is no admin any more is none of an admin", async () => {
	const { id, email, password } = await createAccount(server, "ADMIN");
	const key = new Client(server, await createUserKey(await logIn(server, email, password)));
	expect(await statusOf(key, "/v1/users")).toBe(200);
	await asAdmin(server).data("PATCH", `/v1/users/${id}`, { role: "MEMBER" });
	expect(await statusOf(key, "/v1/users")).toBe(403);
	expect(await statusOf(key, "/v1/projects")).toBe(200);
});

test("T042 a change that another program makes in the database counts soon", async () => {
	const { email, password } = await createAccount(server, "ADMIN");
	const client = await logIn(server, email, password);
	const key = new Client(server, await createUserKey(client));
	expect(await statusOf(key, "/v1/users")).toBe(200);
	runSql(server, "update users set role = 'VIEWER' where email = ?", email);
	await expect.poll(() => statusOf(key, "/v1/users")).toBe(403);
	await expect.poll(() => statusOf(client, "/v1/users")).toBe(403);
	runSql(server, "delete from api_keys where user_id = (select id from users where email = ?)", email);
	await expect.poll(() => statusOf(key, "/v1/projects")).toBe(401);
});

describe("T049 the admin secret", () => {
	const changed = (at: number) => {
		const other = ADMIN_SECRET[at] === "x" ? "y" : "x";
		return ADMIN_SECRET.slice(0, at) + other + ADMIN_SECRET.slice(at + 1);
	};

	test.each([0, 1, 20, ADMIN_SECRET.length - 1])("with another character at %i is refused", async (at) => {
		expect(await statusOf(new Client(server, changed(at)), "/v1/user")).toBe(401);
	});

	test.each([
		["cut", ADMIN_SECRET.slice(0, -1)],
		["longer", `${ADMIN_SECRET}a`],
		["upper case", ADMIN_SECRET.toUpperCase()],
		["twice", ADMIN_SECRET + ADMIN_SECRET],
	])("%s is refused", async (_how, token) => {
		expect(await statusOf(new Client(server, token), "/v1/user")).toBe(401);
	});

	test("acts as the first system user", async () => {
		expect(await asAdmin(server).data("GET", "/v1/user")).toMatchObject({
			email: "system@localhost",
			role: "SYSTEM",
			credential: "admin_secret",
		});
		expect(await statusOf(asAdmin(server), "/v1/users")).toBe(200);
	});
});

test("T050 the admin secret and API keys are no cookies", async () => {
	for (const token of [ADMIN_SECRET, await createSystemKey(server)]) {
		for (const name of ["service-access-token", "service-refresh-token"]) {
			const { status } = await sendPlain("GET", `${server.url}/v1/projects`, { cookie: `${name}=${token}` });
			expect(status).toBe(401);
		}
		// A cookie does not come to count because the same text just came in the header.
		await sendPlain("GET", `${server.url}/v1/projects`, { authorization: `Bearer ${token}` });
		const { status } = await sendPlain("GET", `${server.url}/v1/projects`, { cookie: `service-access-token=${token}` });
		expect(status).toBe(401);
	}
});

test("T050 while authentication is off the header is not looked at; an empty variable is no secret", async () => {
	await using off = await startServer({ authentication: false });
	for (const authorization of ["Bearer wrong", `Bearer ${ADMIN_SECRET}`, "Basic eDp5", "nonsense", ""]) {
		expect((await sendPlain("GET", `${off.url}/v1/projects`, { authorization })).status, authorization).toBe(200);
	}
	await using empty = await startWithAuth({ SERVICE_ADMIN_SECRET: "" });
	for (const authorization of ["Bearer ", "Bearer", "bearer  ", "Bearer null", "Bearer undefined", 'Bearer ""']) {
		expect((await sendPlain("GET", `${empty.url}/v1/projects`, { authorization })).status, authorization).toBe(401);
	}
});

test("T061 a viewer makes and deletes own keys", async () => {
	const viewer = await logInAs(server, "VIEWER");
	const { id, key } = await viewer.data("POST", "/v1/user/api_keys", { data: { name: "mine" } });
	expect(await statusOf(new Client(server, key), "/v1/projects")).toBe(200);
	expect(await statusOf(viewer, `/v1/user/api_keys/${id}`, "DELETE")).toBe(204);
	expect(await statusOf(new Client(server, key), "/v1/projects")).toBe(401);
});

test("T062 the key of another is not there for a member, and can be deleted by an admin", async () => {
	const owner = await logInAs(server, "MEMBER");
	const { id, key } = await owner.data("POST", "/v1/user/api_keys", { data: { name: "mine" } });
	expect(await statusOf(await logInAs(server, "MEMBER"), `/v1/user/api_keys/${id}`, "DELETE")).toBe(404);
	expect(await statusOf(new Client(server, key), "/v1/projects")).toBe(200);
	expect(await statusOf(await logInAs(server, "ADMIN"), `/v1/user/api_keys/${id}`, "DELETE")).toBe(204);
	expect(await statusOf(new Client(server, key), "/v1/projects")).toBe(401);
});

test("T063 a body that names another owner makes a key of the caller", async () => {
	const [{ id: adminId }] = await asAdmin(server).data("GET", "/v1/users");
	const { email, password } = await createAccount(server, "VIEWER");
	const viewer = await logIn(server, email, password);
	const claims = { user_id: adminId, userId: 2, user: { id: adminId }, role: "ADMIN", created_by: 2, kind: "system" };
	for (const body of [{ data: { name: "mine", ...claims } }, { data: { name: "mine" }, ...claims }]) {
		const made = await viewer.send("POST", "/v1/user/api_keys", body);
		if (made.status === 422) continue;
		const { data } = (await made.json()) as { data: { key: string } };
		const who = await new Client(server, data.key).data("GET", "/v1/user");
		expect(who).toMatchObject({ email, role: "VIEWER" });
	}
});

test("T066 nothing in the files of the database proves to be anybody", async () => {
	const key = await createUserKey(await logInAs(server, "MEMBER"));
	expect(await statusOf(new Client(server, key), "/v1/projects")).toBe(200);
	const [row] = runSql(
		server,
		"select public_id, hex(secret_hash) as hash, last_characters from api_keys order by id desc limit 1",
	);
	const secret = key.split("_").at(-1) ?? "";
	expect(secret).toHaveLength(49);
	for (const file of await readdir(server.workingDir, { recursive: true, withFileTypes: true })) {
		if (!file.isFile()) continue;
		const bytes = await readFile(join(file.parentPath, file.name));
		for (const length of [49, 43, 16]) expect(bytes.includes(secret.slice(0, length)), file.name).toBe(false);
	}
	expect(server.output).not.toContain(secret);
	// What the row holds is no key, in any form that one might try.
	const { public_id: id, hash } = row as { public_id: string; hash: string };
	for (const guess of [hash, hash.toLowerCase(), Buffer.from(hash, "hex").toString("base64url")]) {
		for (const token of [guess, `sw_u_${id}_${guess}`, `sw_u_${id}_${guess.slice(0, 43)}000000`]) {
			expect(await statusOf(new Client(server, token), "/v1/projects")).toBe(401);
		}
	}
});

test("T067 a system key outlives the admin who made it", async () => {
	const { id, email, password } = await createAccount(server, "ADMIN");
	const admin = await logIn(server, email, password);
	const { key } = await admin.data("POST", "/v1/system/api_keys", { data: { name: "collector" } });
	expect(await statusOf(asAdmin(server), `/v1/users/${id}`, "DELETE")).toBe(204);
	const client = new Client(server, key);
	expect(await statusOf(client, "/v1/projects")).toBe(200);
	expect(await statusOf(client, "/v1/projects", "POST", { name: `made-${id}` })).toBe(200);
});

test("a key that was changed in any place is refused", async () => {
	const key = await createSystemKey(server);
	const changed = [
		key.slice(0, -1) + (key.endsWith("a") ? "b" : "a"),
		key.replace("sw_s_", "sw_u_"),
		key.slice(0, 20) + (key[20] === "a" ? "b" : "a") + key.slice(21),
		` ${key}`,
		`${key} `,
		key.toLowerCase() === key ? key.toUpperCase() : key.toLowerCase(),
		"sw_",
		"sw_s_",
		`sw_s_${"a".repeat(4_000)}`,
	];
	for (const token of changed) {
		const { status } = await sendPlain("GET", `${server.url}/v1/projects`, { authorization: `Bearer ${token}` });
		expect(status, token).toBe(token === `${key} ` ? 200 : 401);
	}
});

test.each([
	["bearer", true],
	["BEARER", true],
	["Bearer ", false],
	["Bearer\t", false],
	["Token", false],
	["Basic", false],
	["", false],
])("the scheme %j before a key", async (scheme, admits) => {
	const key = await createSystemKey(server);
	const { status, headers } = await sendPlain("GET", `${server.url}/v1/projects`, {
		authorization: `${scheme} ${key}`.trimStart(),
	});
	expect(status).toBe(admits ? 200 : 401);
	if (!admits)
		expect(headers["www-authenticate"]).toMatch(/^Bearer realm="service", error="invalid_token", resource_metadata="/);
});

test("the last use of a key is noted to the minute, not at each request", async () => {
	const client = await logInAs(server, "MEMBER");
	const key = new Client(server, await createUserKey(client));
	const lastUsed = async () => (await client.data("GET", "/v1/user/api_keys"))[0].last_used_at;
	expect(await lastUsed()).toBeUndefined();
	const before = Date.now();
	await statusOf(key, "/v1/projects");
	await expect.poll(lastUsed, { interval: 100 }).toBeDefined();
	const noted = await lastUsed();
	expect(Date.parse(noted)).toBeGreaterThanOrEqual(before);
	await sleep(1_500);
	await statusOf(key, "/v1/projects");
	await sleep(1_500);
	expect(await lastUsed()).toBe(noted);
});

test("T205 a process that is killed while it makes users, keys and tokens leaves a consistent database", async () => {
	await using killed = await startWithAuth({}, undefined, { inProcess: false });
	const { email, password } = await createAccount(killed, "ADMIN");
	const kept: string[] = [];
	for (let round = 1; round <= 3; round++) {
		const maker = await logIn(killed, email, password);
		const refresher = await logIn(killed, email, password);
		const busy = Array.from({ length: 40 }, async (_, count) => {
			const name = `r${round}-${count}`;
			const user = { auth_method: "OAUTH2", email: `${name}@example.com`, username: name, role: "VIEWER" };
			await asAdmin(killed).send("POST", "/v1/users", { user, send_welcome_email: false });
			kept.push((await maker.data("POST", "/v1/user/api_keys", { data: { name } })).key);
			await refresher.send("POST", "/auth/refresh");
		});
		const settled = Promise.allSettled(busy);
		const before = kept.length;
		while (kept.length < before + 4 * round) await sleep(1);
		await killed.kill();
		await settled;
		await killed.start();
	}
	expect(runSql(killed, "pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
	expect(runSql(killed, "pragma foreign_key_check")).toEqual([]);
	// Whoever was told of a key can use it, and nothing was written without its entry in the audit log.
	for (const key of kept) expect(await statusOf(new Client(killed, key), "/v1/projects")).toBe(200);
	const [counts] = runSql(
		killed,
		`select (select count(*) from api_keys) as keys,
			(select count(*) from audit_events where action = 'api_key.create') as key_entries,
			(select count(*) from users where username like 'r%-%') as users,
			(select count(*) from audit_events where action = 'user.create' and target_name like 'r%-%') as user_entries`,
	);
	expect(counts).toMatchObject({ key_entries: counts?.["keys"], user_entries: counts?.["users"] });
	expect(kept.length).toBeLessThan(120);
	expect(await statusOf(await logIn(killed, email, password), "/v1/user")).toBe(200);
});

describe("R66 the page's commands and table of what a key can do are true", () => {
	const suffix = randomBytes(4).toString("hex");
	const projects = [`paid-${suffix}`, `other-${suffix}`];
	const spanIds = new Map<string, string>();
	let owner: Client;
	let library: string;
	beforeAll(async () => {
		owner = await logInAs(server, "MEMBER");
		for (const name of projects) {
			await owner.data("POST", "/v1/projects", { name });
			spanIds.set(name, await exportSpan(await createUserKey(owner), name));
		}
		const uploaded = await owner.data("POST", "/v1/datasets/upload?sync=true", { name: `d-${suffix}`, inputs: [] });
		library = uploaded.dataset_id;
	});

	/** Sends a span to the project. @returns its id. @throws when it is refused */
	async function exportSpan(key: string, project: string): Promise<string> {
		const spanId = randomBytes(8).toString("hex");
		const headers = { authorization: `Bearer ${key}`, "x-project-name": project };
		const span = { traceId: randomBytes(16).toString("hex"), spanId, name: "asked", startMs: 0, endMs: 1 };
		await sendSpans({ url: server.url, headers }, [span]);
		return spanId;
	}

	/** Whether the key really can, in a project or, without one, in the library. */
	async function can(key: string, permission: Permission, project?: string): Promise<boolean> {
		const client = new Client(server, key);
		const name = randomBytes(6).toString("hex");
		const inProject: Record<Permission, () => Promise<number>> = {
			read: () => statusOf(client, `/v1/projects/${project}`),
			ingest: () =>
				exportSpan(key, project ?? "").then(
					() => 200,
					() => 403,
				),
			annotate: () =>
				statusOf(client, "/v1/span_annotations?sync=true", "POST", {
					data: [{ span_id: spanIds.get(project ?? ""), name, annotator_kind: "HUMAN", result: { score: 1 } }],
				}),
			write: () => statusOf(client, "/v1/datasets/upload?sync=true", "POST", { name, inputs: [], project }),
		};
		const inLibrary = {
			read: () => statusOf(client, `/v1/datasets/${library}`),
			write: () => statusOf(client, "/v1/datasets/upload?sync=true", "POST", { name, inputs: [], project: null }),
		};
		if (project !== undefined) return (await inProject[permission]()) < 300;
		return (permission === "read" || permission === "write") && (await inLibrary[permission]()) < 300;
	}

	const [paid = "", other = ""] = projects;
	const homes = [
		["everywhere", {}],
		["in a project", { projects: [paid] }],
		["in a project and the library", { projects: [paid], include_library: true }],
		["in the library", { projects: [], include_library: true }],
	] as const;
	const permissions: readonly (readonly Permission[] | null)[] = [
		...[null, ["read"], ["ingest"], ["annotate"], ["write"]],
		...[
			["read", "annotate"],
			["ingest", "annotate"],
			["read", "write"],
		],
	] as const;
	const cells = permissions.flatMap((may) => homes.map(([where, limits]) => ({ may, where, limits })));

	test.each(cells)("$may $where", async ({ may, limits }) => {
		const body = { data: { name: "limited", permissions: may, ...limits } };
		const made = await owner.data("POST", "/v1/user/api_keys", body);
		const curls = keyCurls(made, server.url, made.key);
		const run = async (command: string) =>
			(await promisify(execFile)("sh", ["-c", `${command} -s -o /dev/null -w '%{http_code}'`])).stdout;
		expect(await run(curls.works ?? "false"), curls.works).toBe("200");
		const isLimited = may !== null || made.projects !== null;
		expect(curls.refused === undefined).toBe(!isLimited);
		if (curls.refused !== undefined) expect(await run(curls.refused), curls.refused).toBe("403");

		const table = keyTable(made);
		const rowOf = (project: string | undefined) =>
			table.find(({ home }) =>
				typeof home === "object" ? home.project === project : project === undefined && home === "library",
			) ?? table.find(({ home }) => home === "elsewhere" || (home === "all_projects" && project !== undefined));
		for (const project of [paid, other, undefined]) {
			const asked = (["read", "ingest", "annotate", "write"] as const).map(
				async (permission) => [permission, await can(made.key, permission, project)] as const,
			);
			const really = (await Promise.all(asked)).flatMap(([permission, is]) => (is ? [permission] : []));
			expect(really, project).toEqual(rowOf(project)?.may);
		}
	});
});
