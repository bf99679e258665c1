import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { readConfig } from "../../apps/server/src/base/config.ts";
import { present } from "../../apps/server/src/base/present.ts";
import { clickHouseSettings } from "../../apps/server/src/base/settings/clickhouse.ts";
import { encodeSpans, makeSpan } from "../../apps/server/src/ingest/test-receiver.ts";
import { openEachShard } from "../../apps/server/src/storage/clickhouse/shard.ts";
import { createTestSchema, type TestSchema } from "../../apps/server/src/storage/postgres/test-postgres.ts";
import { prepareDatabase, prepareTables } from "../../apps/server/src/storage/traces/clickhouse/schema.ts";
import { Link } from "../cluster/link.ts";
import { CrashLoad, findLosses } from "../crash.ts";
import { createLoad } from "../load.ts";
import { measureGrowth } from "../memory-growth.ts";
import { type ClickHouse, startClickHouse } from "../peers/clickhouse.ts";
import { testWith } from "../peers/requirements.ts";
import { createTestServer, freePort, type ServerOptions, startServer, type TestServer } from "../server.ts";
import { lossesBehind, SEARCHED_WORDS } from "./damage.ts";

const test = testWith("clickhouse", "postgres");

const ROUNDS = 2;
/** How often it is looked whether all is there again: what a killed server left behind is let be for half a minute, and each look reads everything. */
const EACH_LOOK_MS = 8_000;
const PROTOBUF = { "content-type": "application/x-protobuf" };
const TABLES =
	"span_contents spans traces trace_places sessions hours log_records projects facts text_signatures".split(" ");

let clickhouse: ClickHouse;
let databases = 0;

beforeAll(async () => {
	clickhouse = await startClickHouse();
});
afterAll(() => clickhouse[Symbol.asyncDispose]());
beforeEach(() => clickhouse.heal());

function nextDatabase(): string {
	databases += 1;
	return `server_${databases}`;
}

/** Settings of a server whose traces are in a database of the engine. */
function settingsFor(database: string, env: Record<string, string> = {}): ServerOptions {
	return {
		env: { SERVICE_CLICKHOUSE_URL: clickhouse.url, SERVICE_CLICKHOUSE_DATABASE: database, ...env },
	};
}

function on(schema: TestSchema): Pick<ServerOptions, "storage"> {
	return { storage: { url: schema.url, schema: schema.schema } };
}

/** Rows as TSV. */
async function ask(statement: string): Promise<string> {
	const response = await fetch(clickhouse.url, { method: "POST", body: statement });
	const text = await response.text();
	if (!response.ok) throw new Error(text);
	return text.trimEnd();
}

const makeRequest = createLoad();
let sequence = 1_000_000;

function send(server: TestServer): Promise<Response> {
	sequence += 1;
	const { body } = makeRequest(sequence);
	return server.fetch("/v1/traces", { method: "POST", headers: PROTOBUF, body: Buffer.from(body) });
}

async function countSpans(database: string): Promise<number> {
	return Number(await ask(`select count() from ${database}.spans final`));
}

/** What a start that fails says, and its exit code. */
async function failedStart(options: ServerOptions): Promise<{ code: number; output: string }> {
	await using server = await createTestServer(options);
	const [code] = await once(server.spawn(), "close");
	return { code: Number(code), output: server.output };
}

test.each(["SQLite", "PostgreSQL"])("K09 K78 kill -9 of the server, with the metadata in %s", async (metadata) => {
	await using schema = await createTestSchema();
	const options = settingsFor(nextDatabase());
	await using server = await startServer(metadata === "SQLite" ? options : { ...options, ...on(schema) });
	const load = new CrashLoad();
	for (let round = 0; round < ROUNDS; round++) await load.crash(server, Math.random() * 1_000);
	if (metadata === "SQLite") {
		expect(await lossesBehind(server, options.env ?? {}, load.acknowledged)).toEqual([]);
		return;
	}
	// Until the server itself has repaired what is left behind, which it lets be for half a minute.
	const find = () => findLosses(server, load.acknowledged, SEARCHED_WORDS);
	await expect.poll(find, { interval: EACH_LOOK_MS }).toEqual([]);
});

test("K10 kill -9 of ClickHouse", async () => {
	await using server = await startServer(settingsFor(nextDatabase()));
	const load = new CrashLoad();
	for (let round = 0; round < ROUNDS; round++) {
		await load.beside(server, async () => {
			await sleep(Math.random() * 1_000);
			await clickhouse.kill();
			await sleep(500);
			await clickhouse.start();
			await expect.poll(async () => (await server.fetch("/readyz")).status).toBe(200);
		});
	}
	const find = () => findLosses(server, load.acknowledged, SEARCHED_WORDS);
	await expect.poll(find, { interval: EACH_LOOK_MS }).toEqual([]);
});

test("K11 K78 kill -9 of both", async () => {
	const options = settingsFor(nextDatabase());
	await using server = await startServer(options);
	const load = new CrashLoad();
	for (let round = 0; round < 2; round++) {
		await load.beside(server, async () => {
			await sleep(Math.random() * 1_000);
			await Promise.all([server.kill(), clickhouse.kill()]);
		});
		await clickhouse.start();
		await server.start();
	}
	expect(await lossesBehind(server, options.env ?? {}, load.acknowledged)).toEqual([]);
});

test("K21 tables are durable where it is asked for, and altered when that changes", async () => {
	const database = nextDatabase();
	await using server = await startServer(settingsFor(database, { SERVICE_DATABASE_DURABILITY: "relaxed" }));
	const durable = `select count() from system.tables where database = '${database}'
		and engine_full like '%fsync_after_insert = 1%' and engine_full like '%fsync_part_directory = 1%'`;
	expect(await ask(durable)).toBe("0");
	await server.stop();
	const { workingDir } = server;
	for (const [durability, count] of [
		["full", TABLES.length],
		["relaxed", 0],
	] as const) {
		const options = settingsFor(database, { SERVICE_DATABASE_DURABILITY: durability });
		await using again = await startServer({ ...options, workingDir });
		expect(await ask(durable)).toBe(String(count));
		expect((await send(again)).status).toBe(200);
	}
});

test("K55 tables are made in an empty database, and the same start again does nothing", async () => {
	const database = nextDatabase();
	await using server = await startServer(settingsFor(database));
	const tables = await ask(
		`select name, create_table_query from system.tables where database = '${database}' order by 1`,
	);
	expect(tables.split("\n").map((line) => line.split("\t")[0])).toEqual(TABLES.toSorted());
	await server.stop();
	// No statement makes or changes a table.
	await clickhouse.fail([{ match: "^(create|alter|drop) ", kind: "error", code: 497, times: 1_000 }]);
	await server.start();
	expect(await clickhouse.countFaults()).toBe(0);
});

test("K56 two servers that start at once on an empty database both run", async () => {
	await using schema = await createTestSchema();
	const options = { ...settingsFor(nextDatabase()), ...on(schema) };
	const started = await Promise.all([startServer(options), startServer(options)]);
	for (const server of started) {
		await using running = server;
		expect((await send(running)).status).toBe(200);
	}
});

test("K57 a start that is interrupted at any statement is completed by the next", async () => {
	const database = nextDatabase();
	await using server = await createTestServer(settingsFor(database));
	// The database, one of the tables, and one of the facts, others in each run: all tables are asked for each time.
	const among = (count: number) => Math.floor(Math.random() * count);
	for (const skip of [0, among(TABLES.length), TABLES.length + among(2)]) {
		await clickhouse.fail([{ match: "^(create|insert into facts)", skip, kind: "drop_after" }]);
		const child = server.spawn();
		while ((await clickhouse.countFaults()) === 0) await sleep(10);
		await server.kill();
		expect(child.signalCode).toBe("SIGKILL");
		await clickhouse.heal();
	}
	await server.start();
	expect((await send(server)).status).toBe(200);
});

test("K58 tables that are not those of this version stop the start, and nothing is changed", async () => {
	const read = (database: string) =>
		ask(`select name, create_table_query from system.tables where database = '${database}' order by 1`);
	const database = nextDatabase();
	await using server = await startServer(settingsFor(database));
	await server.stop();
	await ask(`alter table ${database}.spans drop column user_id`);
	const before = await read(database);
	const { code, output } = await failedStart({ ...settingsFor(database), workingDir: server.workingDir });
	expect(output).toContain("spans lacks the column user_id");
	expect(code).toBe(78);
	expect(await read(database)).toBe(before);

	for (const [statement, sentence] of [
		["insert into DB.facts values ('schema_version', '99', 9, 0)", "version 99"],
		["alter table DB.sessions modify column batch UInt8", "sessions has UInt8 in the column batch"],
		["drop table DB.hours", "hours is missing"],
	] as const) {
		const other = nextDatabase();
		const config = readConfig({ SERVICE_CLICKHOUSE_URL: clickhouse.url, SERVICE_CLICKHOUSE_DATABASE: other });
		const settings = await prepareDatabase(present(clickHouseSettings(config), "settings of ClickHouse"));
		await using shard = present(openEachShard(settings)[0], "a shard");
		await prepareTables(shard, settings);
		await ask(statement.replace("DB", other));
		const made = await read(other);
		await expect(prepareTables(shard, settings)).rejects.toThrow(sentence);
		expect(await read(other)).toBe(made);
	}
});

test("K58 tables of another program stop the start", async () => {
	const database = nextDatabase();
	await ask(`create database ${database}`);
	await ask(`create table ${database}.observations (id String) engine = MergeTree order by id`);
	const { code, output } = await failedStart(settingsFor(database));
	expect(output).toContain("tables of another program (observations)");
	expect(code).toBe(78);
});

test("K57 tables of the first version are changed at the start, also where that is cut off, and the text index is filled", async () => {
	const database = nextDatabase();
	await using server = await startServer(settingsFor(database));
	expect((await send(server)).status).toBe(200);
	await server.stop();
	await ask(`drop table ${database}.text_signatures`);
	await ask(`alter table ${database}.span_contents drop index versions`);
	await ask(`alter table ${database}.traces drop index batches`);
	await ask(`alter table ${database}.traces drop column batch`);
	for (const table of ["spans", "traces"]) {
		await ask(`alter table ${database}.${table} drop index readings`);
		await ask(`alter table ${database}.${table} drop column reading`);
	}
	await ask(`alter table ${database}.log_records drop column project_id`);
	await ask(`alter table ${database}.spans drop column release, drop column environment`);
	await ask(`alter table ${database}.traces drop column release_span, drop column release`);
	await ask(`alter table ${database}.traces drop column environment_span, drop column environment`);
	const waiting = { traceId: "ab".repeat(16), spanId: "cd".repeat(8) };
	await ask(`insert into ${database}.log_records
		select trace_id, span_id, 1, 0, MD5(id), toUnixTimestamp64Micro(now64(6)), '', 1, 0
		from (select trace_id, span_id, '1' as id from ${database}.spans limit 1
			union all select unhex('${waiting.traceId}'), unhex('${waiting.spanId}'), '2')`);
	await ask(`insert into ${database}.facts values ('schema_version', '1', 9, 0)`);
	await clickhouse.fail([{ match: "^alter table span_contents add index", kind: "drop_after" }]);
	const { workingDir } = server;
	const options = settingsFor(database, { SERVICE_ENABLE_TEXT_INDEX: "true" });
	await using upgraded = await startServer({ ...options, workingDir });
	expect((await send(upgraded)).status).toBe(200);
	expect(await clickhouse.countFaults()).toBe(1);
	expect(await ask(`select value from ${database}.facts final where name = 'schema_version'`)).toBe("5");
	// Rows of before count as the first reading, and are read anew in the background.
	const countedAs = `select distinct default_expression from system.columns where database = '${database}' and name = 'reading'`;
	expect(await ask(countedAs)).toBe("1");
	// Log records of before have the projects of their traces, or take that of the first one that comes.
	const readOwners = `select groupArray(project_id > 0) from
		(select project_id from ${database}.log_records final order by hex(trace_id) = '${waiting.traceId.toUpperCase()}', project_id)`;
	expect(await ask(readOwners)).toBe("[0,1,0]");
	const spans = [
		{ ...waiting, name: "late", startTimeUnixNano: "1700000000000000000", endTimeUnixNano: "1700000001000000000" },
	];
	const late = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
	const headers = { "content-type": "application/json" };
	expect((await upgraded.fetch("/v1/traces", { method: "POST", headers, body: late })).status).toBe(200);
	expect(await ask(readOwners)).toBe("[0,1,1]");
	expect(await ask(`select has_logs from ${database}.spans final where name = 'late'`)).toBe("1");
	expect(
		await ask(`select name from system.data_skipping_indices where database = '${database}' and name = 'versions'`),
	).toBe("versions");
	await expect.poll(() => ask(`select count() > 0 from ${database}.text_signatures where project_id > 0`)).toBe("1");
});

test("K59 an operator's own column and view stay, and nothing breaks", async () => {
	const database = nextDatabase();
	await using server = await startServer(settingsFor(database));
	await server.stop();
	await ask(`alter table ${database}.spans add column team String default 'none'`);
	await ask(
		`create materialized view ${database}.per_model engine = SummingMergeTree order by model as
		select ifNull(model, '') as model, count() as spans from ${database}.spans group by model`,
	);
	await server.start();
	expect((await send(server)).status).toBe(200);
	expect(await ask(`select distinct team from ${database}.spans`)).toBe("none");
	expect(Number(await ask(`select sum(spans) from ${database}.per_model`))).toBe(await countSpans(database));
});

test("K75 traces of another installation stop the start, as an empty ClickHouse does for one that has traces", async () => {
	const [database, other] = [nextDatabase(), nextDatabase()];
	await using server = await startServer(settingsFor(database));
	expect((await send(server)).status).toBe(200);
	await server.stop();
	const before = await countSpans(database);
	const foreign = await failedStart(settingsFor(database));
	expect(foreign.output).toContain("of another installation");
	expect(foreign.output).toContain("spanward adopt-clickhouse");
	expect(foreign.code).toBe(78);
	const empty = await failedStart({ ...settingsFor(other), workingDir: server.workingDir });
	expect(empty.output).toContain("is empty, and this installation has stored traces elsewhere");
	expect(empty.code).toBe(78);
	await server.start();
	expect(await countSpans(database)).toBe(before);
	expect((await send(server)).status).toBe(200);
});

test("a ClickHouse that starts after the server is waited for", async () => {
	const port = await freePort();
	const address = { SERVICE_CLICKHOUSE_URL: `http://127.0.0.1:${port}` };
	await using server = await createTestServer(settingsFor(nextDatabase(), address));
	const child = server.spawn();
	await expect.poll(() => server.output).toContain("Waiting for it for 20 s");
	await using _started = await Link.open(clickhouse.port, port);
	await expect.poll(() => server.output).toContain("Spanward is ready");
	expect(child.exitCode).toBeNull();
});

test("K38 a trace of 100,000 spans is read part by part in little memory", async () => {
	const count = 100_000;
	const database = nextDatabase();
	await using server = await startServer(settingsFor(database));
	const startNanos = 1_700_000_000_000_000_000n;
	const at = (micros: number) => startNanos + BigInt(micros) * 1_000n;
	const [first, last] = [
		makeSpan({ startTimeUnixNano: at(0), endTimeUnixNano: at(count) }),
		makeSpan({ startTimeUnixNano: at(count - 1), endTimeUnixNano: at(count) }),
	];
	const spans = [first, { ...last, traceId: first.traceId, parentSpanId: first.spanId }];
	const body = Buffer.from(encodeSpans(spans));
	expect((await server.fetch("/v1/traces", { method: "POST", headers: PROTOBUF, body })).status).toBe(200);
	// Those in between, of which no total is asked for.
	await ask(`insert into ${database}.spans
		select spans.* replace (
			start_micros - number as start_micros, id + number as id, substring(hex(number + 256), 1, 8) as span_id
		)
		from ${database}.spans cross join numbers(1, ${count - 2}) as numbers where parent_span_id is not null`);
	const seen = new Set<string>();
	const path = `/v1/projects/default/traces/${first.traceId}?cumulative=false&include=annotations`;
	const read = async (cursor: string, limit: number) => {
		const page = (await server.getJson(`${path}&limit=${limit}${cursor}`)) as TracePage;
		for (const { span_id } of page.data.spans) seen.add(span_id);
		return page.next_cursor === null ? undefined : `&cursor=${encodeURIComponent(page.next_cursor)}`;
	};
	// What a first request loads.
	await read("", 500);
	seen.clear();
	const growth = await measureGrowth(server, async () => {
		for (let cursor = await read("", 500); cursor !== undefined; ) cursor = await read(cursor, 5_000);
	});
	if (growth !== undefined) expect(growth).toBeLessThan(100 * 1_048_576);
	expect(seen.size).toBe(count);
});

interface TracePage {
	readonly data: { readonly spans: readonly { readonly span_id: string }[] };
	readonly next_cursor: string | null;
}
