import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowserFor, openPage, type UserBrowser } from "../browser.ts";
import { replay } from "../fixture-sources.ts";
import { startServer, type TestServer } from "../server.ts";
import { listRows, skipRetries } from "./pages.ts";

const SCRIPTS = /\/assets\/[^/]+\.js$/;

let server: TestServer;
let browser: UserBrowser;

beforeAll(async () => {
	server = await startServer();
	browser = await launchBrowserFor(server);
	await replay(server, ["py-openai-openinference"], "--shift-now");
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
});

function openList() {
	return openPage(browser, `${server.url}/p/bike-shop/traces`);
}

/** Opens the first trace beside the list, whose part of the app is not loaded yet. */
async function openFirst(page: Page): Promise<void> {
	await listRows(page).first().waitFor();
	await listRows(page).first().click();
}

const panel = (page: Page) => page.getByRole("region", { name: "Trace" });
const tree = (page: Page) => panel(page).getByRole("treeitem").first();

test("a part of the app that cannot be fetched once is fetched again", async () => {
	await using watched = await openList();
	const { page } = watched;
	await listRows(page).first().waitFor();
	const refused = new Set<string>();
	await page.route(SCRIPTS, async (route) => {
		const url = route.request().url();
		if (refused.has(url)) return await route.continue();
		refused.add(url);
		await route.abort();
	});
	await openFirst(page);
	await tree(page).waitFor();
	expect(refused.size).toBeGreaterThan(0);
});

test("a part that cannot be fetched at all says so in its place, where it can be tried again", async () => {
	await using watched = await openPage(browser, `${server.url}/healthz`);
	const { page } = watched;
	await page.clock.install();
	await page.goto(`${server.url}/p/bike-shop/traces`);
	await listRows(page).first().waitFor();
	await page.route(SCRIPTS, (route) => route.abort());
	await openFirst(page);
	const failure = panel(page).getByRole("alert");
	await skipRetries(page, failure.getByText("This part did not load."));
	expect(await listRows(page).first().isVisible()).toBe(true);
	await page.unroute(SCRIPTS);
	await failure.getByRole("button", { name: "Try again" }).click();
	await tree(page).waitFor();
	expect(await failure.count()).toBe(0);
});

test("a page that was not fetched is fetched when one goes there again", async () => {
	await using watched = await openList();
	const { page } = watched;
	await listRows(page).first().waitFor();
	const refused: string[] = [];
	await page.route(SCRIPTS, async (route) => {
		refused.push(route.request().url());
		if (refused.length > 1) return await route.continue();
		await route.abort();
	});
	await page.getByRole("navigation", { name: "Project" }).getByRole("link", { name: "Sessions" }).click();
	await page.getByRole("heading", { level: 1, name: /^Sessions/ }).waitFor();
	expect(refused.length).toBeGreaterThan(1);
});

test("a page whose files the server no longer has, since it was upgraded, is reloaded", async () => {
	await using watched = await openList();
	const { page } = watched;
	await listRows(page).first().waitFor();
	await page.evaluate(() => document.body.setAttribute("data-before", ""));
	await page.route(SCRIPTS, (route) => route.fulfill({ status: 404, body: "" }));
	await page.route(`${server.url}/`, async (route) => {
		await page.unroute(SCRIPTS);
		await route.fulfill({
			contentType: "text/html",
			body: '<script type="module" src="./assets/base-new.js"></script>',
		});
	});
	await openFirst(page);
	await page.waitForFunction(() => !document.body.hasAttribute("data-before"));
	await tree(page).waitFor();
});

test("the list of projects asks once for all its rows, and not while nobody sees it", async () => {
	await using watched = await openPage(browser, `${server.url}/healthz`);
	const { page } = watched;
	await page.clock.install();
	const asked: string[] = [];
	page.on("request", (request) => {
		const { pathname } = new URL(request.url());
		if (pathname.startsWith("/v1/projects")) asked.push(pathname);
	});
	await page.goto(server.url);
	await page.getByRole("link", { name: "bike-shop" }).waitFor();
	await page.getByRole("img", { name: /bike-shop/ }).waitFor();
	expect(asked).toEqual(["/v1/projects"]);
	await page.clock.runFor(60_000);
	await expect.poll(() => asked.length).toBeGreaterThan(1);
	await page.evaluate(() => {
		Object.defineProperty(document, "visibilityState", { value: "hidden" });
		document.dispatchEvent(new Event("visibilitychange"));
	});
	const before = asked.length;
	await page.clock.runFor(600_000);
	expect(asked.length).toBe(before);
	expect(new Set(asked)).toEqual(new Set(["/v1/projects"]));
});
