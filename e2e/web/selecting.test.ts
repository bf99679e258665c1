import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { asAdmin, type Client, createAccount, logInAs, startWithAuth } from "../access/accounts.ts";
import {
	type Browser,
	findAccessibilityViolations,
	launchBrowser,
	launchBrowserFor,
	openPage,
	type UserBrowser,
} from "../browser.ts";
import { startServer, type TestServer } from "../server.ts";
import { sendSpans, spanIdOf } from "./otlp-json.ts";
import { expectWellMade, listRows, overflowsSideways } from "./pages.ts";
import { faultsOf, openLoggedIn } from "./sessions.ts";

const TRACES = 24;

let server: TestServer;
let browser: UserBrowser;
let list: string;

beforeAll(async () => {
	server = await startServer();
	browser = await launchBrowserFor(server);
	list = `${server.url}/p/default/traces`;
});
beforeEach(async () => {
	await fetch(`${server.url}/v1/projects/default/traces?start_time=1970-01-01&end_time=2200-01-01`, {
		method: "DELETE",
	});
	await sendSpans({ url: server.url, headers: {} }, traces());
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
});

/** Traces of two spans each, every third one in error. */
function traces() {
	return Array.from({ length: TRACES }, (_, index) => {
		const traceId = (index + 1).toString(16).padStart(32, "0");
		const root = { traceId, spanId: spanIdOf(2 * index), startMs: index, endMs: index + 50, name: `task ${index + 1}` };
		return [
			{ ...root, attributes: { "session.id": `s${index % 3}`, "input.value": "hello" } },
			{
				...{ ...root, spanId: spanIdOf(2 * index + 1), parentSpanId: root.spanId, name: "step" },
				...(index % 3 === 0 ? { error: "no" } : {}),
			},
		];
	}).flat();
}

function bar(page: Page): Locator {
	return page.getByRole("region", { name: "Selection" });
}

function runs(page: Page): Locator {
	return page.getByRole("region", { name: "Runs" });
}

function boxOf(page: Page, row: number): Locator {
	return listRows(page).nth(row).getByRole("checkbox");
}

test("rows are selected by clicks, Shift and keys, and deleted after a count of what goes with them", async () => {
	await using watched = await openPage(browser, list);
	const { page } = watched;
	await expect.poll(() => listRows(page).count()).toBe(TRACES);
	await boxOf(page, 1).click();
	await bar(page).getByText("1 trace selected").waitFor();
	await boxOf(page, 4).click({ modifiers: ["Shift"] });
	await bar(page).getByText("4 traces selected").waitFor();
	await page.keyboard.press("Escape");
	await bar(page).waitFor({ state: "detached" });
	await listRows(page).first().focus();
	await page.keyboard.press("Home");
	await page.keyboard.press("x");
	await bar(page).getByText("1 trace selected").waitFor();
	await page.keyboard.press("Shift+ArrowDown");
	await page.keyboard.press("Shift+ArrowDown");
	await bar(page).getByText("3 traces selected").waitFor();
	await page.keyboard.press("x");
	await bar(page).getByText("2 traces selected").waitFor();
	await bar(page).getByRole("button", { name: "Delete" }).click();
	const dialog = page.getByRole("dialog", { name: "Delete traces" });
	await dialog.getByText("4 spans").waitFor();
	await dialog.getByRole("button", { name: "Delete" }).click();
	await runs(page).getByText("Deleted 2 traces").waitFor();
	await expect.poll(() => listRows(page).count()).toBe(TRACES - 2);
	await bar(page).waitFor({ state: "detached" });
	// What ended stays on every page until it is dismissed.
	await page.goto(`${server.url}/datasets`);
	await runs(page).getByRole("button", { name: "Dismiss" }).click();
	await runs(page).waitFor({ state: "detached" });
	expect(watched.problems).toEqual([]);
	expect(watched.foreignRequests).toEqual([]);
});

test("all that fit the filter are annotated, moved and added to a dataset", async () => {
	await using watched = await openPage(browser, `${list}?error=1`);
	const { page } = watched;
	await expect.poll(() => listRows(page).count()).toBe(TRACES / 3);
	const selectAll = async () => {
		await page.getByRole("checkbox", { name: "Select all rows" }).click();
		await bar(page).getByText("8 traces selected").waitFor();
		await bar(page).getByRole("button", { name: "Select all that fit" }).click();
		await bar(page).getByText("All 8 traces that fit are selected").waitFor();
	};
	await selectAll();
	await bar(page).getByRole("button", { name: "Annotate" }).click();
	const annotate = page.getByRole("dialog", { name: "Annotate 8 traces" });
	await annotate.getByLabel("Name").fill("triage");
	await annotate.getByRole("button", { name: "Annotate" }).click();
	await annotate.getByText("Give a label, a score or an explanation.").waitFor();
	await annotate.getByLabel("Label").fill("later");
	await annotate.getByRole("button", { name: "Annotate" }).click();
	await runs(page).getByText("Annotated 8 traces").waitFor();
	await page.getByRole("columnheader", { name: "triage" }).waitFor();

	await selectAll();
	await bar(page).getByRole("button", { name: "Add to a dataset" }).click();
	const add = page.getByRole("dialog", { name: "Add to a dataset" });
	await add.getByLabel("Its name").fill("failures");
	await add.getByRole("button", { name: "Add to a dataset" }).click();
	await runs(page).getByText("Added to a dataset: 8 traces").waitFor();

	await fetch(`${server.url}/v1/projects`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ name: "archive" }),
	});
	await selectAll();
	await bar(page).getByRole("button", { name: "Move" }).click();
	const move = page.getByRole("dialog", { name: "Move traces" });
	await move.getByLabel("Project").selectOption("archive");
	await move.getByRole("button", { name: "Move" }).click();
	await runs(page).getByText("Moved 8 traces").waitFor();
	await page.reload();
	await runs(page).getByRole("link", { name: "Open the project" }).click();
	await expect.poll(() => listRows(page).count()).toBe(TRACES / 3);
	expect(watched.problems).toEqual([]);
});

test("selected sessions and spans are downloaded as a file", async () => {
	await using watched = await openPage(browser, `${server.url}/p/default/sessions`);
	const { page } = watched;
	await boxOf(page, 0).click();
	const save = async (format: string) => {
		await bar(page).getByRole("button", { name: "Download" }).click();
		const [download] = await Promise.all([
			page.waitForEvent("download"),
			page.getByRole("menuitem", { name: format }).click(),
		]);
		return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
	};
	const { name, text } = await save("JSON lines");
	expect([name, text.trimEnd().split("\n").length]).toEqual(["default sessions.ndjson", (2 * TRACES) / 3]);
	await page.goto(`${list}?view=spans&name=step`);
	await boxOf(page, 0).click();
	await bar(page).getByRole("button", { name: "Select all that fit" }).click();
	const table = await save("CSV");
	expect(table.text.trimEnd().split("\r\n")).toHaveLength(TRACES + 1);
	expect(watched.problems).toEqual([]);
});

test("the menu of one trace has the actions, too", async () => {
	const traceId = "1".padStart(32, "0");
	await using watched = await openPage(browser, `${list}/${traceId}`);
	const { page } = watched;
	await page.getByRole("button", { name: "Actions on this trace" }).click();
	await page.getByRole("menuitem", { name: "Delete" }).click();
	await page.getByRole("dialog", { name: "Delete traces" }).getByRole("button", { name: "Delete" }).click();
	await runs(page).getByText("Deleted 1 trace").waitFor();
	await expect.poll(() => listRows(page).count()).toBe(TRACES - 1);
	expect(watched.problems).toEqual([]);
});

test("the list with a selection and a run is accessible and fits a phone", async () => {
	await using watched = await openPage(browser, list, { colorScheme: "light" });
	const { page } = watched;
	await boxOf(page, 0).click();
	await bar(page).getByRole("button", { name: "Delete" }).click();
	await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
	await runs(page).getByText("Deleted 1 trace").waitFor();
	await boxOf(page, 0).click();
	await expectWellMade(page, bar(page));
	expect(watched.problems).toEqual([]);
});

test("viewers are offered downloads only, and editors are asked before more people see what they move or add", async () => {
	await using guarded = await startWithAuth();
	const [viewer, sender] = [await createAccount(guarded, "VIEWER"), await logInAs(guarded, "MEMBER")];
	const { key } = await sender.data("POST", "/v1/user/api_keys", { data: { name: "sends" } });
	await sendSpans({ url: guarded.url, headers: { authorization: `Bearer ${key}` } }, traces());
	const own = await launchBrowser();
	try {
		await using watched = await openLoggedIn(own, guarded, viewer, "/p/default/traces");
		const { page } = watched;
		await boxOf(page, 0).click();
		await bar(page).getByRole("button", { name: "Download" }).waitFor();
		expect(await bar(page).getByRole("button").allTextContents()).toEqual(["Select all that fit", "", "Download"]);
		await asksWhetherMoreMaySee(own, guarded, sender);
	} finally {
		await own.close();
	}
});

/** R11, R12 The default project is restricted, as it stays; the library and project "archive" are open. */
async function asksWhetherMoreMaySee(own: Browser, guarded: TestServer, sender: Client): Promise<void> {
	const editor = await createAccount(guarded, "MEMBER");
	await sender.data("POST", "/v1/projects", { name: "archive" });
	await sender.data("POST", "/v1/datasets/upload?sync=true", { name: "shared", inputs: [] });
	const role = { subject: { user: editor.email }, role: "editor" };
	await asAdmin(guarded).data("PATCH", "/v1/projects/default/access", { access: "restricted", set: [role] });
	await using watched = await openLoggedIn(own, guarded, editor, "/p/default/traces", { colorScheme: "light" });
	const { page } = watched;
	await boxOf(page, 0).click();
	await bar(page).getByRole("button", { name: "Add to a dataset" }).click();
	const add = page.getByRole("dialog", { name: "Add to a dataset" });
	await add.getByLabel("Dataset").selectOption("shared");
	await add.getByRole("button", { name: "Add to a dataset" }).click();
	await add.getByText("Only some people see default, and this is to go to the library.").waitFor();
	await add.getByText("2 more people will see it").waitFor();
	await add.getByRole("button", { name: "Back" }).click();
	// A new one lives where the rows are, unless somebody chooses another home.
	await add.getByLabel("Dataset").selectOption("A new dataset");
	const home = add.getByLabel(/^Lives in/);
	expect(await home.locator("option:checked").innerText()).toBe("default");
	expect((await home.locator("option").allInnerTexts()).toSorted()).toEqual(["The library", "archive", "default"]);
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await add.getByRole("button", { name: "Cancel" }).click();

	await bar(page).getByRole("button", { name: "Move" }).click();
	const move = page.getByRole("dialog", { name: "Move traces" });
	await move.getByLabel("Project").selectOption("archive");
	await move.getByRole("button", { name: "Move" }).click();
	await move.getByText("Only some people see default, and this is to go to archive.").waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await page.emulateMedia({ colorScheme: "dark" });
	await page.setViewportSize({ width: 390, height: 800 });
	await expect.poll(() => overflowsSideways(page)).toBe(false);
	await move.getByRole("button", { name: "Let them see it" }).click();
	await runs(page).getByText("Moved 1 trace").waitFor();
	expect(faultsOf(watched)).toEqual([]);
}
