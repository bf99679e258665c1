import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Account, createAccount, createUserKey, logIn, startWithAuth } from "../access/accounts.ts";
import { browserOf, findAccessibilityViolations, launchBrowser, openPage } from "../browser.ts";
import { MailSink } from "../mail-sink.ts";
import type { TestServer } from "../server.ts";
import { tableRow } from "./pages.ts";
import { faultsOf, fillLogIn } from "./sessions.ts";

let server: TestServer;
let browser: Browser;
let admin: Account;

beforeAll(async () => {
	server = await startWithAuth({ SERVICE_ENABLE_STRONG_PASSWORD_POLICY: "true" });
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

async function chooseAction(page: Page, account: Account, action: string): Promise<void> {
	await page.getByRole("button", { name: `Actions for ${account.username}` }).click();
	await page.getByRole("menuitem", { name: action }).click();
}

test("a user is made with a generated password, logs in with it and has to replace it", async () => {
	await using watched = await openAsAdmin("/settings/users");
	const { page } = watched;
	await page.getByRole("button", { name: "New user" }).click();
	await page.getByRole("textbox", { name: /^Email/ }).fill("New.Comer@Example.com");
	await page.getByRole("textbox", { name: /^Username/ }).fill("newcomer");
	await page.getByRole("combobox", { name: /^Role/ }).selectOption("viewer");
	await page.getByRole("button", { name: "Create" }).click();
	const password = await page.getByRole("region", { name: "First password" }).locator("code").innerText();
	await page.getByRole("button", { name: "I have kept it" }).click();
	await tableRow(page, "newcomer").getByText("has to set a password").waitFor();
	await tableRow(page, "newcomer").getByText("viewer").waitFor();
	expect(await page.content()).not.toContain(password);
	await using newcomer = await openPage(browser, `${server.url}/login`);
	await fillLogIn(newcomer.page, "new.comer@example.com", password);
	await newcomer.page.waitForURL("**/reset-password**");
	expect(faultsOf(watched)).toEqual([]);
});

test("a user chooses the first password by the welcome mail, where there are mails, and a test mail shows that there are", async () => {
	await using sink = await MailSink.start();
	await using mailing = await startWithAuth({ ...sink.env });
	const other = await createAccount(mailing, "ADMIN");
	await using watched = await openPage(browserOf(browser, mailing, other), `${mailing.url}/settings/users`);
	const { page } = watched;
	await page.getByRole("button", { name: "New user" }).click();
	await page.getByRole("textbox", { name: /^Email/ }).fill("by-mail@example.com");
	await page.getByRole("textbox", { name: /^Username/ }).fill("by-mail");
	expect(await page.getByRole("checkbox", { name: "Send a welcome mail" }).isChecked()).toBe(true);
	await page.getByRole("combobox", { name: /^First password/ }).selectOption("They choose it by the welcome mail");
	expect(await page.getByRole("checkbox").count()).toBe(0);
	await page.getByRole("button", { name: "Create" }).click();
	await tableRow(page, "by-mail").waitFor();
	expect(await page.getByRole("dialog").count()).toBe(0);
	await sink.waitUntil("the welcome mail", () => sink.mailsTo("by-mail@example.com")[0]);

	await page.goto(`${mailing.url}/settings/sign-in`);
	const mails = page.getByRole("region", { name: "Mails", exact: true });
	await mails.getByText("from noreply@traces.example").waitFor();
	await mails.getByRole("button", { name: "Send a test mail" }).click();
	await mails.getByText("Write an email address.").waitFor();
	await mails.getByLabel("Send a test mail to").fill("ops@example.com");
	await mails.getByRole("button", { name: "Send a test mail" }).click();
	await mails.getByText(/^The mail server accepted the test mail/).waitFor();
	expect(sink.mailsTo("ops@example.com")).toHaveLength(1);
	expect(await findAccessibilityViolations(page)).toEqual([]);
	expect(faultsOf(watched)).toEqual([]);
});

test("an email and a name that are taken, and a weak password, are refused at their fields", async () => {
	const other = await createAccount(server, "MEMBER");
	await using watched = await openAsAdmin("/settings/users");
	const { page } = watched;
	await page.getByRole("button", { name: "New user" }).click();
	const email = page.getByRole("textbox", { name: /^Email/ });
	const username = page.getByRole("textbox", { name: /^Username/ });
	const create = page.getByRole("button", { name: "Create" });
	await create.click();
	await page.getByRole("alert").filter({ hasText: "Write an email address." }).waitFor();
	await email.fill(other.email);
	await username.fill("somebody-else");
	await page.getByRole("combobox", { name: /^First password/ }).selectOption("Write one");
	const password = page.getByLabel("Password", { exact: true });
	await password.fill("short");
	await create.click();
	await page.getByRole("alert").filter({ hasText: "does not keep all the rules" }).waitFor();
	await password.fill("Long-enough-1!");
	await create.click();
	await page.getByRole("alert").filter({ hasText: "Email already exists" }).waitFor();
	expect(await email.getAttribute("aria-invalid")).toBe("true");
	await email.fill("somebody-else@example.com");
	await username.fill(other.username);
	await create.click();
	await page.getByRole("alert").filter({ hasText: "Username already exists" }).waitFor();
	expect(await username.getAttribute("aria-invalid")).toBe("true");
	await username.fill("somebody-else");
	await create.click();
	await tableRow(page, "somebody-else@example.com").waitFor();
	await logIn(server, "somebody-else@example.com", "Long-enough-1!");
	expect(faultsOf(watched)).toEqual([]);
});

test("a new role ends the user's sessions", async () => {
	const member = await createAccount(server, "MEMBER");
	await using theirs = await openPage(browserOf(browser, server, member), `${server.url}/settings/account`);
	await theirs.page.getByText("Cannot be changed").waitFor();
	await using watched = await openAsAdmin("/settings/users");
	const { page } = watched;
	await chooseAction(page, member, "Change role");
	await page.getByRole("combobox", { name: /^Role/ }).selectOption("admin");
	await page.getByRole("button", { name: "Save" }).click();
	await page.getByText(`${member.username} is admin now.`).waitFor();
	await theirs.page.reload();
	await theirs.page.waitForURL(`${server.url}/login**`);
	await using again = await openPage(browserOf(browser, server, member), `${server.url}/settings/users`);
	await again.page.getByRole("heading", { level: 1, name: "Users" }).waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("a user is renamed, gets another password and is deleted with their keys", async () => {
	const member = await createAccount(server, "MEMBER");
	const client = await logIn(server, member.email, member.password);
	const key = await createUserKey(client);
	await using watched = await openAsAdmin("/settings/users");
	const { page } = watched;
	await chooseAction(page, member, "Set a password");
	await page.getByText("at least 12 characters").waitFor();
	await page.getByLabel("Password", { exact: true }).fill("Given-by-admin-1!");
	await page.getByRole("dialog").getByRole("button", { name: "Set a password" }).click();
	await page.getByText("has a new password.").waitFor();
	await tableRow(page, member.email).getByText("has to set a password").waitFor();
	expect((await client.send("GET", "/v1/user")).status).toBe(401);
	await logIn(server, member.email, "Given-by-admin-1!");
	await chooseAction(page, member, "Rename");
	await page.getByLabel("Username").fill(`x-${member.username}`);
	await page.getByRole("button", { name: "Save" }).click();
	await tableRow(page, `x-${member.username}`).waitFor();
	await page.getByRole("button", { name: `Actions for x-${member.username}` }).click();
	await page.getByRole("menuitem", { name: "Delete" }).click();
	const dialog = page.getByRole("dialog", { name: `Delete x-${member.username}?` });
	await dialog.getByText("API keys stop working").waitFor();
	await dialog.getByText("the audit log stay").waitFor();
	await dialog.getByRole("button", { name: "Delete" }).click();
	await expect.poll(() => tableRow(page, member.email).count()).toBe(0);
	const answer = await fetch(`${server.url}/v1/projects`, { headers: { authorization: `Bearer ${key}` } });
	expect(answer.status).toBe(401);
	expect(faultsOf(watched)).toEqual([]);
});

test("nothing is offered for oneself, and the default admin keeps role and account", async () => {
	await using watched = await openAsAdmin("/settings/users");
	const { page } = watched;
	await tableRow(page, admin.email).getByText("you").waitFor();
	expect(await page.getByRole("button", { name: `Actions for ${admin.username}` }).count()).toBe(0);
	await page.getByRole("button", { name: "Actions for admin", exact: true }).click();
	expect(await page.getByRole("menuitem").allTextContents()).toEqual(["Rename", "Set a password"]);
});

test("users are found by name and email", async () => {
	const member = await createAccount(server, "MEMBER");
	await using watched = await openAsAdmin("/settings/users");
	const { page } = watched;
	const search = page.getByRole("searchbox", { name: "Find by name or email" });
	await tableRow(page, admin.email).waitFor();
	await page.keyboard.press("/");
	await page.keyboard.type(member.email.toUpperCase());
	await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
	await search.fill("nobody has this");
	await page.getByText("Nobody's name or email has").waitFor();
	await page.getByRole("button", { name: "Show all users" }).click();
	await tableRow(page, admin.email).waitFor();
	expect(await search.inputValue()).toBe("");
});

test("an admin finds the key of a user and deletes it", async () => {
	const member = await createAccount(server, "MEMBER");
	const client = await logIn(server, member.email, member.password);
	const key = await createUserKey(client);
	const viewer = await createAccount(server, "VIEWER");
	const sends = { data: { name: "sends", permissions: ["ingest"] } };
	await (await logIn(server, viewer.email, viewer.password)).data("POST", "/v1/user/api_keys", sends);
	await using watched = await openAsAdmin("/settings/user-keys");
	const { page } = watched;
	await page.getByRole("searchbox").fill(member.email);
	await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
	await page.getByRole("button", { name: "What can the key test do?" }).click();
	await page.getByText("Only its owner can change or replace it.").waitFor();
	await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
	await page.getByRole("searchbox").fill(viewer.email);
	await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
	await page.getByRole("button", { name: "What can the key sends do?" }).click();
	await page.getByText("This key can do nothing, as its owner may only read.").waitFor();
	await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
	await page.getByRole("searchbox").fill(member.email);
	await page.getByRole("button", { name: "Delete the key test" }).click();
	await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
	await page.getByText("No key belongs to").waitFor();
	const answer = await fetch(`${server.url}/v1/projects`, { headers: { authorization: `Bearer ${key}` } });
	expect(answer.status).toBe(401);
	expect(faultsOf(watched)).toEqual([]);
});

test("a system key names who made it, and outlives that admin", async () => {
	const other = await createAccount(server, "ADMIN");
	await using theirs = await openPage(browserOf(browser, server, other), `${server.url}/settings/system-keys`);
	await theirs.page.getByRole("main").getByRole("button", { name: "New key" }).first().click();
	await theirs.page.getByRole("textbox", { name: /^Name/ }).fill("Collector");
	await theirs.page.getByRole("button", { name: "Create" }).click();
	const key = await theirs.page.getByRole("region", { name: "API key" }).locator("code").innerText();
	expect(key).toMatch(/^sw_s_/);
	await theirs.page.getByRole("button", { name: "I have kept it" }).click();
	await tableRow(theirs.page, "Collector").getByRole("cell", { name: other.username }).waitFor();
	await using watched = await openAsAdmin("/settings/users");
	const { page } = watched;
	await chooseAction(page, other, "Delete");
	await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
	await expect.poll(() => tableRow(page, other.email).count()).toBe(0);
	const ask = () => fetch(`${server.url}/v1/projects`, { headers: { authorization: `Bearer ${key}` } });
	expect((await ask()).status).toBe(200);
	await page.getByRole("link", { name: "System keys" }).click();
	await tableRow(page, "Collector").waitFor();
	await page.getByRole("button", { name: "Delete the key Collector" }).click();
	await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
	await page.getByRole("heading", { name: "No system keys yet" }).waitFor();
	expect((await ask()).status).toBe(401);
	expect(faultsOf(watched)).toEqual([]);
});
