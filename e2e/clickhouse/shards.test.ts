import { hash } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { createTestSchema } from "../../apps/server/src/storage/postgres/test-postgres.ts";
import { jumpHash } from "../../apps/server/src/storage/traces/clickhouse/shards/jump-hash.ts";
import { ClickHouseRepairs } from "../../apps/server/src/storage/traces/clickhouse/upkeep/reconcile/run-repairs.ts";
import { repairBatches } from "../../apps/server/src/storage/traces/clickhouse/upkeep/repair.ts";
import { insertAnnotation } from "../../apps/server/src/storage/traces/conformance/annotations.ts";
import { randomFrom, randomSpans } from "../../apps/server/src/storage/traces/conformance/random-spans.ts";
import { allTraces, projectId } from "../../apps/server/src/storage/traces/conformance/store-under-test.ts";
import { HOUR_0, testLog, testSpan, traceHex } from "../../apps/server/src/storage/traces/test-spans.ts";
import { distinct } from "../../apps/server/src/storage/traces/test-totals.ts";
import { temporaryFolder } from "../copied-data.ts";
import { type ClickHouse, startClickHouse } from "../peers/clickhouse.ts";
import { testWith } from "../peers/requirements.ts";
import { createTestServer, type ServerOptions, startServer, type TestServer } from "../server.ts";
import { spanward } from "../spanward-command.ts";
import { damageIn } from "./damage.ts";
import { openStore } from "./open-store.ts";

const test = testWith("clickhouse", "postgres");

const PROJECT = "shards";
const LIST = `/v1/projects/${PROJECT}/traces?limit=1000`;
const SPANS = 2;
/** Beyond the moment from which a new shard gets traces. */
const LATER_MS = 3_600_000;

let engines: readonly ClickHouse[] = [];
let databases = 0;

beforeAll(async () => {
	engines = await Promise.all([startClickHouse(), startClickHouse(), startClickHouse()]);
});
afterAll(async () => {
	await Promise.all(engines.map((engine) => engine[Symbol.asyncDispose]()));
});

interface Place {
	readonly database: string;
	readonly storage: { readonly url: string; readonly schema: string };
}

function optionsFor({ database, storage }: Place, shards: readonly (ClickHouse | undefined)[]): ServerOptions {
	const env = {
		SERVICE_CLICKHOUSE_URL: shards.map((engine) => engine?.url).join(";"),
		SERVICE_CLICKHOUSE_DATABASE: database,
	};
	return { env, storage, inProcess: true };
}

/** For `--traces-from` and `--traces-to`. */
function addressOf({ database }: Place, shards: readonly ClickHouse[]): string {
	return `clickhouse:${shards.map(({ url }) => url).join(";")}?database=${database}`;
}

function nextPlace(schema: { readonly url: string; readonly schema: string }): Place {
	databases += 1;
	return { database: `shards_${databases}`, storage: schema };
}

function traceId(number: number): string {
	return hash("md5", `trace ${number}`);
}

function traceIds(from: number, count: number): string[] {
	return Array.from({ length: count }, (_, index) => traceId(from + index));
}

interface Sent {
	readonly startMs?: number;
	readonly session?: string;
}

/** Each trace with two spans, one a second after the other. */
function send(server: TestServer, ids: readonly string[], { startMs = 1_790_000_000_000, session }: Sent = {}) {
	const spans = ids.flatMap((id) =>
		Array.from({ length: SPANS }, (_, index) => ({
			traceId: id,
			spanId: hash("md5", `${id} ${index}`).slice(0, 16),
			...(index === 0 ? {} : { parentSpanId: hash("md5", `${id} 0`).slice(0, 16) }),
			name: `span ${index}`,
			startTimeUnixNano: `${startMs + index * 1_000}000000`,
			endTimeUnixNano: `${startMs + index * 1_000 + 500}000000`,
			attributes: session === undefined ? [] : [{ key: "session.id", value: { stringValue: session } }],
		})),
	);
	const attributes = [{ key: "openinference.project.name", value: { stringValue: PROJECT } }];
	const body = JSON.stringify({ resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans }] }] });
	return server.fetch("/v1/traces", { method: "POST", headers: { "content-type": "application/json" }, body });
}

async function get<Data>(server: TestServer, path: string): Promise<{ status: number; body: Data }> {
	const answer = await server.fetch(path, { headers: { accept: "application/problem+json, application/json" } });
	return { status: answer.status, body: JSON.parse(await answer.text()) };
}

/** The ids of all traces in the list. */
async function listed(server: TestServer): Promise<string[]> {
	const { status, body } = await get<{ data: { trace_id: string }[]; next_cursor: string | null }>(server, LIST);
	expect([status, body.next_cursor]).toEqual([200, null]);
	return body.data.map((trace) => trace.trace_id).sort();
}

/** The ids of the traces on a shard, and how many spans it has. */
async function stored({ url }: ClickHouse, { database }: Place): Promise<{ ids: string[]; spans: number }> {
	const ask = async (statement: string) => {
		const answer = await fetch(url, { method: "POST", body: statement });
		const text = await answer.text();
		if (!answer.ok) throw new Error(text);
		return text.trimEnd();
	};
	const ids = await ask(`select distinct lower(hex(trace_id)) as id from ${database}.spans final order by id`);
	const spans = await ask(`select count() from ${database}.spans final`);
	return { ids: ids === "" ? [] : ids.split("\n"), spans: Number(spans) };
}

/** What a start says that is refused. */
async function refusal(options: ServerOptions): Promise<string> {
	try {
		await using server = await startServer(options);
		return `it started: ${server.output}`;
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

test("K63 K64 traces are whole on one of two shards; while one is away, nothing is shorter than the truth", async () => {
	const [first, second] = engines;
	if (first === undefined || second === undefined) throw new Error("there are no engines");
	await using schema = await createTestSchema();
	const place = nextPlace(schema);
	await using server = await startServer(optionsFor(place, [first, second]));
	const ids = traceIds(0, 200);
	expect((await send(server, ids, { session: "of all" })).status).toBe(200);
	expect((await send(server, ids.slice(0, 50))).status).toBe(200);
	const [onFirst, onSecond] = [await stored(first, place), await stored(second, place)];
	expect([...onFirst.ids, ...onSecond.ids].sort()).toEqual(ids.toSorted());
	expect(onFirst.spans + onSecond.spans).toBe(SPANS * ids.length);
	expect(onFirst.ids.length / ids.length).toBeGreaterThan(0.4);
	expect(onFirst.ids.length / ids.length).toBeLessThan(0.6);
	expect(await listed(server)).toEqual(ids.toSorted());

	await second.kill();
	await expect
		.poll(async () => (await get<{ code: string; detail: string }>(server, LIST)).body)
		.toMatchObject({
			code: "storage_incomplete",
			detail: expect.stringContaining("Shard 2"),
		});
	for (const number of [300, 301, 302, 303, 304, 305]) {
		const status = jumpHash(traceId(number), 2) === 0 ? 200 : 503;
		expect([number, (await send(server, [traceId(number)])).status]).toEqual([number, status]);
	}
	const both = traceIds(310, 10);
	const refused = await send(server, both);
	expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
	const storedNow = new Set((await stored(first, place)).ids);
	expect(both.filter((id) => storedNow.has(id))).toEqual([]);
	const [there = ""] = onFirst.ids;
	const [gone = ""] = onSecond.ids;
	const path = (id: string) => `/v1/projects/${PROJECT}/traces/${id}`;
	expect((await get(server, path(there))).status).toBe(200);
	expect(await get(server, path(gone))).toMatchObject({ status: 503, body: { code: "storage_incomplete" } });
	expect((await get(server, "/readyz")).status).toBe(200);
	expect(await get(server, "/v1/storage")).toMatchObject({ body: { data: { traces: { state: "incomplete" } } } });
	const nodes = await get<{ data: { shard: number; state: string }[] }>(server, "/v1/storage/nodes");
	expect(nodes.body.data.map(({ shard, state }) => [shard, state])).toEqual([
		[1, "ok"],
		[2, "unreachable"],
	]);

	await second.start();
	await expect.poll(async () => (await get(server, LIST)).status).toBe(200);
	expect((await send(server, both)).status).toBe(200);
	expect(await listed(server)).toEqual(
		[...ids, ...traceIds(300, 6).filter((id) => jumpHash(id, 2) === 0), ...both].toSorted(),
	);
});

test("K63 K78 verify and the reconciler find nothing on two shards, also after traces were deleted and moved", async () => {
	await using store = await openStore(engines.slice(0, 2));
	const spans = distinct(randomSpans(randomFrom(63), 300, ["default", "other"]));
	const logs = [1, 2, 3].map((trace) => testLog({ trace, span: trace, content: "said", at: trace }));
	for (let at = 0; at < spans.length; at += 50) await store.writer.write(spans.slice(at, at + 50), logs);
	const [ofDefault, ofOther] = [await projectId(store), await projectId(store, "other")];
	const [deleted, moved, later] = await allTraces(store, ofDefault);
	if (deleted === undefined || moved === undefined || later === undefined) throw new Error("there are too few traces");
	await store.traces.deleteTrace(deleted.id);
	await store.traces.transferTraces([moved.id, later.id], ofOther);
	expect(await damageIn(store)).toEqual([]);
	const { shards, db, metadata } = store;
	const repairs = new ClickHouseRepairs({ shards, db, metadata }).run({ kind: "all", isDryRun: false });
	for await (const { found, repaired } of repairs) expect([found, repaired]).toEqual([0, 0]);
});

test("K51 a move to another shard that died is found and completed", async () => {
	const [first, second] = engines;
	if (first === undefined || second === undefined) throw new Error("there are no engines");
	const added = HOUR_0 + 1_000_000;
	const counts = [
		{ count: 1, fromMicros: 0 },
		{ count: 2, fromMicros: added },
	];
	await using store = await openStore([first, second], "postgres", { shardCounts: counts });
	// Its like in the other project began when there were two shards, and is on the second one.
	const trace = [1, 2, 3, 4, 5, 6].find((number) => jumpHash(traceHex(number), 2) === 1) ?? 0;
	const ofSession = { trace, session: "moved" };
	await store.writer.write(
		[1, 2].map((span) => testSpan({ ...ofSession, span })),
		[],
	);
	await store.writer.write([testSpan({ ...ofSession, span: 3, start: 2_000_000, project: "other" })], []);
	const [ofDefault, ofOther] = [await projectId(store), await projectId(store, "other")];
	const [moved] = await allTraces(store, ofDefault);
	if (moved === undefined) throw new Error("there is no trace");
	await insertAnnotation(store, { on: "span", trace, span: 1, name: "quality" });

	await first.fail([{ match: "^insert", times: 1_000, kind: "error", code: 243 }]);
	await expect(store.traces.transferTraces([moved.id], ofOther)).rejects.toThrow();
	await first.heal();
	const { shards, db, metadata } = store;
	await using turns = metadata.openTurns();
	await repairBatches({ shards, db, turns }, 0);
	expect(await damageIn(store)).toContainEqual(expect.stringMatching(/the same spans in two projects, on two shards$/));
	for await (const _ of new ClickHouseRepairs({ shards, db, metadata }).run({ kind: "moves", isDryRun: false }));
	expect(await damageIn(store)).toEqual([]);
	expect(await allTraces(store, ofDefault)).toEqual([]);
	expect(await allTraces(store, ofOther)).toMatchObject([{ spanCount: 3, sessionId: "moved" }]);
	const annotations = await db.read.selectFrom("annotations").select("project_id").execute();
	expect(annotations).toEqual([{ project_id: ofOther }]);
});

test("K65 K66 a third shard gets new traces, and what was stored is found; shorter lists and others orders are refused", async () => {
	const [first, second, third] = engines;
	if (first === undefined || second === undefined || third === undefined) throw new Error("there are no engines");
	await using schema = await createTestSchema();
	const place = nextPlace(schema);
	const old = traceIds(1_000, 60);
	const later = traceIds(2_000, 60);
	const meanwhile: string[] = [];
	const startMs = Date.now() + LATER_MS;
	{
		await using former = await startServer(optionsFor(place, [first, second]));
		expect((await send(former, old, { session: "of old traces" })).status).toBe(200);
		await using server = await startServer(optionsFor(place, [first, second, third]));
		// The former server stops with the first export.
		for (let number = 3_000; number < 3_005; number += 1) {
			const [byFormer, byNew] = await Promise.all([
				send(former, [traceId(number)], { startMs }),
				send(server, [traceId(number)], { startMs }),
			]);
			expect([byFormer.status, byNew.status]).toEqual([503, 200]);
			meanwhile.push(traceId(number));
		}
		// Traces under way stay whole, and what is sent again finds its like.
		expect((await send(server, old)).status).toBe(200);
		expect((await send(server, old, { startMs })).status).toBe(200);
		expect((await send(server, later, { startMs })).status).toBe(200);
		expect((await send(server, later, { startMs })).status).toBe(200);
		const shards = await Promise.all([first, second, third].map((engine) => stored(engine, place)));
		const [, , onThird] = shards;
		expect(onThird?.ids.filter((id) => old.includes(id))).toEqual([]);
		expect(onThird?.ids.toSorted()).toEqual([...later, ...meanwhile].filter((id) => jumpHash(id, 3) === 2).toSorted());
		expect(onThird?.ids.length).toBeGreaterThan(10);
		const all = [...old, ...later, ...meanwhile].toSorted();
		expect(shards.flatMap(({ ids }) => ids).toSorted()).toEqual(all);
		// A span is project, trace id, span id and start: those of the old traces have two.
		expect(shards.reduce((sum, { spans }) => sum + spans, 0)).toBe(SPANS * (all.length + old.length));
		expect(await listed(server)).toEqual(all);
		for (const id of [old[0], later[0], meanwhile[0]])
			expect((await get(server, `/v1/projects/${PROJECT}/traces/${id}`)).status).toBe(200);
		await expect.poll(() => former.output).toContain("there are 3 shards now");
		expect(await get(former, LIST)).toMatchObject({ status: 503, body: { code: "storage_incomplete" } });
	}
	expect(await refusal(optionsFor(place, [first, second]))).toMatch(/lists 2 shards, and this installation has 3/);
	expect(await refusal(optionsFor(place, [second, first, third]))).toMatch(/as shard 1, and that is shard 2/);
	expect(await refusal(optionsFor({ ...place, database: "elsewhere" }, [first, second, third]))).toMatch(
		/this installation has stored traces elsewhere/,
	);
	await using server = await createTestServer({ ...optionsFor(place, [first]), inProcess: false });
	const [code] = await once(server.spawn(), "close");
	expect([code, server.output]).toEqual([78, expect.stringContaining("lists one shard, and this installation has 3")]);

	const from = addressOf(place, [first, second, third]);
	const fewer = { ...place, database: "fewer" };
	await using temporary = await temporaryFolder();
	const SERVICE_WORKING_DIR = join(temporary.folder, "copied");
	const copy = ["copy", "--from", schema.url, "--traces-from", from, "--to", `sqlite:${SERVICE_WORKING_DIR}`];
	const env = { SERVICE_SQL_DATABASE_SCHEMA: schema.schema };
	const copied = await spanward([...copy, "--traces-to", addressOf(fewer, [first, second])], { env });
	expect(copied).toMatchObject({ code: 0, stderr: "" });
	const { env: ofFewer } = optionsFor(fewer, [first, second]);
	for (const [given, verified] of [
		[{ ...ofFewer, SERVICE_WORKING_DIR }, "fewer"],
		[
			{ ...optionsFor(place, [first, second, third]).env, ...env, SERVICE_SQL_DATABASE_URL: schema.url },
			place.database,
		],
	] as const)
		expect([verified, await spanward(["verify"], { env: given })]).toMatchObject([verified, { code: 0 }]);
	const doctor = await spanward(["doctor"], { env: { ...ofFewer, SERVICE_WORKING_DIR } });
	expect(doctor.stdout).toContain("The list has the shards of this installation, in their order.");
	expect(doctor.stdout).toContain("Traces in ClickHouse, shard 2");

	// The second shard is lost, without a backup.
	await fetch(second.url, { method: "POST", body: `drop database ${fewer.database} sync` });
	const left = { env: ofFewer ?? {}, workingDir: SERVICE_WORKING_DIR, inProcess: true };
	expect(await refusal(left)).toMatch(/as shard 2, where the traces of that shard are not.*adopt-clickhouse --empty/);
	const adopted = await spanward(["adopt-clickhouse", "--empty", "--yes"], {
		env: { ...ofFewer, SERVICE_WORKING_DIR },
	});
	expect(adopted.stdout).toContain("Goes on without what was on the shard 2");
	await using last = await startServer(left);
	expect(await listed(last)).toEqual((await stored(first, fewer)).ids);
});
