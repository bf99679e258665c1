import { setTimeout as sleep } from "node:timers/promises";
import { type Browser, launchBrowser } from "../../e2e/browser.ts";
import { at } from "../../e2e/fixture-comparison.ts";
import type { TestServer } from "../../e2e/server.ts";
import { type Figure, formatNumber, quantile } from "../figure.ts";
import { getJson } from "../get-json.ts";
import { sampleLatency } from "../latency.ts";
import { PROJECT } from "../load-generator.ts";

const RUNS = 5;
const DASHBOARDS = 4;
const RELOADS = 4;
const RELOAD_EVERY_MS = 5_000;
/** All on the screen at once. */
const SIZE = { viewport: { width: 1_440, height: 1_400 } };

const MEASURES = ["count", "error_rate", "latency_p50", "latency_p95", "tokens_total", "cost_total"];
/** Charts of a week by hour, all of which totals answer. */
const WIDGETS = ["model", "kind"].flatMap((group, row) =>
	MEASURES.map((measure, number) => ({
		key: `${group}_${measure}`,
		kind: "time_series",
		title: `${measure} by ${group}`,
		query: { of: "spans", measure: [measure], group_by: [group], bucket: "hour" },
		layout: { x: 4 * (number % 3), y: 5 * (2 * row + Math.floor(number / 3)), w: 4, h: 5 },
	})),
);

/** A dashboard of twelve charts in a browser, and the list of traces while four of them are reloaded. */
export async function measureDashboards(server: TestServer): Promise<Figure[]> {
	const browser = await launchBrowser();
	try {
		const drawn = await timesToDraw(server, browser);
		const newest = await latencyBesideDashboards(server);
		return [
			{
				name: `a dashboard of ${WIDGETS.length} charts from totals, all drawn`,
				value: quantile(drawn, 0.5),
				...{ unit: "ms", target: { atMost: 1_500 } },
				detail: `p50 of ${RUNS} openings in Chromium with a full cache, from the start of the navigation`,
			},
			{
				name: `newest 100 traces while ${DASHBOARDS} dashboards are reloaded, p99`,
				value: quantile(newest, 0.99),
				...{ unit: "ms", target: { atMost: 100 } },
				detail: `${newest.length} requests; ${WIDGETS.length} questions each every ${RELOAD_EVERY_MS / 1_000} s; p50 ${formatNumber(quantile(newest, 0.5))} ms`,
			},
		];
	} finally {
		await browser.close();
	}
}

async function timesToDraw(server: TestServer, browser: Browser): Promise<number[]> {
	const response = await fetch(`${server.url}/v1/dashboards`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ name: "Totals", project_id: PROJECT, range: "7d", widgets: WIDGETS }),
	});
	const text = await response.text();
	if (!response.ok) throw new Error(`making a dashboard answered ${response.status}: ${text}`);
	const id = String(at(at(JSON.parse(text), "data"), "id"));
	const context = await browser.newContext(SIZE);
	const page = await context.newPage();
	const times: number[] = [];
	for (let run = 0; run <= RUNS; run += 1) {
		await page.goto(`${server.url}/p/${PROJECT}/dashboards/${id}`, { waitUntil: "commit" });
		const time = await page.evaluate(async (charts) => {
			while (document.querySelectorAll("main canvas").length < charts) await new Promise(requestAnimationFrame);
			return performance.now();
		}, WIDGETS.length);
		// The first one fills the cache.
		if (run > 0) times.push(time);
	}
	await context.close();
	return times;
}

async function latencyBesideDashboards({ url }: TestServer): Promise<number[]> {
	const addresses = WIDGETS.map(({ query: { measure, group_by, bucket } }) => {
		const asked = new URLSearchParams({ range: "7d", bucket, measure: String(measure), group_by: String(group_by) });
		return `${url}/v1/projects/${PROJECT}/analytics?${asked}`;
	});
	const pages = sampleLatency(`${url}/v1/projects/${PROJECT}/traces?limit=100`, 100);
	const reload = async (number: number) => {
		await sleep((number * RELOAD_EVERY_MS) / DASHBOARDS);
		for (let time = 0; time < RELOADS; time += 1) {
			await Promise.all([...addresses.map(getJson), sleep(RELOAD_EVERY_MS)]);
		}
	};
	await Promise.all(Array.from({ length: DASHBOARDS }, (_, number) => reload(number)));
	return await pages.stop();
}
