import type { Browser, BrowserContext, Page, Request } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser } from "../browser.ts";
import { ADMIN_EMAIL, ADMIN_PASSWORD } from "../first-use.ts";
import { startServer, type TestServer } from "../server.ts";
import { sendSpans, spanIdOf } from "./otlp-json.ts";
import { listRows } from "./pages.ts";
import { accountButton, openLoggedIn } from "./sessions.ts";

const LIST = "/p/default/traces?live=1";

let server: TestServer;
let browser: Browser;
let traces = 0;

beforeAll(async () => {
	server = await startServer({ authentication: true, inProcess: true });
	browser = await launchBrowser();
	await sendTrace();
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
});

/** Sends a trace of one span. @returns the name of the span */
async function sendTrace(): Promise<string> {
	traces += 1;
	const traceId = traces.toString(16).padStart(32, "0");
	const name = `arrival ${traces}`;
	await sendSpans(server, [{ traceId, spanId: spanIdOf(traces), name, startMs: traces, endMs: traces + 1 }]);
	return name;
}

/** The pages that have a stream open now. */
function followStreams(context: BrowserContext): ReadonlySet<Page> {
	const open = new Set<Page>();
	const isStream = (url: string) => new URL(url).pathname.endsWith("/stream");
	context.on("request", (request) => isStream(request.url()) && open.add(request.frame().page()));
	const end = (request: Request) => isStream(request.url()) && open.delete(request.frame().page());
	context.on("requestfinished", end);
	context.on("requestfailed", end);
	return open;
}

test("windows of one browser share one live connection, which outlives the one that has it and ends with the log-out", async () => {
	await using watched = await openLoggedIn(browser, server, { email: ADMIN_EMAIL, password: ADMIN_PASSWORD });
	const first = watched.page;
	const context = first.context();
	const open = followStreams(context);
	const second = await context.newPage();
	const third = await context.newPage();
	const shows = (page: Page, name: string) => listRows(page).filter({ hasText: name }).waitFor();
	for (const page of [first, second, third]) {
		await page.goto(server.url + LIST);
		await shows(page, "arrival 1");
	}
	await expect.poll(() => [...open]).toEqual([first]);
	const shared = await sendTrace();
	await Promise.all([first, second, third].map((page) => shows(page, shared)));
	expect([...open]).toEqual([first]);

	await first.goto(`${server.url}/settings/account`);
	await expect.poll(() => [...open]).toEqual([second]);
	const next = await sendTrace();
	await Promise.all([second, third].map((page) => shows(page, next)));

	await second.close();
	await expect.poll(() => open.has(third)).toBe(true);
	const last = await sendTrace();
	await shows(third, last);

	await accountButton(first).click();
	await first.getByRole("menuitem", { name: "Log out", exact: true }).click();
	await third.waitForURL(/\/log(in|out)/);
	await expect.poll(() => open.has(third)).toBe(false);
});
