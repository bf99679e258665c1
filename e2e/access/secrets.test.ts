import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { startServer, type TestServer } from "../server.ts";
import { asAdmin, Client, createSystemKey, createUserKey, logInAs, SECRET, startWithAuth } from "./accounts.ts";

const OTHER_SECRET = "rotated-secret-0123456789-abcdefghijklm";
const VALUE = "sk-very-secret-value-of-a-provider";

let server: TestServer;
let admin: Client;
beforeAll(async () => {
	server = await startWithAuth();
	admin = await logInAs(server, "ADMIN");
});
afterAll(async () => server[Symbol.asyncDispose]());
afterEach(async () => {
	const keys: { key: string }[] = await admin.data("GET", "/v1/secrets");
	if (keys.length > 0) await put(admin, ...keys.map(({ key }) => ({ key, value: null })));
});

type Change = { readonly key: unknown; readonly value?: unknown };

async function put(client: Client, ...secrets: readonly Change[]) {
	return await client.data("PUT", "/v1/secrets", { secrets });
}

test("an admin stores, lists, views and deletes secrets; the list has no values", async () => {
	expect(await put(admin, { key: "A_KEY", value: `  ${VALUE}\n` }, { key: "B", value: "b" })).toEqual({
		upserted_keys: ["A_KEY", "B"],
		deleted_keys: [],
	});
	const listed = await admin.data("GET", "/v1/secrets");
	expect(listed.map((secret: { key: string }) => secret.key)).toEqual(["A_KEY", "B"]);
	expect(listed[0]).toEqual({
		key: "A_KEY",
		created_at: expect.any(String),
		updated_at: expect.any(String),
		updated_by: { id: expect.any(String), username: expect.stringMatching(/^admin-/) },
	});
	expect((await admin.data("GET", "/v1/secrets/A_KEY")).value).toBe(VALUE);
	expect(await put(admin, { key: "A_KEY", value: null }, { key: "never was", value: null }).catch(String)).toContain(
		"422",
	);
	expect(await put(admin, { key: "A_KEY", value: null }, { key: "never_was", value: null })).toEqual({
		upserted_keys: [],
		deleted_keys: ["A_KEY", "never_was"],
	});
	expect((await admin.send("GET", "/v1/secrets/A_KEY")).status).toBe(404);
});

test("the last of several values of one key counts", async () => {
	const changes = [
		{ key: "A", value: "first" },
		{ key: "A", value: null },
		{ key: "A", value: "last" },
		{ key: "B", value: "b" },
		{ key: "B", value: null },
	];
	expect(await put(admin, ...changes)).toEqual({ upserted_keys: ["A"], deleted_keys: ["B"] });
	expect((await admin.data("GET", "/v1/secrets/A")).value).toBe("last");
});

test("names of the language's own things are names like others", async () => {
	await put(admin, { key: "__proto__", value: "p" }, { key: "constructor", value: "c" });
	expect((await admin.data("GET", "/v1/secrets/__proto__")).value).toBe("p");
	expect((await admin.data("GET", "/v1/secrets/constructor")).value).toBe("c");
});

test.each([
	["no list", {}],
	["an empty list", { secrets: [] }],
	["a blank value", { secrets: [{ key: "A", value: " \n" }] }],
	["no value", { secrets: [{ key: "A" }] }],
	["a value that is no text", { secrets: [{ key: "A", value: 1 }] }],
	["a blank key", { secrets: [{ key: "", value: "x" }] }],
	["a key that begins with a digit", { secrets: [{ key: "1A", value: "x" }] }],
	["a key with a line end", { secrets: [{ key: "A\n", value: "x" }] }],
	["a key of 256 characters", { secrets: [{ key: "A".repeat(256), value: "x" }] }],
	["a value of more than 64 KiB", { secrets: [{ key: "A", value: "ä".repeat(32_769) }] }],
	["1,001 secrets", { secrets: Array.from({ length: 1_001 }, (_, n) => ({ key: `A${n}`, value: "x" })) }],
	[
		"one wrong among right ones",
		{
			secrets: [
				{ key: "RIGHT", value: "x" },
				{ key: "wr ong", value: "x" },
			],
		},
	],
])("%s is refused, nothing is stored and the value is not repeated", async (_, body) => {
	const response = await admin.send("PUT", "/v1/secrets", body);
	expect(response.status).toBe(422);
	expect(await admin.data("GET", "/v1/secrets")).toEqual([]);
});

test("there are at most 1,000 secrets, and a request beyond changes nothing", async () => {
	const many = (from: number, count: number) =>
		Array.from({ length: count }, (_, n) => ({ key: `KEY_${from + n}`, value: "x" }));
	await put(admin, ...many(0, 1_000));
	const beyond = await admin.send("PUT", "/v1/secrets", { secrets: [{ key: "KEY_0", value: "y" }, ...many(1_000, 1)] });
	expect(beyond.status).toBe(422);
	expect((await admin.data("GET", "/v1/secrets/KEY_0")).value).toBe("x");
	await put(admin, { key: "KEY_0", value: null }, { key: "KEY_1000", value: "x" });
});

test("members, viewers, system keys and nobody neither list, view nor change secrets", async () => {
	await put(admin, { key: "A", value: VALUE });
	const member = await logInAs(server, "MEMBER");
	const viewer = await logInAs(server, "VIEWER");
	const refused: readonly (readonly [Client, number])[] = [
		[member, 403],
		[viewer, 403],
		[new Client(server, await createUserKey(member)), 403],
		[new Client(server, await createSystemKey(server)), 403],
		[new Client(server), 401],
		[new Client(server, "sw_u_nonsense"), 401],
	];
	for (const [client, status] of refused) {
		for (const path of ["/v1/secrets", "/v1/secrets/A", "/v1/secrets/ABSENT"]) {
			const response = await client.send("GET", path);
			expect(response.status).toBe(status);
			expect(await response.text()).not.toContain(VALUE);
		}
		const written = await client.send("PUT", "/v1/secrets", { secrets: [{ key: "A", value: null }] });
		expect(written.status).toBe(status);
	}
	expect((await new Client(server, await createUserKey(admin)).data("GET", "/v1/secrets/A")).value).toBe(VALUE);
	expect((await asAdmin(server).data("GET", "/v1/secrets/A")).value).toBe(VALUE);
});

test("writing, viewing and deleting are in the audit log, with who did it and without the value", async () => {
	await put(admin, { key: "AUDITED", value: VALUE });
	await admin.data("GET", "/v1/secrets/AUDITED");
	await put(admin, { key: "AUDITED", value: null });
	const events = await admin.data("GET", "/v1/audit_events?target=AUDITED");
	expect(events.map((event: { action: string }) => event.action)).toEqual([
		"secret.delete",
		"secret.view",
		"secret.write",
	]);
	for (const event of events) {
		expect(event).toMatchObject({
			outcome: "success",
			actor: { kind: "session" },
			target: { type: "secret", name: "AUDITED" },
		});
	}
	expect(JSON.stringify(events)).not.toContain(VALUE);
});

test("T200 the value of a secret shows in no list, error, audit entry, log line, counter or file of the database", async () => {
	const folder = await mkdtemp(join(tmpdir(), "spanward-secrets-"));
	await using own = await startWithAuth(
		{
			SERVICE_ENABLE_PROMETHEUS: "true",
			SERVICE_LOG_LEVEL: "debug",
			SERVICE_DEFAULT_ADMIN_INITIAL_PASSWORD: "first-Passw0rd",
		},
		folder,
		{ inProcess: false },
	);
	const client = asAdmin(own);
	await put(client, { key: "HIDDEN", value: VALUE });
	const shown = await Promise.all(
		[
			client.send("PUT", "/v1/secrets", { secrets: [{ key: "wr ong", value: VALUE }] }),
			client.send("PUT", "/v1/secrets", { secrets: { key: "A", value: VALUE } }),
			client.send("PUT", "/v1/secrets", { secrets: [{ key: "A", value: [VALUE] }] }),
			client.send("PUT", "/v1/secrets", { secrets: [{ key: "A", value: "x" }], other: VALUE }),
			client.send("PUT", `/v1/secrets?x=${VALUE}`, [VALUE]),
			client.send("GET", "/v1/secrets"),
			client.send("GET", "/v1/audit_events"),
			client.send("GET", "/v1/audit_events?format=ndjson"),
			client.send("GET", "/metrics"),
			client.send("GET", "/openapi.json"),
		].map(async (response) => (await response).text()),
	);
	const environment = await readFile(`/proc/${own.pid}/environ`, "latin1").catch(() => "");
	await own.stop();
	const files = await Promise.all(
		(await readdir(folder)).map((name) => readFile(join(folder, name), "latin1").catch(() => "")),
	);
	expect(files.join("")).toContain("HIDDEN");
	for (const text of [...shown, own.output, environment, ...files]) {
		expect(text).not.toContain(VALUE);
	}
	for (const text of [...shown, own.output, ...files]) {
		expect(text).not.toContain(SECRET);
		expect(text).not.toContain("first-Passw0rd");
	}
	await rm(folder, { recursive: true });
});

test("T203 a value copied to another row, or with a changed bit, does not decrypt, and the others do", async () => {
	const folder = await mkdtemp(join(tmpdir(), "spanward-secrets-"));
	await using first = await startWithAuth({}, folder);
	await put(asAdmin(first), { key: "CHEAP", value: "cheap" }, { key: "DEAR", value: "dear" });
	await put(
		asAdmin(first),
		{ key: "FLIPPED", value: "flipped" },
		{ key: "CUT", value: "cut" },
		{ key: "KEPT", value: "kept" },
	);
	await first.stop();

	const db = new DatabaseSync(join(folder, "spanward.db"));
	db.exec(`
		update secrets set (key_id, nonce, ciphertext) =
			(select key_id, nonce, ciphertext from secrets where key = 'CHEAP') where key = 'DEAR';
		update secrets set ciphertext = x'00' where key = 'CUT';
	`);
	const [{ ciphertext } = { ciphertext: new Uint8Array() }] = db
		.prepare("select ciphertext from secrets where key = 'FLIPPED'")
		.all() as { ciphertext: Uint8Array }[];
	const changed = Uint8Array.from(ciphertext, (byte, index) => (index === 0 ? byte ^ 1 : byte));
	db.prepare("update secrets set ciphertext = ? where key = 'FLIPPED'").run(changed);
	db.close();

	await using second = await startWithAuth({}, folder);
	expect(second.output).toMatch(/these stored secrets cannot be decrypted/);
	for (const key of ["DEAR", "FLIPPED", "CUT"]) {
		const response = await asAdmin(second).send("GET", `/v1/secrets/${key}`);
		expect(response.status).toBe(500);
		expect(await response.text()).toMatch(/cannot be decrypted/);
	}
	expect((await asAdmin(second).data("GET", "/v1/secrets/CHEAP")).value).toBe("cheap");
	expect((await asAdmin(second).data("GET", "/v1/secrets/KEPT")).value).toBe("kept");
	const [viewed] = await asAdmin(second).data("GET", "/v1/audit_events?action=secret.view&target=DEAR");
	expect(viewed).toMatchObject({ outcome: "failure", code: "secret_damaged" });
	await put(asAdmin(second), { key: "DEAR", value: "new" });
	expect((await asAdmin(second).data("GET", "/v1/secrets/DEAR")).value).toBe("new");
	await second.stop();
	await rm(folder, { recursive: true });
});

test("T051 after SERVICE_SECRET is replaced stored secrets, keys and sessions are good with the former one beside it; then secrets without", async () => {
	const folder = await mkdtemp(join(tmpdir(), "spanward-secrets-"));
	await using before = await startWithAuth({}, folder);
	const user = await logInAs(before, "ADMIN");
	const key = await createUserKey(user);
	await put(user, { key: "KEPT", value: VALUE });
	await before.stop();

	await using during = await startWithAuth({ SERVICE_SECRET: OTHER_SECRET, SERVICE_SECRET_PREVIOUS: SECRET }, folder);
	expect(during.output).toMatch(/encrypted the stored secrets with the current SERVICE_SECRET/);
	const again = new Client(during);
	for (const [name, value] of user.cookies) again.cookies.set(name, value);
	expect((await again.send("GET", "/v1/user")).status).toBe(200);
	expect((await again.data("GET", "/v1/secrets/KEPT")).value).toBe(VALUE);
	expect((await new Client(during, key).send("GET", "/v1/projects")).status).toBe(200);
	await during.stop();

	await using after = await startWithAuth({ SERVICE_SECRET: OTHER_SECRET }, folder);
	const old = new Client(after);
	for (const [name, value] of user.cookies) old.cookies.set(name, value);
	expect((await old.send("GET", "/v1/user")).status).toBe(401);
	expect((await asAdmin(after).data("GET", "/v1/secrets/KEPT")).value).toBe(VALUE);
	expect((await new Client(after, key).send("GET", "/v1/projects")).status).toBe(200);
	await after.stop();

	await expect(startWithAuth({}, folder)).rejects.toThrow(/ended with 78.*SERVICE_SECRET_PREVIOUS/s);
	await rm(folder, { recursive: true });
});

test("while authentication is off secrets are stored only with SERVICE_SECRET, and no value is shown", async () => {
	await using open = await startServer({ authentication: false });
	const anybody = new Client(open);
	const unencrypted = await anybody.send("PUT", "/v1/secrets", { secrets: [{ key: "A", value: VALUE }] });
	expect(unencrypted.status).toBe(409);
	expect(await unencrypted.text()).toContain("SERVICE_SECRET");
	expect((await anybody.send("PUT", "/v1/secrets", {})).status).toBe(422);
	expect(await put(anybody, { key: "A", value: null })).toEqual({ upserted_keys: [], deleted_keys: ["A"] });

	await using encrypting = await startServer({ authentication: false, env: { SERVICE_SECRET: SECRET } });
	const visitor = new Client(encrypting);
	await put(visitor, { key: "A", value: VALUE });
	expect(await visitor.data("GET", "/v1/secrets")).toEqual([expect.objectContaining({ key: "A" })]);
	const viewed = await visitor.send("GET", "/v1/secrets/A");
	expect(viewed.status).toBe(403);
	expect(await viewed.text()).not.toContain(VALUE);
	expect((await visitor.send("GET", "/v1/audit_events")).status).toBe(403);
});

test("a secret outlives its author, without a name", async () => {
	const author = await logInAs(server, "ADMIN");
	const { id } = await author.data("GET", "/v1/user");
	await put(author, { key: "LEFT", value: VALUE });
	expect((await asAdmin(server).send("DELETE", `/v1/users/${id}`)).status).toBe(204);
	const [left] = await admin.data("GET", "/v1/secrets");
	expect(left).toEqual({ key: "LEFT", created_at: expect.any(String), updated_at: expect.any(String) });
	expect((await admin.data("GET", "/v1/secrets/LEFT")).value).toBe(VALUE);
});
