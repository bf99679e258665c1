import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findAccessibilityViolations, launchBrowserFor, openPage, type UserBrowser } from "../browser.ts";
import { startServer, type TestServer } from "../server.ts";
import { type SentSpan, sendSpans, spanIdOf } from "./otlp-json.ts";

const SESSION = "many-turns";
const TURNS = 60;
/** Turns that failed, counted from 1; the last one is beyond the first page of turns. */
const FAILED = [3, 7, 58];

let server: TestServer;
let browser: UserBrowser;

beforeAll(async () => {
	server = await startServer();
	browser = await launchBrowserFor(server);
	await sendSpans(server, Array.from({ length: TURNS }, (_, index) => turn(index + 1)).flat());
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
});

/** A turn that looks up the weather twice; where it fails, the second time does, and the turn with it. */
function turn(number: number): SentSpan[] {
	const traceId = number.toString(16).padStart(32, "0");
	const startMs = number * 1_000;
	const fails = FAILED.includes(number);
	const root = { "session.id": SESSION, "input.value": `question ${number}` };
	const tool = { traceId, parentSpanId: spanIdOf(0), attributes: { "openinference.span.kind": "TOOL" } };
	return [
		{
			...{ traceId, spanId: spanIdOf(0), name: "agent", startMs, endMs: startMs + 900 },
			attributes: fails ? root : { ...root, "output.value": "sunny" },
			...(fails ? { error: "gave up" } : {}),
		},
		{ ...tool, spanId: spanIdOf(1), name: "get_weather", startMs: startMs + 10, endMs: startMs + 20 },
		{
			...{ ...tool, spanId: spanIdOf(2), name: "get_weather", startMs: startMs + 30, endMs: startMs + 40 },
			...(fails ? { error: "no answer from the station" } : {}),
		},
	];
}

function turnOf(page: Page, number: number) {
	return page
		.getByRole("list", { name: "Conversation" })
		.locator("> li")
		.filter({ has: page.getByRole("heading", { name: new RegExp(`Turn ${number}$`) }) });
}

test("each turn shows the tools that it called and what failed, with one request for all of them", async () => {
	const asked: string[] = [];
	await using watched = await openPage(browser, `${server.url}/healthz`);
	const { page } = watched;
	page.on("request", (request) => {
		if (request.url().includes("/v1/")) asked.push(new URL(request.url()).pathname);
	});
	await page.goto(`${server.url}/p/default/sessions/${SESSION}`);
	const tools = (number: number) => turnOf(page, number).getByRole("list", { name: "Tools called" });
	await tools(1).getByText("× 2").waitFor();
	expect(await tools(3).getByRole("listitem").allTextContents()).toEqual([
		expect.stringMatching(/^get_weather10 ms$/),
		expect.stringMatching(/^Errorget_weather10 msno answer from the station$/),
	]);
	await turnOf(page, 3).getByText("agent: gave up").waitFor();
	expect(asked.filter((path) => path.endsWith("/spans"))).toHaveLength(1);
	await tools(3).getByRole("link", { name: "get_weather" }).last().click();
	await page.getByRole("treeitem", { name: /get_weather/, selected: true }).waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);
	expect(watched.problems).toEqual([]);
});

test("F and the button lead from one turn that failed to the next, also to those that are not loaded yet", async () => {
	await using watched = await openPage(browser, `${server.url}/p/default/sessions/${SESSION}`);
	const { page } = watched;
	const isShown = (number: number) => expect.poll(() => turnOf(page, number).evaluate(hasFocus)).toBe(true);
	await turnOf(page, 1).waitFor();
	const overview = page.getByRole("link", { name: "Overview" }).first();
	const place = await overview.boundingBox();
	await page.keyboard.press("f");
	await isShown(3);
	await page.getByRole("button", { name: "Next turn that failed" }).click();
	await isShown(7);
	await page.keyboard.press("f");
	await isShown(58);
	await page.keyboard.press("Shift+F");
	await isShown(7);
	// The turns have moved, not the whole page.
	expect(await overview.boundingBox()).toEqual(place);
	expect(watched.problems).toEqual([]);
});

function hasFocus(element: Element): boolean {
	return element === document.activeElement;
}
