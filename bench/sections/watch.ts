import { at } from "../../e2e/fixture-comparison.ts";
import { startPostgres } from "../../e2e/peers/postgres.ts";
import { startServer } from "../../e2e/server.ts";
import { settledFolderSize } from "../disk.ts";
import { type Figure, formatNumber, quantile } from "../figure.ts";
import { getJson } from "../get-json.ts";
import { measureLatency, sampleLatency } from "../latency.ts";
import { PROJECT, sendLoad, warmUp } from "../load-generator.ts";
import { DURABLE } from "./postgres.ts";
import { measureDashboards } from "./watch-dashboards.ts";
import { measureWatchReceiving } from "./watch-receiving.ts";

/** Fewer for a look at what does not depend on them. */
const SPANS = Number(process.env["BENCH_WATCH_SPANS"] ?? 1_000_000);
const REQUESTS = 20;
/** Answers of those that read rows; each takes a second or so. */
const ROW_REQUESTS = 3;
const FOUR_MEASURES = "measure=count&measure=error_rate&measure=latency_p95&measure=cost_total";
/** Long enough for what reads a million rows. */
const UNHURRIED = { SERVICE_ANALYTICS_TIMEOUT_SECONDS: "60" };

interface Place {
	readonly name: string;
	readonly atMostTotals: number;
	readonly atMostRows: number;
}

/** Questions about a million spans that came in a few days, on SQLite and on PostgreSQL. */
export async function measureWatch(): Promise<Figure[]> {
	const figures = [
		...(await measureOn({ name: "", atMostTotals: 40, atMostRows: 900 })),
		...(await measureWatchReceiving()),
	];
	await using postgres = await startPostgres({ settings: DURABLE });
	const storage = { url: postgres.url, schema: "watch" };
	const place = { name: "PostgreSQL: ", atMostTotals: 40, atMostRows: 1_200 };
	return [...figures, ...(await measureOn(place, storage))];
}

async function measureOn(place: Place, storage?: { readonly url: string; readonly schema: string }): Promise<Figure[]> {
	await using server = await startServer({ env: UNHURRIED, ...(storage === undefined ? {} : { storage }) });
	await warmUp("-url", server.url);
	await sendLoad("-url", server.url, "-spans", String(SPANS), "-pool", "400", "-conc", "4");
	await settledFolderSize(server.workingDir);
	const ask = `${server.url}/v1/projects/${PROJECT}/analytics?range=7d`;
	const totals = await measureLatency(`${ask}&bucket=hour&group_by=model&${FOUR_MEASURES}`, REQUESTS);
	const rows: Figure[] = [];
	for (const [what, query] of [
		["by user", "group_by=user"],
		["by name", "group_by=name"],
		["by provider", "group_by=provider"],
		["by session", "group_by=session"],
		["with a filter on promoted fields", `filter=${encodeURIComponent("span_kind == 'LLM' and latency_ms > 10")}`],
	]) {
		const times = await timesOf(`${ask}&${query}&${FOUR_MEASURES}`);
		rows.push({
			name: `${place.name}questions over 7 days, ${what}, from rows`,
			value: quantile(times, 0.5),
			...{ unit: "ms", target: { atMost: place.atMostRows } },
			detail: `p50 of ${ROW_REQUESTS} requests with 4 measures at ${formatNumber(SPANS)} spans`,
		});
	}
	const lists = await measureLists(server.url, place);
	const begun = performance.now();
	const byAttribute = await getJson(`${ask}&group_by=${encodeURIComponent("metadata['tenant']")}`);
	const seconds = (performance.now() - begun) / 1_000;
	const counted = Number(at(at(at(at(byAttribute, "data"), "all"), "totals"), "count"));
	const pages = sampleLatency(`${server.url}/v1/projects/${PROJECT}/traces?limit=100`, 100);
	await timesOf(`${ask}&group_by=user&${FOUR_MEASURES}`);
	const newest = await pages.stop();
	const dashboards = storage === undefined ? await measureDashboards(server) : [];
	return [
		{
			name: `${place.name}questions over 7 days by hour and model, from totals`,
			value: quantile(totals, 0.5),
			unit: "ms",
			target: { atMost: place.atMostTotals },
			detail: `p50 of ${REQUESTS} requests with 4 measures; p99 ${formatNumber(quantile(totals, 0.99))} ms`,
		},
		...rows,
		...lists,
		{
			name: `${place.name}questions by an attribute: spans read`,
			value: counted / seconds,
			unit: "spans/s",
			target: { atLeast: 80_000 },
			detail: `${formatNumber(counted)} spans in ${formatNumber(seconds)} s`,
		},
		{
			name: `${place.name}newest 100 traces beside a question that reads rows, p99`,
			value: quantile(newest, 0.99),
			unit: "ms",
			target: { atMost: 100 },
			detail: `${newest.length} requests; p50 ${formatNumber(quantile(newest, 0.5))} ms`,
		},
		...dashboards,
	];
}

/** What stands beside the lists: users by cost, groups of errors by count, and facets of a day. */
async function measureLists(url: string, place: Place): Promise<Figure[]> {
	const project = `${url}/v1/projects/${PROJECT}`;
	const facets = ["model", "provider", "kind", "name", "status", "user"].map((field) => `field=${field}`).join("&");
	const figures: Figure[] = [];
	for (const [name, path, atMost] of [
		["50 end users by cost over 30 days", "end_users?range=30d&sort=cost_total&limit=50", 60],
		["50 groups of errors by count", "error_groups?sort=count&limit=50", 60],
		["facets of 6 fields over 24 hours", `facets?of=spans&range=24h&${facets}`, 400],
	] as const) {
		const times = await measureLatency(`${project}/${path}`, REQUESTS);
		figures.push({
			...{ name: `${place.name}${name}`, value: quantile(times, 0.5), unit: "ms", target: { atMost } },
			detail: `p50 of ${REQUESTS} requests at ${formatNumber(SPANS)} spans; p99 ${formatNumber(quantile(times, 0.99))} ms`,
		});
	}
	return figures;
}

/** Milliseconds of each answer of a question that takes seconds. */
async function timesOf(url: string): Promise<number[]> {
	const times: number[] = [];
	for (let request = 0; request < ROW_REQUESTS; request += 1) {
		const begun = performance.now();
		await getJson(url);
		times.push(performance.now() - begun);
	}
	return times;
}
