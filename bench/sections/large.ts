import { setTimeout as sleep } from "node:timers/promises";
import { startServer, type TestServer } from "../../e2e/server.ts";
import { settledFolderSize } from "../disk.ts";
import { describeSpread, type Figure, formatNumber, quantile } from "../figure.ts";
import { measureLatency } from "../latency.ts";
import { PROJECT, sendLoad, warmUp } from "../load-generator.ts";
import { watchMemory } from "../process-memory.ts";
import { measureBackup, measureRetention } from "./large-upkeep.ts";
import { measureQueries } from "./million.ts";
import { timeUntilFound } from "./search.ts";

const MILLION = 1_000_000;
/** How much slower reads may be than with a million spans. */
const SLOWER = 1.5;
const SEARCHES = 50;
/** Between two searches for a span that was just received, beside the load. */
const PAUSE_MS = 5_000;

/**
 * How the service behaves with `BENCH_LARGE_MILLIONS` million spans (10), against itself with a million. With 20, it
 * receives for ten minutes on end if it takes 30,000 a second.
 */
export async function measureLarge(): Promise<Figure[]> {
	const millions = Number(process.env["BENCH_LARGE_MILLIONS"] ?? 10);
	const stored = `${millions} M`;
	await using server = await startServer();
	await warmUp("-url", server.url);
	const rates = [await sendMillion(server)];
	await settledFolderSize(server.workingDir);
	const before = await measureQueries(server, "1 M");

	const memory = watchMemory(server.pid);
	const search = searchOnAndOn(server);
	const start = Date.now();
	for (let sent = 1; sent < millions; sent++) rates.push(await sendMillion(server));
	const minutes = (Date.now() - start) / 60_000;
	const found = await search.stop();
	const peak = await memory.stop();
	const bytes = (await settledFolderSize(server.workingDir)) / (millions * MILLION);
	const limits = before.map(({ value }) => Math.max(1, value * SLOWER));
	return [
		{
			name: `durable spans/s, from 1 M to ${stored} stored, text index current`,
			value: quantile(rates, 0.5),
			unit: "spans/s",
			target: { atLeast: 30_000 },
			detail: `median of each million; ${describeSpread(rates)}`,
		},
		{
			name: "time on end at that rate",
			value: minutes,
			unit: "minutes",
			target: { atLeast: 10 },
			detail: `${millions - 1} million spans, one load after the other; slowest ${formatNumber(Math.min(...rates))} spans/s`,
		},
		{
			name: "until search finds a span meanwhile, from the answer to its export on",
			value: Math.max(...found),
			unit: "ms",
			target: { atMost: 2_000 },
			detail: `longest of ${found.length}, one about every ${formatNumber(PAUSE_MS / 1_000)} s; p50 ${formatNumber(quantile(found, 0.5))} ms`,
		},
		{
			name: `memory during the load up to ${stored} spans`,
			value: peak,
			unit: "MB",
			target: { atMost: 450 },
			detail: "largest resident memory",
		},
		{
			name: `bytes on disk per span, at ${stored} spans`,
			value: bytes,
			unit: "B",
			target: { atMost: 600 },
			detail: "whole folder, text index on",
		},
		...before,
		...(await measureQueries(server, stored, { atMostMs: limits })),
		await measureSearch(server, "a word that is nowhere", "xylophonist", stored),
		await measureSearch(server, "a word in one span", "zugvogel1x", stored),
		await measureStart(server, stored),
		...(await measureBackup(server, stored)),
		...(await measureRetention(server, millions * MILLION, stored)),
	];
}

/** Searches for new spans, one after the other, until stopped; `stop` resolves with the milliseconds that each took. */
function searchOnAndOn(server: TestServer): { readonly stop: () => Promise<number[]> } {
	const times: number[] = [];
	const stopped = new AbortController();
	const searching = (async () => {
		do {
			times.push(await timeUntilFound(server, `zugvogel${times.length + 1}x`));
			await sleep(PAUSE_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
		} while (!stopped.signal.aborted);
	})();
	return {
		stop: async () => {
			stopped.abort();
			await searching;
			return times;
		},
	};
}

/** @returns spans a second */
async function sendMillion(server: TestServer): Promise<number> {
	const flags = ["-url", server.url, "-spans", String(MILLION), "-pool", "400", "-conc", "4"];
	return (await sendLoad(...flags)).acked_spans_per_s;
}

async function measureSearch(server: TestServer, name: string, word: string, stored: string): Promise<Figure> {
	const times = await measureLatency(`${server.url}/v1/projects/${PROJECT}/spans?limit=100&filter=${word}`, SEARCHES);
	return {
		name: `search for ${name}, at ${stored} spans`,
		value: quantile(times, 0.5),
		unit: "ms",
		target: { atMost: 50 },
		detail: `p50 of ${SEARCHES} requests; p99 ${formatNumber(quantile(times, 0.99))} ms`,
	};
}

async function measureStart(server: TestServer, stored: string): Promise<Figure> {
	await server.stop();
	await sleep(1_000);
	const start = performance.now();
	await server.start();
	return {
		name: `start with ${stored} spans stored`,
		value: performance.now() - start,
		unit: "ms",
		target: { atMost: 2_000 },
		detail: "until /readyz answers 200",
	};
}
