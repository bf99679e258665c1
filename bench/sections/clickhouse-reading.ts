import { randomBytes } from "node:crypto";
import { at, type Json, list } from "../../e2e/fixture-comparison.ts";
import type { TestServer } from "../../e2e/server.ts";
import { largeTrace, sendSpans } from "../../e2e/web/otlp-json.ts";
import { describeSpread, type Figure, formatNumber, quantile } from "../figure.ts";
import { WARM_UP_REQUESTS } from "../latency.ts";
import { PROJECT } from "../load-generator.ts";
import { readMemory, watchMemory } from "../process-memory.ts";
import { annotateNewest, type FilterToMeasure, measureFilter } from "./filter.ts";
import { measureQueries, measureRead } from "./million.ts";

const LARGE_TRACE = { traceId: "6".repeat(32), spans: 10_000 };
/** Of each filter, which may take most of a second. */
const FILTER_REQUESTS = 20;
const ANNOTATIONS = 100_000;
/** Thousands of items before a deep page. */
const DEPTH = 50;
const EXPORTED = 200_000;
const WORDS = 3;
const DAY_MS = 86_400_000;
const NEWLINE = 10;

interface ReadOptions {
	/** How many are stored. */
	readonly spans: number;
	/** The same, for the names. */
	readonly stored: string;
	/** Of each read. */
	readonly requests: number;
	/** What reads may take, in milliseconds. */
	readonly atMostMs: { readonly list: number; readonly lookup: number; readonly metrics: number };
}

/** Lists, lookups and charts of a server with spans of the load generator. */
export async function measureReads(
	server: TestServer,
	{ spans, stored, requests, atMostMs }: ReadOptions,
): Promise<Figure[]> {
	const { list: lists, lookup, metrics } = atMostMs;
	const limits = [lists, lists, lookup, lookup, lookup, lookup, metrics, metrics];
	const project = `${server.url}/v1/projects/${PROJECT}`;
	const sessions = `${project}/sessions?limit=100`;
	const ids = await readIds(server, sessions);
	return [
		...(await measureQueries(server, stored, { atMostMs: limits, depth: depthOf(spans), requests })),
		await measureRead(`newest 100 sessions, at ${stored} spans`, sessions, lists, requests),
		await measureRead(
			`a session by its row number, with its traces, at ${stored} spans`,
			ids.map((id) => `${server.url}/v1/sessions/${id}`),
			lookup,
			requests,
		),
	];
}

/** Sends a trace of many spans to a project of its own, and reads all of it. */
export async function measureLargeTrace(server: TestServer, stored: string, requests: number): Promise<Figure> {
	const { traceId, spans } = LARGE_TRACE;
	await sendSpans(server, largeTrace(traceId, spans));
	const url = `${server.url}/v1/projects/default/traces/${traceId}?limit=${spans}`;
	const name = `trace of ${formatNumber(spans)} spans, all of it, at ${stored} spans`;
	return await measureRead(name, url, 600, requests);
}

/** There are eight spans or more to a trace. */
function depthOf(spans: number): number {
	return Math.max(1, Math.min(DEPTH, Math.floor(spans / 20_000)));
}

async function readIds(server: TestServer, url: string): Promise<string[]> {
	const page = await (await fetch(url, { headers: server.headers })).json();
	return list(at(page as Json, "data")).map((item) => String(at(item, "id")));
}

/**
 * Filters of spans, each request of a kind with another value: the engine remembers where it has not found one.
 * @param spans that are stored
 */
export async function measureFilters(server: TestServer, spans: number): Promise<Figure[]> {
	await annotateNewest(server.url, Math.min(ANNOTATIONS, Math.floor(spans / 10_000) * 1_000));
	const { url } = server;
	const filters: readonly Pick<FilterToMeasure, "name" | "filters" | "atMostMs">[] = [
		{
			...many("promoted fields, one span in five", (n) => `span_kind == 'LLM' and latency_ms > ${10 + n}`),
			atMostMs: 80,
		},
		{
			...many(
				"promoted fields, one span in sixty",
				(n) => `status_code == 'ERROR' and 'timed out' in status_message and latency_ms > ${n}`,
			),
			atMostMs: 80,
		},
		{
			...many("an attribute with one value in 300", (n) => `metadata['tenant'] == 't-${threeDigits(42 + n)}'`),
			atMostMs: 400,
		},
		{
			...many("an attribute with one value in 2,000", (n) => `attributes['user.id'] == 'user-0${threeDigits(42 + n)}'`),
			atMostMs: 800,
		},
		{ ...many("a common annotation", (n) => `annotations['quality'].score < ${(50 + n) / 1_000}`), atMostMs: 400 },
		{
			...many("a rare annotation", (n) => `annotations['rare'].label == 'good' and latency_ms > ${n}`),
			atMostMs: 100,
		},
	];
	const figures: Figure[] = [];
	for (const filter of filters) {
		figures.push(await measureFilter({ url, items: "spans", requests: FILTER_REQUESTS, ...filter }));
	}
	return figures;
}

/** One filter a request, those to warm up included. */
function many(name: string, filterOf: (n: number) => string): Pick<FilterToMeasure, "name" | "filters"> {
	const others = Array.from({ length: WARM_UP_REQUESTS + FILTER_REQUESTS - 1 }, (_, index) => filterOf(index + 1));
	return { name, filters: [filterOf(0), ...others] };
}

function threeDigits(value: number): string {
	return String(value).padStart(3, "0");
}

/** A word in one of the oldest spans: the first answer, and all pages. */
export async function measureWords(
	server: TestServer,
	stored: string,
	how: "with" | "without" = "without",
): Promise<Figure[]> {
	const walks: Walk[] = [];
	for (let n = 1; n <= WORDS; n += 1) {
		const word = `${how}zugvogel${n}x`;
		await sendOldSpan(server, word);
		walks.push(await walk(server, word));
	}
	const first = walks.map(({ firstMs }) => firstMs);
	const all = walks.map(({ allMs }) => allMs);
	return [
		{
			name: `rare word at ${stored} spans ${how} a text index, first answer`,
			value: quantile(first, 0.5),
			unit: "ms",
			target: { atMost: 1_700 },
			detail: `each time another word; ${describeSpread(first)}`,
		},
		{
			name: `rare word at ${stored} spans ${how} a text index, all of it`,
			value: quantile(all, 0.5),
			unit: "ms",
			target: { atMost: 8_000 },
			detail: `${walks.map(({ pages }) => pages).join(", ")} pages, the span in each of them; ${describeSpread(all)}`,
		},
	];
}

interface Walk {
	readonly firstMs: number;
	readonly allMs: number;
	readonly pages: number;
}

/** Follows the pages of a search to the last. @throws when it does not find one span */
async function walk(server: TestServer, word: string): Promise<Walk> {
	const start = performance.now();
	let firstMs: number | undefined;
	let found = 0;
	let pages = 0;
	let cursor: string | undefined;
	do {
		const from = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
		const page = (await server.getJson(`/v1/projects/${PROJECT}/spans?limit=100&filter=${word}${from}`)) as Json;
		firstMs ??= performance.now() - start;
		found += list(at(page, "data")).length;
		pages += 1;
		const next = at(page, "next_cursor");
		cursor = typeof next === "string" ? next : undefined;
	} while (cursor !== undefined);
	if (found !== 1) throw new Error(`${found} spans were found with ${word}, and 1 has it`);
	return { firstMs, allMs: performance.now() - start, pages };
}

async function sendOldSpan(server: TestServer, word: string): Promise<void> {
	const at = new Date(Date.now() - 7 * DAY_MS).toISOString();
	const span = {
		name: word,
		context: { trace_id: randomBytes(16).toString("hex"), span_id: randomBytes(8).toString("hex") },
		...{ span_kind: "CHAIN", status_code: "OK", start_time: at, end_time: at, attributes: {} },
	};
	const response = await server.fetch(`/v1/projects/${PROJECT}/spans`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ data: [span] }),
	});
	if (!response.ok) throw new Error(`sending a span answered ${response.status}: ${await response.text()}`);
}

/** The oldest spans as lines of JSON, so many that memory would show whether it grows with them. */
export async function measureExport(server: TestServer): Promise<Figure> {
	const before = await readMemory(server.pid);
	const memory = watchMemory(server.pid);
	const start = performance.now();
	const { body, ok } = await server.fetch(`/v1/projects/${PROJECT}/spans.ndjson?limit=${EXPORTED}`);
	if (!ok || body === null) throw new Error("the export was not answered");
	let bytes = 0;
	let lines = 0;
	for await (const chunk of body) {
		bytes += chunk.length;
		for (const byte of chunk) if (byte === NEWLINE) lines += 1;
	}
	const seconds = (performance.now() - start) / 1_000;
	const peak = await memory.stop();
	return {
		name: `memory of the server while ${formatNumber(lines)} spans are exported, beyond that before`,
		value: peak - before,
		unit: "MB",
		target: { atMost: 60 },
		detail: `${formatNumber(before)} MB before, at most ${formatNumber(peak)} MB; ${formatNumber(bytes / 2 ** 20)} MB of JSON, ${formatNumber(lines / seconds)} spans/s`,
	};
}
