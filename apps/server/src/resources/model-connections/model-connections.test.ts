import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildApp } from "#app.ts";
import { ConfigError } from "#base/config.ts";
import { connectionKeys, openConnection } from "#models/connections/open-connection.ts";
import { findConnectionNamed } from "#models/connections/queries.ts";
import { budgetScope, monthOf } from "#models/connections/spending.ts";
import { databaseMicros } from "#models/ledger/database-clock.ts";
import { type Answer, openTestApp, type TestApp } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";
import { createTestPlace } from "#test-storage.ts";

const KEY = "sk-planted-0123456789";
const OTHER_KEY = "sk-planted-9876543210";
const SECRET = { SERVICE_SECRET: "test-secret-0123456789-abcdefghijklmnop" };
const PATH = "/v1/model_connections";

const logged: string[] = [];
let on: TestApp;
let off: TestApp;
let admin: TestPrincipal;
let member: TestPrincipal;
let viewer: TestPrincipal;

beforeAll(async () => {
	const log = pino({ level: "debug" }, { write: (line) => void logged.push(line) });
	const settings = {
		SERVICE_ENABLE_AUTH: "true",
		SERVICE_ENABLE_PROMETHEUS: "true",
		SERVICE_OUTGOING_ALLOWED_HOSTS: "api.openai.com,localhost",
	};
	[on, off] = await Promise.all([openTestApp(settings, {}, log), openTestApp()]);
	[admin, member, viewer] = [await on.signedIn("ADMIN"), await on.signedIn("MEMBER"), await on.signedIn("VIEWER")];
});
afterAll(async () => {
	await on[Symbol.asyncDispose]();
	await off[Symbol.asyncDispose]();
});

let made = 0;
const newName = () => `connection ${made++}`;
const openai = (name = newName()) => ({ name, kind: "openai", credentials: { api_key: { value: KEY } } });

const post = (body: object, app = on) => app.call("POST", PATH, body, app === on ? admin.headers : {});
const patch = (id: string, body: object, app = on) =>
	app.call("PATCH", `${PATH}/${id}`, body, app === on ? admin.headers : {});
const get = async (id: string, who = admin) => (await on.get(`${PATH}/${id}`, who.headers)).json.data;

async function create(body: object, app = on) {
	const { status, text, json } = await post(body, app);
	expect([status, text]).toEqual([201, expect.anything()]);
	return json.data;
}

/** What a call would be sent with. */
async function open({ context }: TestApp, name: string) {
	const row = await findConnectionNamed(context.db.read, name);
	if (row === undefined) throw new Error(`there is no ${name}`);
	return await openConnection(context.db.read, connectionKeys(context.config, context.auth), row.id);
}

function problem(answer: Answer): { code: string; [member: string]: unknown } {
	return answer.json;
}
const asProblem = { accept: "application/problem+json" };
const patchForProblem = (id: string, body: object) =>
	on.call("PATCH", `${PATH}/${id}`, body, { ...admin.headers, ...asProblem });

test("a connection is made, changed by its entity tag, listed newest first, and deleted", async () => {
	const first = await create({ ...openai(), models: ["a", "b"], default_model: "b", monthly_budget_usd: 12.5 });
	expect(first).toMatchObject({
		...{ kind: "openai", state: "ready", enabled: true, origin: "api", base_url: null, api: "responses" },
		...{ address: "https://api.openai.com/v1", monthly_budget_usd: 12.5, max_concurrency: 8, timeout_seconds: 120 },
		credentials: { api_key: { secret: null, updated_at: expect.any(String) } },
		spending: { month: expect.stringMatching(/^\d{4}-\d\d$/), spent_usd: 0, reserved_usd: 0 },
	});
	const second = await create({
		name: newName(),
		kind: "openai_compatible",
		base_url: "https://models.example.com/v1/",
	});
	expect(second).toMatchObject({ base_url: "https://models.example.com/v1", api: "chat_completions", credentials: {} });
	const page = (await on.get(`${PATH}?limit=1`, admin.headers)).json;
	expect(page.data).toEqual([second]);
	expect((await on.get(`${PATH}?limit=1&cursor=${page.next_cursor}`, admin.headers)).json.data).toEqual([first]);

	const { headers } = await on.get(`${PATH}/${first.id}`, admin.headers);
	const ifMatch = { ...admin.headers, "if-match": String(headers["etag"]) };
	const changed = await on.call("PATCH", `${PATH}/${first.id}`, { models: null, enabled: false }, ifMatch);
	expect(changed.json.data).toMatchObject({ models: null, default_model: "b", state: "off" });
	expect((await on.call("PATCH", `${PATH}/${first.id}`, { enabled: true }, ifMatch)).status).toBe(412);
	expect((await post(openai(first.name))).status).toBe(409);
	expect((await patch(second.id, { name: first.name })).status).toBe(409);
	for (const { id } of [first, second]) {
		expect((await on.call("DELETE", `${PATH}/${id}`, undefined, admin.headers)).status).toBe(204);
		expect((await on.get(`${PATH}/${id}`, admin.headers)).status).toBe(404);
	}
});

test("E01 a key is in no answer, log, audit entry, metric or stored byte", async () => {
	const name = newName();
	const answers: string[] = [];
	const keep = ({ text }: Answer) => answers.push(text);
	const created = await post({ ...openai(name), headers: { "x-own": KEY } });
	keep(created);
	const { id } = created.json.data;
	keep(
		await patch(id, { credentials: { api_key: { value: `${KEY} ${KEY}` } }, headers: { "x-own": `${KEY}\n${KEY}` } }),
	);
	keep(await patch(id, { kind: "google_vertex", credentials: { service_account: { value: KEY } } }));
	keep(await patch(id, { base_url: `https://u:${KEY}@models.example.com` }));
	keep(await patch(id, { credentials: { api_key: KEY } }));
	keep(await patch(id, { credentials: { api_key: { value: OTHER_KEY } } }));
	for (const path of [PATH, `${PATH}/${id}`, "/v1/audit_events?limit=1000", "/metrics"]) {
		for (const { headers } of [admin, member, viewer]) keep(await on.get(path, headers));
	}
	expect(await open(on, name)).toMatchObject({ credentials: { api_key: OTHER_KEY }, headers: { "x-own": KEY } });
	expect(answers.join("\n")).toContain(name);
	expect(answers.join("\n")).not.toContain("sk-planted");
	expect(logged.join("\n")).not.toContain("sk-planted");
	const { db, config } = on.context;
	for (const table of ["model_connections", "model_credentials", "audit_events"] as const) {
		const rows = await db.read.selectFrom(table).selectAll().execute();
		expect(rows.length).toBeGreaterThan(0);
		for (const row of rows) {
			for (const value of Object.values(row)) {
				expect(value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : String(value)).not.toContain(
					"sk-",
				);
			}
		}
	}
	for (const file of await readdir(config.SERVICE_WORKING_DIR, { recursive: true, withFileTypes: true })) {
		if (!file.isFile()) continue;
		const bytes = await readFile(join(file.parentPath, file.name), "latin1");
		expect(bytes.includes("sk-planted"), file.name).toBe(false);
	}
});

test("a credential that was copied to another connection, or to another field of the same, does not open", async () => {
	const [one, other] = [await create(openai()), await create(openai())];
	await patch(one.id, { headers: { "x-own": OTHER_KEY } });
	const { db } = on.context;
	const rowOf = async (name: string) => (await findConnectionNamed(db.read, name))?.id ?? 0;
	const [from, to] = [await rowOf(one.name), await rowOf(other.name)];
	const move = (connection: number, field: string, sealedOf: string) =>
		db.write(async (transaction) => {
			const sealed = await transaction
				.selectFrom("model_credentials")
				.select(["key_id", "nonce", "ciphertext"])
				.where("connection_id", "=", from)
				.where("field", "=", sealedOf)
				.executeTakeFirstOrThrow();
			await transaction
				.updateTable("model_credentials")
				.set(sealed)
				.where("connection_id", "=", connection)
				.where("field", "=", field)
				.execute();
		});
	await move(to, "api_key", "api_key");
	await expect(open(on, other.name)).rejects.toMatchObject({ code: "authentication" });
	await move(from, "api_key", "header:x-own");
	await expect(open(on, one.name)).rejects.toThrow(/cannot be decrypted/);
});

test.each([
	["host", { base_url: "https://models.example.com/v1" }],
	["port", { base_url: "https://api.openai.com:8443/v1" }],
	["scheme", { base_url: "http://api.openai.com/v1" }],
	["kind", { kind: "anthropic" }],
])("E03 another %s needs every credential and header again, and the old ones are gone", async (_what, change) => {
	const connection = await create({ ...openai(), headers: { "x-own": KEY, "x-other": KEY } });
	const half = {
		...change,
		name: newName(),
		credentials: { api_key: { value: OTHER_KEY } },
		headers: { "x-own": null },
	};
	for (const body of [change, half, { ...change, headers: { "x-own": null, "x-other": null } }]) {
		const refused = await patchForProblem(connection.id, body);
		expect(problem(refused)).toMatchObject({ status: 422, code: "credentials_required" });
		expect(await get(connection.id)).toEqual(connection);
	}
	expect(problem(await patchForProblem(connection.id, half))["missing"]).toEqual(["x-other"]);
	const changed = await patch(connection.id, { ...half, headers: { "x-own": null, "X-Other": OTHER_KEY } });
	expect(changed.json.data).toMatchObject({ ...change, headers: ["x-other"] });
	expect(await open(on, half.name)).toMatchObject({
		credentials: { api_key: OTHER_KEY },
		headers: { "x-other": OTHER_KEY },
	});
	const { db, auth } = on.context;
	const { box } = connectionKeys(on.context.config, auth);
	const row = await findConnectionNamed(db.read, half.name);
	const stored = await db.read
		.selectFrom("model_credentials")
		.selectAll()
		.where("connection_id", "=", row?.id ?? 0)
		.execute();
	expect(stored.map(({ field }) => field).sort()).toEqual(["api_key", "header:x-other"]);
	const values = stored.map(({ field, key_id, nonce, ciphertext }) => {
		if (key_id === null || nonce === null || ciphertext === null) throw new Error("it is a secret");
		return box?.open(`model_connection:${row?.id}:${field}`, { key_id, nonce, ciphertext });
	});
	expect(values).toEqual([OTHER_KEY, OTHER_KEY]);
});

test("E03 another path at the same host, and the kind's own address written out, need no credential", async () => {
	const connection = await create(openai());
	for (const base_url of ["https://api.openai.com/v1", "https://api.openai.com/v2", null]) {
		expect((await patch(connection.id, { base_url })).json.data).toMatchObject({ base_url });
	}
	expect(await open(on, connection.name)).toMatchObject({ credentials: { api_key: KEY } });
});

test("E03 a host that follows from a setting, or another version of the API, needs every credential again, too", async () => {
	const keys = { access_key_id: { value: "AKIA" }, secret_access_key: { value: KEY } };
	const body = { name: newName(), kind: "aws_bedrock", settings: { region: "us-east-1" }, credentials: keys };
	const connection = await create(body);
	expect(problem(await patchForProblem(connection.id, { settings: { region: "eu-west-1" } }))).toMatchObject({
		code: "credentials_required",
		missing: ["access_key_id", "secret_access_key"],
	});
	const changed = await patch(connection.id, { settings: { region: "eu-west-1" }, credentials: keys });
	expect(changed.json.data).toMatchObject({ address: "https://bedrock-runtime.eu-west-1.amazonaws.com" });
	const azure = await create({ ...openai(), kind: "azure_openai", base_url: "https://models.example.com" });
	const version = { settings: { api_version: "2026-01-01" } };
	expect(problem(await patchForProblem(azure.id, version))).toMatchObject({ code: "credentials_required" });
});

test("E04 a secret goes by its name to a preset's address alone, and is not deleted while it is used", async () => {
	const secret = (value: string | null) => ({ secrets: [{ key: "GROQ_API_KEY", value }] });
	const byName = { kind: "openai_compatible", credentials: { api_key: { secret: "GROQ_API_KEY" } } };
	const groq = { ...byName, name: newName(), base_url: "https://api.groq.com/openai/v1" };
	const asked = { ...admin.headers, ...asProblem };
	expect(problem(await on.call("POST", PATH, groq, asked))).toMatchObject({ status: 422, code: "unknown_secret" });
	expect((await on.call("PUT", "/v1/secrets", secret(KEY), admin.headers)).status).toBe(200);
	const presets = (await on.get("/v1/model_connection_presets", admin.headers)).json.data;
	expect(presets.filter((preset: { secret: { is_stored: boolean } | null }) => preset.secret?.is_stored)).toEqual([
		expect.objectContaining({ id: "groq", base_url: groq.base_url, secret: { key: "GROQ_API_KEY", is_stored: true } }),
	]);
	for (const base_url of ["https://models.example.com/v1", "https://api.groq.com/other", "http://localhost:11434/v1"]) {
		const refused = await on.call("POST", PATH, { ...groq, base_url }, asked);
		expect(problem(refused)).toMatchObject({ status: 422, code: "secret_needs_preset" });
	}
	const connection = await create(groq);
	expect(connection.credentials.api_key.secret).toBe("GROQ_API_KEY");
	expect(await open(on, groq.name)).toMatchObject({ credentials: { api_key: KEY } });
	const elsewhere = { base_url: "https://models.example.com/v1", credentials: byName.credentials };
	expect(problem(await patchForProblem(connection.id, elsewhere))).toMatchObject({ code: "secret_needs_preset" });
	const otherPath = { base_url: "https://api.groq.com/other" };
	expect(problem(await patchForProblem(connection.id, otherPath))).toMatchObject({ code: "secret_needs_preset" });

	const inUse = await on.call("PUT", "/v1/secrets", secret(null), asked);
	expect(problem(inUse)).toMatchObject({ status: 409, code: "secret_in_use", connections: [groq.name] });
	await on.call("PUT", "/v1/secrets", secret(OTHER_KEY), admin.headers);
	expect(await open(on, groq.name)).toMatchObject({ credentials: { api_key: OTHER_KEY } });
	await patch(connection.id, { credentials: { api_key: { value: KEY } } });
	expect((await on.call("PUT", "/v1/secrets", secret(null), admin.headers)).status).toBe(200);
});

test("E04 rotating SERVICE_SECRET keeps connections working", async () => {
	await using place = await createTestPlace();
	const name = newName();
	{
		await using app = await openTestApp({ ...place.settings, ...SECRET });
		await create(openai(name), app);
	}
	const next = { SERVICE_SECRET: "next-secret-0123456789-abcdefghijklmnop" };
	{
		const previous = { SERVICE_SECRET_PREVIOUS: SECRET.SERVICE_SECRET };
		await using app = await openTestApp({ ...place.settings, ...next, ...previous });
		expect(await open(app, name)).toMatchObject({ credentials: { api_key: KEY } });
	}
	await using app = await openTestApp({ ...place.settings, ...next });
	expect(await open(app, name)).toMatchObject({ credentials: { api_key: KEY } });
});

test("without SERVICE_SECRET connections have no credentials", async () => {
	const local = { kind: "openai_compatible", base_url: "http://localhost:11434/v1" };
	const name = newName();
	const refused = await off.call("POST", PATH, openai(name), asProblem);
	expect(problem(refused)).toMatchObject({ status: 409, code: "no_encryption_key" });
	expect((await post({ ...local, name, headers: { "x-own": "x" } }, off)).status).toBe(409);
	expect(await create({ ...local, name }, off)).toMatchObject({ name, state: "ready" });
	expect(await open(off, name)).toEqual({
		kind: "openai_compatible",
		baseUrl: "http://localhost:11434/v1",
		api: "chat_completions",
		settings: {},
		credentials: {},
		headers: {},
		timeoutMs: 120_000,
	});
});

test("E08 what is made or changed while authentication is off is refused until an admin confirms it", async () => {
	await using place = await createTestPlace();
	const settings = { ...place.settings, ...SECRET };
	const names = { planted: newName(), changed: newName(), kept: newName(), secret: newName() };
	const withAuth = () => openTestApp({ ...settings, SERVICE_ENABLE_AUTH: "true" });
	{
		await using app = await withAuth();
		const { headers } = await app.signedIn("ADMIN");
		await app.call("PUT", "/v1/secrets", { secrets: [{ key: "OPENAI_API_KEY", value: KEY }] }, headers);
		for (const name of [names.changed, names.kept]) await app.call("POST", PATH, openai(name), headers);
		const bySecret = { ...openai(names.secret), credentials: { api_key: { secret: "OPENAI_API_KEY" } } };
		await app.call("POST", PATH, bySecret, headers);
	}
	{
		await using app = await openTestApp(settings);
		await create({ name: names.planted, kind: "openai_compatible", base_url: "https://planted.example" }, app);
		const { data } = (await app.get(PATH)).json;
		const { id } = data.find(({ name }: { name: string }) => name === names.changed);
		await patch(id, { use_by: "members" }, app);
		await app.call("PUT", "/v1/secrets", { secrets: [{ key: "OPENAI_API_KEY", value: OTHER_KEY }] });
		expect(problem(await app.call("POST", `${PATH}/${id}/confirm`, undefined, asProblem))).toMatchObject({
			...{ status: 403, code: "authentication_off" },
		});
		expect(data.map(({ state }: { state: string }) => state)).toEqual(["ready", "ready", "ready", "ready"]);
	}
	await using app = await withAuth();
	const [boss, other] = [await app.signedIn("ADMIN"), await app.signedIn("MEMBER")];
	const states = async () => {
		const { data } = (await app.get(PATH, other.headers)).json;
		return Object.fromEntries(data.map(({ name, state }: { name: string; state: string }) => [name, state]));
	};
	expect(await states()).toEqual({
		[names.planted]: "unconfirmed",
		[names.changed]: "unconfirmed",
		[names.secret]: "unconfirmed",
		[names.kept]: "ready",
	});
	const { data } = (await app.get(PATH, boss.headers)).json;
	const planted = data.find(({ name }: { name: string }) => name === names.planted);
	expect(planted).toMatchObject({ confirmed: false, address: "https://planted.example" });
	// A change by an admin alone confirms nothing that they may not have looked at.
	await app.call("PATCH", `${PATH}/${planted.id}`, { enabled: true }, boss.headers);
	expect((await states())[names.planted]).toBe("unconfirmed");
	const confirm = (headers: object) =>
		app.call("POST", `${PATH}/${planted.id}/confirm`, undefined, { ...headers } as Record<string, string>);
	expect((await confirm(other.headers)).status).toBe(403);
	expect((await confirm({ ...boss.headers, "if-match": '"of before"' })).status).toBe(412);
	expect((await confirm(boss.headers)).json.data).toMatchObject({ state: "ready", confirmed: true });
	const events = (await app.get("/v1/audit_events?action=model_connection.confirm", boss.headers)).json.data;
	expect(events).toEqual([
		expect.objectContaining({
			target: expect.objectContaining({ name: names.planted, id: planted.id }),
			details: expect.objectContaining({ host: "planted.example", address: "https://planted.example" }),
		}),
	]);
});

test("E09 connections of the settings are shown, read-only, need no SERVICE_SECRET, and go when they are gone", async () => {
	await using place = await createTestPlace();
	const declare = (...entries: readonly object[]) => ({
		...place.settings,
		SERVICE_MODEL_CONNECTIONS: JSON.stringify(entries),
	});
	const declared = {
		...openai("declared"),
		headers: { "x-own": OTHER_KEY },
		base_url: "https://models.example.com/v1",
	};
	let id = "";
	{
		await using app = await openTestApp(declare(declared));
		const [shown] = (await app.get(PATH)).json.data;
		id = shown.id;
		expect(shown).toMatchObject({
			...{ name: "declared", origin: "settings", confirmed: true, headers: ["x-own"] },
			credentials: { api_key: { secret: null, updated_at: null } },
		});
		expect(await open(app, "declared")).toMatchObject({
			...{ baseUrl: "https://models.example.com/v1", credentials: { api_key: KEY }, headers: { "x-own": OTHER_KEY } },
		});
		for (const [method, body] of [["PATCH", { enabled: false }] as const, ["DELETE", undefined] as const]) {
			const refused = await app.call(method, `${PATH}/${id}`, body, asProblem);
			expect(problem(refused)).toMatchObject({ status: 409, code: "model_connection_declared" });
		}
		// Another server with other settings has written the row: this one sends its key where its own settings say.
		await app.context.db.write((transaction) =>
			transaction.updateTable("model_connections").set({ base_url: "https://elsewhere.example" }).execute(),
		);
		expect((await open(app, "declared")).baseUrl).toBe("https://models.example.com/v1");
	}
	{
		await using app = await openTestApp(declare({ ...declared, max_concurrency: 3 }));
		const [shown] = (await app.get(PATH)).json.data;
		expect(shown).toMatchObject({ id, max_concurrency: 3, base_url: "https://models.example.com/v1" });
		expect(await app.context.db.read.selectFrom("model_credentials").selectAll().execute()).toEqual([]);
	}
	{
		await using app = await openTestApp(place.settings);
		expect((await app.get(PATH)).json.data).toMatchObject([{ id, state: "off" }]);
		await expect(open(app, "declared")).rejects.toMatchObject({ code: "connection_off" });
		expect((await app.call("DELETE", `${PATH}/${id}`)).status).toBe(204);
		await create({ name: "declared", kind: "openai_compatible", base_url: "https://models.example.com" }, app);
	}
	await expect(openTestApp(declare(declared))).rejects.toThrow(ConfigError);
});

test("E13 members and viewers see how a connection can be used, and nothing of where, what and how much", async () => {
	const body = { ...openai(), models: ["a"], use_by: "admins", headers: { "x-own": KEY }, monthly_budget_usd: 5 };
	const { id } = await create(body);
	const { db } = on.context;
	const row = await findConnectionNamed(db.read, body.name);
	const month = monthOf(await databaseMicros(db.read));
	await db.write((transaction) =>
		transaction
			.insertInto("money_spent")
			.values({
				scope: budgetScope(row?.id ?? 0, month),
				spent_nanos: 1_500_000_000,
				reserved_nanos: 250_000_000,
			})
			.execute(),
	);
	expect(await get(id)).toMatchObject({ spending: { spent_usd: 1.5, reserved_usd: 0.25 } });
	const seen = {
		...{ id, name: body.name, kind: "openai", models: ["a"], default_model: null, enabled: true },
		...{ state: "ready", use_by: "admins", rules_by: "admins" },
	};
	const key = await on.signedIn("SYSTEM");
	for (const who of [member, viewer, key]) {
		expect(await get(id, who)).toEqual(seen);
		expect((await on.get(`${PATH}?limit=1`, who.headers)).json.data).toEqual([seen]);
		const calls = [
			await on.call("POST", PATH, openai(), who.headers),
			await on.call("PATCH", `${PATH}/${id}`, { enabled: false }, who.headers),
			await on.call("DELETE", `${PATH}/${id}?force=true`, undefined, who.headers),
			await on.call("POST", `${PATH}/${id}/confirm`, undefined, who.headers),
			await on.get("/v1/model_connection_presets", who.headers),
		];
		expect(calls.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
	}
});

test("whether a connection is failing, and the month of its spending, are those of the database's clock", async () => {
	const { context } = on;
	const { id, name } = await create(openai());
	const at = await databaseMicros(context.db.read);
	await context.db.write((transaction) =>
		transaction
			.updateTable("model_connections")
			.set({ failing_code: "unreachable", failing_reason: "nothing answers", failing_since: at - 6 * 60_000_000 })
			.where("name", "=", name)
			.execute(),
	);
	for (const days of [-40, 40]) {
		const app = await buildApp({ ...context, now: () => context.now() + days * 86_400_000_000 });
		const response = await app.inject({ url: `${PATH}/${id}`, headers: member.headers });
		expect(response.json().data.state).toBe("failing");
		const { data } = (await app.inject({ url: `${PATH}/${id}`, headers: admin.headers })).json();
		expect(data.failing).toMatchObject({ code: "unreachable" });
		expect(Number(data.spending.month.replace("-", ""))).toBe(monthOf(at));
		await app.close();
	}
});

test("E14 a connection in use is deleted only by force, and what uses it is named", async () => {
	const { id } = await create(openai());
	const { db } = on.context;
	const definition = JSON.stringify({ variant: { connection_id: id.replace(/=+$/, ""), messages: [] } });
	const rowId = Number(Buffer.from(id, "base64").toString().split(":")[1]);
	const jobDefinition = (connectionId: number) => JSON.stringify({ variants: [{ connectionId, model: "m" }] });
	const quoted = JSON.stringify({ variant: { messages: [{ content: definition }] } });
	const now = 1;
	await db.write(async (transaction) => {
		const evaluator = (name: string, archived_at: number | null) =>
			transaction
				.insertInto("evaluators")
				.values({ name, archived_at, revision: 1, created_at: now, updated_at: now })
				.returning("id")
				.executeTakeFirstOrThrow();
		const version = (evaluator_id: number, number: number, text: string) =>
			transaction
				.insertInto("evaluator_versions")
				.values({ evaluator_id, number, kind: "LLM", definition: text, created_at: now })
				.execute();
		const [judge, former, archived] = [
			(await evaluator("judge", null)).id,
			(await evaluator("former", null)).id,
			(await evaluator("archived", 1)).id,
		];
		await version(judge, 1, quoted);
		await version(judge, 2, definition);
		await version(former, 1, definition);
		await version(former, 2, quoted);
		await version(archived, 1, definition);
		for (const [name, state, connectionId] of [
			["paused", "paused", rowId],
			["done", "done", rowId],
			["another", "paused", rowId * 10],
		] as const) {
			await transaction
				.insertInto("experiment_jobs")
				.values({
					...{ kind: "run", name: `${name} job`, state, total_runs: 1, revision: 1, principal: "{}" },
					definition: jobDefinition(connectionId),
					...{ created_at: now, updated_at: now },
				})
				.execute();
		}
	});
	const remove = (query: string) =>
		on.call("DELETE", `${PATH}/${id}${query}`, undefined, { ...admin.headers, ...asProblem });
	expect(problem(await remove(""))).toMatchObject({
		...{ status: 409, code: "model_connection_in_use" },
		detail: expect.stringContaining("the evaluator judge, the job paused job."),
		uses: [
			{ type: "evaluator", id: expect.any(String), name: "judge" },
			{ type: "experiment_job", id: expect.any(String), name: "paused job" },
		],
	});
	expect((await get(id)).id).toBe(id);
	expect((await remove("?force=true")).status).toBe(204);
	const events = (await on.get("/v1/audit_events?action=model_connection.delete&limit=1", admin.headers)).json.data;
	expect(events).toMatchObject([{ target: { id }, details: { host: "api.openai.com", uses: 2 } }]);
});

test("E05 an address that is never called, or that nobody listed, is refused when it is saved", async () => {
	const local = { kind: "openai_compatible", credentials: {} };
	const save = async (base_url: string, app = on) => {
		const headers = { ...(app === on ? admin.headers : {}), ...asProblem };
		return problem(await app.call("POST", PATH, { ...local, name: newName(), base_url }, headers));
	};
	const never = [
		"http://169.254.169.254/v1",
		"https://[::ffff:169.254.169.254]/v1",
		"https://metadata.google.internal",
	];
	for (const address of [...never, "https://10.0.0.1/v1", "https://127.0.0.1/v1"]) {
		expect(await save(address)).toMatchObject({
			...{ status: 422, code: "forbidden_address", setting: "SERVICE_OUTGOING_ALLOWED_HOSTS" },
			detail: expect.stringContaining("SERVICE_OUTGOING_ALLOWED_HOSTS"),
		});
	}
	for (const address of [...never, "http://10.0.0.1/v1", "http://127.0.0.1:6006/v1"]) {
		expect(await save(address, off)).toMatchObject({ code: "forbidden_address" });
	}
	await create({ ...local, name: newName(), base_url: "http://127.0.0.1:11434/v1" }, off);
	const { id } = await create({ ...local, name: newName(), base_url: "https://models.example.com/v1" });
	expect(problem(await patchForProblem(id, { base_url: never[0] }))).toMatchObject({ code: "forbidden_address" });
});

test("what is wrong with a connection is named by its place", async () => {
	const wrong = async (body: object) => {
		const { status, json } = await post(body);
		expect(status).toBe(422);
		return json.detail.map(({ loc }: { loc: readonly string[] }) => loc.join("."));
	};
	expect(await wrong({ kind: "openai", name: "a:b" })).toEqual(["body.name"]);
	expect(await wrong({ name: "a", kind: "openai" })).toEqual(["body.credentials"]);
	expect(await wrong({ name: "a", kind: "azure_openai" })).toEqual(["body.base_url", "body.credentials"]);
	expect(await wrong({ ...openai("a"), api: "responses", base_url: "ftp://a.example" })).toEqual(["body.base_url"]);
	expect(await wrong({ ...openai("a"), kind: "anthropic", api: "responses" })).toEqual(["body.api"]);
	expect(await wrong({ ...openai("a"), models: ["x"], default_model: "y" })).toEqual(["body.default_model"]);
	expect(await wrong({ ...openai("a"), headers: { Host: "x" } })).toEqual(["body.headers.host"]);
	const headers = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`x-${at}`, "x"]));
	expect(await wrong({ ...openai("a"), headers })).toEqual(["body.headers"]);
	const both = { api_key: { value: KEY, secret: "A" } };
	expect(await wrong({ ...openai("a"), credentials: both })).toEqual(["body.credentials.api_key"]);
	expect((await on.get(`${PATH}/meaningless`, admin.headers)).status).toBe(422);
});

test("a connection whose credential is lost can still be switched off", async () => {
	const { id, name } = await create(openai());
	const row = await findConnectionNamed(on.context.db.read, name);
	await on.context.db.write((transaction) =>
		transaction
			.deleteFrom("model_credentials")
			.where("connection_id", "=", row?.id ?? 0)
			.execute(),
	);
	expect((await patch(id, { enabled: false })).json.data).toMatchObject({ state: "off" });
});
