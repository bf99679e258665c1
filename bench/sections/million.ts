import { at, type Json, list } from "../../e2e/fixture-comparison.ts";
import { startServer, type TestServer } from "../../e2e/server.ts";
import { settledFolderSize } from "../disk.ts";
import { describeSpread, type Figure, formatNumber, quantile } from "../figure.ts";
import { measureLatency, sampleLatency } from "../latency.ts";
import { type LoadReport, PROJECT, sendLoad, warmUp } from "../load-generator.ts";
import { watchMemory } from "../process-memory.ts";

const MILLION = 1_000_000;
/** What {@link measureRates} sends in a run. */
export const PROBE_SPANS = 204_800;
const REQUESTS = 200;

/** How the service behaves with a million spans in it, against an empty one. */
export async function measureMillion(): Promise<Figure[]> {
	const empty = await measureEmptyRates(3);
	await using server = await startServer();
	await warmUp("-url", server.url);
	// Requests are made once and sent many times with other ids: a million spans would need 2 GB in the generator.
	await sendLoad("-url", server.url, "-spans", String(MILLION), "-pool", "400", "-conc", "4");
	const bytes = (await settledFolderSize(server.workingDir)) / MILLION;
	const queries = await measureQueries(server, "1 M");

	const memory = watchMemory(server.pid);
	const projects = sampleLatency(`${server.url}/v1/projects`, 10);
	const full = await measureRates(server, 3);
	const projectTimes = await projects.stop();
	const share = (quantile(full, 0.5) / quantile(empty, 0.5)) * 100;
	return [
		{
			name: "rate at 1,000,000 stored spans against empty",
			value: share,
			unit: "%",
			target: { atLeast: 80 },
			detail: `medians; empty ${describeSpread(empty)}, each of a new server; at 1 M ${describeSpread(full)}; with the requests of the next line`,
		},
		{
			name: "p99 of GET /v1/projects during ingest",
			value: quantile(projectTimes, 0.99),
			unit: "ms",
			target: { atMost: 100 },
			detail: `${projectTimes.length} requests at 1 M spans; p50 ${formatNumber(quantile(projectTimes, 0.5))} ms`,
		},
		{
			name: "memory during the load at 1 M spans",
			value: await memory.stop(),
			unit: "MB",
			target: { atMost: 500 },
			detail: "largest resident memory",
		},
		...queries,
		{
			name: "bytes on disk per span, text index on",
			value: bytes,
			unit: "B",
			target: { atMost: 1_500 },
			detail: "whole folder at 1 M spans, after indexing",
		},
	];
}

/** Bytes on disk of spans that come in large requests, without the text index, and of spans that come one by one. */
export async function measureSizes(): Promise<Figure[]> {
	const withoutIndex = { SERVICE_ENABLE_TEXT_INDEX: "false" };
	const bytes = await measureSize(LARGE_REQUESTS, withoutIndex);
	const together = await measureSize(LARGE_REQUESTS);
	const oneByOne = await measureSize(ONE_SPAN_REQUESTS);
	return [
		{
			name: "bytes on disk per span, text index off",
			value: bytes,
			unit: "B",
			target: { atMost: 900 },
			detail: `whole folder at ${formatNumber(SIZED_SPANS)} spans`,
		},
		{
			name: "bytes on disk of spans that come one by one against those of large requests",
			value: oneByOne / together,
			unit: "×",
			target: { atMost: 1.3 },
			detail: `${formatNumber(oneByOne)} and ${formatNumber(together)} B a span; ${formatNumber(SIZED_SPANS)} spans, 32 senders, text index on`,
		},
	];
}

const SIZED_SPANS = 204_800;
const LARGE_REQUESTS = ["-conc", "4"];
const ONE_SPAN_REQUESTS = ["-batch", "1", "-pool", "4096", "-conc", "32"];

/** Of the whole folder, once it does not change any more. */
async function measureSize(flags: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<number> {
	await using server = await startServer({ env });
	await sendLoad("-url", server.url, "-spans", String(SIZED_SPANS), ...flags);
	return (await settledFolderSize(server.workingDir)) / SIZED_SPANS;
}

/** As {@link measureRates}, each run into an empty database of its own, with the requests beside it that a full one gets. */
async function measureEmptyRates(runs: number): Promise<number[]> {
	const rates: number[] = [];
	for (let run = 0; run < runs; run++) {
		await using server = await startServer();
		await warmUp("-url", server.url);
		const projects = sampleLatency(`${server.url}/v1/projects`, 10);
		rates.push(...(await measureRates(server, 1)));
		await projects.stop();
	}
	return rates;
}

/** Spans a second that are stored when they are acknowledged, run by run. */
export async function measureRates(server: TestServer, runs: number, spans = PROBE_SPANS): Promise<number[]> {
	return (await measureLoads(server, runs, spans)).map((load) => load.acked_spans_per_s);
}

/** Loads of 512 spans a request by 4 senders, one after the other. @param spans of each */
export async function measureLoads(server: TestServer, runs: number, spans = PROBE_SPANS): Promise<LoadReport[]> {
	const loads: LoadReport[] = [];
	for (let run = 0; run < runs; run++) {
		loads.push(await sendLoad("-url", server.url, "-spans", String(spans), "-conc", "4"));
	}
	return loads;
}

/** What a list or a trace may take, in milliseconds, with SQLite. */
const LIST_MS = 20;
const METRICS_MS = 50;

export interface QueryOptions {
	/** For each of them, or by their position; what SQLite has to reach with a million when absent. */
	readonly atMostMs?: number | readonly number[];
	/** Items before a deep page, in thousands. */
	readonly depth?: number;
	/** Of each. */
	readonly requests?: number;
}

/**
 * Reads of a server with many spans.
 * @param stored how many, for the names
 */
export async function measureQueries(
	server: TestServer,
	stored: string,
	{ atMostMs, depth = 50, requests = REQUESTS }: QueryOptions = {},
): Promise<Figure[]> {
	const project = `${server.url}/v1/projects/${PROJECT}`;
	const traceId = await findTraceOfTenSpans(server);
	const end = new Date();
	const start = new Date(end.getTime() - 7 * 86_400_000);
	const range = `start_time=${start.toISOString()}&end_time=${end.toISOString()}&bucket=hour`;
	const queries: readonly (readonly [string, string, number])[] = [
		["newest 100 traces", `${project}/traces?limit=100`, LIST_MS],
		["newest 100 spans", `${project}/spans?limit=100`, LIST_MS],
		[
			"deep page of traces",
			`${project}/traces?limit=100&cursor=${await findDeepCursor(server, "traces", depth)}`,
			LIST_MS,
		],
		[
			"deep page of spans",
			`${project}/spans?limit=100&cursor=${await findDeepCursor(server, "spans", depth)}`,
			LIST_MS,
		],
		["one trace of 10 spans", `${project}/traces/${traceId}`, LIST_MS],
		["one trace of 10 spans with its meaning", `${project}/traces/${traceId}?include=semantic`, LIST_MS],
		["7-day hourly metrics of a project", `${project}/metrics?${range}`, METRICS_MS],
		["7-day hourly metrics by model", `${project}/metrics?${range}&group_by=model`, METRICS_MS],
	];
	const figures: Figure[] = [];
	for (const [position, [name, url, atMost]] of queries.entries()) {
		const most = (typeof atMostMs === "number" ? atMostMs : atMostMs?.[position]) ?? atMost;
		figures.push(await measureRead(`${name}, at ${stored} spans`, url, most, requests));
	}
	return figures;
}

/** The median of many requests. @param url or several that are asked in turn */
export async function measureRead(
	name: string,
	url: string | readonly string[],
	atMostMs: number,
	requests: number,
): Promise<Figure> {
	const times = await measureLatency(url, requests);
	return {
		name,
		value: quantile(times, 0.5),
		unit: "ms",
		target: { atMost: atMostMs },
		detail: `p50 of ${requests} requests; p99 ${formatNumber(quantile(times, 0.99))} ms`,
	};
}

async function findTraceOfTenSpans(server: TestServer): Promise<string> {
	const page = (await server.getJson(`/v1/projects/${PROJECT}/traces?limit=1000`)) as Json;
	const trace = list(at(page, "data")).find((candidate) => at(candidate, "span_count") === 10);
	if (trace === undefined) throw new Error("none of the newest 1,000 traces has 10 spans");
	return String(at(trace, "trace_id"));
}

/** The cursor after so many pages of 1,000 items. */
async function findDeepCursor(server: TestServer, items: "traces" | "spans", pages: number): Promise<string> {
	let cursor = "";
	for (let page = 0; page < pages; page++) {
		const answer = await server.getJson(`/v1/projects/${PROJECT}/${items}?limit=1000${cursor && `&cursor=${cursor}`}`);
		const next = at(answer as Json, "next_cursor");
		if (typeof next !== "string") throw new Error(`there are fewer than ${(page + 1) * 1_000} ${items}`);
		cursor = encodeURIComponent(next);
	}
	return cursor;
}
