import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Account, createAccount, logIn, startWithAuth } from "../access/accounts.ts";
import { browserOf, launchBrowser, openPage } from "../browser.ts";
import type { TestServer } from "../server.ts";
import { listRows, tableRow } from "./pages.ts";
import { faultsOf } from "./sessions.ts";

let server: TestServer;
let browser: Browser;
let admin: Account;

beforeAll(async () => {
	server = await startWithAuth();
	browser = await launchBrowser();
	admin = await createAccount(server, "ADMIN");
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
});

function openAsAdmin(path: string) {
	return openPage(browserOf(browser, server, admin), server.url + path);
}

test("a secret is kept, viewed on demand, forgotten when closed; the audit log says who looked", async () => {
	await using watched = await openAsAdmin("/settings/secrets");
	const { page } = watched;
	await page.getByRole("main").getByRole("button", { name: "New secret" }).first().click();
	await page.getByRole("textbox", { name: /^Name/ }).fill("9_NO");
	await page.getByRole("textbox", { name: /^Value/ }).fill("sk-very-secret");
	await page.getByRole("button", { name: "Save" }).click();
	await page.getByRole("alert").filter({ hasText: "does not begin with a digit" }).waitFor();
	await page.getByRole("textbox", { name: /^Name/ }).fill("OPENAI_API_KEY");
	await page.getByRole("button", { name: "Save" }).click();
	await tableRow(page, "OPENAI_API_KEY").waitFor();
	expect(await page.content()).not.toContain("sk-very-secret");
	await page.getByRole("button", { name: "View the value of OPENAI_API_KEY" }).click();
	await page.getByRole("dialog").getByText("sk-very-secret").waitFor();
	await page.keyboard.press("Escape");
	await page.getByRole("dialog").waitFor({ state: "detached" });
	expect(await page.content()).not.toContain("sk-very-secret");
	await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Audit log" }).click();
	await page.getByRole("combobox", { name: "Action" }).selectOption("Secret viewed");
	await expect.poll(() => listRows(page).count()).toBe(1);
	const viewed = listRows(page).first();
	expect(await viewed.innerText()).toContain("Secret OPENAI_API_KEY");
	await viewed.click();
	const entry = page.getByRole("complementary", { name: "Entry" });
	await entry.getByText("secret.view").waitFor();
	await entry.getByText(admin.username).waitFor();
	expect(await page.content()).not.toContain("sk-very-secret");
	expect(faultsOf(watched)).toEqual([]);
});

test("a secret gets another value and is deleted, never two of one name", async () => {
	await using watched = await openAsAdmin("/settings/secrets");
	const { page } = watched;
	const name = page.getByRole("textbox", { name: /^Name/ });
	const value = page.getByRole("textbox", { name: /^Value/ });
	const save = page.getByRole("button", { name: "Save" });
	const add = page.getByRole("main").getByRole("button", { name: "New secret" }).first();
	await add.click();
	await name.fill("TO_BE_REPLACED");
	await value.fill("the first value");
	await save.click();
	await tableRow(page, "TO_BE_REPLACED").waitFor();
	await add.click();
	await name.fill("TO_BE_REPLACED");
	await value.fill("written by mistake");
	await save.click();
	await page.getByRole("alert").filter({ hasText: "replace its value in the list" }).waitFor();
	await page.keyboard.press("Escape");
	await page.getByRole("button", { name: "Actions for TO_BE_REPLACED" }).click();
	await page.getByRole("menuitem", { name: "Replace value" }).click();
	await value.fill("the second value");
	await save.click();
	await page.getByRole("dialog").waitFor({ state: "detached" });
	await page.getByRole("button", { name: "View the value of TO_BE_REPLACED" }).click();
	await page.getByRole("dialog").getByText("the second value").waitFor();
	await page.keyboard.press("Escape");
	await page.getByRole("button", { name: "Actions for TO_BE_REPLACED" }).click();
	await page.getByRole("menuitem", { name: "Delete" }).click();
	await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
	await expect.poll(() => tableRow(page, "TO_BE_REPLACED").count()).toBe(0);
	expect(faultsOf(watched)).toEqual([]);
});

test("the audit log is filtered by the address and downloaded as it is filtered", async () => {
	const member = await createAccount(server, "MEMBER");
	await (await logIn(server, member.email, member.password)).send("GET", "/v1/users");
	await using watched = await openAsAdmin(`/settings/audit?outcome=denied&actor=${member.username}`);
	const { page } = watched;
	await listRows(page).first().waitFor();
	expect(await listRows(page).count()).toBe(1);
	expect(await listRows(page).first().innerText()).toContain("Access denied");
	expect(await page.getByRole("combobox", { name: "Outcome" }).inputValue()).toBe("denied");
	const [download] = await Promise.all([
		page.waitForEvent("download"),
		page.getByRole("link", { name: "Download NDJSON" }).click(),
	]);
	const chunks: Buffer[] = [];
	for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
	const lines = Buffer.concat(chunks).toString().trim().split("\n");
	expect(lines.map((line) => JSON.parse(line).outcome)).toEqual(["denied"]);
	await page.getByRole("searchbox").fill("nobody-of-this-name");
	await page.getByText("Nothing matches these filters").waitFor();
	await page.getByRole("button", { name: "Clear filters" }).click();
	await page.waitForURL(`${server.url}/settings/audit`);
	await listRows(page).nth(1).waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("the audit log is walked by the keys of all lists", async () => {
	await using watched = await openAsAdmin("/settings/audit");
	const { page } = watched;
	await listRows(page).nth(1).waitFor();
	const entry = () => new URL(page.url()).searchParams.get("entry");
	await page.keyboard.press("j");
	await page.keyboard.press("Enter");
	await expect.poll(entry).not.toBeNull();
	// Keys open nothing before it is there.
	await page.getByRole("complementary", { name: "Entry" }).waitFor();
	const first = entry();
	await page.keyboard.press("j");
	await expect.poll(entry).not.toBe(first);
	await page.keyboard.press("k");
	await expect.poll(entry).toBe(first);
	await page.keyboard.press("Escape");
	await expect.poll(entry).toBeNull();
	await page.keyboard.press("/");
	await page.locator("input:focus").waitFor();
	expect(faultsOf(watched)).toEqual([]);
});
