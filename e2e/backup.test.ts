import { copyFile, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { migrate, SCHEMA_VERSION } from "../apps/server/src/storage/sqlite/migrations.ts";
import { createLoad } from "./load.ts";
import { startServer, type TestServer } from "./server.ts";
import { spanward } from "./spanward-command.ts";

/** Each test starts a dozen processes. */
const TIMEOUT_MS = 2_400_000;
const FIRST_SCHEMA = join(import.meta.dirname, "fixtures/first-schema.db.gz");

async function temporaryFolder() {
	const folder = await mkdtemp(join(tmpdir(), "spanward-backup-"));
	return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** Sends the load until stopped. @returns the spans that were acknowledged */
function sendLoad(server: TestServer) {
	const next = createLoad();
	let acknowledged = 0;
	let stopped = false;
	const sender = (async () => {
		for (let number = 0; !stopped; number += 1) {
			const { body, spanKeys } = next(number);
			const headers = { "content-type": "application/x-protobuf" };
			const response = await server.fetch("/v1/traces", { method: "POST", headers, body: Buffer.from(body) });
			if (response.ok) acknowledged += spanKeys.length;
			// The rest of the test is about what there is by then.
			await sleep(50);
		}
	})();
	return {
		get acknowledged() {
			return acknowledged;
		},
		async stop() {
			stopped = true;
			await sender;
		},
	};
}

function count(path: string, table: string): number {
	const db = new DatabaseSync(path, { readOnly: true });
	try {
		return Number(db.prepare(`select count(*) as count from ${table}`).get()?.["count"]);
	} finally {
		db.close();
	}
}

test(
	"a backup of a server that receives holds all that was acknowledged before it, is sound, and a server runs on it",
	async () => {
		await using temporary = await temporaryFolder();
		await using server = await startServer({ authentication: false });
		const load = sendLoad(server);
		await expect.poll(() => load.acknowledged, { timeout: 300_000 }).toBeGreaterThan(2_000);
		const env = { SERVICE_WORKING_DIR: server.workingDir };
		const atLeast = load.acknowledged;
		const made = await spanward(["backup", temporary.folder, "--json"], { env });
		const meanwhile = await spanward(["verify", "--json"], { env });
		await load.stop();
		expect(made).toMatchObject({ code: 0, stderr: "" });
		expect(meanwhile).toMatchObject({ code: 0, stdout: expect.stringContaining('"wrong":0') });
		const { file, rows } = JSON.parse(made.stdout) as { file: string; rows: Record<string, number> };
		expect(await readdir(temporary.folder)).toEqual([file.slice(temporary.folder.length + 1)]);
		expect((await stat(file)).mode & 0o777).toBe(0o600);
		expect(rows["spans"]).toBeGreaterThanOrEqual(atLeast);
		expect(rows["spans"]).toBeLessThan(load.acknowledged + 1);
		const missing = join(temporary.folder, "not-there");
		for (const [given, says] of [
			[`${missing}/`, `There is no folder ${missing}: create it first`],
			[missing, `There is no folder ${missing}: create it first. A file name needs an extension`],
			[join(missing, "monday.db"), `There is no folder ${missing}: create it first`],
			[join(file, "monday.db"), `${file} is not a folder`],
		] as const)
			expect(await spanward(["backup", given], { env })).toMatchObject({
				code: 65,
				stderr: expect.stringContaining(says),
			});
		const sound = await spanward(["verify", file]);
		expect(sound).toMatchObject({ code: 0, stdout: expect.stringContaining("No problems found") });

		const alone = join(temporary.folder, "alone.db");
		// Nothing is written to it while it is copied.
		await server.kill();
		await copyFile(join(server.workingDir, "spanward.db"), alone);
		await server.start();
		const incomplete = await spanward(["verify", alone]);
		expect(incomplete).toMatchObject({ code: 1, stdout: expect.stringMatching(/its log is missing.*alone\.db-wal/) });
		const elsewhere = { SERVICE_WORKING_DIR: join(temporary.folder, "elsewhere") };
		const lost = await spanward(["restore", alone], { env: elsewhere });
		expect(lost).toMatchObject({ code: 65, stderr: expect.stringMatching(/alone\.db-wal.*--damaged/) });
		expect(await spanward(["restore", alone, "--damaged"], { env: elsewhere })).toMatchObject({ code: 0 });
		expect(await spanward(["verify"], { env: elsewhere })).toMatchObject({ code: 0 });

		const again = await spanward(["backup", file], { env });
		expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("overwrites nothing") });

		const running = await spanward(["restore", file, "--force"], { env });
		expect(running).toMatchObject({ code: 1, stderr: expect.stringContaining("another Spanward") });
		await server.stop();
		const occupied = await spanward(["restore", file], { env });
		expect(occupied).toMatchObject({ code: 65, stderr: expect.stringContaining("--force") });
		const before = count(join(server.workingDir, "spanward.db"), "spans");
		const restored = await spanward(["restore", file, "--force", "--json"], { env });
		expect(restored).toMatchObject({ code: 0, stderr: "" });
		const { replaced } = JSON.parse(restored.stdout) as { replaced: string };
		expect(count(replaced, "spans")).toBe(before);
		await server.start();
		expect(count(join(server.workingDir, "spanward.db"), "spans")).toBe(rows["spans"]);
		expect(await server.getJson("/v1/projects/load/traces?limit=1")).toMatchObject({ data: [{}] });
	},
	TIMEOUT_MS,
);

test(
	"what is damaged is neither restored nor called sound, and an empty folder takes a backup",
	async () => {
		await using temporary = await temporaryFolder();
		const { folder } = temporary;
		await using server = await startServer({ authentication: false });
		const load = sendLoad(server);
		await expect.poll(() => load.acknowledged, { timeout: 300_000 }).toBeGreaterThan(500);
		await load.stop();
		const good = join(folder, "good.db");
		expect((await spanward(["backup", good], { env: { SERVICE_WORKING_DIR: server.workingDir } })).code).toBe(0);
		const cut = join(folder, "cut.db");
		await writeFile(cut, (await readFile(good)).subarray(0, 200_000));
		const env = { SERVICE_WORKING_DIR: join(folder, "new") };
		for (const file of [cut, join(folder, "none.db"), import.meta.filename])
			expect((await spanward(["restore", file], { env })).code).toBe(65);
		expect((await readdir(join(folder, "new"))).filter((name) => name.startsWith("spanward.db"))).toEqual([]);
		expect((await spanward(["verify", cut])).code).not.toBe(0);

		const db = new DatabaseSync(good);
		db.exec("update traces set span_count = span_count + 1 where id = 1");
		db.close();
		const wrong = await spanward(["verify", good]);
		expect(wrong).toMatchObject({ code: 1, stdout: expect.stringMatching(/traces has other totals.*"id":1,/) });
		expect(await spanward(["restore", good], { env })).toMatchObject({ code: 0 });
		expect((await stat(join(folder, "new/spanward.db"))).mode & 0o777).toBe(0o600);

		const other = new DatabaseSync(good);
		other.exec("update blocks set data = x'00' where id = 1");
		other.close();
		const unreadable = await spanward(["restore", good, "--force"], { env });
		expect(unreadable).toMatchObject({
			code: 65,
			stderr: expect.stringMatching(/damaged: block 1 cannot be read.*--damaged/),
		});
		expect(await spanward(["restore", good, "--force", "--damaged"], { env })).toMatchObject({ code: 0 });

		expect((await spanward(["backup"], { env })).code).toBe(64);
		expect((await spanward(["verify", good, "--nonsense"])).code).toBe(64);
		const elsewhere = await spanward(["backup", join(folder, "b.db")], { env: { SERVICE_WORKING_DIR: folder } });
		expect(elsewhere).toMatchObject({ code: 65, stderr: expect.stringContaining("SERVICE_WORKING_DIR") });
		const postgres = { SERVICE_SQL_DATABASE_URL: "postgresql://somebody@localhost/spanward" };
		const refused = await spanward(["backup", join(folder, "b.db")], { env: postgres });
		expect(refused).toMatchObject({ code: 78, stderr: expect.stringContaining("pg_dump") });
	},
	TIMEOUT_MS,
);

test(
	"a backup that would do other than Spanward does, or reaches for other files, is not restored, and nothing is left of it",
	async () => {
		await using temporary = await temporaryFolder();
		const { folder } = temporary;
		const env = { SERVICE_WORKING_DIR: join(folder, "restored") };
		const plain = gunzipSync(await readFile(FIRST_SCHEMA));
		const hostile = async (name: string, sql: string) => {
			const file = join(folder, `${name}.db`);
			await writeFile(file, plain, { mode: 0o644 });
			using db = new DatabaseSync(file);
			db.exec(`pragma journal_mode = delete; ${sql}`);
			return file;
		};
		const secret = join(folder, "secret");
		await writeFile(secret, "not a database");
		const linked = await hostile("linked", "select 1");
		await symlink(secret, `${linked}-wal`);
		const spying = 'create trigger "spy\u001b[2J" after insert on projects begin delete from spans; end';
		const refused: readonly (readonly [file: string, says: RegExp])[] = [
			[await hostile("trigger", spying), /the trigger spy\\u\{1b\}\[2J is not one that Spanward creates/],
			[await hostile("view", "create view users as select 1 as id"), /the view users is not one/],
			[await hostile("table", "create virtual table words using fts5 (word)"), /the table words is not one/],
			[await hostile("index", "drop index spans_by_identity"), /the index spans_by_identity is missing/],
			[await hostile("newer", "insert into schema_version values (99, 1)"), /knows versions up to/],
			[await hostile("none", "delete from schema_version"), /not a Spanward database/],
			[linked, /linked\.db-wal is not a file/],
			[secret, /not a database/],
			[folder, /is a folder: name a file in it/],
			["/dev/zero", /neither a file nor a folder/],
		];
		for (const [file, says] of refused) {
			const ended = await spanward(["restore", file], { env });
			expect(ended).toMatchObject({ code: 65, stdout: "", stderr: expect.stringMatching(says) });
			expect(ended.stderr).not.toContain("\u001b");
		}
		expect((await readdir(join(folder, "restored"))).sort()).toEqual(["spanward.lock"]);
		expect((await spanward(["verify", "/dev/zero"])).code).toBe(65);

		const db = new DatabaseSync(join(folder, "restored/spanward.db"));
		migrate(db);
		db.exec("create trigger spy after insert on users begin update users set role = 'ADMIN' where id = new.id; end");
		db.close();
		const verified = await spanward(["verify"], { env });
		expect(verified).toMatchObject({ code: 1, stdout: expect.stringContaining("the trigger spy is not one") });
	},
	TIMEOUT_MS,
);

test(
	"rollback says what would be lost, puts the copy of before the upgrade back, and keeps the upgraded database",
	async () => {
		await using temporary = await temporaryFolder();
		const { folder } = temporary;
		const path = join(folder, "spanward.db");
		await writeFile(path, gunzipSync(await readFile(FIRST_SCHEMA)), { mode: 0o600 });
		const env = { SERVICE_WORKING_DIR: folder };
		const nothing = await spanward(["rollback"], { env });
		expect(nothing).toMatchObject({ code: 65, stderr: expect.stringContaining("no copy from before an upgrade") });
		const spans = count(path, "spans");
		await using server = await startServer({ workingDir: folder, authentication: false });
		const load = sendLoad(server);
		await expect.poll(() => load.acknowledged, { timeout: 300_000 }).toBeGreaterThan(200);
		await load.stop();
		expect((await spanward(["rollback", "--yes"], { env })).code).toBe(1);
		await server.stop();
		const lost = new RegExp(`Added since then, and lost by a rollback: ${load.acknowledged} spans, .*1 projects`);
		expect(await spanward(["--rollback"], { env })).toMatchObject({ code: 1, stderr: expect.stringMatching(lost) });
		const done = await spanward(["rollback", "--yes"], { env });
		expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining("schema version 1 again") });
		expect(count(path, "spans")).toBe(spans);
		const [kept = ""] = (await readdir(folder)).filter((name) => name.includes(".replaced-"));
		expect(count(join(folder, kept), "spans")).toBe(spans + load.acknowledged);
		await server.start();
		expect(server.output).toContain(`spanward.db.before-${SCHEMA_VERSION}`);
	},
	TIMEOUT_MS,
);
