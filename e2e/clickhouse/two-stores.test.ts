import { once } from "node:events";
import { copyFile, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { connectionConfig, makeClient, UNLIMITED } from "../../apps/server/src/storage/postgres/connection.ts";
import { createTestSchema } from "../../apps/server/src/storage/postgres/test-postgres.ts";
import { createLoad, LOAD_PROJECT } from "../load.ts";
import { type ClickHouse, startClickHouse } from "../peers/clickhouse.ts";
import { testWith } from "../peers/requirements.ts";
import { createTestServer, type ServerOptions, startServer, type TestServer } from "../server.ts";
import { spanward } from "../spanward-command.ts";

const test = testWith("any clickhouse");
const testWithPostgres = testWith("any clickhouse", "postgres");
/** With a place for backups. */
const testBackup = testWith("clickhouse");
const testBackupWithPostgres = testWith("clickhouse", "postgres");

const BACKUP_DISK = `<storage_configuration><disks>
	<backups><type>local</type><path>@FOLDER@/disk/</path></backups>
</disks></storage_configuration>`;

let clickhouse: ClickHouse;

beforeAll(async () => {
	clickhouse = await startClickHouse({ config: BACKUP_DISK });
});
afterAll(() => clickhouse[Symbol.asyncDispose]());
beforeEach(() => clickhouse.heal());

type Variables = Readonly<Record<string, string>>;

/** Settings of a server with traces in a new database. */
function newDatabase(): Variables {
	return clickhouse.nameDatabase().settings;
}

function databaseOf(env: Variables): string {
	return String(env["SERVICE_CLICKHOUSE_DATABASE"]);
}

/** Rows as TSV. */
function ask(statement: string): Promise<string> {
	return clickhouse.ask(statement);
}

/** As an operator runs it beside a server. */
function command(server: TestServer, env: Variables, ...args: readonly string[]) {
	return spanward(args, { env: { SERVICE_WORKING_DIR: server.workingDir, ...env } });
}

const makeRequest = createLoad(8);
let sequence = 0;

/** Sends the spans of eight traces. @returns their keys, as "trace id/span id" */
async function send(server: TestServer): Promise<readonly string[]> {
	const { body, spanKeys } = makeRequest(sequence);
	sequence += 2;
	const headers = { "content-type": "application/x-protobuf" };
	const response = await server.fetch("/v1/traces", { method: "POST", headers, body: Buffer.from(body) });
	if (response.status !== 200) throw new Error(`the export was answered ${response.status}`);
	return spanKeys;
}

async function annotate(server: TestServer, spanKeys: readonly string[], sync = "true"): Promise<void> {
	const data = spanKeys.map((key) => ({
		span_id: key.split("/")[1],
		name: "quality",
		annotator_kind: "HUMAN",
		result: { label: "good" },
	}));
	const response = await server.fetch(`/v1/span_annotations?sync=${sync}`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ data }),
	});
	if (response.status !== 200) throw new Error(`annotating was answered ${response.status}`);
}

async function listed(server: TestServer, path: string): Promise<unknown[]> {
	const { data } = (await server.getJson(path)) as { data: unknown[] };
	return data;
}

async function traceCount(server: TestServer, project = LOAD_PROJECT): Promise<number> {
	return (await listed(server, `/v1/projects/${project}/traces?limit=1000`)).length;
}

/** What a start that fails says, and its exit code. */
async function failedStart(options: ServerOptions): Promise<{ code: number; output: string }> {
	await using server = await createTestServer(options);
	const [code] = await once(server.spawn(), "close");
	return { code: Number(code), output: server.output };
}

async function expectClean(server: TestServer, env: Variables): Promise<void> {
	const verified = await command(server, env, "verify");
	expect(verified).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(/\nNo problems found: /) });
}

test("K75 a new installation takes over traces whose metadata database is lost", async () => {
	const env = newDatabase();
	await using former = await startServer({ env: { ...env, SERVICE_PROJECT_NAME: LOAD_PROJECT } });
	await send(former);
	await former.stop();
	await using server = await createTestServer({ env });
	const [code] = await once(server.spawn(), "close");
	expect(code).toBe(78);
	expect(server.output).toContain("spanward adopt-clickhouse takes the traces over");

	const asked = await command(server, env, "adopt-clickhouse");
	expect(asked.code).toBe(1);
	expect(asked.stderr).toMatch(/has 32 spans of 1 projects, of another installation\.[\s\S]*use --yes/);
	expect((await command(former, env, "adopt-clickhouse", "--yes")).stdout).toMatch(/^Its traces are those of this/);
	const empty = await command(server, newDatabase(), "adopt-clickhouse", "--yes");
	expect(empty).toMatchObject({ code: 65, stderr: expect.stringMatching(/^Nothing was done: .* has no traces/) });
	expect(await command(server, env, "adopt-clickhouse", "--yes")).toMatchObject({ code: 0, stderr: "" });

	await server.start();
	const used = await command(server, env, "adopt-clickhouse", "--yes");
	expect(used).toMatchObject({ code: 1, stderr: expect.stringMatching(/another Spanward .* uses the folder/) });
	expect(await traceCount(server)).toBe(8);
	await send(server);
	expect(await traceCount(server)).toBe(16);
	const projects = (await listed(server, "/v1/projects")) as { name: string }[];
	expect(projects.map(({ name }) => name).sort()).toEqual(["default", LOAD_PROJECT]);
	await expectClean(server, env);

	// The former metadata database turns up again.
	const again = await failedStart({ env, workingDir: former.workingDir });
	expect(again).toMatchObject({ code: 78, output: expect.stringContaining("of another installation") });
	await using own = await startServer({ env: newDatabase() });
	await send(own);
	await own.stop();
	const both = await command(own, env, "adopt-clickhouse", "--yes");
	expect(both).toMatchObject({ code: 65, stderr: expect.stringContaining("has stored traces itself") });
});

test("K76 metadata put back from a backup go on above the numbers in ClickHouse, with the projects that are missing", async () => {
	const env = newDatabase();
	await using server = await startServer({ env });
	const backup = join(server.workingDir, "before.db");
	const made = await command(server, env, "backup", backup);
	expect(made).toMatchObject({ code: 0, stderr: "", stdout: expect.not.stringMatching(/\d (spans|traces|sessions)/) });
	expect(made.stdout).toContain(`Traces are in ClickHouse, and not in this file.`);
	expect(made.stdout).toContain(`backup database ${databaseOf(env)} to `);
	const checked = await command(server, env, "verify", backup);
	expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining("without the traces") });
	for (let exports = 0; exports < 40; exports += 1) await send(server);
	await server.stop();
	const restored = await command(server, env, "restore", "--force", backup);
	expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining("ClickHouse, and were left as they are") });
	await server.start();
	expect(await traceCount(server)).toBe(320);
	for (let exports = 0; exports < 40; exports += 1) await send(server);
	expect(await traceCount(server)).toBe(640);
	const numbers = "select count() - uniqExact(id) from (select id from DB.spans final)";
	expect(await ask(numbers.replace("DB", databaseOf(env)))).toBe("0");
	await expectClean(server, env);
	const nowhere = await command(server, {}, "verify");
	expect(nowhere).toMatchObject({ code: 78, stderr: expect.stringContaining("SERVICE_CLICKHOUSE_URL") });
	await server.stop();
	// As an upgrade leaves it.
	await copyFile(backup, join(server.workingDir, "spanward.db.before-1"));
	const rolledBack = await command(server, env, "rollback", "--yes");
	expect(rolledBack).toMatchObject({ code: 0, stdout: expect.stringContaining("Traces are in ClickHouse") });
	expect(rolledBack.stdout).not.toMatch(/\d spans/);
	await server.start();
	expect(await traceCount(server)).toBe(640);
});

test("K54 K79 a second server beside SQLite is refused, also with a copy of the folder, and one that was killed is followed at once", async () => {
	const env = newDatabase();
	await using server = await startServer({ env });
	await send(server);
	const other = await failedStart({ env });
	expect(other).toMatchObject({ code: 78, output: expect.stringContaining("of another installation") });
	const file = join(server.workingDir, "copy.db");
	expect((await command(server, env, "backup", file)).code).toBe(0);
	await using copy = await createTestServer({ env });
	const copied = { SERVICE_WORKING_DIR: copy.workingDir, ...env };
	expect(await spanward(["restore", file], { env: copied })).toMatchObject({ code: 0 });
	const refused = await failedStart({ env, workingDir: copy.workingDir });
	expect(refused).toMatchObject({
		code: 78,
		output: expect.stringContaining("another server, with a copy of SERVICE_WORKING_DIR, uses the traces"),
	});
	// K54: it waits for its span, also when the server is killed before and after that comes.
	const early = makeRequest(sequence);
	await annotate(server, early.spanKeys.slice(0, 1), "false");
	await server.kill();
	await server.start();
	expect(server.output).not.toContain("Another server has used the traces");
	await send(server);
	await server.kill();
	await server.start();
	const [, spanId] = early.spanKeys[0]?.split("/") ?? [];
	const path = `/v1/projects/${LOAD_PROJECT}/span_annotations?span_ids=${spanId}`;
	await expect.poll(() => listed(server, path)).toHaveLength(1);
	await server.stop();
	await copy.start();
	expect(copy.output).not.toContain("Another server has used the traces");
	expect(await traceCount(copy)).toBe(16);
});

testWithPostgres("K76 so do those in PostgreSQL", async () => {
	await using schema = await createTestSchema();
	const env: Variables = { ...newDatabase() };
	const storage = { url: schema.url, schema: schema.schema };
	await using server = await startServer({ env, storage });
	await send(server);
	await server.stop();
	// As if it were put back from before the first export.
	const client = makeClient(connectionConfig(schema.settings, schema.settings.primary, { name: "test", ...UNLIMITED }));
	await client.connect();
	for (const counter of ["span_numbers", "trace_numbers", "clickhouse_versions", "clickhouse_batch_numbers"])
		await client.query(`alter sequence ${counter} restart`);
	await client.query("delete from projects");
	await client.end();
	await server.start();
	await send(server);
	expect(await traceCount(server)).toBe(16);
	await expectClean(server, {
		...env,
		SERVICE_SQL_DATABASE_URL: schema.url,
		SERVICE_SQL_DATABASE_SCHEMA: schema.schema,
	});
});

testBackup(
	"K77 annotations of spans that a ClickHouse put back from before lacks are named, repaired, and nothing answers 500",
	async () => {
		const env = newDatabase();
		const database = databaseOf(env);
		await using server = await startServer({ env });
		const kept = await send(server);
		await annotate(server, kept.slice(0, 1));
		await ask(`backup database ${database} to File('${database}')`);
		const lost = await send(server);
		await annotate(server, lost.slice(0, 2));
		await server.stop();
		await ask(`drop database ${database}`);
		await ask(`restore database ${database} from File('${database}')`);
		await server.start();
		const { code, stdout } = await command(server, env, "verify");
		expect(code).toBe(1);
		expect(stdout.match(/annotation \d+ is of span row \d+, which is not there/g)).toHaveLength(2);
		expect(await traceCount(server)).toBe(8);
		for (const path of ["traces", "spans", "sessions", "annotation_names"])
			expect((await server.fetch(`/v1/projects/${LOAD_PROJECT}/${path}`)).status, path).toBe(200);
		await send(server);
		expect(await traceCount(server)).toBe(16);
		await repair("orphans", { found: 2, repaired: 2 });
		// What the lost spans have spent stays spent, but no stored ones give it.
		await repair("totals", { found: 1, repaired: 1 });
		await expectClean(server, env);

		async function repair(kind: string, outcome: object): Promise<void> {
			const started = await server.fetch("/v1/storage/repairs", {
				method: "POST",
				headers: { "content-type": "application/json" },
				body: JSON.stringify({ kind }),
			});
			const { id } = (await started.json()).data;
			await expect
				.poll(async () => (await (await server.fetch(`/v1/storage/repairs/${id}`)).json()).data)
				.toMatchObject({ status: "completed", ...outcome });
		}
	},
);

testBackup("K82 what was backed up with its traces is restored with them, and nothing else is", async () => {
	const env = newDatabase();
	const database = databaseOf(env);
	await using server = await startServer({ env });
	const [kept = ""] = await send(server);
	await annotate(server, [kept]);
	const read = async () => [
		await server.getJson(`/v1/projects/${LOAD_PROJECT}/spans?trace_ids=${kept.split("/")[0]}`),
		await server.getJson(`/v1/projects/${LOAD_PROJECT}/span_annotations?span_ids=${kept.split("/")[1]}`),
	];
	const answers = await read();
	const file = join(server.workingDir, "monday.db");
	const manifest = `${file}.traces.json`;
	const wrong = await command(server, env, "backup", file, "--traces", "s3:https://key:hidden@bucket.example");
	expect(wrong).toMatchObject({ code: 64, stderr: expect.not.stringContaining("hidden") });
	const made = await command(server, env, "backup", file, "--traces", "disk:backups/daily");
	expect(made).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining(`${manifest} says where`) });
	const { metadata, traces } = JSON.parse(await readFile(manifest, "utf8"));
	expect(Date.parse(metadata.moment)).toBeLessThanOrEqual(Date.parse(traces.moment));
	expect(traces).toMatchObject({ database, place: "disk:backups/daily" });
	const away = await command(server, env, "backup", `${file}.2.db`, "--traces", "disk:elsewhere");
	expect(away).toMatchObject({ code: 65, stderr: expect.not.stringContaining("Stack trace") });
	await send(server);
	await server.stop();

	const restore = () => command(server, env, "restore", "--force", "--traces", file);
	expect(await restore()).toMatchObject({
		code: 65,
		stderr: expect.stringContaining(`drop database ${database} sync`),
	});
	await ask(`drop database ${database} sync`);
	const change = async (from: string, to: string) =>
		await writeFile(manifest, (await readFile(manifest, "utf8")).replace(from, to));
	for (const [from, to, refusal] of [
		[metadata.moment, "2999-01-01T00:00:00.000Z", "older than the rest"],
		[`"bytes": ${metadata.bytes}`, '"bytes": 1', "with 1 bytes"],
		['"installation_id": "', '"installation_id": "x', "of another installation"],
		['"disk:backups/daily"', '"disk:backups/it\'s"', "is not a manifest"],
	] as const) {
		await change(from, to);
		expect(await restore()).toMatchObject({ code: 65, stderr: expect.stringContaining(refusal) });
		await change(to, from);
	}
	await rename(manifest, `${manifest}.away`);
	expect(await restore()).toMatchObject({ code: 65, stderr: expect.stringContaining("there is no") });
	await rename(`${manifest}.away`, manifest);
	await change('"disk:backups/daily"', '"disk:backups/weekly"');
	const lost = await restore();
	expect(lost).toMatchObject({ code: 65, stderr: expect.stringContaining("BACKUP_NOT_FOUND") });
	expect(lost.stderr).toContain(`restore database ${database} from Disk('backups', 'weekly/`);
	await change('"disk:backups/weekly"', '"disk:backups/daily"');
	expect(await restore()).toMatchObject({ code: 0, stdout: expect.stringContaining("has restored the traces") });
	await expectClean(server, env);
	await server.start();
	expect(await traceCount(server)).toBe(8);
	expect(await read()).toEqual(answers);
});

testBackupWithPostgres("K82 so are traces beside PostgreSQL, whose dump is named", async () => {
	await using schema = await createTestSchema();
	const env: Variables = { ...newDatabase() };
	const storage = { url: schema.url, schema: schema.schema };
	await using server = await startServer({ env, storage });
	await send(server);
	await server.stop();
	const all = { ...env, SERVICE_SQL_DATABASE_URL: schema.url, SERVICE_SQL_DATABASE_SCHEMA: schema.schema };
	const dump = join(server.workingDir, "spanward.dump");
	await writeFile(dump, "as pg_dump has written it");
	const made = await command(server, all, "backup", dump, "--traces", "disk:backups");
	expect(made).toMatchObject({ code: 0, stderr: "" });
	await ask(`drop database ${databaseOf(env)} sync`);
	// Into another database.
	const moved = { ...all, SERVICE_CLICKHOUSE_DATABASE: `${databaseOf(env)}_restored` };
	expect(await command(server, moved, "restore", dump, "--traces")).toMatchObject({ code: 0, stderr: "" });
	await expectClean(server, moved);
});

test("an installation whose traces are lost goes on without them", async () => {
	const env = newDatabase();
	await using server = await startServer({ env });
	const spanKeys = await send(server);
	await annotate(server, spanKeys.slice(0, 3));
	expect((await command(server, env, "adopt-clickhouse", "--empty", "--yes")).code).toBe(1);
	await server.stop();
	const full = await command(server, env, "adopt-clickhouse", "--empty", "--yes");
	expect(full).toMatchObject({ code: 65, stderr: expect.stringContaining("it is not empty") });
	await ask(`drop database ${databaseOf(env)}`);
	const refused = await failedStart({ env, workingDir: server.workingDir });
	expect(refused).toMatchObject({ code: 78, output: expect.stringContaining("spanward adopt-clickhouse --empty") });
	const asked = await command(server, env, "adopt-clickhouse", "--empty");
	expect(asked).toMatchObject({ code: 1, stderr: expect.stringMatching(/^3 annotations of traces that are lost/) });
	const done = await command(server, env, "adopt-clickhouse", "--empty", "--yes");
	expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Deleted 3 annotations; 0 examples/) });
	await server.start();
	await send(server);
	expect(await traceCount(server)).toBe(8);
	await expectClean(server, env);
	expect((await spanward(["adopt-clickhouse", "--empty", "--yes"], { env })).code).toBe(65);
});
