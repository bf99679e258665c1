import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findAccessibilityViolations, launchBrowserFor, openPage, type UserBrowser } from "../browser.ts";
import { readExpected, replay } from "../fixture-sources.ts";
import { startServer, type TestServer } from "../server.ts";
import { listRows, overflowsSideways } from "./pages.ts";

const SHOP = "py-openai-openinference";
const TRIP = "py-phoenix-otel-http";
const shop = readExpected(SHOP);
const trip = readExpected(TRIP);
const failed = shop.traces.filter((trace) => trace.errorSpanCount > 0).length;
const TRACES = "/p/trip-planner-http/traces";
const SPANS = `${TRACES}?view=spans`;
const SESSIONS = "/p/trip-planner-http/sessions";
const SHOP_TRACES = "/p/bike-shop/traces";

let server: TestServer;
let browser: UserBrowser;

beforeAll(async () => {
	server = await startServer();
	browser = await launchBrowserFor(server);
	await replay(server, [SHOP, TRIP]);
	const response = await server.fetch("/v1/annotation_configs", {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ type: "FREEFORM", name: "helpfulness" }),
	});
	if (!response.ok) throw new Error(`making a config answered ${response.status}: ${await response.text()}`);
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
});

function box(page: Page) {
	return page.getByRole("combobox", { name: /^Search words/ });
}

function parameter(page: Page, name: string): string | null {
	return new URL(page.url()).searchParams.get(name);
}

/** Opens a list and goes into its search field by the key. */
async function openBox(path: string, options?: Parameters<typeof openPage>[2]) {
	const watched = await openPage(browser, server.url + path, options);
	await listRows(watched.page).first().waitFor();
	await watched.page.keyboard.press("/");
	return watched;
}

/** The requests for filtered rows of the list from now on; the live list may look for new rows at any time. */
function watchFilteredRequests(page: Page): string[] {
	const asked: string[] = [];
	page.on("request", (request) => {
		const url = new URL(request.url());
		const filtered = url.searchParams.has("filter") || url.searchParams.has("q");
		if (filtered && /\/(?:traces|spans|sessions)$/.test(url.pathname)) asked.push(request.url());
	});
	return asked;
}

test("an expression is asked for when it can be read, is kept by the address, and the cross clears it", async () => {
	await using watched = await openBox(SHOP_TRACES);
	const { page } = watched;
	await page.keyboard.type("error_count > 0");
	await expect.poll(() => listRows(page).count()).toBe(failed);
	expect(parameter(page, "filter")).toBe("error_count > 0");
	await page.getByRole("img", { name: `Traces: ${failed}` }).waitFor();
	expect(parameter(page, "q")).toBeNull();
	await page.reload();
	await expect.poll(() => listRows(page).count()).toBe(failed);
	await expect.poll(() => box(page).inputValue()).toBe("error_count > 0");
	await page.getByRole("button", { name: "Clear the search" }).click();
	await expect.poll(() => listRows(page).count()).toBe(shop.traceCount);
	expect(parameter(page, "filter")).toBeNull();
	expect(watched.problems).toEqual([]);
});

test("what is typed while the list is asked is kept", async () => {
	await using watched = await openBox(TRACES);
	const { page } = watched;
	await page.keyboard.type("latency_ms >= 0 and name != 'nothing of this name'", { delay: 80 });
	await expect.poll(() => parameter(page, "filter")).toBe("latency_ms >= 0 and name != 'nothing of this name'");
	await expect.poll(() => listRows(page).count()).toBe(trip.traceCount);
	await box(page).fill('"tokyo"');
	await expect.poll(() => listRows(page).count()).toBe(1);
	await expect.poll(() => box(page).inputValue()).toBe('"tokyo"');
});

test("words stay words, and Escape pressed twice clears them", async () => {
	await using watched = await openBox(TRACES);
	const { page } = watched;
	await page.keyboard.type("tokyo");
	await expect.poll(() => listRows(page).count()).toBe(1);
	expect(parameter(page, "q")).toBe("tokyo");
	expect(parameter(page, "filter")).toBeNull();
	await page.keyboard.press("Escape");
	await expect.poll(() => box(page).inputValue()).toBe("tokyo");
	await page.keyboard.press("Escape");
	await expect.poll(() => listRows(page).count()).toBe(trip.traceCount);
	await expect.poll(() => box(page).inputValue()).toBe("");
});

test("what cannot be read is marked and not asked for, and Enter writes what was meant", async () => {
	await using watched = await openBox(TRACES);
	const { page } = watched;
	const asked = watchFilteredRequests(page);
	await box(page).fill("latency_sm > 0");
	const alert = page.getByRole("alert").filter({ hasText: "latency_sm" });
	await alert.waitFor();
	expect(await page.locator("mark").innerText()).toBe("latency_sm");
	await expect.poll(() => box(page).getAttribute("aria-invalid")).toBe("true");
	expect(await findAccessibilityViolations(page)).toEqual([]);
	expect(asked).toEqual([]);
	expect(parameter(page, "filter")).toBeNull();
	await page.keyboard.press("Enter");
	await expect.poll(() => box(page).inputValue()).toBe("latency_ms > 0");
	await expect.poll(() => parameter(page, "filter")).toBe("latency_ms > 0");
	await alert.waitFor({ state: "detached" });
	await box(page).fill("error_count = 0");
	await page.getByRole("button", { name: "Write ==" }).click();
	await expect.poll(() => parameter(page, "filter")).toBe("error_count == 0");
	expect(watched.problems).toEqual([]);
});

test("Enter says what cannot be read, with the options open and after Escape has closed them", async () => {
	await using watched = await openBox(TRACES);
	const { page } = watched;
	const wrong = "latency_ms > '5' and la";
	const alert = page.getByRole("alert").filter({ hasText: "cannot compare number and string" });
	const options = page.getByRole("listbox");
	const typeWrong = async () => {
		await box(page).fill(wrong);
		await options.waitFor();
	};
	await typeWrong();
	await page.keyboard.press("Enter");
	await alert.waitFor();
	expect(await options.count()).toBe(0);
	await box(page).fill("");
	await typeWrong();
	await page.keyboard.press("Escape");
	await options.waitFor({ state: "detached" });
	await page.keyboard.press("Enter");
	await alert.waitFor();
	expect(await box(page).inputValue()).toBe(wrong);
	expect(parameter(page, "filter")).toBeNull();
});

test("a list of traces says which name is a field of spans, and Enter asks for it there", async () => {
	await using watched = await openPage(
		browser,
		`${server.url}${TRACES}?filter=${encodeURIComponent("sapn_kind == 'LLM'")}`,
	);
	const { page } = watched;
	await page.getByText("a trace has no field sapn_kind; spans have span_kind").waitFor();
	await page.getByRole("button", { name: "Write any(x.span_kind == 'LLM' for x in spans)" }).click();
	await listRows(page).first().waitFor();
	expect(parameter(page, "filter")).toBe("any(x.span_kind == 'LLM' for x in spans)");
});

test("what the server refuses is shown at its place alike", async () => {
	await using watched = await openPage(browser, `${server.url}${TRACES}?filter=latency_sm+%3E+0`);
	const { page } = watched;
	await page.locator("mark").getByText("latency_sm", { exact: true }).waitFor();
	await page.getByRole("button", { name: "Write latency_ms" }).click();
	await expect.poll(() => listRows(page).count()).toBe(trip.traceCount);
	expect(parameter(page, "filter")).toBe("latency_ms > 0");
});

test("a list without rows says which name of its filter is no field, and writes the one that was meant", async () => {
	const filter = (expression: string) => `&filter=${encodeURIComponent(expression)}`;
	await using watched = await openPage(browser, `${server.url}${SPANS}${filter("sapn_kind == 'LLM'")}`);
	const { page } = watched;
	const warnings = page.getByRole("list", { name: "About the filter" });
	await warnings.getByText("A span has no field sapn_kind; this asks for an attribute of that name.").waitFor();
	expect(await listRows(page).count()).toBe(0);
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await warnings.getByRole("button", { name: "Write span_kind" }).click();
	await listRows(page).first().waitFor();
	expect(parameter(page, "filter")).toBe("span_kind == 'LLM'");
	expect(await warnings.count()).toBe(0);
	expect(watched.problems).toEqual([]);
});

test("fields, operators and values are completed by the keys alone", async () => {
	await using watched = await openBox(SPANS);
	const { page } = watched;
	const options = page.getByRole("option");
	await page.keyboard.type("span_k");
	await options.filter({ hasText: "span_kind" }).waitFor();
	await expect.poll(() => box(page).getAttribute("aria-expanded")).toBe("true");
	// The list is pale while what is shown is older than what is asked for: a word, until it is a field.
	await expect.poll(() => parameter(page, "q")).toBe("span_k");
	await page.getByText("Nothing matches these filters").waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await page.keyboard.press("Tab");
	await expect.poll(() => box(page).inputValue()).toBe("span_kind");
	await page.keyboard.type(" ");
	await options.filter({ hasText: "is missing" }).waitFor();
	await page.keyboard.press("ArrowDown");
	const chosen = page.getByRole("option", { selected: true });
	await expect.poll(() => chosen.textContent()).toContain("==");
	const chosenId = await chosen.getAttribute("id");
	await expect.poll(() => box(page).getAttribute("aria-activedescendant")).toBe(chosenId);
	await page.keyboard.press("Enter");
	await expect.poll(() => box(page).inputValue()).toBe("span_kind == ");
	await page.keyboard.type("too");
	await options.filter({ hasText: /^TOOL/ }).waitFor();
	await page.keyboard.press("Tab");
	await expect.poll(() => box(page).inputValue()).toBe("span_kind == 'TOOL'");
	await expect.poll(() => parameter(page, "filter")).toBe("span_kind == 'TOOL'");
	await page.keyboard.type(" and lat");
	await options.first().waitFor();
	await page.keyboard.press("Escape");
	await options.first().waitFor({ state: "detached" });
	await expect.poll(() => box(page).inputValue()).toBe("span_kind == 'TOOL' and lat");
	expect(watched.problems).toEqual([]);
});

test("names of annotations, attributes and their values are offered from the project", async () => {
	await using watched = await openBox(SPANS);
	const { page } = watched;
	await page.keyboard.type("annotations['");
	await page.getByRole("option").filter({ hasText: "helpfulness" }).click();
	await expect.poll(() => box(page).inputValue()).toBe("annotations['helpfulness']");
	await page.keyboard.type(".sc");
	await page.getByRole("option").filter({ hasText: "score" }).waitFor();
	await box(page).fill("llm.model_name == ");
	await page.getByRole("option").first().click();
	await expect.poll(() => parameter(page, "filter")).toMatch(/^llm\.model_name == '.+'$/);
	await expect.poll(() => listRows(page).count()).toBeGreaterThan(0);
});

test("Alt and a click leave a value out, a click alone asks for it", async () => {
	const [user] = trip.traces[0]?.userIds ?? [];
	if (user === undefined) throw new Error(`${TRIP} has no user`);
	await using watched = await openPage(browser, server.url + TRACES);
	const { page } = watched;
	const ofUser = () => listRows(page).getByRole("button", { name: user, exact: true });
	await expect.poll(() => listRows(page).count()).toBe(trip.traceCount);
	const others = trip.traceCount - (await ofUser().count());
	await ofUser()
		.first()
		.click({ modifiers: ["Alt"] });
	await expect.poll(() => ofUser().count()).toBe(0);
	if (others > 0) await expect.poll(() => listRows(page).count()).toBe(others);
	await expect.poll(() => box(page).inputValue()).toBe(`(user.id != '${user}' or user.id is None)`);
	await page.goto(server.url + TRACES);
	await ofUser().first().click();
	await page.getByRole("button", { name: `Remove the filter User ${user}` }).waitFor();
	await ofUser()
		.first()
		.click({ modifiers: ["Alt"] });
	await expect.poll(() => new URL(page.url()).searchParams.getAll("user")).toEqual([]);
	await expect.poll(() => ofUser().count()).toBe(0);
	expect(watched.problems).toEqual([]);
});

test("Alt and a click on a kind leaves the spans of that kind out", async () => {
	await using watched = await openPage(browser, server.url + SPANS);
	const { page } = watched;
	await expect.poll(() => listRows(page).count()).toBe(trip.spanCount);
	const llm = listRows(page).getByRole("button", { name: "LLM", exact: true });
	const count = await llm.count();
	expect(count).toBeGreaterThan(0);
	await llm.first().click({ modifiers: ["Alt"] });
	await expect.poll(() => listRows(page).count()).toBe(trip.spanCount - count);
	expect(parameter(page, "filter")).toBe("span_kind != 'LLM'");
	expect(parameter(page, "kind")).toBeNull();
});

test("changes of the filter and the view are steps of Back, what is typed at once is one", async () => {
	await using watched = await openBox(TRACES);
	const { page } = watched;
	await page.keyboard.type("toky");
	await expect.poll(() => parameter(page, "q")).toBe("toky");
	await page.keyboard.type("o");
	await expect.poll(() => parameter(page, "q")).toBe("tokyo");
	await page.getByRole("button", { name: "All spans" }).click();
	await expect.poll(() => parameter(page, "view")).toBe("spans");
	await page.goBack();
	await expect.poll(() => parameter(page, "view")).toBeNull();
	await expect.poll(() => box(page).inputValue()).toBe("tokyo");
	await page.goBack();
	await expect.poll(() => listRows(page).count()).toBe(trip.traceCount);
	await expect.poll(() => box(page).inputValue()).toBe("");
	expect(watched.problems).toEqual([]);
});

test("an attribute of a span filters the list beside it, and from the trace's page a list of spans", async () => {
	await using watched = await openPage(browser, server.url + TRACES);
	const { page } = watched;
	await listRows(page).first().click();
	await page.getByRole("tab", { name: /^Attributes/ }).click();
	const key = page.getByRole("table", { name: /^Attributes/ }).getByRole("button", { name: "session.id", exact: true });
	await key.click();
	await expect
		.poll(() => parameter(page, "filter"))
		.toMatch(/^any\(x\.attributes\['session\.id'\] == '.+' for x in spans\)$/);
	const wanted = parameter(page, "filter");
	await key.click({ modifiers: ["Alt"] });
	await expect.poll(() => parameter(page, "filter")).toBe(`not ${wanted}`);
	await expect.poll(() => listRows(page).count()).toBe(0);
	const toOwnPage = page.getByRole("link", { name: "Open on its own page" });
	await toOwnPage.click();
	// The same button is beside the list until then.
	await toOwnPage.waitFor({ state: "detached" });
	await key.click();
	await expect.poll(() => parameter(page, "view")).toBe("spans");
	expect(parameter(page, "filter")).toMatch(/^attributes\['session\.id'\] == '.+'$/);
	await listRows(page).first().waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);
	expect(watched.problems).toEqual([]);
});

test("examples are a click away", async () => {
	await using watched = await openPage(browser, server.url + SESSIONS);
	const { page } = watched;
	await listRows(page).first().waitFor();
	await page.getByRole("button", { name: "Examples of filters" }).click();
	const example = page.getByRole("button", { name: /^num_traces > 3/ });
	await example.waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);
	const text = await example.innerText();
	await example.click();
	await expect.poll(() => parameter(page, "filter")).toBe(text);
	await expect.poll(() => box(page).inputValue()).toBe(text);
	expect(watched.problems).toEqual([]);
});

test("the filter goes along between traces and sessions, and where it does not fit the field says why", async () => {
	await using watched = await openPage(browser, `${server.url}${TRACES}?filter=total_cost+%3E%3D+0`);
	const { page } = watched;
	await listRows(page).first().waitFor();
	const nav = page.getByRole("navigation", { name: "Project", exact: true });
	await nav.getByRole("link", { name: "Sessions" }).click();
	await page.getByRole("grid", { name: "Sessions" }).waitFor();
	await expect.poll(() => box(page).inputValue()).toBe("total_cost >= 0");
	await box(page).fill("num_traces >= 1");
	await expect.poll(() => parameter(page, "filter")).toBe("num_traces >= 1");
	await nav.getByRole("link", { name: "Traces" }).click();
	await page.locator("mark").getByText("num_traces", { exact: true }).waitFor();
	await expect.poll(() => box(page).inputValue()).toBe("num_traces >= 1");
	await page.getByRole("heading", { name: "This list cannot be filtered like this" }).waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await page.goBack();
	await listRows(page).first().waitFor();
	await expect.poll(() => page.locator("mark").count()).toBe(0);
});

test("other filters go along to the overview, and sessions say which they do not have", async () => {
	const [{ rootSpanName: name = "" } = {}] = trip.traces;
	await using watched = await openPage(browser, `${server.url}${TRACES}?name=${encodeURIComponent(name)}&q=tokyo`);
	const { page } = watched;
	await listRows(page).first().waitFor();
	const nav = page.getByRole("navigation", { name: "Project", exact: true });
	await nav.getByRole("link", { name: "Sessions" }).click();
	await page.getByText("Sessions have no filter by name; Back returns to it.").waitFor();
	expect(parameter(page, "q")).toBe("tokyo");
	expect(parameter(page, "name")).toBeNull();
	await page.goBack();
	await listRows(page).first().waitFor();
	await nav.getByRole("link", { name: "Overview" }).click();
	await page.getByRole("button", { name: `Remove the filter Name ${name}` }).waitFor();
	expect(await page.getByText("Split by").count()).toBe(0);
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await page.getByRole("button", { name: "Clear filters" }).click();
	await page.getByText("Split by").first().waitFor();
	expect(watched.problems).toEqual([]);
});

test("the parser and the completions come with the first focus, not with the page", async () => {
	await using watched = await openPage(browser, `${server.url}/healthz`);
	const { page } = watched;
	const loaded: string[] = [];
	page.on("request", (request) => loaded.push(new URL(request.url()).pathname));
	await page.goto(server.url + TRACES);
	await listRows(page).first().waitFor();
	const isAssist = (path: string) => /filter-assist-.*\.js$/.test(path);
	expect(loaded.some(isAssist)).toBe(false);
	await box(page).focus();
	await expect.poll(() => loaded.some(isAssist)).toBe(true);
});

test("the list of options fits a phone", async () => {
	await using watched = await openBox(SPANS, { viewport: { width: 390, height: 800 } });
	const { page } = watched;
	await page.keyboard.type("llm_");
	await page.getByRole("option").first().waitFor();
	await expect.poll(() => overflowsSideways(page)).toBe(false);
	const list = await page.getByRole("listbox").boundingBox();
	expect((list?.x ?? 0) + (list?.width ?? 0)).toBeLessThanOrEqual(390);
});
