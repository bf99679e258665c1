import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { expect, test } from "vitest";
import {
	createTestSchema,
	type TestSchema,
	testWithPostgres,
} from "../../apps/server/src/storage/postgres/test-postgres.ts";
import { MAIL_PASSWORD, MailSink } from "../mail-sink.ts";
import { startServer, type TestServer } from "../server.ts";
import { spanward } from "../spanward-command.ts";
import { ADMIN_SECRET, asAdmin, Client, createAccount, logIn, SECRET, WITH_ACCOUNTS } from "./accounts.ts";
import { requestToken, setPassword, tryLogIn } from "./password-mails.ts";

/** What a search goes through, by the name that a failure has. */
type Places = Map<string, string>;

/** What nobody but its owner may find, by the name that a failure has; what is in mails, and nowhere else, by itself. */
interface Secrets {
	readonly kept: Map<string, string>;
	readonly mailed: Map<string, string>;
	/** No secret: what a search that finds anything has to find. */
	readonly username: string;
}

/** Uses keys, sessions, passwords and mails, rightly and wrongly. */
async function useSecrets(server: TestServer, sink: MailSink): Promise<Secrets> {
	const account = await createAccount(server, "MEMBER");
	const client = await logIn(server, account.email, account.password);
	const kept = new Map([
		["SERVICE_SECRET", SECRET],
		["SERVICE_ADMIN_SECRET", ADMIN_SECRET],
		["the password of the mail server", MAIL_PASSWORD],
		["the first password", "first-Password1!"],
		["the second password", account.password],
	]);
	for (const [name, value] of client.cookies) kept.set(`cookie ${name}`, value);

	const once = { "idempotency-key": randomBytes(16).toString("hex") };
	async function keep(name: string, by: Client, path: string, body: object): Promise<{ id: string; key: string }> {
		const response = await by.send("POST", path, body, once);
		const text = await response.text();
		if (response.status !== 201) throw new Error(`POST ${path} answered ${response.status}: ${text}`);
		const { data } = JSON.parse(text);
		kept.set(name, data.key);
		return data;
	}
	const own = "/v1/user/api_keys";
	const user = await keep("a user's key", client, own, { data: { name: "mine" } });
	const reading = await keep("a limited key", client, own, {
		data: { name: "reads", permissions: ["read"], projects: ["default"] },
	});
	const sending = await keep("a key to send", client, own, {
		data: { name: "sends", permissions: ["ingest"], limits: { requests_per_minute: 2 } },
	});
	const elsewhere = await keep("a key from elsewhere", client, own, {
		data: { name: "elsewhere", ip_ranges: ["192.0.2.1"] },
	});
	const system = await keep("a key of the system", asAdmin(server), "/v1/system/api_keys", {
		data: { name: "system" },
	});
	const rotated = await keep("a key in place of another", client, `${own}/${user.id}/rotate`, {});
	await keep("a system's key in place of another", asAdmin(server), `/v1/system/api_keys/${system.id}/rotate`, {
		overlap_seconds: 0,
	});

	for (const { key } of [user, reading, sending, elsewhere, system, rotated]) {
		const bearer = new Client(server, key);
		for (const path of ["/v1/user", "/v1/projects/default", "/v1/projects/absent", "/v1/users", "/v1/library/access"])
			await bearer.send("GET", path);
		await bearer.send("POST", "/v1/traces", { resourceSpans: [] });
		await bearer.send("POST", "/v1/traces", `no spans, but ${key}`);
		await bearer.send("POST", "/v1/span_annotations", { data: key });
		// Where it does not belong.
		await client.send("POST", own, { data: { name: "misplaced", key, permissions: [key] } });
		await client.send("GET", `${own}/${key}`);
		await client.send("GET", `/v1/projects?cursor=${key}&${key}=1`);
		await new Client(server).send("GET", "/v1/projects", undefined, { authorization: `Basic ${key}` });
		await new Client(server).send("GET", "/v1/projects", undefined, {
			api_key: key,
			cookie: `service-access-token=${key}`,
		});
		await bearer.send("GET", "/v1/projects", undefined, { "x-request-id": key, traceparent: key });
	}
	await client.send("DELETE", `${own}/${elsewhere.id}`);
	await new Client(server, elsewhere.key).send("GET", "/v1/projects");

	const wrong = `wrong-${randomBytes(8).toString("hex")}`;
	kept.set("a wrong password", wrong);
	expect(await tryLogIn(server, account.email, wrong)).toBe(401);
	expect(await tryLogIn(server, wrong, account.password)).toBe(401);
	await client.send("PATCH", "/v1/user", { password: "another-Password3!", current_password: wrong });
	await client.send("POST", "/auth/refresh");
	for (const [name, value] of client.cookies) kept.set(`cookie ${name}, refreshed`, value);
	const used = await requestToken(server, sink, account.email);
	kept.set("the third password", "third-Password3!");
	expect((await setPassword(server, used, "third-Password3!")).status).toBe(204);
	expect((await setPassword(server, used, "third-Password3!")).status).toBe(401);
	const unused = await requestToken(server, sink, account.email);
	return {
		kept,
		mailed: new Map([
			["a used link", used],
			["a link", unused],
		]),
		username: account.username,
	};
}

/** Lists and figures that the server gives to admins and to people themselves. */
async function readAnswers(server: TestServer, places: Places): Promise<void> {
	const paths = ["/v1/audit_events?limit=1000", "/v1/audit_events?format=ndjson", "/metrics", "/v1/users", "/v1/teams"];
	for (const path of [...paths, "/v1/users/api_keys", "/v1/system/api_keys", "/v1/projects/default/api_keys"]) {
		const response = await asAdmin(server).send("GET", path);
		expect(response.status, path).toBe(200);
		places.set(path, await response.text());
	}
}

async function readFiles(folder: string, places: Places): Promise<void> {
	for (const name of await readdir(folder, { recursive: true })) {
		const text = await readFile(join(folder, name), "latin1").catch(() => undefined);
		if (text !== undefined) places.set(`${places.size} ${name}`, text);
	}
}

/** Every row of every table. */
async function dump({ url, schema }: TestSchema, places: Places): Promise<void> {
	const client = new pg.Client({ connectionString: url });
	await client.connect();
	try {
		const { rows } = await client.query("select tablename from pg_tables where schemaname = $1", [schema]);
		for (const { tablename } of rows) {
			const table = `${client.escapeIdentifier(schema)}.${client.escapeIdentifier(tablename)}`;
			const { rows: texts } = await client.query(`select t::text as text from ${table} t`);
			places.set(`table ${tablename}`, texts.map(({ text }: { text: string }) => text).join("\n"));
		}
	} finally {
		await client.end();
	}
}

function search(places: Places, secrets: ReadonlyMap<string, string>): string[] {
	return [...places].flatMap(([place, text]) =>
		[...secrets].flatMap(([name, secret]) =>
			// PostgreSQL writes bytes as hex.
			[secret, Buffer.from(secret).toString("hex"), Buffer.from(secret).toString("base64")].some((form) =>
				text.includes(form),
			)
				? [`${name} in ${place}`]
				: [],
		),
	);
}

async function findLeaks(storage?: TestSchema): Promise<void> {
	await using owned = new AsyncDisposableStack();
	const folder = await mkdtemp(join(tmpdir(), "spanward-leaks-"));
	owned.defer(() => rm(folder, { recursive: true }));
	const backups = await mkdtemp(join(tmpdir(), "spanward-leaks-"));
	owned.defer(() => rm(backups, { recursive: true }));
	const sink = owned.use(await MailSink.start());
	const told = owned.use(await startServer({ authentication: false, inProcess: true }));
	const server = owned.use(
		await startServer({
			workingDir: folder,
			...(storage === undefined ? {} : { storage }),
			env: {
				...WITH_ACCOUNTS,
				...sink.env,
				SERVICE_ENABLE_PROMETHEUS: "true",
				SERVICE_LOG_LEVEL: "debug",
				SERVICE_SELF_TRACING_ENDPOINT: told.url,
				SERVICE_SELF_TRACING_PROJECT: "itself",
			},
		}),
	);
	const { kept, mailed, username } = await useSecrets(server, sink);
	const places: Places = new Map();
	await readAnswers(server, places);
	if (storage === undefined) {
		const env = { SERVICE_WORKING_DIR: folder };
		expect(await spanward(["backup", backups], { env })).toMatchObject({ code: 0 });
		await readFiles(backups, places);
	} else await dump(storage, places);
	await readFiles(folder, places);
	// What it has to tell is sent before it ends.
	expect(await server.stop()).toBe(0);
	await readFiles(folder, places);
	places.set("log", server.output);
	const traces = JSON.stringify(await told.getJson("/v1/projects/itself/spans?limit=1000"));
	expect(traces).toContain("/v1/user/api_keys/:api_key_id/rotate");
	places.set("own traces", traces);
	expect(search(places, mailed)).toEqual([]);
	for (const { raw, text } of sink.mails) places.set(`mail ${places.size}`, raw + text);
	expect(search(places, kept)).toEqual([]);
	const shown = search(places, new Map([...mailed, ["the name", username]]));
	expect(shown).toContainEqual(expect.stringMatching(/^a link in mail/));
	const database = storage === undefined ? /^the name in \d+ spanward.*\.db/ : /^the name in table users/;
	expect(shown).toContainEqual(expect.stringMatching(database));
}

test("R80 no key, cookie, password or link is in log, audit log, figures, database, backup, own traces or another's mail", async () => {
	await findLeaks();
});

testWithPostgres("R80 nor in a dump of PostgreSQL", async () => {
	await using storage = await createTestSchema();
	await findLeaks(storage);
});
