import { spawn } from "node:child_process";
import { hash } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { encodeLogsRequest } from "@spanward/otlp";
import { READING } from "@spanward/semconv";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { readConfig } from "../../apps/server/src/base/config.ts";
import { clickHouseSettings } from "../../apps/server/src/base/settings/clickhouse.ts";
import { openCopyShards } from "../../apps/server/src/storage/copy/moving/copy-shard.ts";
import { PortableClickHouseRows } from "../../apps/server/src/storage/copy/moving/portable/clickhouse-rows.ts";
import { DailyChecksums } from "../../apps/server/src/storage/copy/moving/portable/daily-checksums.ts";
import { insertPortableRows } from "../../apps/server/src/storage/copy/moving/portable/insert-portable-rows.ts";
import { portableTables } from "../../apps/server/src/storage/copy/moving/portable/tables.ts";
import type { Page } from "../../apps/server/src/storage/copy/moving/side.ts";
import type { CopiedTable } from "../../apps/server/src/storage/copy/moving/tables.ts";
import { createTestSchema, type TestSchema } from "../../apps/server/src/storage/postgres/test-postgres.ts";
import { readFact } from "../../apps/server/src/storage/traces/clickhouse/facts.ts";
import { prepareDatabase, prepareTables } from "../../apps/server/src/storage/traces/clickhouse/schema.ts";
import { TraceShards } from "../../apps/server/src/storage/traces/clickhouse/shards/trace-shards.ts";
import { fill, happeningOf, REQUESTS, readAnswers, sendProtobuf, temporaryFolder } from "../copied-data.ts";
import { at, type Json, list } from "../fixture-comparison.ts";
import { listSources, replay } from "../fixture-sources.ts";
import { createLoad } from "../load.ts";
import { type ClickHouse, ofCluster, startClickHouse } from "../peers/clickhouse.ts";
import { testWith } from "../peers/requirements.ts";
import { readRoutes } from "../read-routes.ts";
import { createTestServer, type ServerOptions, startServer, type TestServer } from "../server.ts";
import { type Ended, spanward as runSpanward } from "../spanward-command.ts";

const test = testWith("any clickhouse", "postgres");
const testWithFaults = testWith("clickhouse", "postgres");

const spanward: typeof runSpanward = (args, options = {}) =>
	runSpanward(args, { ...options, env: { ...ofCluster(), ...options.env } });

/** The process that copies, which `spanward` starts. */
const COMMAND = join(import.meta.dirname, "../../apps/command-line/src/main.ts");

let clickhouse: ClickHouse;

beforeAll(async () => {
	clickhouse = await startClickHouse();
});
afterAll(() => clickhouse[Symbol.asyncDispose]());
beforeEach(() => clickhouse.heal());

/**
 * The address of a new database, for `--traces-to` and `--traces-from`.
 * @param further engines that are shards of it, too
 */
function nextDatabase(...further: readonly ClickHouse[]): {
	readonly address: string;
	readonly env: Readonly<Record<string, string>>;
} {
	const { name, settings } = clickhouse.nameDatabase();
	const urls = [clickhouse, ...further].map(({ url }) => url).join(";");
	return { address: `clickhouse:${urls}?database=${name}`, env: { ...settings, SERVICE_CLICKHOUSE_URL: urls } };
}

function inSchema({ url, schema }: TestSchema): Pick<ServerOptions, "storage"> {
	return { storage: { url, schema } };
}

async function expectSuccess(running: Promise<Ended>): Promise<string> {
	const ended = await running;
	expect(ended).toMatchObject({ code: 0, stderr: "" });
	return ended.stdout;
}

/** Log records of a span that does not come, and of one that is there. */
async function sendLogs(server: TestServer, name = "gen_ai.choice"): Promise<void> {
	const record = (traceId: string, spanId: string) => ({
		...{ timeUnixNano: 1_750_000_000_000_000_001n, observedTimeUnixNano: 0n, severityNumber: 9, severityText: "INFO" },
		body: { type: "string", value: "a \0 text" } as const,
		...{ attributes: [], droppedAttributesCount: 0, flags: 0, traceId, spanId, eventName: name },
	});
	const records = [record("d".repeat(32), "1".repeat(16)), record("c".repeat(32), "2".repeat(16))];
	const scope = { name: "logs", version: "1", attributes: [], droppedAttributesCount: 0 };
	const scopeLogs = [{ scope, logRecords: records, schemaUrl: "" }];
	const project = { key: "openinference.project.name", value: { type: "string", value: "months" } as const };
	const resource = { attributes: [project], droppedAttributesCount: 0 };
	await sendProtobuf(server, "/v1/logs", encodeLogsRequest([{ resource, scopeLogs, schemaUrl: "" }]));
}

/** What lists of every project answer, without the places of further pages, and all routes of the one that has most of what is rare. */
async function readAll(server: TestServer) {
	return { lists: await readLists(server), months: await readRoutes(server, "months") };
}

async function readLists(server: TestServer) {
	const projects = list(at((await server.getJson("/v1/projects?limit=1000")) as Json, "data"));
	const range = "start_time=1970-01-01T00:00:00Z&end_time=2030-01-01T00:00:00Z";
	const paths = [`traces?limit=100&${range}`, `sessions?${range}`, `spans?limit=100&include=semantic&${range}`];
	const answers = projects.map(async (project) => {
		const read = paths.map((path) => server.getJson(`/v1/projects/${at(project, "id")}/${path}`));
		return [project, ...(await Promise.all(read)).map((answer) => at(answer as Json, "data"))];
	});
	return await Promise.all(answers);
}

async function readAllOf(folder: string) {
	await using server = await startServer({ workingDir: folder, authentication: false });
	return await readAll(server);
}

function withoutNul(value: unknown): unknown {
	if (typeof value === "string") return value.replaceAll("\0", "\uFFFD");
	if (Array.isArray(value)) return value.map(withoutNul);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, one]) => [withoutNul(name), withoutNul(one)]));
}

/**
 * What is not the same behind a copy: places of contents, numbers of log records, how far counters have come, and what is
 * to be read anew.
 */
const NOT_COMPARED = /^(sqlite_|block|span_lookup|span_zones|unread_|schema_version|row_numbers|clickhouse_)/;

function dump(folder: string): Record<string, unknown[]> {
	using db = new DatabaseSync(join(folder, "spanward.db"), { readOnly: true });
	const names = db.prepare("select name from sqlite_schema where type = 'table' order by name").all();
	const tables = names.map(({ name }) => String(name)).filter((name) => !NOT_COMPARED.test(name));
	const read = (table: string) => {
		if (table === "spans") return db.prepare("select *, 0 as block_id, 0 as ordinal from spans order by id").all();
		if (table !== "log_records") return db.prepare(`select * from ${table}`).all();
		return db.prepare("select *, 0 as id from log_records order by trace_id, span_id, hash").all();
	};
	const text = JSON.stringify(
		tables.map((table) => [table, read(table)]),
		(_, value) => (typeof value === "string" ? value.replaceAll("\0", "\uFFFD") : value),
	);
	return Object.fromEntries(JSON.parse(text));
}

/** Has ClickHouse not answer a statement, and kills the copy while it waits. */
async function killAt(args: readonly string[], match: string, skip = 0): Promise<void> {
	await clickhouse.fail([{ match, skip, kind: "delay", ms: 60_000 }]);
	const env = { PATH: process.env["PATH"] };
	const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ["ignore", "ignore", "inherit"], env });
	const ended = once(child, "exit");
	while ((await clickhouse.countFaults()) === 0) {
		if (child.exitCode !== null) throw new Error(`the copy ended by itself with ${child.exitCode}`);
		await sleep(20);
	}
	child.kill("SIGKILL");
	await ended;
	await clickhouse.heal();
}

async function failedStart(options: ServerOptions): Promise<string> {
	await using server = await createTestServer({ ...options, authentication: false });
	const [code] = await once(server.spawn(), "close");
	expect(code).not.toBe(0);
	return server.output;
}

testWithFaults(
	"K03 K80 SQLite, ClickHouse, another ClickHouse, PostgreSQL and SQLite: the end is equal, also after kills",
	async () => {
		await using temporary = await temporaryFolder();
		await using metadata = await createTestSchema();
		await using postgres = await createTestSchema();
		const folder = (name: string) => join(temporary.folder, name);
		const sqlite = (name: string) => `sqlite:${folder(name)}`;
		const answers = await fill(folder("first"), async (server) => {
			await replay(server, listSources());
			await sendLogs(server);
		});
		const all = await readAllOf(folder("first"));
		const [one, other] = [nextDatabase(), nextDatabase()];

		const there = ["copy", "--from", sqlite("first"), "--to", sqlite("second"), "--traces-to", one.address];
		await killAt(there, "^insert into span_contents ");
		expect(await failedStart({ env: one.env })).toContain("run the same spanward copy again");
		await killAt(there, "^insert into trace_places ");
		// The first says that the copy is not complete, the second that it is.
		await killAt(there, "^insert into facts ", 1);
		expect(await failedStart({ env: one.env, workingDir: folder("second") })).toContain(
			"run the same spanward copy again",
		);
		const report = JSON.parse(await expectSuccess(spanward([...there, "--json"]))) as Json;
		expect(at(report, "resumed")).toBeGreaterThan(REQUESTS * 256);
		expect(at(report, "tables", "spans", "rows")).toBeGreaterThan(REQUESTS * 256 + 3);

		const copied = { ...one.env, SERVICE_WORKING_DIR: folder("second") };
		expect(await spanward(["verify"], { env: copied })).toMatchObject({ code: 0 });

		const further = ["copy", "--from", sqlite("second"), "--traces-from", one.address, "--to", metadata.url];
		await expectSuccess(spanward([...further, "--schema", metadata.schema, "--traces-to", other.address]));
		const env = { SERVICE_SQL_DATABASE_SCHEMA: metadata.schema };
		const from = ["copy", "--from", metadata.url, "--traces-from", other.address];
		await expectSuccess(spanward([...from, "--to", sqlite("third")], { env }));
		expect(dump(folder("third"))).toEqual(dump(folder("first")));

		await using server = await startServer({ ...inSchema(metadata), env: other.env, authentication: false });
		expect(await readAnswers(server)).toEqual(answers);
		expect(await readAll(server)).toEqual(all);
		await server.stop();

		const toPostgres = ["copy", "--from", sqlite("second"), "--traces-from", one.address, "--to", postgres.url];
		// While both are compared.
		await killAt([...toPostgres, "--schema", postgres.schema], "from span_contents ", 1);
		await expectSuccess(spanward([...toPostgres, "--schema", postgres.schema]));
		const back = ["copy", "--from", postgres.url, "--schema", postgres.schema, "--to", sqlite("back")];
		await expectSuccess(spanward(back));
		expect(dump(folder("back"))).toEqual(dump(folder("first")));
		expect(await spanward(["verify"], { env: { SERVICE_WORKING_DIR: folder("back") } })).toMatchObject({ code: 0 });
		await using last = await startServer({ workingDir: folder("back"), authentication: false });
		expect(await readAnswers(last)).toEqual(answers);
		await last.stop();

		await using beside = await startServer({ ...inSchema(postgres), authentication: false });
		// PostgreSQL has no U+0000 in texts, and shows another character for it.
		expect(await readLists(beside)).toEqual(withoutNul(all.lists));
		expect(await readRoutes(beside, "months")).toEqual(all.months);
	},
);

test("a server goes on behind the copy, with new numbers, and repeats change nothing", async () => {
	await using temporary = await temporaryFolder();
	const [first, second] = [join(temporary.folder, "first"), join(temporary.folder, "second")];
	const answers = await fill(first);
	const database = nextDatabase();
	const there = ["copy", "--from", `sqlite:${first}`, "--to", `sqlite:${second}`, "--traces-to", database.address];
	await expectSuccess(spanward(there));
	await using server = await startServer({ workingDir: second, env: database.env, authentication: false });
	const next = createLoad();
	for (let request = 0; request < REQUESTS; request += 1) await sendProtobuf(server, "/v1/traces", next(request).body);
	expect(await readAnswers(server)).toEqual(answers);
	await sendProtobuf(server, "/v1/traces", next(REQUESTS).body);
	const days = "bucket=day&start_time=2026-01-01T00:00:00Z&end_time=2027-01-01T00:00:00Z";
	const metrics = list(at((await server.getJson(`/v1/projects/load/metrics?${days}`)) as Json, "data"));
	expect(metrics.map((day) => at(day, "span_count"))).toEqual([(REQUESTS + 1) * 256]);
});

testWithFaults(
	"K81 servers go on while large tables are copied, and a last round brings what has changed since, also after a kill",
	async () => {
		await using shard = await startClickHouse();
		await using temporary = await temporaryFolder();
		await using postgres = await createTestSchema();
		const folder = (name: string) => join(temporary.folder, name);
		const two = nextDatabase(shard);
		await fill(folder("first"));
		const file = (name: string) => ({ workingDir: folder(name), address: `sqlite:${folder(name)}`, options: [] });
		const places = [
			file("first"),
			{ ...file("second"), env: two.env, traces: two.address },
			{ ...inSchema(postgres), address: postgres.url, options: ["--schema", postgres.schema] },
			file("last"),
		] as const;
		for (const [copy, to] of places.slice(1).entries()) await copyInTwoRounds(places[copy] ?? to, to, copy);
		expect(await spanward(["verify"], { env: { SERVICE_WORKING_DIR: folder("last") } })).toMatchObject({ code: 0 });
	},
);

interface Place extends ServerOptions {
	readonly address: string;
	readonly options: readonly string[];
	/** Where its traces are, if they are in ClickHouse. */
	readonly traces?: string;
}

async function copyInTwoRounds(from: Place, to: Place, copy: number): Promise<void> {
	const args = [
		...["copy", "--from", from.address, "--to", to.address, ...from.options, ...to.options],
		...(from.traces === undefined ? [] : ["--traces-from", from.traces]),
		...(to.traces === undefined ? [] : ["--traces-to", to.traces]),
	];
	const happening = happeningOf(copy);
	await using source = await startServer({ ...from, authentication: false });
	await happening.before(source);
	const refused = async (...options: readonly string[]) => (await spanward([...args, ...options])).stderr;
	const first = expectSuccess(spanward([...args, "--servers-running"]));
	await happening.during(source);
	expect(await first).toContain("with --since in place of --servers-running");
	if (copy === 0) {
		expect(await refused("--since")).toContain("another Spanward");
		expect(await refused("--servers-running")).toContain("--servers-running is complete: stop the servers");
		expect(await failedStart(to)).toContain("run the same spanward copy again");
	}
	await happening.after(source);
	await sendLogs(source, `copy ${copy}`);
	const answers = [await readAnswers(source), await readLists(source)];
	await source.stop();
	if (copy === 0) expect(await refused()).toContain("stop the servers and run it with --since");
	const isKilled = to.traces !== undefined;
	if (isKilled) await killAt([...args, "--since"], "^insert into spans ");
	const { changes } = JSON.parse(await expectSuccess(spanward([...args, "--since", "--json"])));
	// A round that was killed has removed some.
	if (!isKilled) expect(changes.spans.removed).toBeGreaterThan(1);
	expect(changes.spans.added).toBeLessThan(4 * 256);
	await using target = await startServer({ ...to, authentication: false });
	expect([await readAnswers(target), await readLists(target)]).toEqual(answers);
	await target.stop();
}

test("a span whose content is damaged is copied without it", async () => {
	await using temporary = await temporaryFolder();
	const folder = (name: string) => join(temporary.folder, name);
	await fill(folder("first"));
	using db = new DatabaseSync(join(folder("first"), "spanward.db"));
	db.exec("update blocks set data = x'00' where id = 1");
	db.close();
	const database = nextDatabase();
	const there = ["copy", "--from", `sqlite:${folder("first")}`, "--to", `sqlite:${folder("second")}`];
	await expectSuccess(spanward([...there, "--traces-to", database.address]));
	const back = ["copy", "--from", `sqlite:${folder("second")}`, "--to", `sqlite:${folder("back")}`];
	await expectSuccess(spanward([...back, "--traces-from", database.address]));
	expect(dump(folder("back"))).toEqual(dump(folder("first")));
	const { code, stdout } = await spanward(["verify"], {
		env: { ...database.env, SERVICE_WORKING_DIR: folder("second") },
	});
	expect(code).toBe(1);
	expect(stdout).toContain("span row 1 has no content");
});

test("rows are the same whatever the size of the steps in which they are read", async () => {
	const database = nextDatabase();
	const settings = clickHouseSettings(readConfig(database.env));
	if (settings === undefined) throw new Error("there are no settings of ClickHouse");
	await prepareDatabase(settings);
	await using shards = new TraceShards(openCopyShards(settings));
	for (const shard of shards.list) await prepareTables(shard, settings);
	// A new database has no rows of a former reading of attributes.
	for (const shard of shards.list) expect(await readFact(shard, "reading")).toBe(String(READING));
	const tables = portableTables(true).filter(({ stored }) => stored !== undefined);
	const logs = Array.from({ length: 120 }, (_, number) => ({
		// Half of them are of one trace.
		trace_id: number % 2 === 0 ? Buffer.alloc(16, 7) : hash("md5", `trace ${number}`, "buffer"),
		span_id: Buffer.alloc(8, number % 3),
		...{
			project_id: 1,
			hash: hash("md5", `log ${number}`, "buffer"),
			time_micros: number,
			time_nanos: 0,
			received_at: 0,
		},
		data: Buffer.alloc(number === 3 ? 20_000_000 : 10, 1),
	}));
	await insertPortableRows(shards, { name: "log_records" }, logs, "logs");
	const sessions = Array.from({ length: 90 }, (_, number) => ({
		...{
			id: number < 60 ? number + 1 : number * 10_000,
			project_id: 1 + (number % 3),
			session_id: `session ${number}`,
		},
		...{ start_micros: number, start_nanos: 0, end_micros: number, end_nanos: 0 },
	}));
	await insertPortableRows(shards, { name: "sessions" }, sessions, "sessions");
	const hours = Array.from({ length: 90 }, (_, number) => ({
		...{ project_id: 1 + (number % 4), hour: number * 7, kind: number % 5, model: `model ${number % 3}` },
		...{ trace_count: number, span_count: 1, running_count: 0, error_count: 0, tokens_prompt: number },
		...{ tokens_completion: 2 ** 60, tokens_total: 0, cost_micro: 0, cost_pico: 0, latency: new Uint8Array(0) },
	}));
	await insertPortableRows(shards, { name: "hours" }, hours, "hours");
	const readAll = async (table: CopiedTable, step: number) => {
		const rows = new PortableClickHouseRows(shards);
		const checksums = new DailyChecksums(table);
		for (let after: Page["next"] = null; ; ) {
			const page: Page = await rows.read({ ...table, step }, after);
			checksums.addAll(page.rows);
			if (page.next === null) return checksums.sum;
			after = page.next;
		}
	};
	for (const table of tables) {
		const whole = await readAll(table, 1_000);
		const counts: Readonly<Record<string, number>> = { log_records: 120, sessions: 90, hours: 90 };
		expect(whole.rows).toBe(counts[table.name] ?? 0);
		expect(await readAll(table, 11)).toEqual(whole);
	}
});

test("a copy is refused that would mix installations, or whose traces are elsewhere", async () => {
	await using temporary = await temporaryFolder();
	const folder = (name: string) => `sqlite:${join(temporary.folder, name)}`;
	const [database, empty, foreign] = [nextDatabase(), nextDatabase(), nextDatabase()];
	const servers = [
		await startServer({ workingDir: join(temporary.folder, "one"), env: database.env, authentication: false }),
		await startServer({ workingDir: join(temporary.folder, "other"), env: foreign.env, authentication: false }),
	];
	for (const server of servers) {
		await using running = server;
		await sendProtobuf(running, "/v1/traces", createLoad(1)(0).body);
	}
	const refused = async (...args: readonly string[]) => {
		const { code, stderr } = await spanward(["copy", ...args]);
		return `${code} ${stderr}`;
	};
	const from = ["--from", folder("one"), "--to", folder("new")];
	expect(await refused(...from, "--traces-to", empty.address)).toMatch(/^65 .* say with --traces-from where/);
	expect(await refused(...from, "--traces-from", foreign.address)).toMatch(/^65 .* of another installation/);
	expect(await refused(...from, "--traces-from", empty.address)).toMatch(/^65 .* has no traces of Spanward/);
	const own = [...from, "--traces-from", database.address];
	expect(await refused(...own, "--traces-to", foreign.address)).toMatch(/^65 .* has traces already/);
	expect(await refused(...own, "--traces-to", "http://127.0.0.1:8123")).toMatch(/^64 /);
	expect(await refused(...own, "--traces-to", "clickhouse:http://hidden@127.0.0.1")).toMatch(/^64 The address /);
	const away = "clickhouse:http://somebody:hidden@127.0.0.1:1";
	expect(await refused(...own, "--traces-to", away)).toMatch(/^1 Not copied: no connection to ClickHouse/);
	expect(await refused(...own, "--traces-to", away)).not.toContain("hidden");
	await expectSuccess(spanward(["copy", ...own, "--traces-to", empty.address]));
});
