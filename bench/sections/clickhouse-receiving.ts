import { setTimeout as sleep } from "node:timers/promises";
import { at, type Json } from "../../e2e/fixture-comparison.ts";
import type { TestServer } from "../../e2e/server.ts";
import {
	countMostParts,
	countSpans,
	countStatements,
	mergeAll,
	readThreadCpu,
	type Stores,
	startWithTracesInClickHouse,
	storedBytes,
} from "../clickhouse.ts";
import { describeSpread, type Figure, formatNumber, quantile } from "../figure.ts";
import { sendLoad } from "../load-generator.ts";
import { readCpu, readSettledCpu } from "../process-cpu.ts";
import { readMemory, watchMemory } from "../process-memory.ts";
import { measureLoads } from "./million.ts";

/** Merges of so long count with the load before them. */
const MERGING_MS = 60_000;
/** Statements and CPU of a server that is left alone are watched for so long. */
const IDLE_MS = 10_000;
/** Requests of a lone sender, one a second. */
const REQUESTS = 20;
const SMALL_REQUEST = 8;
const LARGE_REQUEST = 512;
/** Of small requests, while parts are counted. */
const STEADY_SPANS_A_SECOND = 1_000;
const COUNT_PARTS_EVERY_MS = 5_000;

/** Right after the start. */
export async function measureIdle(server: TestServer): Promise<Figure> {
	await sleep(5_000);
	return {
		name: "memory of the server, idle",
		value: await readMemory(server.pid),
		unit: "MB",
		target: { atMost: 170 },
		detail: "resident, 5 s after the start with empty databases",
	};
}

/** How long one waits for the answer whose requests nobody else's make larger. */
export async function measureLoneSender(server: TestServer): Promise<Figure[]> {
	const figures: Figure[] = [];
	for (const spans of [SMALL_REQUEST, LARGE_REQUEST]) {
		const flags = ["-spans", String(REQUESTS * spans), "-batch", String(spans), "-rate", String(spans), "-conc", "1"];
		const { p50_ms: p50, p99_ms: p99 } = await sendLoad("-url", server.url, ...flags);
		figures.push({
			name: `answer to a lone sender of one request a second with ${spans} spans, p50`,
			value: p50,
			unit: "ms",
			target: { atMost: 120 },
			detail: `${REQUESTS} requests; p99 ${formatNumber(p99)} ms`,
		});
	}
	return figures;
}

interface Received {
	/** Spans a second, run by run. */
	readonly rates: readonly number[];
	/** The largest resident memory of the server, in MB. */
	readonly peak: number;
	/** What it costs. */
	readonly figures: readonly Figure[];
}

/** Receives at full rate. @param spans of each run */
export async function measureReceiving(
	server: TestServer,
	stores: Stores,
	runs: number,
	spans: number,
): Promise<Received> {
	await readSettledCpu(stores.clickhouse.pid);
	const statements = await watchStatements(server, stores);
	const costs = await watchCosts(server, stores);
	const memory = watchMemory(server.pid);
	const loads = await measureLoads(server, runs, spans);
	const peak = await memory.stop();
	const statementFigure = await statements.stop();
	await sleep(MERGING_MS);
	const p50 = loads.map((load) => load.p50_ms);
	const p99 = loads.map((load) => load.p99_ms);
	const request = `requests of ${LARGE_REQUEST} spans under full load`;
	return {
		rates: loads.map((load) => load.acked_spans_per_s),
		peak,
		figures: [
			...(await costs.stop(runs * spans)),
			{
				name: `answer to ${request}, p50`,
				value: quantile(p50, 0.5),
				unit: "ms",
				target: { atMost: 500 },
				detail: `the median of ${describeSpread(p50)}`,
			},
			{
				name: `answer to ${request}, p99`,
				value: quantile(p99, 0.5),
				unit: "ms",
				target: { atMost: 2_000 },
				detail: `the median of ${describeSpread(p99)}`,
			},
			statementFigure,
		],
	};
}

async function watchCosts({ pid }: TestServer, { clickhouse }: Stores) {
	const read = () => Promise.all([readCpu(pid), readCpu(clickhouse.pid), readThreadCpu(clickhouse)]);
	const [server, engine, threads] = await read();
	return {
		async stop(spans: number): Promise<Figure[]> {
			const [serverNow, engineNow, threadsNow] = await read();
			const micros = (seconds: number) => (seconds / spans) * 1e6;
			const merges = `${formatNumber(spans)} spans, those of the minute after them included`;
			return [
				{
					name: "CPU of the server a span",
					value: micros(serverNow - server),
					unit: "µs",
					target: { atMost: 80 },
					detail: `${formatNumber(spans)} spans and the minute after them`,
				},
				{
					name: "CPU of the engine a span, with merges",
					value: micros(engineNow - engine),
					unit: "µs",
					target: { atMost: 100 },
					detail: `${merges}; the whole process, which serves HTTP in Python: the engine's own threads ${formatNumber(micros(threadsNow - threads))} µs`,
				},
			];
		},
	};
}

/** Counts what PostgreSQL is asked from now on, without what it is asked all the time. */
async function watchStatements(server: TestServer, { postgres }: Stores) {
	const began = await countStatements(postgres);
	await sleep(IDLE_MS);
	const before = await countStatements(postgres);
	const idleAMs = (before - began) / IDLE_MS;
	const start = performance.now();
	const commits = await readCommits(server);
	return {
		async stop(): Promise<Figure> {
			const asked = (await countStatements(postgres)) - before;
			const idle = idleAMs * (performance.now() - start);
			const batches = (await readCommits(server)) - commits;
			return {
				name: "statements to the metadata database a batch",
				value: (asked - idle) / batches,
				unit: "",
				target: { atMost: 10 },
				detail: `${formatNumber(asked)} as pg_stat_statements counts them, less ${formatNumber(idle)} that come without a load; ${formatNumber(batches)} batches`,
			};
		},
	};
}

async function readCommits(server: TestServer): Promise<number> {
	return Number(at(at((await server.getJson("/v1/ingest/health")) as Json, "data"), "commits"));
}

/** Of a database whose partitions are merged first. */
export async function measureBytes({ clickhouse }: Stores, database: string): Promise<Figure[]> {
	await mergeAll(clickhouse, database);
	const spans = await countSpans(clickhouse, database);
	const withContent = (await storedBytes(clickhouse, database, ["spans", "span_contents"])) / spans;
	return [
		{
			name: "bytes a span after merges, rows of spans with content",
			value: withContent,
			unit: "B",
			target: { atMost: 350 },
			detail: `${formatNumber(spans)} spans, each partition merged into one part`,
		},
		{
			name: "bytes a span after merges, all tables",
			value: (await storedBytes(clickhouse, database)) / spans,
			unit: "B",
			target: { atMost: 480 },
			detail: "the same spans, without a text index",
		},
	];
}

/** Of a database whose contents are all in the text index. */
export async function measureIndexedBytes({ clickhouse }: Stores, database: string): Promise<Figure> {
	await mergeAll(clickhouse, database);
	const spans = await countSpans(clickhouse, database);
	const ofIndex = (await storedBytes(clickhouse, database, ["text_signatures"])) / spans;
	return {
		name: "bytes a span after merges, all tables, with a text index",
		value: (await storedBytes(clickhouse, database)) / spans,
		unit: "B",
		target: { atMost: 800 },
		detail: `${formatNumber(ofIndex)} of them for the index`,
	};
}

/**
 * Parts while small requests come for `BENCH_CLICKHOUSE_MINUTES` minutes (3): as many as merges leave, which after some
 * minutes are about as many as after an hour.
 */
export async function measureParts(stores: Stores): Promise<Figure> {
	const minutes = Number(process.env["BENCH_CLICKHOUSE_MINUTES"] ?? 3);
	await using server = await startWithTracesInClickHouse(stores, "steady");
	const rate = STEADY_SPANS_A_SECOND;
	const flags = ["-spans", String(Math.round(minutes * 60 * rate)), "-rate", String(rate), "-days", "0.01"];
	const stopped = new AbortController();
	const counting = countPartsOnAndOn(stores, stopped.signal);
	const sending = sendLoad("-url", server.url, "-batch", String(SMALL_REQUEST), "-conc", "128", ...flags);
	const load = await sending.finally(() => stopped.abort());
	const counts = await counting;
	return {
		name: `active parts in the newest partition during ${formatNumber(minutes)} minutes of small requests, at most`,
		value: Math.max(...counts),
		unit: "",
		target: { atMost: 150 },
		detail: `the target is for an hour; ${formatNumber(load.acked_spans_per_s)} spans/s, ${SMALL_REQUEST} a request, answers p50 ${formatNumber(load.p50_ms)} ms; the table with most parts, looked at ${counts.length} times, at the end ${counts.at(-1)}`,
	};
}

async function countPartsOnAndOn({ clickhouse }: Stores, stopped: AbortSignal): Promise<number[]> {
	const counts: number[] = [];
	while (!stopped.aborted) {
		await sleep(COUNT_PARTS_EVERY_MS, undefined, { signal: stopped }).catch(() => undefined);
		counts.push(await countMostParts(clickhouse, "steady"));
	}
	return counts;
}
