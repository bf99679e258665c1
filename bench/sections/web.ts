import {
	type Browser,
	type BrowserContext,
	browserOf,
	type CDPSession,
	findAccessibilityViolations,
	launchBrowser,
	type Page,
	type UserBrowser,
} from "../../e2e/browser.ts";
import { ADMIN_EMAIL, ADMIN_PASSWORD } from "../../e2e/first-use.ts";
import { type PageRequest, recordTraffic } from "../../e2e/page-traffic.ts";
import { startServer, type TestServer } from "../../e2e/server.ts";
import { largeTrace, sendSpans } from "../../e2e/web/otlp-json.ts";
import { describeSpread, type Figure, formatNumber, quantile } from "../figure.ts";
import { measureLatency } from "../latency.ts";
import { headerFlags, PROJECT, sendLoad, warmUp } from "../load-generator.ts";

const RUNS = 5;
/** Stored while pages are measured; fewer for a look at what does not depend on them. */
const SPANS = Number(process.env["BENCH_WEB_SPANS"] ?? 1_000_000);
const TRACES = `/p/${PROJECT}/traces`;
const MEDIUM = { traceId: "4".repeat(32), spans: 4_001 };
const LARGE = { traceId: "5".repeat(32), spans: 100_000 };
const NAVIGATIONS = 50;
const ROW = "[role=gridcell], tbody tr, [role=treeitem]";
const SIZE = { viewport: { width: 1440, height: 900 } };

/** The web app in Chromium, as somebody has it who uses it every day: what it loads, how soon it shows rows, what it keeps. */
export async function measureWeb(): Promise<Figure[]> {
	await using server = await startServer({ authentication: true });
	await sendTraces(server);
	const browser = await launchBrowser();
	try {
		const user = browserOf(browser, server, { email: ADMIN_EMAIL, password: ADMIN_PASSWORD });
		return [
			...(await measureWeight(server, browser, user)),
			...(await measurePages(server, user)),
			...(await measureTraces(server, user)),
			await measureHeap(server, user),
			await measureSortByCost(server),
			await measureAccessibility(server, user),
		];
	} finally {
		await browser.close();
	}
}

async function sendTraces(server: TestServer): Promise<void> {
	const flags = ["-url", server.url, ...headerFlags(server.headers)];
	await warmUp(...flags);
	await sendLoad(...flags, "-spans", String(SPANS), "-conc", "4");
	for (const { traceId, spans } of [MEDIUM, LARGE]) await sendSpans(server, largeTrace(traceId, spans));
}

/** Bytes and requests with an empty cache, until the page asks for nothing more. */
async function measureWeight(server: TestServer, browser: Browser, user: UserBrowser): Promise<Figure[]> {
	const first: PageRequest[][] = [];
	const logIn: PageRequest[][] = [];
	for (let run = 0; run < RUNS; run++) {
		first.push(await trafficOf(await user.newContext(SIZE), server.url + TRACES));
		logIn.push(await trafficOf(await browser.newContext(SIZE), `${server.url}/login`));
	}
	const kilobytes = (loads: PageRequest[][]) =>
		loads.map((requests) => requests.reduce((sum, { bytes }) => sum + bytes, 0) / 1_000);
	const counts = first.map(({ length }) => length);
	return [
		{
			name: "bytes of the first page",
			value: quantile(kilobytes(first), 0.5),
			unit: "KB",
			target: { atMost: 250 },
			detail: `a project's traces, signed in, empty cache; on the wire with headers, all requests until quiet; ${describeSpread(kilobytes(first))}`,
		},
		{
			name: "requests of the first page",
			value: quantile(counts, 0.5),
			unit: "",
			target: { atMost: 25 },
			detail: describeSpread(counts),
		},
		{
			name: "bytes of the log-in page",
			value: quantile(kilobytes(logIn), 0.5),
			unit: "KB",
			target: { atMost: 70 },
			detail: `${logIn[0]?.length} requests; ${describeSpread(kilobytes(logIn))}`,
		},
	];
}

async function trafficOf(context: BrowserContext, url: string): Promise<PageRequest[]> {
	try {
		const page = await context.newPage();
		const settle = await recordTraffic(page);
		await page.goto(url);
		return await settle();
	} finally {
		await context.close();
	}
}

/** How soon pages show their first rows, with an empty cache and with a full one, and whether they then hold anybody up. */
async function measurePages(server: TestServer, user: UserBrowser): Promise<Figure[]> {
	const cold: number[] = [];
	for (let run = 0; run < RUNS; run++) {
		const context = await user.newContext(SIZE);
		cold.push(await timeRows(await context.newPage(), server.url + TRACES));
		await context.close();
	}
	const context = await user.newContext(SIZE);
	const page = await context.newPage();
	await watchLongTasks(page);
	const pages = { projects: "/", traces: TRACES, spans: `${TRACES}?view=spans`, sessions: `/p/${PROJECT}/sessions` };
	const medians: [string, number][] = [];
	const longest: number[] = [];
	for (const [name, path] of Object.entries(pages)) {
		await timeRows(page, server.url + path);
		const times: number[] = [];
		for (let run = 0; run < RUNS; run++) {
			times.push(await timeRows(page, server.url + path));
			longest.push(await longestTask(page));
		}
		medians.push([name, quantile(times, 0.5)]);
	}
	await context.close();
	return [
		{
			name: "first rows of traces, empty cache",
			value: quantile(cold, 0.5),
			unit: "ms",
			target: { atMost: 1_200 },
			detail: `from the start of the navigation; ${describeSpread(cold)}`,
		},
		{
			name: "first rows of the slowest list, full cache",
			value: Math.max(...medians.map(([, time]) => time)),
			unit: "ms",
			target: { atMost: 300 },
			detail: `medians of ${RUNS}: ${medians.map(([name, time]) => `${name} ${Math.round(time)}`).join(", ")}`,
		},
		{
			name: "longest task of a list once it is loaded",
			value: Math.max(...longest),
			unit: "ms",
			target: { atMost: 100 },
			detail: `in the second after its first rows, ${longest.length} loads; 0: none of 50 ms or more`,
		},
	];
}

/** Milliseconds from the start of the navigation until a row is drawn. */
async function timeRows(page: Page, url: string): Promise<number> {
	await page.goto(url, { waitUntil: "commit" });
	return await page.evaluate(async (row) => {
		while (document.querySelector(row) === null) await new Promise(requestAnimationFrame);
		return performance.now();
	}, ROW);
}

function watchLongTasks(page: Page): Promise<unknown> {
	return page.addInitScript(() => {
		const tasks: { start: number; duration: number }[] = [];
		Reflect.set(window, "longTasks", tasks);
		new PerformanceObserver((list) => {
			for (const { startTime, duration } of list.getEntries()) tasks.push({ start: startTime, duration });
		}).observe({ type: "longtask", buffered: true });
	});
}

/** The longest task of the second from now on, milliseconds; 0 without one of at least 50 ms. */
async function longestTask(page: Page): Promise<number> {
	const from = await page.evaluate(() => performance.now());
	await page.waitForTimeout(1_000);
	return await page.evaluate((from) => {
		const tasks = Reflect.get(window, "longTasks") as { start: number; duration: number }[];
		return Math.max(0, ...tasks.filter(({ start }) => start >= from).map(({ duration }) => duration));
	}, from);
}

async function measureTraces(server: TestServer, user: UserBrowser): Promise<Figure[]> {
	const context = await user.newContext(SIZE);
	const page = await context.newPage();
	const address = (traceId: string) => `${server.url}/p/default/traces/${traceId}`;
	await timeRows(page, address(MEDIUM.traceId));
	const medium: number[] = [];
	const first: number[] = [];
	const all: number[] = [];
	const frames: number[] = [];
	for (let run = 0; run < RUNS; run++) {
		await timeRows(page, address(MEDIUM.traceId));
		medium.push(await untilComplete(page));
		first.push(await timeRows(page, address(LARGE.traceId)));
		all.push(await untilComplete(page));
		frames.push(...(await scrollTree(page)));
	}
	await context.close();
	const perRun = `full cache; ${RUNS} runs`;
	return [
		{
			name: "trace of 4,001 spans, all of it",
			value: quantile(medium, 0.5),
			unit: "ms",
			target: { atMost: 500 },
			detail: `full cache; ${describeSpread(medium)}`,
		},
		{
			name: "trace of 100,000 spans, first rows",
			value: quantile(first, 0.5),
			unit: "ms",
			target: { atMost: 500 },
			detail: `full cache; ${describeSpread(first)}`,
		},
		{
			name: "trace of 100,000 spans, all of it",
			value: quantile(all, 0.5),
			unit: "ms",
			target: { atMost: 5_000 },
			detail: `full cache; ${describeSpread(all)}`,
		},
		{
			name: "frame while a trace of 100,000 spans is scrolled, p95",
			value: quantile(frames, 0.95),
			unit: "ms",
			target: { atMost: 25 },
			detail: `${perRun}, ${frames.length} frames of 300 pixels each`,
		},
	];
}

/** Milliseconds from the start of the navigation until the page no longer says that spans are to come. */
async function untilComplete(page: Page): Promise<number> {
	return await page.evaluate(async () => {
		const isLoading = () =>
			document.querySelector("[role=treeitem]") === null ||
			[...document.querySelectorAll("[role=status]")].some(({ textContent }) => textContent.includes("spans loaded"));
		while (isLoading()) await new Promise(requestAnimationFrame);
		return performance.now();
	});
}

/** Milliseconds of each frame while the tree is scrolled. */
async function scrollTree(page: Page): Promise<number[]> {
	return await page.evaluate(async () => {
		const scroller = document.querySelector("[data-testid=tree-scroller]");
		if (scroller === null) throw new Error("the trace has no tree");
		const frame = () => new Promise<number>(requestAnimationFrame);
		const times: number[] = [];
		let before = await frame();
		for (let step = 0; step < 120; step++) {
			scroller.scrollTop += 300;
			const now = await frame();
			times.push(now - before);
			before = now;
		}
		return times;
	});
}

/** What the app holds on to while one goes back and forth between pages of a project. */
async function measureHeap(server: TestServer, user: UserBrowser): Promise<Figure> {
	const context = await user.newContext(SIZE);
	const page = await context.newPage();
	const session = await context.newCDPSession(page);
	const tabs = page.getByRole("navigation", { name: "Project" });
	await timeRows(page, server.url + TRACES);
	const goRound = async () => {
		for (const name of ["Sessions", "Overview", "Traces"]) {
			await tabs.getByRole("link", { name }).click();
			await page.getByRole("heading", { level: 1, name: new RegExp(`^${name}`) }).waitFor();
			await page.waitForTimeout(100);
		}
	};
	// What is loaded with the first visits stays, as it should.
	for (let round = 0; round < 5; round++) await goRound();
	const before = await usedHeap(session);
	for (let round = 0; round < NAVIGATIONS / 3; round++) await goRound();
	const after = await usedHeap(session);
	await context.close();
	return {
		name: `heap after ${NAVIGATIONS} navigations against before`,
		value: (after - before) / 2 ** 20,
		unit: "MB",
		target: { atMost: 2 },
		detail: `collected; ${(before / 2 ** 20).toFixed(1)} MB before, ${(after / 2 ** 20).toFixed(1)} MB after, between traces, sessions and overview`,
	};
}

async function usedHeap(session: CDPSession): Promise<number> {
	await session.send("HeapProfiler.collectGarbage");
	return (await session.send("Runtime.getHeapUsage")).usedSize;
}

async function measureSortByCost(server: TestServer): Promise<Figure> {
	const url = `${server.url}/v1/projects/${PROJECT}/traces?sort=total_cost&limit=50`;
	const times = await measureLatency(url, 50, server.headers);
	return {
		name: `traces sorted by cost, at ${formatNumber(SPANS)} spans`,
		value: quantile(times, 0.5),
		unit: "ms",
		target: { atMost: 50 },
		detail: `p50 of ${times.length} requests for a page of the list; p99 ${quantile(times, 0.99).toFixed(1)} ms`,
	};
}

/** Every page is looked at in e2e/web/every-page.test.ts; this adds forced colours to the ones people have open all day. */
async function measureAccessibility(server: TestServer, user: UserBrowser): Promise<Figure> {
	const context = await user.newContext(SIZE);
	const page = await context.newPage();
	const findings: string[] = [];
	const paths = ["/", TRACES, `/p/${PROJECT}/sessions`, `/p/default/traces/${MEDIUM.traceId}`];
	const looks = [
		{ colorScheme: "light", forcedColors: "none" },
		{ colorScheme: "dark", forcedColors: "none" },
		{ colorScheme: "light", forcedColors: "active" },
		{ colorScheme: "dark", forcedColors: "active" },
	] as const;
	for (const path of paths) {
		for (const look of looks) {
			await page.emulateMedia({ ...look, reducedMotion: "reduce" });
			await timeRows(page, server.url + path);
			findings.push(...(await findAccessibilityViolations(page)));
		}
	}
	await context.close();
	return {
		name: "findings of axe, WCAG 2 A and AA",
		value: findings.length,
		unit: "",
		target: { atMost: 0 },
		detail: `${paths.length} pages, in both themes and with forced colours; ${findings.slice(0, 3).join("; ")}`,
	};
}
