import { afterAll, beforeAll, expect, test } from "vitest";
import { findAccessibilityViolations, launchBrowserFor, openPage, type UserBrowser } from "../browser.ts";
import { readExpected, replay } from "../fixture-sources.ts";
import { startServer, type TestServer } from "../server.ts";
import { drawnTheme, listRows, skipRetries } from "./pages.ts";
import { promptVersion } from "./prompt-data.ts";

const TRIP = "py-phoenix-otel-http";
const trip = readExpected(TRIP);
const [first] = trip.traces;
if (first === undefined) throw new Error(`${TRIP} has no trace`);

let server: TestServer;
let browser: UserBrowser;

beforeAll(async () => {
	server = await startServer();
	browser = await launchBrowserFor(server);
	await replay(server, [TRIP, "py-openai-openinference"]);
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
});

test("the palette goes to a project by its name and to a trace by its id", async () => {
	await using watched = await openPage(browser, server.url);
	const { page } = watched;
	await page.getByRole("link", { name: "bike-shop" }).waitFor();
	const palette = page.getByRole("combobox", { name: "Go to or search" });
	await page.keyboard.press("ControlOrMeta+k");
	await palette.fill("trip-planner");
	await page.getByRole("option", { name: "trip-planner-http", exact: true }).waitFor();
	await page.keyboard.press("Enter");
	await page.waitForURL(`${server.url}/p/trip-planner-http/traces`);
	await page.goto(`${server.url}/p/bike-shop/traces`);
	await listRows(page).first().waitFor();
	await page.keyboard.press("ControlOrMeta+k");
	await palette.fill(first.traceId);
	await page.getByRole("option", { name: `Open trace ${first.traceId}` }).click();
	await page.waitForURL(`**/traces/${first.traceId}`);
	await page.getByText(first.rootSpanName).first().waitFor();
	expect(watched.problems).toEqual([]);
});

test("the palette runs commands, finds prompts, and searches all projects", async () => {
	const made = await server.fetch("/v1/prompts", {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({
			prompt: { name: "triage-mail" },
			version: promptVersion({ system: "Sort mails." }),
		}),
	});
	expect(made.status).toBe(200);
	await using watched = await openPage(browser, `${server.url}/p/bike-shop/traces`, { colorScheme: "light" });
	const { page } = watched;
	await listRows(page).first().waitFor();
	const palette = page.getByRole("combobox", { name: "Go to or search" });
	await page.keyboard.press("ControlOrMeta+k");
	await palette.fill("theme: dark");
	await page.keyboard.press("Enter");
	await expect.poll(() => drawnTheme(page)).toBe("dark");
	await page.keyboard.press("ControlOrMeta+k");
	await palette.fill("live on");
	await page.getByRole("option", { name: "Live on or off" }).click();
	await expect.poll(() => new URL(page.url()).searchParams.get("live")).toBe("1");
	await page.keyboard.press("ControlOrMeta+k");
	await palette.fill("triage");
	await page.getByRole("option", { name: "triage-mail" }).click();
	await page.waitForURL("**/prompts/triage-mail");
	await page.keyboard.press("ControlOrMeta+k");
	await palette.fill("tokyo");
	await page.getByRole("option", { name: "Search all projects for “tokyo”" }).click();
	await page
		.getByRole("status")
		.filter({ hasText: /projects were searched/ })
		.waitFor();
	const found = page.getByRole("option").filter({ hasText: /tokyo/i });
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await found.first().click();
	await page.waitForURL("**/traces/*");
	await page.keyboard.press("ControlOrMeta+k");
	await palette.fill("documentation");
	await page.getByRole("option", { name: "Documentation", exact: true }).click();
	await page.getByRole("heading", { name: "Documentation" }).waitFor();
	await page.getByRole("link", { name: "Signing in" }).click();
	await expect
		.poll(() =>
			page
				.locator("main img")
				.first()
				.evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth > 0),
		)
		.toBe(true);
	for (const colorScheme of ["light", "dark"] as const) {
		await page.emulateMedia({ colorScheme });
		expect(await findAccessibilityViolations(page)).toEqual([]);
	}
	expect(watched.problems).toEqual([]);
});

test("a question mark lists the keys of the page", async () => {
	await using watched = await openPage(browser, `${server.url}/p/bike-shop/traces`);
	const { page } = watched;
	await listRows(page).first().waitFor();
	await page.keyboard.press("?");
	const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
	await sheet.getByText("Next row", { exact: true }).waitFor();
	await page.keyboard.press("Escape");
	await sheet.waitFor({ state: "detached" });
});

test("a project is made, described and deleted after its name was written", async () => {
	await using watched = await openPage(browser, server.url);
	const { page } = watched;
	await page.getByRole("button", { name: "New project" }).click();
	await page.getByLabel("Name").fill("to be deleted");
	await page.getByRole("button", { name: "Create" }).click();
	await page.waitForURL(`${server.url}/p/to%20be%20deleted/traces`);
	await page.getByRole("main").getByText("Waiting for the first trace").waitFor();
	await page.getByRole("navigation", { name: "Project" }).getByRole("link", { name: "Settings" }).click();
	const description = page.getByLabel("Description");
	await description.fill("only a test");
	await page.locator("form", { has: description }).getByRole("button", { name: "Save" }).click();
	await page.getByText("Saved").waitFor();
	await page.getByRole("button", { name: "Delete project" }).click();
	const dialog = page.getByRole("dialog");
	expect(await dialog.getByRole("button", { name: "Delete project" }).isDisabled()).toBe(true);
	await dialog.getByRole("textbox").fill("to be deleted");
	await dialog.getByRole("button", { name: "Delete project" }).click();
	await page.waitForURL(`${server.url}/`);
	await page.getByRole("link", { name: "bike-shop" }).waitFor();
	await expect.poll(() => page.getByRole("link", { name: "to be deleted" }).count()).toBe(0);
});

test("a name that is taken is refused beside its field", async () => {
	await using watched = await openPage(browser, server.url);
	const { page } = watched;
	await page.getByRole("button", { name: "New project" }).click();
	await page.getByLabel("Name").fill("bike-shop");
	await page.getByRole("button", { name: "Create" }).click();
	await page.getByRole("alert").filter({ hasText: "already exists" }).waitFor();
});

test("a session reads as a conversation, with what failed in words and a way to the trace", async () => {
	await using watched = await openPage(browser, `${server.url}/p/trip-planner-http/sessions`);
	const { page } = watched;
	await listRows(page).first().getByRole("link").click();
	for (const trace of trip.traces)
		await page
			.getByText(trace.rootInputText ?? "")
			.first()
			.waitFor();
	await page.getByText("no rooms in Paris for 3 nights").first().waitFor();
	await page.getByRole("link", { name: "Open the trace" }).first().click();
	await page.getByRole("region", { name: "Trace", exact: true }).waitFor();
	expect(watched.problems).toEqual([]);
});

test("a drag across a chart zooms into that time", async () => {
	await replay(server, [TRIP], "--shift-now", "--salt", "1");
	await using watched = await openPage(browser, `${server.url}/p/trip-planner-http/overview?from=6h`);
	const { page } = watched;
	const chart = page.getByRole("img", { name: /^Errors from/ });
	const box = await chart.boundingBox();
	if (box === null) throw new Error("the chart is not drawn");
	await page.mouse.move(box.x + box.width * 0.4, box.y + 60);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width * 0.7, box.y + 60, { steps: 5 });
	await page.mouse.up();
	await expect.poll(() => new URL(page.url()).searchParams.get("to")).not.toBeNull();
	const { searchParams } = new URL(page.url());
	const length = Date.parse(searchParams.get("to") ?? "") - Date.parse(searchParams.get("from") ?? "");
	expect(length).toBeGreaterThan(60 * 60_000);
	expect(length).toBeLessThan(4 * 60 * 60_000);
});

test("a page that cannot be fetched says so, not that it is broken", async () => {
	await using watched = await openPage(browser, `${server.url}/healthz`);
	const { page } = watched;
	await page.clock.install();
	await page.goto(`${server.url}/p/trip-planner-http/traces`);
	await listRows(page).first().waitFor();
	await page.route("**/assets/overview-page-*.js", (route) => route.abort());
	await page.getByRole("link", { name: "Overview" }).first().click();
	await skipRetries(page, page.getByRole("alert").filter({ hasText: "The server does not answer" }));
	await page.unroute("**/assets/overview-page-*.js");
	await page.getByRole("button", { name: "Reload the page" }).click();
	await page.getByRole("img", { name: /^Errors from/ }).waitFor();
});

test("ingest health counts what arrives", async () => {
	await using watched = await openPage(browser, `${server.url}/settings/ingest`);
	const { page } = watched;
	const accepted = page.locator("dt", { hasText: "Accepted spans" }).locator("xpath=following-sibling::dd");
	await accepted.waitFor();
	const count = async () =>
		Number(((await accepted.textContent()) ?? "").replace(/.*?([\d,]+)$/, "$1").replaceAll(",", ""));
	const before = await count();
	await replay(server, [TRIP], "--salt", "5");
	await expect.poll(count).toBe(before + trip.spanCount);
});

test.each([
	["/projects/trip-planner-http", "/p/trip-planner-http/traces"],
	[`/projects/trip-planner-http/traces/${first.traceId}`, `/p/trip-planner-http/traces/${first.traceId}`],
	[`/redirects/traces/${first.traceId}`, `/traces/${first.traceId}`],
	[`/redirects/spans/${first.rootSpanId}`, `/traces/${first.traceId}?span=${first.rootSpanId}`],
	["/redirects/sessions/sess-trip-7", "/sessions/sess-trip-7"],
])("%s, as other clients print it, leads to the same here", async (printed, leadsTo) => {
	await using watched = await openPage(browser, server.url + printed);
	const { page } = watched;
	await page.waitForURL((url) => `${url.pathname}${url.search}`.endsWith(leadsTo));
	await page.getByText(first.rootSpanName).first().waitFor();
	expect(watched.problems).toEqual([]);
});
