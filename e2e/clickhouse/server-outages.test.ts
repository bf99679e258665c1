import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { encodeSpans, makeSpan, stringAttribute } from "../../apps/server/src/ingest/test-receiver.ts";
import { SteadyLoad } from "../cluster/steady-load.ts";
import { findLosses } from "../crash.ts";
import { createLoad, LOAD_PROJECT } from "../load.ts";
import { measureGrowth } from "../memory-growth.ts";
import { namedMetrics, scrape } from "../monitoring.ts";
import { type ClickHouse, startClickHouse } from "../peers/clickhouse.ts";
import { testWith } from "../peers/requirements.ts";
import { startServer, type TestServer } from "../server.ts";

const test = testWith("clickhouse");

const PROTOBUF = { "content-type": "application/x-protobuf" };

let clickhouse: ClickHouse;
let databases = 0;

beforeAll(async () => {
	clickhouse = await startClickHouse();
});
afterAll(() => clickhouse[Symbol.asyncDispose]());
afterEach(() => clickhouse.heal());

function start(env: Record<string, string> = {}, of = clickhouse): Promise<TestServer> {
	databases += 1;
	const SERVICE_CLICKHOUSE_DATABASE = `outages_${databases}`;
	return startServer({ env: { SERVICE_CLICKHOUSE_URL: of.url, SERVICE_CLICKHOUSE_DATABASE, ...env } });
}

const makeRequest = createLoad(4);
let sequence = 1_000_000;

/** @param sent gets "trace id/span id" of each span */
function send(server: TestServer, sent = new Set<string>()): Promise<Response> {
	sequence += 1;
	const { body, spanKeys } = makeRequest(sequence);
	for (const key of spanKeys) sent.add(key);
	return server.fetch("/v1/traces", { method: "POST", headers: PROTOBUF, body: Buffer.from(body) });
}

/** Status, code and time to wait of an answer. */
async function read(server: TestServer, path: string): Promise<[number, string | undefined, string | null]> {
	const answer = await server.fetch(path, { headers: { accept: "application/problem+json" } });
	const code = answer.ok ? undefined : JSON.parse(await answer.text()).code;
	return [answer.status, code, answer.headers.get("retry-after")];
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
	const began = performance.now();
	await work();
	return (performance.now() - began) / 1_000;
}

const LIST = `/v1/projects/${LOAD_PROJECT}/traces`;
const AWAY = [503, "storage_unreachable", "2"];

test.each(["hangs", "is killed", "is hidden by a proxy that fails"])(
	"K67 while ClickHouse %s, exports and lists are 503, the rest goes on, and all is well by itself afterwards",
	async (how) => {
		await using server = await start({ SERVICE_ENABLE_PROMETHEUS: "true" });
		expect((await send(server)).status).toBe(200);
		expect((await read(server, LIST))[0]).toBe(200);
		const mend = await hurt(how);
		// Each export is answered soon, also before anybody knows.
		for (let count = 0; count < 3; count += 1) {
			const took = await seconds(async () => {
				const answer = await send(server);
				expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "2"]);
			});
			expect(took).toBeLessThan(30);
		}
		expect(await read(server, LIST)).toEqual(AWAY);
		expect(await read(server, "/readyz")).toEqual([503, "storage_unreachable", null]);
		for (const path of ["/v1/projects", "/v1/datasets", "/v1/prompts", "/v1/annotation_configs", "/healthz"])
			expect([path, (await read(server, path))[0]]).toEqual([path, 200]);
		const scraped = await seconds(async () => {
			const { text } = await scrape(server);
			expect(text).toContain(`spanward_clickhouse_up{${NODE}} 0\n`);
			expect(text).not.toContain("spanward_clickhouse_free_bytes{");
		});
		expect(scraped).toBeLessThan(40);
		await mend();
		const back = await seconds(async () => {
			await expect.poll(async () => (await send(server)).status, { interval: 50 }).toBe(200);
			await expect.poll(async () => (await read(server, "/readyz"))[0], { interval: 50 }).toBe(200);
		});
		expect(back).toBeLessThan(30);
		expect((await read(server, LIST))[0]).toBe(200);
		const said = (sentence: string) => server.output.split(sentence).length - 1;
		if (how !== "is hidden by a proxy that fails")
			expect([said("ClickHouse cannot be reached"), said("ClickHouse can be reached again")]).toEqual([1, 1]);
	},
);

const NODE = 'node="1.1"';

async function hurt(how: string): Promise<() => Promise<unknown>> {
	if (how === "is killed") {
		await clickhouse.kill();
		return () => clickhouse.start();
	}
	if (how === "hangs") {
		const frozen = await clickhouse.freeze();
		return async () => frozen[Symbol.dispose]();
	}
	await clickhouse.fail([{ match: "", kind: "status", status: 502, text: "<html>Bad gateway</html>", times: 100_000 }]);
	return () => clickhouse.heal();
}

test("K69 inserts that fail for good are answered 503 within the patience of senders, and reading goes on", async () => {
	await using server = await start();
	for (const [code, reason, retryAfter] of [
		[202, "storage_busy", "5"],
		[252, "storage_busy", "5"],
		[285, "storage_busy", "5"],
		[999, "storage_busy", "5"],
		[241, "storage_too_slow", "5"],
		[242, "storage_read_only", "5"],
		[243, "storage_full", "30"],
	] as const) {
		await clickhouse.fail([{ match: "^insert", kind: "error", code, times: 100_000 }]);
		const before = await refusals(server);
		const took = await seconds(async () => {
			const answer = await send(server);
			expect([code, answer.status, answer.headers.get("retry-after")]).toEqual([code, 503, retryAfter]);
		});
		expect(took).toBeLessThan(100);
		expect(await refusals(server)).toEqual({ ...before, [reason]: (before[reason] ?? 0) + 1 });
		expect((await read(server, "/v1/projects/default/traces"))[0]).toBe(200);
		expect((await read(server, "/readyz"))[0]).toBe(200);
	}
	await clickhouse.heal();
	expect((await send(server)).status).toBe(200);
});

test("K42 twenty slow filters at once hold up neither exports nor what needs no traces", async () => {
	await using server = await start();
	expect((await send(server)).status).toBe(200);
	await clickhouse.fail([{ match: "from span_contents", kind: "delay", ms: 1_000, times: 100_000 }]);
	const ended = new AbortController();
	const answers = new Set<number>();
	const filter = encodeURIComponent("'nothing' in attributes['tier']");
	const search = async () => {
		while (!ended.signal.aborted)
			answers.add((await server.fetch(`/v1/projects/${LOAD_PROJECT}/spans?filter=${filter}`)).status);
	};
	const searching = Array.from({ length: 20 }, search);
	await expect.poll(() => clickhouse.countFaults()).toBeGreaterThan(0);
	for (let count = 0; count < 10; count += 1) {
		const took = await seconds(async () => {
			expect((await send(server)).status).toBe(200);
			expect((await read(server, "/v1/projects"))[0]).toBe(200);
		});
		// Senders wait for 10 s.
		expect(took).toBeLessThan(20);
	}
	ended.abort();
	await clickhouse.heal();
	await Promise.all(searching);
	expect([...answers].filter((status) => status !== 200 && status !== 503)).toEqual([]);
});

test("K69 an insert that fails once is repeated and stored once, whatever the code, and counted", async () => {
	await using server = await start({ SERVICE_ENABLE_PROMETHEUS: "true" });
	const sent = new Set<string>();
	const codes = [202, 241, 285, 319, 999];
	for (const code of codes)
		for (const table of ["span_contents", "spans", "traces"]) {
			await clickhouse.fail([{ match: `^insert into ${table} `, kind: "error", code }]);
			expect([code, table, (await send(server, sent)).status]).toEqual([code, table, 200]);
			expect(await clickhouse.countFaults()).toBe(1);
		}
	await expect.poll(() => findLosses(server, sent)).toEqual([]);
	const { text, names } = await scrape(server);
	expect(namedMetrics("of ClickHouse").filter((name) => !names.has(name))).toEqual([]);
	const node = NODE;
	for (const code of codes)
		expect(text).toContain(`spanward_clickhouse_errors_total{${node},kind="insert",code="${code}"} 3\n`);
	// Those that need too much memory are halved instead.
	const retries = new RegExp(`^spanward_clickhouse_insert_retries_total\\{${node}\\} (\\d+)$`, "m").exec(text);
	expect(Number(retries?.[1])).toBeGreaterThanOrEqual(12);
});

/** Exports that were refused, by reason. */
async function refusals(server: TestServer): Promise<Readonly<Record<string, number>>> {
	const { data } = (await server.getJson("/v1/ingest/health")) as {
		data: { refused_requests: Record<string, number> };
	};
	return data.refused_requests;
}

test("K70 a password that was changed is said once a minute, names its settings, and is forgotten when it is right again", async () => {
	await using server = await start();
	expect((await send(server)).status).toBe(200);
	await clickhouse.fail([{ match: "^(?!/ping)", kind: "error", code: 516, times: 100_000 }]);
	for (let count = 0; count < 5; count += 1) expect((await send(server)).status).toBe(503);
	expect(await read(server, LIST)).toEqual([503, "storage_refused", "30"]);
	expect((await read(server, "/readyz"))[0]).toBe(503);
	const named = () => server.output.split("\n").filter((line) => line.includes("SERVICE_CLICKHOUSE_PASSWORD"));
	await expect.poll(named).toHaveLength(1);
	expect(named()[0]).toContain("516");
	await clickhouse.heal();
	expect((await send(server)).status).toBe(200);
	expect((await read(server, LIST))[0]).toBe(200);
	expect((await read(server, "/readyz"))[0]).toBe(200);
	expect(named()).toHaveLength(1);
});

/** A file system of its own, small enough to fill; undefined where this process may not mount one. */
function mountSmall() {
	const folder = mkdtempSync(join(tmpdir(), "spanward-small-disk-"));
	try {
		execFileSync("/bin/mount", ["-t", "tmpfs", "-o", "size=200m", "tmpfs", folder], { stdio: "ignore" });
	} catch {
		rmSync(folder, { recursive: true });
		return undefined;
	}
	const ballast = join(folder, "ballast");
	return {
		folder,
		/** Until nothing has room. */
		fill: () => fill(ballast),
		empty: () => rm(ballast),
		[Symbol.dispose]() {
			execFileSync("/bin/umount", ["--lazy", folder]);
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

async function fill(path: string): Promise<void> {
	const block = Buffer.alloc(1_048_576);
	try {
		for (;;) await writeFile(path, block, { flag: "a" });
	} catch (error) {
		if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
	}
}

test("K68 a full disk refuses exports and loses nothing, reading goes on, and it passes when there is room", async ({
	skip,
}) => {
	using disk = mountSmall();
	if (disk === undefined) return skip("this process may not mount a file system");
	await using small = await startClickHouse({ folder: disk.folder });
	await using server = await start({}, small);
	await using load = new SteadyLoad([server]);
	await load.untilStored(4);
	// The library that the engine comes from says nothing of a merge that found no room, and keeps its empty part.
	await small.ask("system stop merges");
	await disk.fill();
	await load.untilRefused(5);
	expect(await refusals(server)).toHaveProperty("storage_full");
	expect((await read(server, LIST))[0]).toBe(200);
	await disk.empty();
	await small.ask("system start merges");
	await load.untilStored(8);
	await load.stop();
	expect(load.complaints).toEqual([]);
	await expect.poll(() => findLosses(server, load.acknowledged)).toEqual([]);
});

test("K30 exports of 33 MiB that meet a full queue are refused without being kept", async () => {
	const mebibyte = 1_048_576;
	const [senders, large] = [40, 33 * mebibyte];
	await using server = await start({
		SERVICE_INGEST_WORKERS: "1",
		SERVICE_INGEST_QUEUE_BYTES: String(large + mebibyte),
		SERVICE_OTLP_MAX_BODY_BYTES: String(2 * large),
	});
	const text = "text of a span ".repeat(large / 3 / 15);
	const spans = Array.from({ length: 3 }, () => ({ ...makeSpan(), attributes: [stringAttribute("text", text)] }));
	const body = encodeSpans(spans);
	expect((await send(server)).status).toBe(200);
	await clickhouse.fail([{ match: "^insert into span_contents", kind: "delay", ms: 5_000, times: 100 }]);
	using connections = connectionsTo(server);
	const growth = await measureGrowth(server, async () => {
		const answers = await Promise.all(Array.from({ length: senders }, () => connections.send(body)));
		const stored = answers.filter(([status]) => status === 200);
		expect(stored.length).toBeGreaterThan(0);
		expect(new Set(answers.map(String))).toEqual(new Set(["200,", "503,1"]));
	});
	if (growth !== undefined) expect(growth).toBeLessThan(0.75 * senders * large);
	await clickhouse.heal();
	expect(await connections.send(body)).toEqual([200, undefined]);
});

/** Senders that send all of a body before they look at the answer, as exporters do. */
function connectionsTo(server: TestServer) {
	const agent = new Agent({ keepAlive: true });
	const send = async (body: Uint8Array): Promise<[status: number | undefined, retryAfter: string | undefined]> => {
		const headers = { ...PROTOBUF, ...server.headers, "content-length": body.byteLength };
		const asking = request(`${server.url}/v1/traces`, { agent, method: "POST", headers });
		const answered = once(asking, "response");
		asking.end(body);
		const [answer] = await answered;
		await once(answer.resume(), "end");
		return [answer.statusCode, answer.headers["retry-after"]];
	};
	return { send, [Symbol.dispose]: () => agent.destroy() };
}
