import { setTimeout as sleep } from "node:timers/promises";
import { at, type Json, list } from "../../e2e/fixture-comparison.ts";
import type { TestServer } from "../../e2e/server.ts";
import { countOpenMutations, type Stores } from "../clickhouse.ts";
import { describeSpread, type Figure, formatNumber, quantile } from "../figure.ts";
import { sampleLatency } from "../latency.ts";
import { PROJECT, sendLoad } from "../load-generator.ts";
import { receiveBeside } from "./large-upkeep.ts";

/** What is sent at a time beside other work, and how often before and after it. */
const SENT = 12_800;
const SAMPLES = 4;
/** What comes meanwhile is of today. */
const TODAY = ["-spans", String(SENT), "-days", "0.1"] as const;

/** Who asks slow filters at once, and how often each. */
const SEARCHERS = 20;
const ROUNDS = 2;
/** Between two requests for the projects. */
const PAUSE_MS = 100;
/** Between two looks at the mutations. */
const LOOK_EVERY_MS = 1_000;
/** The largest page of a list. */
const PAGE = 1_000;

/** Does some work while others send, and compares their rate with that before and after it. */
export async function measureReceivingBeside<T>(
	server: TestServer,
	work: () => Promise<T>,
	{ name, atLeast }: { readonly name: string; readonly atLeast: number },
): Promise<{ readonly result: T; readonly figure: Figure }> {
	const before = await receive(server);
	const { result, rates } = await receiveBeside(server, work, TODAY);
	const without = quantile([...before, ...(await receive(server))], 0.5);
	const during = quantile(rates, 0.5);
	const figure: Figure = {
		name: `receiving during ${name}, of its rate without`,
		value: (during / without) * 100,
		unit: "%",
		target: { atLeast },
		detail: `${formatNumber(during)} against ${formatNumber(without)} spans/s before and after; loads of ${formatNumber(SENT)} while it goes on, ${describeSpread(rates)}`,
	};
	return { result, figure };
}

async function receive(server: TestServer): Promise<number[]> {
	const rates: number[] = [];
	for (let sample = 0; sample < SAMPLES; sample += 1) {
		rates.push((await sendLoad("-url", server.url, "-conc", "4", ...TODAY)).acked_spans_per_s);
	}
	return rates;
}

/** Filters that no span fulfils, so that each reads until its time is over, and what others notice of them. */
export async function measureSlowFilters(server: TestServer, stored: string): Promise<Figure[]> {
	const name = `${SEARCHERS} slow filters at once at ${stored} spans`;
	const { result, figure } = await measureReceivingBeside(server, () => askSlowFilters(server), { name, atLeast: 80 });
	const { seconds, times } = result;
	return [
		{
			...figure,
			detail: `${figure.detail}; ${SEARCHERS * ROUNDS} filters by an attribute that no span has, answered in ${formatNumber(seconds)} s`,
		},
		{
			name: `GET /v1/projects during ${name}, p95`,
			value: quantile(times, 0.95),
			unit: "ms",
			target: { atMost: 200 },
			detail: `${times.length} requests beside receiving; p50 ${formatNumber(quantile(times, 0.5))} ms, slowest ${formatNumber(Math.max(...times))} ms`,
		},
	];
}

async function askSlowFilters(server: TestServer): Promise<{ readonly seconds: number; readonly times: number[] }> {
	const sampling = sampleLatency(`${server.url}/v1/projects`, PAUSE_MS, server.headers);
	const start = performance.now();
	const asking = Array.from({ length: SEARCHERS }, async (_, searcher) => {
		// The engine remembers where it has not found a value.
		for (let round = 0; round < ROUNDS; round += 1) await askFilter(server, `nobody-${searcher}-${round}`);
	});
	await Promise.all(asking).catch(async (error: unknown) => {
		await sampling.stop();
		throw error;
	});
	const seconds = (performance.now() - start) / 1_000;
	return { seconds, times: await sampling.stop() };
}

async function askFilter(server: TestServer, value: string): Promise<void> {
	const filter = encodeURIComponent(`attributes['user.id'] == '${value}'`);
	const page = await server.getJson(`/v1/projects/${PROJECT}/spans?limit=100&filter=${filter}`);
	const found = list(at(page as Json, "data")).length;
	if (found > 0) throw new Error(`${found} spans were found with an attribute that none has`);
}

/** Deletes the oldest traces one by one. @param count how many; there are more */
export async function measureDeletions(server: TestServer, stores: Stores, database: string, count: number) {
	const traces = await readOldestTraces(server, count);
	const name = `${formatNumber(count)} deletions one by one`;
	const deleting = () => deleteOneByOne(server, stores, database, traces);
	const { result, figure } = await measureReceivingBeside(server, deleting, { name, atLeast: 50 });
	const { seconds, open } = result;
	const figures: Figure[] = [
		{
			...figure,
			detail: `${figure.detail}; ${formatNumber(count / seconds)} traces/s were deleted. The target is for 10,000`,
		},
		{
			name: `mutations that wait during ${name}, at most`,
			value: Math.max(...open),
			unit: "",
			target: { atMost: 10 },
			detail: `looked at ${open.length} times; at the end ${open.at(-1)}`,
		},
	];
	return figures;
}

async function readOldestTraces(server: TestServer, count: number): Promise<string[]> {
	const traces: string[] = [];
	for (let cursor = ""; traces.length < count; ) {
		const limit = Math.min(PAGE, count - traces.length);
		const url = `/v1/projects/${PROJECT}/traces?order=asc&limit=${limit}${cursor}`;
		const page = (await server.getJson(url)) as Json;
		traces.push(...list(at(page, "data")).map((trace) => String(at(trace, "trace_id"))));
		const next = at(page, "next_cursor");
		if (typeof next !== "string" && traces.length < count)
			throw new Error(`${traces.length} traces are stored, and ${count} are to be deleted`);
		cursor = `&cursor=${encodeURIComponent(String(next))}`;
	}
	return traces;
}

async function deleteOneByOne(
	server: TestServer,
	{ clickhouse }: Stores,
	database: string,
	traces: readonly string[],
): Promise<{ readonly seconds: number; readonly open: readonly number[] }> {
	const stopped = new AbortController();
	const look = async () => {
		const open: number[] = [];
		while (!stopped.signal.aborted) {
			await sleep(LOOK_EVERY_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
			open.push(await countOpenMutations(clickhouse, database));
		}
		return open;
	};
	const looking = look();
	const start = performance.now();
	const deleting = (async () => {
		for (const trace of traces) await deleteTrace(server, trace);
	})();
	await deleting.finally(() => stopped.abort());
	const seconds = (performance.now() - start) / 1_000;
	return { seconds, open: await looking };
}

/** @returns milliseconds */
export async function deleteTrace(server: TestServer, traceId: string): Promise<number> {
	const start = performance.now();
	const response = await server.fetch(`/v1/traces/${traceId}`, { method: "DELETE" });
	if (!response.ok) throw new Error(`deleting a trace answered ${response.status}: ${await response.text()}`);
	return performance.now() - start;
}
