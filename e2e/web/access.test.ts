import { afterAll, beforeAll, expect, test } from "vitest";
import { type Account, asAdmin, type Client, createAccount, startWithAuth } from "../access/accounts.ts";
import { type Browser, browserOf, findAccessibilityViolations, launchBrowser, openPage } from "../browser.ts";
import type { TestServer } from "../server.ts";

const PHONE = { viewport: { width: 390, height: 844 } };

let server: TestServer;
let browser: Browser;
let admin: Client;
let boss: Account;
let ada: Account;
beforeAll(async () => {
	server = await startWithAuth();
	browser = await launchBrowser();
	admin = asAdmin(server);
	boss = await createAccount(server, "ADMIN");
	ada = await createAccount(server, "MEMBER");
	await admin.data("POST", "/v1/projects", { name: "ledger" });
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
});

const accessOf = async () => await admin.data("GET", "/v1/projects/ledger/access");

test("R22 on a phone and by keyboard one restricts a project, adds somebody, changes the role and undoes it", async () => {
	await using opened = await openPage(
		browserOf(browser, server, boss),
		`${server.url}/p/ledger/settings/access`,
		PHONE,
	);
	const { page, problems } = opened;
	await page.getByRole("button", { name: "Restrict…" }).press("Enter");
	const dialog = page.getByRole("dialog", { name: "Restrict ledger?" });
	await dialog.getByText(`1 person loses it: ${ada.username}`).waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await dialog.getByRole("button", { name: "Restrict" }).press("Enter");
	await page.getByText("Only people and teams listed here, and admins, see this project.").waitFor();
	expect((await accessOf()).access).toBe("restricted");

	await page.getByLabel("Team, username or email").fill(ada.email);
	await page.getByLabel("Team, username or email").press("Enter");
	const role = page.getByLabel(`Role of ${ada.username}`);
	await role.selectOption("editor");
	await expect.poll(async () => (await accessOf()).grants).toMatchObject([{ role: "editor" }]);
	expect(await findAccessibilityViolations(page)).toEqual([]);
	const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
	expect(overflow).toBeLessThanOrEqual(0);
	await page.getByRole("button", { name: "Undo" }).press("Enter");
	await expect.poll(async () => (await accessOf()).grants).toMatchObject([{ role: "viewer" }]);
	await expect.poll(() => role.inputValue()).toBe("viewer");

	// Somebody else is faster: what one chose stays until one looks.
	await admin.data("PATCH", "/v1/projects/ledger/access", { set: [{ subject: { user: boss.email }, role: "viewer" }] });
	await page.getByLabel("Team, username or email").fill(ada.username);
	await page.getByLabel("Role to give").selectOption("manager");
	await page.getByRole("button", { name: "Add", exact: true }).press("Enter");
	await page.getByText("Your change is not saved yet.").waitFor();
	await page.getByText("Somebody with the admin secret changed this").waitFor();
	expect(await page.getByLabel("Team, username or email").inputValue()).toBe(ada.username);
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await page.getByRole("button", { name: "Show what it is now" }).press("Enter");
	await page.getByLabel(`Role of ${boss.username}`).waitFor();
	expect(await page.getByLabel("Team, username or email").inputValue()).toBe(ada.username);
	expect((await accessOf()).grants).toHaveLength(2);

	await using own = await openPage(browserOf(browser, server, ada), `${server.url}/p/ledger/settings/access`, PHONE);
	await own.page.getByText("Your role here is viewer").waitFor();
	expect(await findAccessibilityViolations(own.page)).toEqual([]);
	expect(problems).toEqual([expect.stringContaining("412")]);
	expect(own.problems).toEqual([]);
});

test("a team is made and filled, gets a role by a rule, and check says what comes of it", async () => {
	await using opened = await openPage(browserOf(browser, server, boss), `${server.url}/settings/teams`);
	const { page, problems } = opened;
	await page.getByText("There are no teams yet").waitFor();
	await page.getByRole("button", { name: "New team" }).click();
	await page.getByRole("dialog").getByLabel("Name").fill("Payments");
	await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
	await page.getByRole("link", { name: "Payments" }).click();
	await page.getByLabel("Add member").fill(ada.username);
	await page.getByLabel("Add member").press("Enter");
	await page.getByRole("button", { name: `Remove ${ada.username}` }).waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);

	await page.goto(`${server.url}/settings/access`);
	await page.getByRole("button", { name: "New rule" }).click();
	const dialog = page.getByRole("dialog", { name: "New rule" });
	await dialog.getByLabel("Pattern").fill("led*");
	await dialog.getByText("Fits 1 project: ledger").waitFor();
	await dialog.getByLabel("Who gets a role").fill("Payments");
	await dialog.getByRole("button", { name: "Create" }).click();
	await page.getByText("Payments: editor").waitFor();

	// Edited, while somebody else edits it.
	await page.getByRole("button", { name: "Edit the rule for led*" }).press("Enter");
	const edit = page.getByRole("dialog", { name: "Change the rule" });
	await edit.getByLabel("Role of Payments").selectOption("annotator");
	await edit.getByLabel("Who else gets a role").fill(boss.email);
	const [rule] = await admin.data("GET", "/v1/access_rules");
	await admin.data("PATCH", `/v1/access_rules/${rule.id}`, { description: "by a program" });
	await edit.getByRole("button", { name: "Save" }).press("Enter");
	await edit.getByText("Somebody with the admin secret changed this").waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await edit.getByRole("button", { name: "Show what it is now" }).press("Enter");
	await edit.getByText("Now it is led*. Payments: editor").waitFor();
	await edit.getByRole("button", { name: "Save" }).press("Enter");
	await page.getByText(`Payments: annotator, ${boss.username}: editor`).waitFor();
	await page.getByLabel("Username, email or team").fill(ada.username);
	await page.getByRole("region", { name: "Check" }).getByLabel("Project").fill("ledger");
	await page.getByRole("button", { name: "Check", exact: true }).click();
	await page.getByText("Team Payments has annotator by rule `led*`").waitFor();
	const downloading = page.waitForEvent("download");
	await page.getByRole("link", { name: "Download as CSV" }).last().press("Enter");
	expect((await downloading).suggestedFilename()).toBe(`access of ${ada.username}.csv`);
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await page.setViewportSize(PHONE.viewport);
	expect(problems).toEqual([expect.stringContaining("412")]);
});

test("several projects get the same access at once, which says first who loses them", async () => {
	for (const name of ["pay-api", "pay-web"]) await admin.data("POST", "/v1/projects", { name });
	const body = { set: [{ subject: { user: ada.email }, role: "manager" }] };
	await admin.data("PATCH", "/v1/projects/pay-api/access", body);
	await using opened = await openPage(browserOf(browser, server, boss), `${server.url}/`, PHONE);
	const { page, problems } = opened;
	await page.getByRole("checkbox", { name: "Select pay-api" }).press("Space");
	await page.getByRole("checkbox", { name: "Select pay-web" }).press("Space");
	await page.getByText("2 projects selected").waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await page.getByRole("button", { name: "Access…" }).press("Enter");
	const dialog = page.getByRole("dialog", { name: "Access of 2 projects" });
	await dialog.getByLabel("Who sees them").selectOption("restricted");
	await dialog.getByLabel("Give a role to").fill(boss.email);
	await dialog.getByLabel("Give a role to").press("Enter");
	const web = dialog.getByRole("listitem").filter({ hasText: "pay-web" });
	await web.getByText(`1 person loses it: ${ada.username}`).waitFor();
	await dialog.getByRole("listitem").filter({ hasText: "pay-api" }).getByText("Nobody loses it.").waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);
	const { id } = await admin.data("GET", "/v1/projects/pay-web");
	await admin.send("DELETE", `/v1/projects/${id}`);
	await dialog.getByRole("button", { name: "Change 2 projects" }).press("Enter");
	await dialog.getByText("pay-api: changed").waitFor();
	await dialog.getByText("pay-web: not changed").waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);
	expect((await admin.data("GET", "/v1/projects/pay-api/access")).access).toBe("restricted");

	// Who manages one of the projects may choose only that one.
	await using own = await openPage(browserOf(browser, server, ada), `${server.url}/`);
	await own.page.getByRole("checkbox", { name: "Select pay-api" }).waitFor();
	expect(await own.page.getByRole("checkbox").count()).toBe(2);
	expect([...problems, ...own.problems]).toEqual([]);
});
