import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Account, type Client, createAccount, logIn, startWithAuth } from "../access/accounts.ts";
import { browserOf, findAccessibilityViolations, findColourViolations, launchBrowser, openPage } from "../browser.ts";
import { type ModelProvider, startModelProvider } from "../peers/model-provider.ts";
import type { TestServer } from "../server.ts";
import { drawnTheme, overflowsSideways, tableRow } from "./pages.ts";
import { faultsOf } from "./sessions.ts";

const KEY = "sk-planted-0123456789";

let provider: ModelProvider;
let server: TestServer;
let browser: Browser;
let admin: Account;
let member: Account;
let client: Client;

beforeAll(async () => {
	provider = await startModelProvider();
	server = await startWithAuth({
		SERVICE_SUPPORT_EMAIL: "help@example.com",
		SERVICE_OUTGOING_ALLOWED_HOSTS: "127.0.0.1",
	});
	browser = await launchBrowser();
	[admin, member] = await Promise.all([createAccount(server, "ADMIN"), createAccount(server, "MEMBER")]);
	client = await logIn(server, admin.email, admin.password);
	await client.data("PUT", "/v1/secrets", { secrets: [{ key: "GROQ_API_KEY", value: KEY }] });
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
	await provider[Symbol.asyncDispose]();
});

const open = (account: Account, options: object = {}) =>
	openPage(browserOf(browser, server, account), `${server.url}/settings/models`, options);
const dialogOf = (page: Page) => page.getByRole("dialog");

test("a member without a connection is told whom to ask", async () => {
	await using watched = await open(member);
	const { page } = watched;
	await page.getByRole("heading", { name: "No model connection yet" }).waitFor();
	await page.getByRole("link", { name: "help@example.com" }).waitFor();
	expect(await page.getByRole("main").getByRole("button").count()).toBe(0);
	expect(faultsOf(watched)).toEqual([]);
});

test("an admin adds a connection from a preset, sends its key elsewhere only by entering it again, and deletes it", async () => {
	await using watched = await open(admin, { colorScheme: "light" });
	const { page } = watched;
	await page.getByRole("button", { name: /^Anthropic/ }).click();
	const dialog = dialogOf(page);
	expect(await dialog.getByRole("combobox", { name: "Provider" }).inputValue()).toBe("anthropic");
	await dialog.getByRole("button", { name: "Save" }).click();
	await dialog.getByText("Enter it.").waitFor();
	await dialog.getByText("Limits, roles and headers").click();
	await expectDialogWellMade(page);
	await dialog.getByLabel("API key").fill(KEY);
	await dialog.getByLabel("Dollars a month").fill("25");
	await dialog.getByLabel(/^Models that may be used/).fill("claude-a\nclaude-b");
	await page.keyboard.press("Tab");
	await dialog.getByLabel("API key").press("Enter");
	await dialog.waitFor({ state: "detached" });
	const row = tableRow(page, "anthropic");
	await row.getByText("ready").waitFor();
	await row.getByText("$0 of $25.00").waitFor();
	expect(await page.content()).not.toContain("sk-planted");

	await page.getByRole("button", { name: "Actions for anthropic" }).click();
	await page.getByRole("menuitem", { name: "Edit" }).click();
	await dialog.getByText("Stored. Leave it empty to keep it.").waitFor();
	await dialog.getByLabel(/^Address/).fill("https://models.example.com/v1");
	await dialog.getByRole("button", { name: "Save" }).click();
	await dialog.getByText(/enter this again/).waitFor();
	await dialog.getByLabel("API key").fill(KEY);
	await dialog.getByRole("button", { name: "Save" }).click();
	await row.getByText("https://models.example.com/v1").waitFor();

	await page.getByRole("button", { name: "Actions for anthropic" }).click();
	await page.getByRole("menuitem", { name: "Switch off" }).click();
	await row.getByText("off", { exact: true }).waitFor();
	await page.getByRole("button", { name: "Actions for anthropic" }).click();
	await page.getByRole("menuitem", { name: "Delete" }).click();
	await dialog.getByRole("button", { name: "Delete" }).click();
	await page.getByRole("heading", { name: "No model connection yet" }).waitFor();
	expect(faultsOf(watched)).toEqual([]);
	expect(watched.foreignRequests).toEqual([]);
});

test("E01 a test says what works before and after a connection is saved, and what to change where it does not", async () => {
	await using watched = await open(admin, { colorScheme: "light" });
	const { page } = watched;
	await page.getByRole("button", { name: "Add a connection" }).click();
	const dialog = dialogOf(page);
	await dialog
		.getByRole("combobox", { name: "Provider" })
		.selectOption({ label: "Another one that speaks OpenAI's API" });
	await dialog.getByLabel(/^Name/).fill("stand-in");
	await dialog.getByLabel(/^API key/).fill(KEY);
	await dialog.getByLabel(/^Address/).fill("http://10.0.0.1/v1");
	await dialog.getByRole("button", { name: "Test" }).click();
	await dialog.getByText("It does not work yet").waitFor();
	await dialog.getByRole("button", { name: "Copy SERVICE_OUTGOING_ALLOWED_HOSTS" }).waitFor();
	await dialog.getByLabel(/^Address/).fill(provider.openai);
	await dialog.getByLabel(/^Default model/).fill("gpt-5-mini");
	await dialog.getByRole("button", { name: "Test" }).click();
	await dialog.getByText("All in order").waitFor();
	await dialog.getByRole("button", { name: "Save" }).click();
	await dialog.waitFor({ state: "detached" });
	await tableRow(page, "stand-in").getByText("ready").waitFor();

	await page.getByRole("button", { name: "Actions for stand-in" }).click();
	await page.getByRole("menuitem", { name: "Test" }).click();
	expect(await dialog.getByRole("combobox", { name: /^Model/ }).inputValue()).toBe("gpt-5-mini");
	await dialog.getByRole("button", { name: "Run the test" }).click();
	await dialog.getByText("All in order").waitFor();
	const steps = dialog.getByRole("list", { name: "Steps of the test" }).getByRole("listitem");
	expect(await steps.count()).toBe(9);
	await expectDialogWellMade(page);
	expect(await page.content()).not.toContain("sk-planted");
	await dialog.getByRole("button", { name: "Close" }).first().click();
	await page.getByRole("button", { name: "Actions for stand-in" }).click();
	await page.getByRole("menuitem", { name: "Delete" }).click();
	await dialog.getByRole("button", { name: "Delete" }).click();
	await page.getByRole("heading", { name: "No model connection yet" }).waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

/** Both themes, and a phone; it is left light and wide. */
async function expectDialogWellMade(page: Page): Promise<void> {
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await page.emulateMedia({ colorScheme: "dark" });
	await expect.poll(() => drawnTheme(page)).toBe("dark");
	await expect.poll(() => findColourViolations(page)).toEqual([]);
	const size = page.viewportSize() ?? { width: 1280, height: 800 };
	await page.setViewportSize({ width: 390, height: 800 });
	await expect.poll(() => overflowsSideways(page)).toBe(false);
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await page.setViewportSize(size);
	await page.emulateMedia({ colorScheme: "light" });
}

test("a stored secret is used by its name, and what was made without authentication is looked at first", async () => {
	const local = { name: "local", kind: "openai_compatible", base_url: "https://models.example.com/v1" };
	await client.data("POST", "/v1/model_connections", local);
	const db = new DatabaseSync(join(server.workingDir, "spanward.db"));
	db.exec("update model_connections set is_confirmed = 0");
	db.close();
	await using watched = await open(admin);
	const { page } = watched;
	await page.getByText(/^GROQ_API_KEY is a stored secret/).waitFor();
	await page.getByRole("button", { name: "Use it" }).click();
	const dialog = dialogOf(page);
	expect(await dialog.getByRole("checkbox").isChecked()).toBe(true);
	await dialog.getByRole("button", { name: "Save" }).click();
	await tableRow(page, "groq").getByText("ready").waitFor();
	expect(await page.getByRole("button", { name: "Use it" }).count()).toBe(0);

	const banner = page.getByRole("region", { name: "1 connection waits for an admin to look at" });
	await banner.getByText(local.base_url).waitFor();
	await banner.getByRole("button", { name: "Look at it" }).click();
	await dialog.getByText(local.base_url).waitFor();
	await dialog.getByRole("button", { name: "Confirm this address" }).click();
	await tableRow(page, "local").getByText("ready").waitFor();
	expect(await banner.count()).toBe(0);
	expect(faultsOf(watched)).toEqual([]);

	await using other = await open(member);
	await tableRow(other.page, "groq").getByText("ready").waitFor();
	await other.page.getByText(/^Only admins add and change connections/).waitFor();
	expect(await other.page.getByText("models.example.com").count()).toBe(0);
});
