import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Account, asAdmin, createAccount, createUserKey, logIn, startWithAuth } from "../access/accounts.ts";
import { browserOf, findAccessibilityViolations, launchBrowser, openPage } from "../browser.ts";
import type { TestServer } from "../server.ts";
import { sendSpans, spanIdOf } from "./otlp-json.ts";
import { expectWellMade, listRows, overflowsSideways } from "./pages.ts";
import { faultsOf } from "./sessions.ts";

const MODELS = ["a", "a", "a", "b", "b", "c"];
const TRACES = "/p/default/traces";
const SPANS = `${TRACES}?view=spans`;

let server: TestServer;
let chromium: Browser;
let admin: Account;
let member: Account;
let viewer: Account;

beforeAll(async () => {
	server = await startWithAuth();
	chromium = await launchBrowser();
	[admin, member, viewer] = [
		await createAccount(server, "ADMIN"),
		await createAccount(server, "MEMBER"),
		await createAccount(server, "VIEWER"),
	];
	const key = await createUserKey(await logIn(server, member.email, member.password));
	await sendSpans({ url: server.url, headers: { authorization: `Bearer ${key}` } }, calls());
});
afterAll(async () => {
	await chromium.close();
	await server[Symbol.asyncDispose]();
});

/** Traces of an agent and a call of a model below it, of which the first one fails. */
function calls() {
	return MODELS.flatMap((model, index) => {
		const traceId = (index + 1).toString(16).padStart(32, "0");
		const root = { traceId, spanId: spanIdOf(2 * index), startMs: index, endMs: index + 50, name: "agent" };
		const attributes = { "openinference.span.kind": "LLM", "llm.model_name": model, "app.tenant": `t${index % 2}` };
		return [
			{ ...root, attributes: { "openinference.span.kind": "AGENT", "user.id": `user-${index % 3}` } },
			{
				...{ ...root, spanId: spanIdOf(2 * index + 1), parentSpanId: root.spanId, name: "call", attributes },
				...(index === 0 ? { error: "no" } : {}),
			},
		];
	});
}

/** A page of one person's browser. */
function openAs(account: Account, path: string, options: Parameters<typeof openPage>[2] = {}) {
	return openPage(browserOf(chromium, server, account), server.url + path, { colorScheme: "light", ...options });
}

function parameter(page: Page, name: string): string | null {
	return new URL(page.url()).searchParams.get(name);
}

function box(page: Page) {
	return page.getByRole("combobox", { name: /^Search words/ });
}

function viewButton(page: Page, name: string) {
	return page.getByRole("button", { name, exact: true });
}

async function inMenu(page: Page, button: string, item: string): Promise<void> {
	await viewButton(page, button).click();
	await page.getByRole("menuitem", { name: item }).click();
}

test("W31 a list is saved under a name, says what was edited, and Back restores each step", async () => {
	await using watched = await openAs(member, `${SPANS}&filter=latency_ms+%3E%3D+0&sort=latency_ms`);
	const { page } = watched;
	await expect.poll(() => listRows(page).count()).toBe(12);
	await inMenu(page, "Views", "Save as new view…");
	const dialog = page.getByRole("dialog", { name: "Save as new view" });
	await dialog.getByLabel("Name").fill("Calls by latency");
	await dialog.getByRole("button", { name: "Save" }).click();
	await viewButton(page, "View: Calls by latency").waitFor();
	expect([parameter(page, "filter"), parameter(page, "rows")]).toEqual(["latency_ms >= 0", "spans"]);
	expect(await page.getByText("edited").count()).toBe(0);
	const address = page.url();

	await box(page).fill("model == 'a'");
	await expect.poll(() => listRows(page).count()).toBe(3);
	await page.getByText("edited").waitFor();
	expect(parameter(page, "view")).toBe(new URL(address).searchParams.get("view"));
	await page.getByRole("button", { name: "Reset" }).click();
	await expect.poll(() => page.url()).toBe(address);
	await expect.poll(() => page.getByText("edited").count()).toBe(0);
	await page.goBack();
	await expect.poll(() => box(page).inputValue()).toBe("model == 'a'");
	await page.getByText("edited").waitFor();
	await page.getByRole("button", { name: "Save", exact: true }).click();
	await expect.poll(() => page.getByText("edited").count()).toBe(0);
	await page.reload();
	await viewButton(page, "View: Calls by latency").waitFor();
	await expect.poll(() => listRows(page).count()).toBe(3);

	await inMenu(page, "View: Calls by latency", "Delete…");
	await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
	await viewButton(page, "Views").waitFor();
	expect(parameter(page, "filter")).toBe("model == 'a'");
	await page.goto(address);
	await page.getByText("This view is not there").waitFor();
	await expect.poll(() => listRows(page).count()).toBe(12);
	expect(faultsOf(watched)).toEqual([]);
});

test("W31 a list opens with the project's view where its address says nothing, and viewers cannot save", async () => {
	const state = { filter: "model == 'b'", columns: ["name:240", "model"], range: "all" };
	const body = { name: "Calls of b", page: "spans", project: "default", state };
	const { id } = await asAdmin(server).data("POST", "/v1/views", body);
	await using chosen = await openAs(admin, `${TRACES}?view=${encodeURIComponent(id)}`);
	await expect.poll(() => listRows(chosen.page).count()).toBe(2);
	await inMenu(chosen.page, "View: Calls of b", "Open the list with this view");
	const path = "/v1/projects/default/default_views";
	await expect.poll(async () => (await asAdmin(server).data("GET", path)).spans).toBe(id);

	await using watched = await openAs(viewer, SPANS);
	const { page } = watched;
	await viewButton(page, "View: Calls of b").waitFor();
	await expect.poll(() => listRows(page).count()).toBe(2);
	expect(await page.getByRole("columnheader").allTextContents()).toEqual(expect.arrayContaining(["Model"]));
	await page.goto(`${server.url}${SPANS}&filter=model+%3D%3D+%27a%27`);
	await expect.poll(() => listRows(page).count()).toBe(3);
	await viewButton(page, "Views").waitFor();
	// Who takes the filter away sees everything, and goes on doing so.
	await page.getByRole("button", { name: "Clear filters" }).click();
	await expect.poll(() => listRows(page).count()).toBe(12);
	await expect.poll(() => parameter(page, "from")).toBe("all");

	await page.goto(`${server.url}${TRACES}?view=${encodeURIComponent(id)}&rows=spans&filter=model+%3D%3D+%27c%27`);
	await expect.poll(() => listRows(page).count()).toBe(1);
	await page.getByText("Viewers open views and copy links; members save them.").waitFor();
	expect(await page.getByRole("button", { name: /^Save/ }).count()).toBe(0);
	await expectWellMade(page, viewButton(page, "View: Calls of b"));
	await viewButton(page, "View: Calls of b").click();
	await page.getByRole("menuitem", { name: "Copy link" }).waitFor();
	expect(await page.getByRole("menuitem", { name: /Save|Rename|Delete|Open the list/ }).count()).toBe(0);
	expect(faultsOf(watched)).toEqual([]);
	await asAdmin(server).data("PUT", path, { spans: null });
});

test("W19 facets count what else is there, and are the same text as the filter", async () => {
	await using watched = await openAs(member, SPANS);
	const { page } = watched;
	await listRows(page).first().waitFor();
	await page.keyboard.press("f");
	const panel = page.getByRole("complementary", { name: "Facets" });
	const model = panel.getByRole("region", { name: "Model" });
	const value = (label: string) => model.getByRole("button", { name: new RegExp(`^${label} `) });
	await value("a").click();
	await expect.poll(() => box(page).inputValue()).toBe("model == 'a'");
	await expect.poll(() => listRows(page).count()).toBe(3);
	await value("b").click();
	await expect.poll(() => box(page).inputValue()).toBe("model in ['a', 'b']");
	await expect.poll(() => model.getByRole("listitem").allTextContents()).toMatchObject({ length: 4 });
	await expect.poll(() => value("c").textContent()).toContain("1");
	await value("c").click({ modifiers: ["Alt"] });
	await expect.poll(() => box(page).inputValue()).toBe("model in ['a', 'b'] and (model != 'c' or model is None)");
	// What is outdated is pale until the answer has come.
	await expect.poll(() => findAccessibilityViolations(page)).toEqual([]);

	// What is typed is chosen.
	await box(page).fill("model == 'b' and span_kind == 'LLM'");
	await expect.poll(() => value("b").getAttribute("aria-pressed")).toBe("true");
	await expect.poll(() => value("a").getAttribute("aria-pressed")).toBe("false");
	await expect.poll(() => value("a").textContent()).toContain("3");
	await expect.poll(() => model.getByRole("button", { name: /^no value/ }).count()).toBe(0);

	await panel.getByRole("button", { name: "Pin an attribute" }).click();
	await page.getByRole("button", { name: /^app\.tenant/ }).click();
	const tenant = panel.getByRole("region", { name: "app.tenant" });
	await tenant.getByRole("button", { name: /^t1 / }).click();
	await expect.poll(() => parameter(page, "filter")).toContain("attributes['app.tenant'] == 't1'");
	await page.reload();
	await expect.poll(() => tenant.getByRole("button", { name: /^t1 / }).getAttribute("aria-pressed")).toBe("true");
	await page.keyboard.press("?");
	await page.getByText("Facets on or off").waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("W31 the list of users has views, and facets of their traces", async () => {
	await using watched = await openAs(member, "/p/default/users");
	const { page } = watched;
	await expect.poll(() => listRows(page).count()).toBe(3);
	await page.keyboard.press("f");
	const status = page.getByRole("complementary", { name: "Facets" }).getByRole("region", { name: "Status" });
	const unset = status.getByRole("button", { name: /^UNSET / });
	await expect.poll(() => unset.textContent()).toContain("5");
	await status.getByRole("button", { name: /^ERROR / }).click();
	await expect.poll(() => parameter(page, "filter")).toBe("status_code == 'ERROR'");
	await expect.poll(() => listRows(page).count()).toBe(1);
	await page.getByRole("columnheader", { name: "Traces" }).getByRole("button").click();
	await inMenu(page, "Views", "Save as new view…");
	const dialog = page.getByRole("dialog", { name: "Save as new view" });
	await dialog.getByLabel("Name").fill("Who met errors");
	await dialog.getByRole("button", { name: "Save" }).click();
	await viewButton(page, "View: Who met errors").waitFor();
	expect([parameter(page, "from"), parameter(page, "sort")]).toEqual(["30d", "traces"]);
	expect(await page.getByText("edited").count()).toBe(0);
	const link = page.url();

	await page.getByRole("searchbox", { name: /^Find a user/ }).fill("R-1");
	await page.getByText("edited").waitFor();
	await expect.poll(() => unset.textContent()).toContain("2");
	await page.goto(`${server.url}/p/default/users?view=${new URL(link).searchParams.get("view")}`);
	await expect.poll(() => page.url()).toBe(link);
	await expect.poll(() => listRows(page).count()).toBe(1);
	await expectWellMade(page, viewButton(page, "View: Who met errors"));
	await inMenu(page, "View: Who met errors", "No view");
	await expect.poll(() => listRows(page).count()).toBe(3);
	expect(parameter(page, "from")).toBe("30d");
	expect(faultsOf(watched)).toEqual([]);
});

test("on a phone the facets are a sheet over the list", async () => {
	await using watched = await openAs(member, SPANS, { viewport: { width: 390, height: 800 } });
	const { page } = watched;
	await listRows(page).first().waitFor();
	await page.getByRole("button", { name: /^Facets/ }).click();
	const sheet = page.getByRole("dialog", { name: "Facets" });
	await sheet
		.getByRole("region", { name: "Status" })
		.getByRole("button", { name: /^ERROR / })
		.click();
	await expect.poll(() => parameter(page, "filter")).toBe("status_code == 'ERROR'");
	expect(await overflowsSideways(page)).toBe(false);
	await sheet.getByRole("button", { name: "Close" }).click();
	await expect.poll(() => listRows(page).count()).toBe(1);
	expect(faultsOf(watched)).toEqual([]);
});
