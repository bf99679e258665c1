import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { Steps } from "../../apps/server/src/access/sign-in/steps.ts";
import type { ClickHouseSettings, Topology } from "../../apps/server/src/base/clickhouse-address.ts";
import { present } from "../../apps/server/src/base/present.ts";
import { checkTopology } from "../../apps/server/src/command-line/doctor/clickhouse/replicas.ts";
import { readReplicaState } from "../../apps/server/src/storage/clickhouse/replica-watch.ts";
import { types } from "../../apps/server/src/storage/clickhouse/row-binary.ts";
import { openEachShard, type Shard } from "../../apps/server/src/storage/clickhouse/shard.ts";
import { parsePlace, placeSql } from "../../apps/server/src/storage/copy/trace-backup/backup-place.ts";
import { restoreStatement } from "../../apps/server/src/storage/copy/trace-backup/run-backup.ts";
import { createTable } from "../../apps/server/src/storage/traces/clickhouse/create-table.ts";
import { prepareDatabase, prepareTables } from "../../apps/server/src/storage/traces/clickhouse/schema.ts";
import { PROJECTS, TABLES } from "../../apps/server/src/storage/traces/clickhouse/tables.ts";
import { openTraceShards, type TraceShard } from "../../apps/server/src/storage/traces/clickhouse/trace-shard.ts";
import { insertRows } from "../../apps/server/src/storage/traces/clickhouse/write/insert-rows.ts";
import { clickHouseStatements } from "../../scripts/generate-clickhouse-statements.ts";
import { type ClickHouse, startClickHouse } from "../peers/clickhouse.ts";
import { testWith } from "../peers/requirements.ts";
import { startZooKeeper, type ZooKeeper } from "../peers/zookeeper.ts";
import { createTestServer } from "../server.ts";

const test = testWith("clickhouse", "zookeeper");

const PATIENCE_MS = 10_000;
const DAY_SECONDS = 86_400;
const PROJECT = { id: 1, name: "default", version: 1, is_deleted: 0 };

let zookeeper: ZooKeeper;
let clickhouse: ClickHouse;
let databases = 0;

beforeAll(async () => {
	zookeeper = await startZooKeeper();
	clickhouse = await startClickHouse({ config: configWith(zookeeper) });
});
afterAll(async () => {
	await clickhouse?.[Symbol.asyncDispose]();
	await zookeeper?.[Symbol.asyncDispose]();
});

/** A replica of a cluster of two, and of another one with two shards; with a volume for what is old. */
function configWith({ port }: ZooKeeper): string {
	const replica = (number: number) => `<replica><host>127.0.0.1</host><port>${number}</port></replica>`;
	return `
	<zookeeper><node><host>127.0.0.1</host><port>${port}</port></node></zookeeper>
	<macros><shard>01</shard><replica>r1</replica></macros>
	<remote_servers>
		<pair><shard>${replica(1)}${replica(2)}</shard></pair>
		<wide><shard>${replica(1)}</shard><shard>${replica(2)}</shard></wide>
	</remote_servers>
	<storage_configuration>
		<disks><cold><path>@FOLDER@/cold/</path></cold></disks>
		<policies><tiered><volumes><hot><disk>default</disk></hot><cold><disk>cold</disk></cold></volumes></tiered></policies>
	</storage_configuration>`;
}

function settingsOf(more: Partial<ClickHouseSettings> = {}): ClickHouseSettings {
	databases += 1;
	return {
		...{ shards: [[clickhouse.url]], user: "default", password: "", database: `topology_${databases}`, connections: 4 },
		...{ statementTimeoutMs: 300_000, queryMemoryBytes: 536_870_912, insertIntervalMs: 20, insertRows: 20_000 },
		durability: "relaxed",
		...more,
	};
}

/** Rows as TSV. */
async function ask(statement: string, params: Readonly<Record<string, string>> = {}): Promise<string> {
	const query = new URLSearchParams(Object.entries(params).map(([name, value]) => [`param_${name}`, value]));
	const response = await fetch(`${clickhouse.url}/?${query}`, { method: "POST", body: statement });
	const text = await response.text();
	if (!response.ok) throw new Error(text);
	return text.trimEnd();
}

test("K60 statements for each topology are those that are kept, and ClickHouse can parse them", async () => {
	for (const [path, content] of Object.entries(clickHouseStatements())) {
		expect(await readFile(join(import.meta.dirname, "../..", path), "utf8")).toBe(content);
		for (const statement of content.trimEnd().split(";\n")) {
			const parsed = await ask("select formatQuery({statement:String})", {
				statement: statement.replaceAll("\n", "\\n").replaceAll("\t", "\\t"),
			});
			expect(parsed).toMatch(/^(CREATE|ALTER|INSERT|OPTIMIZE) /);
		}
	}
});

test("K82 ClickHouse can parse statements of backups on S3 and of restoring into a cluster", async () => {
	const place = parsePlace("s3:spanward_backups/daily");
	if (place === undefined) throw new Error("it is a place");
	const where = placeSql(place, "one/shard-1");
	const into = restoreStatement({ database: "spanward_new", cluster: "two-sites" }, "spanward", where);
	for (const statement of [`backup database spanward to ${where} settings id = 'x' async`, `${into} async`])
		expect(await ask("select formatQuery({statement:String})", { statement })).toContain(" S3(spanward_backups, ");
});

/** The tables of a cluster of replicas, on the one node of it that is there. */
async function createReplicated(settings: ClickHouseSettings): Promise<void> {
	await ask(`create database ${settings.database}`);
	for (const table of TABLES) {
		const statement = createTable(table, settings);
		expect(statement).toContain(" on cluster `pair` ");
		await ask(statement.replace(" on cluster `pair`", ""));
	}
}

describe("K61 replicated tables", () => {
	const topology: Topology = { kind: "cluster", replicas: 1 };
	let settings: ClickHouseSettings;

	beforeAll(async () => {
		if (clickhouse === undefined) return;
		settings = settingsOf({ cluster: "pair", durability: "full", topology });
		await createReplicated(settings);
	});

	/** How an insert fails, and after how many milliseconds. */
	async function failureOf(more: Partial<ClickHouseSettings>) {
		await using shard = openOnlyOfTraces({ ...settings, ...more });
		const begun = performance.now();
		const error: unknown = await insertRows(shard, PROJECTS, [PROJECT], "refused").catch((reason: unknown) => reason);
		return { error, ms: performance.now() - begun };
	}

	test("are made with paths of their own, and our settings", async () => {
		const { database } = settings;
		const found = await ask(`select name, engine_full from system.tables where database = '${database}' order by name`);
		const lines = found.replaceAll("\\'", "'").split("\n");
		expect(lines).toHaveLength(TABLES.length);
		for (const line of lines) {
			const [name, engine] = line.split("\t");
			const path = `/clickhouse/tables/{shard}/${database}/${name}`;
			expect(engine).toContain(`ReplicatedReplacingMergeTree('${path}', '{replica}', version, is_deleted)`);
			expect(engine).toMatch(/replicated_deduplication_window = 10000.*fsync_after_insert = 1/);
			expect(engine).not.toContain("non_replicated");
		}
		const paths = await ask(`select distinct zookeeper_path, replica_name from system.replicas where table = 'spans'`);
		expect(paths).toBe(`/clickhouse/tables/01/${database}/spans\tr1`);
	});

	test("that are read-only refuse inserts in time", async () => {
		const { error, ms } = await failureOf({});
		expect(error).toMatchObject({ reason: "read_only", cause: { code: 242 } });
		expect(ms).toBeLessThan(PATIENCE_MS);
	});

	test("with fewer replicas than the quorum refuse inserts in time", async () => {
		const { error, ms } = await failureOf({ topology: { kind: "cluster", replicas: 2 } });
		expect(error).toMatchObject({ reason: "traces_busy", cause: { code: 285 } });
		expect(ms).toBeLessThan(PATIENCE_MS);
	});

	test("that are read-only are read where there are no others, and say so", async () => {
		await using shard = openOnlyOfTraces({ ...settings, reads: "any", maxReplicaDelaySeconds: 1 });
		const [node] = shard.nodes;
		expect(node && (await readReplicaState(node))).toEqual({ delay: 0, isReadOnly: true });
		expect(await shard.reader.select("select name from projects", { name: types.Text })).toEqual([]);
		expect(shard.readDelaySeconds).toBe(0);
	});

	test("stop a start that expects those of one node", async () => {
		const { cluster: _, ...single } = settings;
		await expect(prepare(single)).rejects.toThrow(
			/have the engine ReplicatedReplacingMergeTree \(facts, spans, span_contents\).* SERVICE_CLICKHOUSE_CLUSTER has to name/,
		);
	});
});

/** What a start does of a database. */
function openOnly(settings: ClickHouseSettings, database?: string): Shard {
	return present(openEachShard(settings, database)[0], "a shard");
}

function openOnlyOfTraces(settings: ClickHouseSettings): TraceShard {
	return present(openTraceShards(settings)[0], "a shard");
}

async function prepare({ topology: _, ...given }: ClickHouseSettings): Promise<ClickHouseSettings> {
	const settings = await prepareDatabase(given);
	await using shard = openOnly(settings);
	await prepareTables(shard, settings);
	return settings;
}

test("tables of one node stop a start on a cluster", async () => {
	const settings = settingsOf();
	expect((await prepare(settings)).topology).toEqual({ kind: "single", replicas: 1 });
	const { code, output } = await failedStart({
		SERVICE_CLICKHOUSE_DATABASE: settings.database,
		SERVICE_CLICKHOUSE_CLUSTER: "pair",
	});
	expect(output).toMatch(
		/have the engine ReplacingMergeTree .* is needed on a cluster: leave out SERVICE_CLICKHOUSE_CLUSTER/,
	);
	expect(code).toBe(78);
});

/** What a start says, and its exit code. */
async function failedStart(env: Readonly<Record<string, string>>): Promise<{ code: number; output: string }> {
	await using server = await createTestServer({ env: { SERVICE_CLICKHOUSE_URL: clickhouse.url, ...env } });
	const [code] = await once(server.spawn(), "close");
	return { code: Number(code), output: server.output };
}

test("K62 a cluster that is unknown stops the start with those that there are", async () => {
	const { code, output } = await failedStart({ SERVICE_CLICKHOUSE_CLUSTER: "nowhere" });
	expect(output).toMatch(/SERVICE_CLICKHOUSE_CLUSTER is nowhere, and .* knows only pair, wide/);
	expect(code).toBe(78);
});

test("a cluster with another number of shards, and a quorum that no shard has, are refused", async () => {
	await expect(prepareDatabase(settingsOf({ cluster: "wide" }))).rejects.toThrow(
		/the cluster wide .* has 2 shards, and SERVICE_CLICKHOUSE_URL lists 1 shard/,
	);
	await expect(prepareDatabase(settingsOf({ cluster: "pair", insertQuorum: 3 }))).rejects.toThrow(
		/SERVICE_CLICKHOUSE_INSERT_QUORUM is 3, and .* has 2 replicas/,
	);
});

test("doctor tells what replicates the traces, and how many have what is acknowledged", async () => {
	await using shard = openOnly(settingsOf(), "system");
	const [node] = shard.nodes;
	if (node === undefined) throw new Error("a shard has a node");
	const check = async (more: Partial<ClickHouseSettings>) => {
		const steps = new Steps();
		await checkTopology(node, settingsOf({ cluster: "pair", ...more }), 1, steps);
		return steps.list.map(({ outcome, text, facts }) => [outcome, text, facts.map(({ value }) => value).join()]);
	};
	expect(await check({})).toEqual([["ok", "The cluster pair replicates the traces.", "2,2"]]);
	expect(await check({ insertQuorum: 1 })).toEqual([
		["warning", expect.stringMatching(/^One of 2 replicas has what is acknowledged.*INSERT_QUORUM=1/), "2,1"],
	]);
	expect(await check({ insertQuorum: 3 })).toEqual([["failed", expect.stringMatching(/has 2 replicas/), ""]]);
});

test("old partitions move to the cold volume, as the settings say now", async () => {
	const settings = settingsOf({ storagePolicy: "tiered" });
	const tiers = { ...settings, cold: { volume: "cold", afterDays: 7 } };
	const ttls = async () =>
		await ask(`select name, extract(engine_full, 'least.* (\\+ \\d+)\\) TO VOLUME .cold.') from system.tables
			where database = '${settings.database}' and engine_full like '%TO VOLUME%' order by name format CSV`);
	const now = Math.floor(Date.now() / 1_000);
	const place = async (days: number) =>
		await ask(`select distinct disk_name from system.parts where database = '${settings.database}' and table = 'spans' and active
			and partition_id = toString(intDiv(${now - days * DAY_SECONDS}, ${DAY_SECONDS}) % 3650)`);
	await prepare(settings);
	expect(await ttls()).toBe("");
	await using shard = openOnly(settings);
	for (const days of [0, 5, 30]) await insertSpan(shard, now - days * DAY_SECONDS);
	await prepare(tiers);
	expect(await ttls()).toBe(
		'"span_contents","+ 604800"\n"spans","+ 604800"\n"text_signatures","+ 604800"\n"traces","+ 604800"',
	);
	await expect.poll(() => place(30)).toBe("cold");
	expect(await place(5)).toBe("default");
	await prepare({ ...tiers, cold: { volume: "cold", afterDays: 3 } });
	await expect.poll(() => place(5)).toBe("cold");
	expect(await place(0)).toBe("default");
	await prepare(settings);
	expect(await ttls()).toBe("");
	// That of somebody else stays.
	await ask(
		`alter table ${settings.database}.traces modify ttl toDateTime(intDiv(anchor_micros, 1000000)) + interval 9 year`,
	);
	await prepare(tiers);
	expect(await ttls()).toBe('"span_contents","+ 604800"\n"spans","+ 604800"\n"text_signatures","+ 604800"');
	await expect(prepare({ ...tiers, cold: { volume: "nowhere", afterDays: 3 } })).rejects.toThrow(/450/);
	expect(await ask(`select count() from ${settings.database}.spans`)).toBe("3");
});

async function insertSpan(shard: Shard, startSeconds: number): Promise<void> {
	await shard.execute(
		`insert into spans (project_id, start_micros, version) values (1, ${startSeconds * 1_000_000}, 1)`,
	);
}
