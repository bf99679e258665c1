import { randomUUID } from "node:crypto";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Account, asAdmin, type Client, createAccount, logIn, startWithAuth } from "../access/accounts.ts";
import { browserOf, findAccessibilityViolations, launchBrowser, openPage, type WatchedPage } from "../browser.ts";
import type { TestServer } from "../server.ts";
import { sendSpans } from "./otlp-json.ts";
import { overflowsSideways, tableRow } from "./pages.ts";
import { promptVersion } from "./prompt-data.ts";
import { faultsOf } from "./sessions.ts";

let server: TestServer;
let browser: Browser;
let member: Account;
let viewer: Account;
let client: Client;

beforeAll(async () => {
	server = await startWithAuth();
	browser = await launchBrowser();
	[member, viewer] = await Promise.all([createAccount(server, "MEMBER"), createAccount(server, "VIEWER")]);
	client = await logIn(server, member.email, member.password);
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
});

function open(path: string, account: Account = member, options = {}): Promise<WatchedPage> {
	return openPage(browserOf(browser, server, account), server.url + path, options);
}

/** A prompt with two versions, of which the second is in production. */
async function createPrompt(name: string): Promise<{ first: string; second: string }> {
	const prompt = { name, description: "Answers customers" };
	const version = promptVersion({ system: "You are a clerk of {{shop}}.\nBe brief.", temperature: 0.7 });
	const first = await client.data("POST", "/v1/prompts", { prompt, version });
	const second = await client.data("POST", `/v1/prompts/${name}/versions`, {
		version: promptVersion({ system: "You are a clerk of {{shop}}.\nBe brief and kind.", description: "kinder" }),
		tags: [{ name: "production" }],
	});
	return { first: first.id, second: second.id };
}

const version = (page: Page, number: number) => page.getByRole("region", { name: `Version ${number}`, exact: true });

test("a prompt is written in a form, then found in the list by its name", async () => {
	await using watched = await open("/prompts");
	const { page } = watched;
	await page.getByRole("link", { name: "New prompt" }).first().click();
	await page.getByRole("button", { name: "Create prompt" }).click();
	await page.getByText("Lower-case letters and digits, with - or _ between them.").waitFor();
	await page.getByText("Write a model name.").waitFor();
	await page.getByRole("textbox", { name: /^Name/ }).fill("greeting");
	await page.getByRole("textbox", { name: /^Model name/ }).fill("gpt-4o-mini");
	await page.getByRole("textbox", { name: "Text of message 1" }).fill("Greet {{name}} warmly.");
	await page.getByRole("textbox", { name: /^Invocation parameters/ }).fill('{"temperature": 9, "colour": "red"}');
	await page.getByRole("button", { name: "Create prompt" }).click();
	await page.getByRole("alert").filter({ hasText: "Extra inputs are not permitted" }).waitFor();
	expect(await page.getByRole("textbox", { name: /^Invocation parameters/ }).getAttribute("aria-invalid")).toBe("true");
	await page.getByRole("textbox", { name: /^Invocation parameters/ }).fill('{"temperature": 0.2}');
	await page.getByRole("button", { name: "Create prompt" }).click();
	await page.waitForURL(`${server.url}/prompts/greeting`);
	await version(page, 1).getByText("{{name}}").waitFor();
	expect(await page.title()).toBe("greeting · Prompts · Spanward");
	await page.getByRole("link", { name: "All prompts" }).click();
	await page.getByRole("searchbox", { name: "Find a prompt" }).fill("greet");
	await page.waitForURL(/q=greet/);
	await tableRow(page, "greeting").getByText("Version 1").waitFor();
	await page.getByRole("searchbox", { name: "Find a prompt" }).fill("nothing-like-it");
	await page.getByText("No prompt matches").waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("a new prompt of a name that is taken adds no version to the other one", async () => {
	await createPrompt("taken");
	await using watched = await open("/prompts?create=1");
	const { page } = watched;
	await page.getByRole("textbox", { name: /^Name/ }).fill("taken");
	await page.getByRole("textbox", { name: /^Model name/ }).fill("gpt-4o-mini");
	await page.getByRole("button", { name: "Create prompt" }).click();
	await page.getByText("A prompt with this name exists.").waitFor();
	await page.goto(`${server.url}/prompts/taken`);
	await version(page, 2).waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("a new version begins as the newest one, takes the tag with it, and is compared with the one before", async () => {
	await createPrompt("clerk");
	await using watched = await open("/prompts/clerk");
	const { page } = watched;
	await version(page, 2).getByText("Be brief and kind.").waitFor();
	await page.getByRole("link", { name: "New version" }).click();
	const system = page.getByRole("textbox", { name: "Text of message 1" });
	expect(await system.inputValue()).toBe("You are a clerk of {{shop}}.\nBe brief and kind.");
	await system.fill("You are a clerk of {{shop}}.\nBe brief, kind and exact.");
	await page.getByRole("textbox", { name: /^What changed/ }).fill("exact");
	await page.getByRole("textbox", { name: /^Tags to move to it/ }).fill("production, staging");
	await page.getByRole("button", { name: "Save version" }).click();
	await version(page, 3).getByText("production").waitFor();
	const versions = page.getByRole("navigation", { name: "Versions" }).getByRole("link");
	expect(await versions.allInnerTexts()).toHaveLength(3);
	expect((await versions.first().innerText()).split("\n")).toEqual(
		expect.arrayContaining(["Version 3", "exact", "production", "staging"]),
	);
	await page.getByRole("tab", { name: "Compare" }).click();
	await page.getByText("From Version 2 to Version 3").waitFor();
	const message = page.getByRole("region", { name: "Message 1, system" });
	await message.getByRole("deletion").waitFor();
	expect(await message.getByRole("deletion").allInnerTexts()).toEqual([expect.stringContaining("Be brief and kind.")]);
	expect(await message.getByRole("insertion").allInnerTexts()).toEqual([
		expect.stringContaining("Be brief, kind and exact."),
	]);
	await page.getByRole("combobox", { name: "Compare with" }).selectOption({ label: "Version 1" });
	await page.getByText("From Version 1 to Version 3").waitFor();
	await page.getByRole("row", { name: /temperature/ }).waitFor();
	await page.getByRole("button", { name: "Side by side" }).click();
	await page.reload();
	await page.getByText("From Version 1 to Version 3").waitFor();
	expect(await page.getByRole("button", { name: "Side by side" }).getAttribute("aria-pressed")).toBe("true");
	expect(faultsOf(watched)).toEqual([]);
});

test("a version is written as JSON too, and comes back into the form", async () => {
	await createPrompt("as-json");
	await using watched = await open("/prompts/as-json?edit=1");
	const { page } = watched;
	await page.getByRole("button", { name: "JSON", exact: true }).click();
	const json = page.getByRole("textbox", { name: "Version as JSON" });
	const body = JSON.parse(await json.inputValue());
	await json.fill("{");
	await page.getByRole("button", { name: "Save version" }).click();
	await page.getByText(/^Not valid JSON/).waitFor();
	await json.fill(JSON.stringify({ ...body, model_name: "gpt-4.1" }));
	await page.getByRole("button", { name: "Form", exact: true }).click();
	expect(await page.getByRole("textbox", { name: /^Model name/ }).inputValue()).toBe("gpt-4.1");
	await page.getByRole("button", { name: "JSON", exact: true }).click();
	await json.fill(JSON.stringify({ ...body, template: { ...body.template, surplus: true } }));
	await page.getByRole("button", { name: "Save version" }).click();
	await page.getByText("version.template.surplus: Extra inputs are not permitted").waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("a tag that is elsewhere is moved after a question, and removed", async () => {
	const { first } = await createPrompt("tagged");
	await using watched = await open(`/prompts/tagged?version=${first}`);
	const { page } = watched;
	await version(page, 1).getByRole("button", { name: "Tag this version" }).click();
	await page.getByRole("textbox", { name: /^Tag/ }).fill("production");
	await page.getByRole("button", { name: "Move tag" }).click();
	await page.getByRole("dialog", { name: "Move production to Version 1?" }).waitFor();
	await page.getByRole("button", { name: "Move tag" }).click();
	await version(page, 1).getByText("production").waitFor();
	expect((await client.data("GET", "/v1/prompts/tagged/tags/production")).id).toBe(first);
	await version(page, 1).getByRole("button", { name: "Remove the tag production" }).click();
	await page.getByRole("button", { name: "Remove tag" }).click();
	// What is behind a dialog has no role.
	await page.getByRole("dialog").waitFor({ state: "detached" });
	await expect.poll(() => version(page, 1).getByText("production").count()).toBe(0);
	expect((await client.send("GET", "/v1/prompts/tagged/tags/production")).status).toBe(404);
	expect(faultsOf(watched)).toEqual([]);
});

test("the code to paste fetches by version, by tag and the newest", async () => {
	const { second } = await createPrompt("pasted");
	await using watched = await open("/prompts/pasted?tab=code");
	const { page } = watched;
	// While one tab fades out, the panels of two are there.
	const code = (tab: string) => page.getByRole("tabpanel", { name: tab }).getByRole("region", { name: "Code" });
	await code("Python").getByText('client.prompts.get(prompt_identifier="pasted", tag="production")').waitFor();
	await page.getByRole("button", { name: "This version", exact: true }).click();
	await page.getByRole("tab", { name: "TypeScript" }).click();
	await code("TypeScript").getByText(`versionId: "${second}"`).waitFor();
	await page.getByRole("button", { name: "Always the newest" }).click();
	await page.getByRole("tab", { name: "curl" }).click();
	const command = await code("curl").innerText();
	expect(command).toContain("/v1/prompts/pasted/latest");
	const [path = ""] = /\/v1\/[^"]+/.exec(command) ?? [];
	expect((await client.data("GET", path)).id).toBe(second);
	expect(faultsOf(watched)).toEqual([]);
});

test("spans that name the version lead to their traces", async () => {
	const { second } = await createPrompt("used");
	const key = (await client.data("POST", "/v1/user/api_keys", { data: { name: "sends" } })).key;
	const traceId = "7".repeat(32);
	await sendSpans({ url: server.url, headers: { authorization: `Bearer ${key}` } }, [
		{
			traceId,
			spanId: "7".repeat(16),
			name: "answer with the prompt",
			startMs: 0,
			endMs: 10,
			attributes: { "prompt.version.id": second },
		},
	]);
	await using watched = await open("/prompts/used?tab=traces");
	const { page } = watched;
	await page.getByRole("link", { name: "answer with the prompt" }).click();
	await page.waitForURL(new RegExp(`/traces/${traceId}\\?span=`));
	await page.getByRole("heading", { level: 1, name: "answer with the prompt" }).waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("a prompt is described and deleted", async () => {
	await createPrompt("short-lived");
	await using watched = await open("/prompts/short-lived");
	const { page } = watched;
	await page.getByRole("button", { name: "Actions for short-lived" }).click();
	await page.getByRole("menuitem", { name: "Edit the description" }).click();
	await page.getByRole("textbox", { name: "Description" }).fill("Soon gone");
	await page.getByRole("button", { name: "Save" }).click();
	await page.getByRole("main").getByText("Soon gone").waitFor();
	await page.getByRole("button", { name: "Actions for short-lived" }).click();
	await page.getByRole("menuitem", { name: "Delete prompt" }).click();
	await page.getByRole("dialog").getByRole("button", { name: "Delete prompt" }).click();
	await page.waitForURL(`${server.url}/prompts`);
	expect((await client.send("GET", "/v1/prompts/short-lived")).status).toBe(404);
	await page.goto(`${server.url}/prompts/short-lived`);
	await page.getByText("Not here, or not for you").waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("a viewer reads prompts and is offered no change", async () => {
	await createPrompt("looked-at");
	await using watched = await open("/prompts/looked-at", viewer);
	const { page } = watched;
	await version(page, 2).getByText("Be brief and kind.").waitFor();
	expect(await page.getByRole("link", { name: "New version" }).count()).toBe(0);
	expect(await page.getByRole("button", { name: /^(Actions|Tag this|Remove the tag)/ }).count()).toBe(0);
	await page.goto(`${server.url}/prompts?create=1`);
	await tableRow(page, "looked-at").waitFor();
	expect(await page.getByRole("link", { name: "New prompt" }).count()).toBe(0);
	expect(faultsOf(watched)).toEqual([]);
});

test.each(["", "?tab=compare", "?tab=code", "?edit=1"])(
	"the page of a prompt with “%s” is accessible and fits a phone",
	async (search) => {
		const name = `seen${search.replaceAll(/\W/g, "-")}-x`;
		await createPrompt(name);
		await using watched = await open(`/prompts/${name}${search}`, member, { viewport: { width: 390, height: 800 } });
		const { page } = watched;
		await page
			.getByRole(search === "?edit=1" ? "textbox" : "tab")
			.first()
			.waitFor();
		await page.waitForLoadState("networkidle");
		await expect.poll(() => overflowsSideways(page)).toBe(false);
		expect(await findAccessibilityViolations(page)).toEqual([]);
		expect(faultsOf(watched)).toEqual([]);
	},
);

test("a new prompt and a new dataset live where their maker chooses among the homes they may write in", async () => {
	const manager = asAdmin(server);
	const drafts = `drafts-${randomUUID().slice(0, 8)}`;
	const hidden = `${drafts}-hidden`;
	for (const name of [drafts, hidden]) await manager.data("POST", "/v1/projects", { name });
	await manager.data("PATCH", `/v1/projects/${hidden}/access`, {
		...{ access: "restricted", set: [{ subject: { user: member.email }, role: "viewer" }] },
	});
	await using watched = await open("/prompts?create=1", member, { viewport: { width: 390, height: 800 } });
	const { page } = watched;
	const home = page.getByLabel(/^Lives in/);
	await home.locator("option", { hasText: drafts }).waitFor({ state: "attached" });
	expect(await home.locator("option:checked").innerText()).toBe("The library");
	expect(await home.locator("option", { hasText: hidden }).count()).toBe(0);
	expect(await findAccessibilityViolations(page)).toEqual([]);
	expect(await overflowsSideways(page)).toBe(false);
	const name = `apology-${randomUUID().slice(0, 8)}`;
	await page.getByRole("textbox", { name: /^Name/ }).fill(name);
	await page
		.getByLabel(/^Model/)
		.first()
		.fill("gpt-4o");
	await page.getByRole("textbox", { name: "Text of message 1" }).fill("Say sorry.");
	await home.selectOption(drafts);
	await page.getByRole("button", { name: "Create prompt" }).click();
	await page.getByRole("main").getByText("Lives in").locator("..").getByRole("link", { name: drafts }).waitFor();

	await page.goto(`${server.url}/datasets`);
	await page.getByRole("button", { name: "New dataset" }).first().click();
	await page.getByRole("textbox", { name: /^Name/ }).fill(name);
	await home.selectOption(drafts);
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await page.getByRole("button", { name: "Create" }).click();
	await page.getByRole("main").getByText("Lives in").locator("..").getByRole("link", { name: drafts }).waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("R12 a prompt and a dataset say where they live, and move out of a restricted project after a question", async () => {
	const { id: project } = await client.data("POST", "/v1/projects", { name: "payments" });
	const admin = await createAccount(server, "ADMIN");
	const manager = await logIn(server, admin.email, admin.password);
	await manager.data("PATCH", `/v1/projects/${project}/access`, {
		...{ access: "restricted", set: [{ subject: { user: member.email }, role: "editor" }] },
	});
	const prompt = { name: "refund", project: "payments" };
	await client.data("POST", "/v1/prompts", { prompt, version: promptVersion({ system: "Refund." }) });
	await using watched = await open("/prompts/refund", member, { viewport: { width: 390, height: 800 } });
	const { page } = watched;
	const home = page.getByRole("main").getByText("Lives in").locator("..");
	await home.getByRole("img", { name: /^Restricted/ }).waitFor();
	await home.getByRole("link", { name: "payments" }).waitFor();
	await home.getByRole("button", { name: "Move refund" }).press("Enter");
	const dialog = page.getByRole("dialog", { name: "Move refund" });
	const destination = dialog.getByRole("combobox", { name: "Move to" });
	await destination.selectOption("The library");
	await destination.press("Tab");
	await dialog.getByRole("button", { name: "Move" }).press("Enter");
	const question = dialog.getByRole("alert");
	await question.getByText("Only some people see payments, and this is to go to the library.").waitFor();
	await question.getByText("1 more person will see it").waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);
	expect(await overflowsSideways(page)).toBe(false);
	await question.getByRole("button", { name: "Let them see it" }).press("Enter");
	await home.getByText("the library").waitFor();

	const uploaded = { name: "refunds", inputs: [], project: "payments" };
	const { dataset_id: dataset } = await client.data("POST", "/v1/datasets/upload?sync=true", uploaded);
	await page.goto(`${server.url}/datasets/${dataset}/examples`);
	await home.getByRole("img", { name: /^Restricted/ }).waitFor();
	expect(await overflowsSideways(page)).toBe(false);
	await home.getByRole("button", { name: "Move refunds" }).click();
	await page.getByRole("dialog", { name: "Move refunds" }).getByRole("combobox").waitFor();

	const changing = page.getByRole("main").getByRole("button", { name: /^(Move|Add|Labels|Actions)/ });
	await page.keyboard.press("Escape");
	expect(await changing.count()).toBeGreaterThan(1);
	await manager.data("PATCH", `/v1/projects/${project}/access`, {
		set: [{ subject: { user: member.email }, role: "viewer" }],
	});
	await page.reload();
	await home.getByRole("img", { name: /^Restricted/ }).waitFor();
	expect(await changing.count()).toBe(0);

	await manager.data("PATCH", `/v1/projects/${project}/access`, {
		set: [{ subject: { user: member.email }, role: "editor" }],
	});
	await client.data("POST", "/v1/datasets/upload?sync=true", { name: "shared", inputs: [] });
	const span = { name: "refund", context: { trace_id: "9".repeat(32), span_id: "9".repeat(16) }, span_kind: "LLM" };
	const times = { start_time: "2026-01-02T03:00:00Z", end_time: "2026-01-02T03:00:01Z", status_code: "OK" };
	await client.data("POST", `/v1/projects/${project}/spans`, { data: [{ ...span, ...times, attributes: {} }] });
	await page.goto(`${server.url}/p/payments/traces/${"9".repeat(32)}`);
	await page.getByRole("button", { name: "Add to a dataset" }).click();
	await page.getByRole("textbox", { name: /^Find a dataset/ }).fill("shared");
	await page.getByRole("button", { name: "Add", exact: true }).click();
	await page.getByRole("button", { name: "Let them see it" }).click();
	await page.getByText("Added to shared.").waitFor();
	expect(faultsOf(watched)).toEqual([]);
});
