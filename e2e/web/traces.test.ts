import type { Locator } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowserFor, openPage, type UserBrowser } from "../browser.ts";
import { readExpected, replay } from "../fixture-sources.ts";
import { startServer, type TestServer } from "../server.ts";
import { msOfNow, sendSpans, spanIdOf } from "./otlp-json.ts";
import { listRows } from "./pages.ts";

const SHOP = "py-openai-openinference";
const TRIP = "py-phoenix-otel-http";
const shop = readExpected(SHOP);
const trip = readExpected(TRIP);

let server: TestServer;
let browser: UserBrowser;

beforeAll(async () => {
	server = await startServer();
	browser = await launchBrowserFor(server);
	await replay(server, [SHOP, TRIP]);
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
});

async function sendAnnotations(target: "span" | "trace", data: readonly object[]): Promise<void> {
	const sent = await server.fetch(`/v1/${target}_annotations?sync=true`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ data }),
	});
	expect(sent.status).toBe(200);
}

test("the list shows what expect.json says of each trace", async () => {
	await using watched = await openPage(browser, `${server.url}/p/trip-planner-http/traces`);
	const { page } = watched;
	for (const trace of trip.traces) {
		const row = listRows(page).filter({ hasText: trace.rootInputText ?? "" });
		await row.waitFor();
		const text = (await row.textContent()) ?? "";
		expect(text).toContain(trace.rootSpanName);
		expect(text).toContain(String(trace.tokens?.total));
		expect(text).toContain(trace.sessionIds?.[0]);
		expect(text).toContain(trace.userIds?.[0]);
	}
	expect(await listRows(page).count()).toBe(trip.traceCount);
});

test("all spans is a toggle that the address keeps", async () => {
	await using watched = await openPage(browser, `${server.url}/p/trip-planner-http/traces`);
	const { page } = watched;
	await listRows(page).first().waitFor();
	await page.getByRole("button", { name: "All spans" }).click();
	await expect.poll(() => listRows(page).count()).toBe(trip.spanCount);
	expect(new URL(page.url()).searchParams.get("view")).toBe("spans");
	await page.reload();
	await expect.poll(() => listRows(page).count()).toBe(trip.spanCount);
	expect(watched.problems).toEqual([]);
});

test("a model that only calls a tool shows the call as its output, not the raw answer", async () => {
	await using watched = await openPage(browser, `${server.url}/p/bike-shop/traces?view=spans`);
	const row = listRows(watched.page).filter({ hasText: "What is the weather in Tokyo?" });
	await row.getByText('get_weather({"city":"Tokyo"})').waitFor();
});

test("errors only leaves the traces in error, and the chip takes the filter off", async () => {
	const failed = shop.traces.filter((trace) => trace.errorSpanCount > 0).length;
	await using watched = await openPage(browser, `${server.url}/p/bike-shop/traces`);
	const { page } = watched;
	await expect.poll(() => listRows(page).count()).toBe(shop.traceCount);
	await page.getByRole("button", { name: "Filter", exact: true }).click();
	await page.getByRole("button", { name: "Errors only" }).click();
	await page.getByRole("button", { name: "Add", exact: true }).click();
	await expect.poll(() => listRows(page).count()).toBe(failed);
	expect(new URL(page.url()).searchParams.get("error")).toBe("1");
	await page.getByRole("button", { name: /Remove the filter Status/ }).click();
	await expect.poll(() => listRows(page).count()).toBe(shop.traceCount);
});

test("words search the spans, and no hit offers to clear them", async () => {
	await using watched = await openPage(browser, `${server.url}/p/trip-planner-http/traces`);
	const { page } = watched;
	await listRows(page).first().waitFor();
	await page.keyboard.press("/");
	await page.keyboard.type("tokyo");
	await expect.poll(() => listRows(page).count()).toBe(1);
	await page.keyboard.type(" zzz");
	await page.getByText("Nothing matches these filters").waitFor();
	await page.getByRole("main").getByRole("button", { name: "Clear filters" }).last().click();
	await expect.poll(() => listRows(page).count()).toBe(trip.traceCount);
});

test("a click on a user filters by it", async () => {
	const [user] = trip.traces[0]?.userIds ?? [];
	if (user === undefined) throw new Error(`${TRIP} has no user`);
	await using watched = await openPage(browser, `${server.url}/p/trip-planner-http/traces`);
	const { page } = watched;
	await listRows(page).first().getByRole("button", { name: user }).click();
	await page.getByRole("button", { name: `Remove the filter User ${user}` }).waitFor();
	expect(new URL(page.url()).searchParams.getAll("user")).toEqual([user]);
});

test("the keys walk the rows, open a trace beside them and close it", async () => {
	await using watched = await openPage(browser, `${server.url}/p/trip-planner-http/traces`);
	const { page } = watched;
	await listRows(page).first().waitFor();
	await page.keyboard.press("j");
	await page.keyboard.press("j");
	await page.keyboard.press("k");
	await page.keyboard.press("Enter");
	const panel = page.getByRole("region", { name: "Trace", exact: true });
	await panel.waitFor();
	const opened = new URL(page.url()).searchParams.get("trace");
	expect(trip.traces.map((trace) => trace.traceId)).toContain(opened);
	await page.keyboard.press("j");
	await expect.poll(() => new URL(page.url()).searchParams.get("trace")).not.toBe(opened);
	await page.keyboard.press("Escape");
	await panel.waitFor({ state: "detached" });
	await expect.poll(() => new URL(page.url()).searchParams.get("trace")).toBeNull();
	await page.goBack();
	await panel.waitFor();
	expect(watched.problems).toEqual([]);
});

test("rows are links: a new tab with Ctrl or the middle button, and a context menu to copy from", async () => {
	await using watched = await openPage(browser, `${server.url}/p/trip-planner-http/traces`);
	const { page } = watched;
	const row = listRows(page).first();
	const link = row.locator("a[data-row-link]");
	const address = `${server.url}${await link.getAttribute("href")}`;
	const output = row.getByRole("gridcell").nth(4);
	const presses = [
		() => output.click({ modifiers: ["ControlOrMeta"] }),
		() => output.click({ button: "middle" }),
		() => link.click({ modifiers: ["ControlOrMeta"] }),
	];
	for (const press of presses) {
		const [tab] = await Promise.all([page.context().waitForEvent("page"), press()]);
		await tab.getByRole("region", { name: "Trace", exact: true }).waitFor();
		expect(tab.url()).toBe(address);
		await tab.close();
	}
	const asked = page.evaluate(
		() =>
			new Promise((resolve) => {
				const onMenu = ({ target }: Event) => resolve(target instanceof HTMLAnchorElement && target.href);
				document.addEventListener("contextmenu", onMenu, { once: true });
			}),
	);
	await output.click({ button: "right" });
	expect(await asked).toBe(address);
	expect(new URL(page.url()).searchParams.get("trace")).toBeNull();
	await link.click();
	await expect.poll(() => page.url()).toBe(address);
	expect(watched.problems).toEqual([]);
});

test("brackets and buttons step through the rows of the list, with the tab and the focus kept", async () => {
	await using watched = await openPage(browser, `${server.url}/p/bike-shop/traces`);
	const { page } = watched;
	const opened = () => new URL(page.url()).searchParams.get("trace");
	await listRows(page).first().click();
	const panel = page.getByRole("region", { name: "Trace", exact: true });
	const previous = panel.getByRole("button", { name: "Previous in the list" });
	const next = panel.getByRole("button", { name: "Next in the list" });
	await panel.getByRole("tab", { name: "Raw" }).click();
	await expect.poll(() => previous.isDisabled()).toBe(true);
	const first = opened();
	await page.keyboard.press("]");
	await expect.poll(opened).not.toBe(first);
	expect(new URL(page.url()).searchParams.get("tab")).toBe("raw");
	await expect.poll(() => panel.evaluate((element) => element.contains(document.activeElement))).toBe(true);
	const isDrawn = (row: number) =>
		expect.poll(() => listRows(page).nth(row).getAttribute("aria-selected")).toBe("true");
	// The buttons lead on from what is drawn, not from the address.
	await expect.poll(() => previous.isDisabled()).toBe(false);
	const second = opened();
	await next.click();
	await expect.poll(opened).not.toBe(second);
	await isDrawn(2);
	await previous.click();
	await expect.poll(opened).toBe(second);
	await isDrawn(1);
	// Two frames, in which the keys get to know the rows next to it.
	await previous.click({ trial: true });
	await page.keyboard.press("[");
	await expect.poll(opened).toBe(first);
	expect(watched.problems).toEqual([]);
});

test("on a phone the trace covers the list, steps through it, and leaves it where it was", async () => {
	await using watched = await openPage(browser, `${server.url}/p/bike-shop/traces`, {
		viewport: { width: 390, height: 400 },
	});
	const { page } = watched;
	const grid = page.locator("[role=grid]");
	await listRows(page)
		.last()
		.click({ position: { x: 60, y: 16 } });
	const scrolled = await grid.evaluate((element) => element.parentElement?.scrollTop);
	const panel = page.getByRole("region", { name: "Trace", exact: true });
	await panel.waitFor();
	await grid.waitFor({ state: "hidden" });
	const opened = () => new URL(page.url()).searchParams.get("trace");
	const last = opened();
	await panel.getByRole("button", { name: "Previous in the list" }).click();
	await expect.poll(opened).not.toBe(last);
	await panel.getByRole("button", { name: "Close the trace" }).click();
	await grid.waitFor();
	expect(await grid.evaluate((element) => element.parentElement?.scrollTop)).toBe(scrolled);
});

test("columns are chosen in a menu, stay on this browser and stand in the address", async () => {
	await using watched = await openPage(browser, `${server.url}/p/trip-planner-http/traces`);
	const { page } = watched;
	const head = page.getByRole("columnheader", { name: "Trace id" });
	await listRows(page).first().waitFor();
	expect(await head.count()).toBe(0);
	await page.getByRole("button", { name: "Columns" }).click();
	await page.getByRole("menuitemcheckbox", { name: "Trace id" }).click();
	await head.waitFor();
	expect(new URL(page.url()).searchParams.get("cols")).toContain("trace_id");
	await page.goto(`${server.url}/p/bike-shop/traces`);
	await head.waitFor();
});

test("each score and label has a column, which is moved, resized and hidden with the mouse and with keys", async () => {
	const [first, second] = trip.traces.map(({ traceId }) => traceId);
	const annotate = (trace_id: string | undefined, name: string, result: object) => ({
		trace_id,
		name,
		annotator_kind: "CODE",
		result,
	});
	const data = [
		annotate(first, "tone", { label: "kind" }),
		annotate(first, "fit: 1, or more", { score: 0.25 }),
		annotate(second, "fit: 1, or more", { score: 0.5 }),
	];
	await sendAnnotations("trace", data);
	await using watched = await openPage(browser, `${server.url}/p/trip-planner-http/traces`);
	const { page } = watched;
	const heads = page.getByRole("columnheader");
	const head = (name: string) => page.getByRole("columnheader", { name, exact: true });
	const titles = () => heads.allTextContents();
	const tone = head("tone");
	await tone.waitFor();
	expect((await titles()).slice(5, 9)).toEqual(["Output", "fit: 1, or more", "tone", "Latency"]);
	const cell = async (row: Locator, name: string) => row.getByRole("gridcell").nth((await titles()).indexOf(name));
	const annotated = listRows(page).filter({ hasText: "kind" });
	expect(await (await cell(annotated, "fit: 1, or more")).innerText()).toContain("0.25");

	await tone.dragTo(head("Name"), { targetPosition: { x: 2, y: 8 } });
	await expect.poll(async () => (await titles()).slice(2, 5)).toEqual(["Time", "tone", "Name"]);
	expect(await (await cell(annotated, "tone")).innerText()).toContain("kind");

	const widthOf = async (name: string) => (await head(name).boundingBox())?.width;
	const edge = await page.locator('[data-resize="input"]').boundingBox();
	if (!edge) throw new Error("the column has no edge to drag");
	const before = (await widthOf("Input")) ?? 0;
	await page.mouse.move(edge.x + 6, edge.y + 6);
	await page.mouse.down();
	await page.mouse.move(edge.x + 106, edge.y + 6);
	await page.mouse.up();
	await expect.poll(() => widthOf("Input")).toBe(before + 100);

	await tone.focus();
	await page.keyboard.press("Shift+ArrowLeft");
	await expect.poll(async () => (await titles()).slice(1, 4)).toEqual(["Status", "tone", "Time"]);
	await page.keyboard.press("Alt+ArrowRight");
	await expect.poll(() => widthOf("tone")).toBe(112 + 24);
	await page.keyboard.press("ArrowRight");
	await page.keyboard.press("Delete");
	await expect.poll(async () => (await titles()).slice(1, 4)).toEqual(["Status", "tone", "Name"]);

	const arranged = await titles();
	const stranger = await browser.newContext();
	const opened = await stranger.newPage();
	await opened.goto(page.url());
	await expect.poll(() => opened.getByRole("columnheader").allTextContents()).toEqual(arranged);
	await stranger.close();
	await page.goto(`${server.url}/p/trip-planner-http/traces`);
	await expect.poll(titles).toEqual(arranged);

	const fit = head("fit: 1, or more");
	await fit.getByRole("button").click();
	await expect.poll(() => fit.getAttribute("aria-sort")).toBe("descending");
	await expect.poll(() => listRows(page).first().textContent()).toContain("0.5");
	await fit.getByRole("button").click();
	await expect.poll(() => listRows(page).first().textContent()).toContain("0.25");

	await page.getByRole("button", { name: "Columns" }).click();
	const item = page.getByRole("menuitemcheckbox", { name: "tone" });
	await item.hover();
	await page.keyboard.press("Shift+ArrowDown");
	await expect.poll(async () => (await titles()).slice(1, 4)).toEqual(["Status", "Name", "tone"]);
	await page.keyboard.press("Shift+ArrowUp");
	await expect.poll(async () => (await titles()).slice(1, 4)).toEqual(["Status", "tone", "Name"]);
	await page.getByRole("menuitem", { name: "Reset columns" }).click();
	await expect.poll(async () => (await titles()).slice(5, 8)).toEqual(["Output", "fit: 1, or more", "tone"]);
	expect(new URL(page.url()).searchParams.get("cols")).toBeNull();
	expect(watched.problems).toEqual([]);
});

test("sorting by latency turns the list round", async () => {
	await using watched = await openPage(browser, `${server.url}/p/bike-shop/traces`);
	const { page } = watched;
	await listRows(page).first().waitFor();
	const latency = page.getByRole("columnheader", { name: "Latency" });
	await latency.getByRole("button").click();
	await expect.poll(() => latency.getAttribute("aria-sort")).toBe("descending");
	const answer = await server.fetch("/v1/projects/bike-shop/traces?sort=latency_ms&limit=1");
	const slowest = ((await answer.json()) as { data: { first_input: string }[] }).data[0]?.first_input ?? "no trace";
	await expect.poll(() => listRows(page).first().textContent()).toContain(slowest);
	await latency.getByRole("button").click();
	await expect.poll(() => latency.getAttribute("aria-sort")).toBe("ascending");
	await expect.poll(() => listRows(page).last().textContent()).toContain(slowest);
});

test("spans are sorted by cost, in the address too, and those without one come last", async () => {
	await using watched = await openPage(browser, `${server.url}/p/bike-shop/traces?view=spans`);
	const { page } = watched;
	await listRows(page).first().waitFor();
	const cost = page.getByRole("columnheader", { name: "Cost" });
	await cost.getByRole("button").click();
	await expect.poll(() => new URL(page.url()).searchParams.get("sort")).toBe("total_cost");
	const answer = await server.fetch("/v1/projects/bike-shop/spans?sort=total_cost&limit=1000");
	const spans = ((await answer.json()) as { data: { name: string; total_cost: number | null }[] }).data;
	expect([spans[0]?.total_cost, spans.at(-1)?.total_cost]).toEqual([expect.any(Number), null]);
	await expect.poll(() => listRows(page).first().textContent()).toContain(spans[0]?.name);
	expect(watched.problems).toEqual([]);
});

test("new traces wait behind a button, and come in by themselves while live is on", async () => {
	await using watched = await openPage(browser, `${server.url}/p/agents/traces`);
	const { page } = watched;
	await page.getByText("There is no project agents").waitFor();
	await replay(server, ["py-openai-agents-openinference"], "--shift-now", "--salt", "1");
	const { traceCount } = readExpected("py-openai-agents-openinference");
	await expect.poll(() => listRows(page).count()).toBe(traceCount);
	await replay(server, ["py-openai-agents-openinference"], "--shift-now", "--salt", "2");
	await page.getByRole("button", { name: `${traceCount} new` }).click();
	await expect.poll(() => listRows(page).count()).toBe(2 * traceCount);
	await page.getByRole("button", { name: "Live" }).click();
	await replay(server, ["py-openai-agents-openinference"], "--shift-now", "--salt", "3");
	await expect.poll(() => listRows(page).count()).toBe(3 * traceCount);
});

test("a project that waits turns into the list when the first trace arrives", async () => {
	const answer = await server.fetch("/v1/projects", {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ name: "langgraph-shop" }),
	});
	expect(answer.status).toBe(200);
	await using watched = await openPage(browser, `${server.url}/p/langgraph-shop/traces`);
	const { page } = watched;
	await page.getByText("Waiting for the first trace").waitFor();
	await page.getByText(`${server.url}/v1/traces`).waitFor();
	await replay(server, ["py-langchain-openinference"]);
	await listRows(page).first().waitFor();
	expect(watched.problems).toEqual([]);
});

test("what arrives between the list and the opening of its stream is offered too", async () => {
	await using watched = await openPage(browser, `${server.url}/healthz`);
	const { page } = watched;
	const stored = Promise.withResolvers<void>();
	await page.route(/\/stream$/, async (route) => {
		await stored.promise;
		await route.continue();
	});
	await page.goto(`${server.url}/p/bike-shop/traces`);
	await expect.poll(() => listRows(page).count()).toBe(shop.traceCount);
	await replay(server, [SHOP], "--salt", "1");
	stored.resolve();
	await page.getByRole("button", { name: `${shop.traceCount} new` }).waitFor();
});

test("a score of rows that are not loaded has a column, too, and one of inner spans is offered", async () => {
	const now = msOfNow();
	const at = (index: number) => ({
		traceId: (index + 0x5c0000).toString(16).padStart(32, "0"),
		...{ startMs: now + index, endMs: now + index + 1 },
	});
	await sendSpans(server, [
		...Array.from({ length: 200 }, (_, index) => ({ ...at(index), spanId: spanIdOf(index), name: `run ${index}` })),
		{ ...at(0), spanId: spanIdOf(200), parentSpanId: spanIdOf(0), name: "inside" },
	]);
	const byCode = { annotator_kind: "CODE" };
	const late = { ...byCode, trace_id: at(0).traceId, name: "late", result: { score: 0.75 } };
	await sendAnnotations("trace", [late]);
	const inside = { ...byCode, span_id: spanIdOf(200), name: "inner", result: { label: "odd" } };
	await sendAnnotations("span", [inside]);
	await using watched = await openPage(browser, `${server.url}/p/default/traces`);
	const { page } = watched;
	const head = page.getByRole("columnheader", { name: "late", exact: true });
	await head.waitFor();
	await head.getByRole("button").click();
	await expect.poll(() => listRows(page).allTextContents()).toEqual([expect.stringContaining("run 0")]);
	await page.getByRole("button", { name: "Columns" }).click();
	const inner = page.getByRole("menuitemcheckbox", { name: "inner" });
	expect(await inner.getAttribute("aria-checked")).toBe("false");
	expect(watched.problems).toEqual([]);
});
