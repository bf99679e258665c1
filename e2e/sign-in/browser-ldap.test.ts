import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { startWithAuth } from "../access/accounts.ts";
import { launchBrowser, openPage } from "../browser.ts";
import { testWith } from "../peers/requirements.ts";
import { useSamba } from "../peers/samba.ts";
import { type Slapd, startSlapd } from "../peers/slapd.ts";
import type { TestServer } from "../server.ts";
import { accountButton, faultsOf, fillLogIn } from "../web/sessions.ts";
import { fillDirectoryLogIn, getUser, isLoggedIn, logOut } from "./browser-pages.ts";

const WRONG = "Wrong username or password";
const PAGE = "/settings/profile";

let browser: Browser;

beforeAll(async () => {
	browser = await launchBrowser();
});
afterAll(async () => browser.close());

describe("with OpenLDAP", () => {
	const test = testWith("slapd");
	let slapd: Slapd;
	let server: TestServer;

	beforeAll(async () => {
		slapd = await startSlapd();
		server = await startWithAuth(slapd.settings);
	});
	afterAll(async () => {
		await server[Symbol.asyncDispose]();
		await slapd[Symbol.asyncDispose]();
	});

	test("somebody who is new logs in, goes on to the page that was asked for, and is who the directory says", async () => {
		await using watched = await openPage(browser, server.url + PAGE);
		const { page } = watched;
		await page.waitForURL(/\/login\?returnUrl=/);
		await fillDirectoryLogIn(page, "alice", "alice-pw");
		await page.waitForURL(server.url + PAGE);
		await accountButton(page).waitFor();
		expect(await getUser(page, server.url)).toMatchObject({
			email: "alice@example.com",
			username: "Alice Admin",
			role: "ADMIN",
			auth_method: "LDAP",
		});
		expect(faultsOf(watched)).toEqual([]);
		expect(watched.foreignRequests).toEqual([]);
	});

	test("after a wrong password the right one is typed into the same form; then out, and in again", async () => {
		await using watched = await openPage(browser, `${server.url}/login`);
		const { page } = watched;
		await fillDirectoryLogIn(page, "bob", "not-bobs-password");
		await page.getByRole("alert").getByText(WRONG).waitFor();
		await page.getByLabel("Password", { exact: true }).fill("bob-pw");
		await page.getByRole("button", { name: "Log in", exact: true }).click();
		await accountButton(page).waitFor();
		await logOut(page);
		expect(await isLoggedIn(page, server.url)).toBe(false);
		await page.getByRole("link", { name: "Log in again" }).click();
		await fillDirectoryLogIn(page, "bob", "bob-pw");
		await accountButton(page).waitFor();
		expect(await getUser(page, server.url)).toMatchObject({ email: "bob@example.com", role: "MEMBER" });
		expect(faultsOf(watched)).toEqual([]);
	});

	test.each([
		["a blank password", "alice", " "],
		["a name nobody has", "nobody", "nobody-pw"],
		["a name that two have", "dup", "dup1-pw"],
		["somebody in no group", "nogroup", "nogroup-pw"],
		["somebody whose email a local account has", "victimmail", "victimmail-pw"],
	])("all refusals read alike: %s", async (_name, username, password) => {
		await using watched = await openPage(browser, `${server.url}/login`);
		await fillDirectoryLogIn(watched.page, username, password);
		await watched.page.getByRole("alert").getByText(WRONG).waitFor();
		expect(await isLoggedIn(watched.page, server.url)).toBe(false);
	});

	test("the same form takes local accounts", async () => {
		await using watched = await openPage(browser, `${server.url}/login`);
		const { page } = watched;
		await page.getByRole("radio", { name: "Local account" }).check({ force: true });
		await fillLogIn(page, "admin@localhost", "admin");
		await page.getByRole("heading", { name: "Set a new password" }).waitFor();
	});

	test("a directory that is down is not the user's fault, and back it lets them in", async () => {
		await using watched = await openPage(browser, `${server.url}/login`);
		const { page } = watched;
		await slapd.stop();
		try {
			await fillDirectoryLogIn(page, "bob", "bob-pw");
			await page.getByRole("alert").getByText("The directory does not answer.").waitFor();
		} finally {
			await slapd.start();
		}
		await fillDirectoryLogIn(page, "bob", "bob-pw");
		await accountButton(page).waitFor();
	});
});

describe("with Active Directory", () => {
	const test = testWith("samba");
	let server: TestServer;

	beforeAll(async () => {
		const { settings } = await useSamba();
		server = await startWithAuth({ ...settings, SERVICE_DISABLE_BASIC_AUTH: "true" });
	});
	afterAll(async () => server[Symbol.asyncDispose]());

	test("somebody who is new logs in where only the directory has accounts", async () => {
		await using watched = await openPage(browser, server.url + PAGE);
		const { page } = watched;
		await page.waitForURL(/\/login\?returnUrl=/);
		expect(await page.getByLabel("Email").count()).toBe(0);
		await page.getByLabel("Username").fill("JDoe");
		await page.getByLabel("Password", { exact: true }).fill("Passw0rd!j");
		await page.getByRole("button", { name: "Log in", exact: true }).click();
		await page.waitForURL(server.url + PAGE);
		await accountButton(page).waitFor();
		expect(await getUser(page, server.url)).toMatchObject({
			email: "jane.doe@corp.example.com",
			username: "Jane Doe",
			role: "ADMIN",
			auth_method: "LDAP",
		});
		await logOut(page);
		expect(faultsOf(watched)).toEqual([]);
	});

	test.each([
		["disabled", "Passw0rd!d"],
		["locked", "Passw0rd!l"],
		["expired", "Passw0rd!e"],
		["mustchange", "Passw0rd!m"],
		["noemail", "Passw0rd!n"],
		["nogroup", "Passw0rd!g"],
	])("T174: the account %s with its right password reads as any wrong one", async (username, password) => {
		await using watched = await openPage(browser, `${server.url}/login`);
		const { page } = watched;
		await page.getByLabel("Username").fill(username);
		await page.getByLabel("Password", { exact: true }).fill(password);
		await page.getByRole("button", { name: "Log in", exact: true }).click();
		await page.getByRole("alert").getByText(WRONG).waitFor();
		expect(await isLoggedIn(page, server.url)).toBe(false);
	});
});
