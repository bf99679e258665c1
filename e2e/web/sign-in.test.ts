import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Account, asAdmin, Client, createAccount, startWithAuth } from "../access/accounts.ts";
import { findAccessibilityViolations, launchBrowser, openPage } from "../browser.ts";
import { startServer, type TestServer } from "../server.ts";
import { expectWellMade, measureScripts } from "./pages.ts";
import { accountButton, faultsOf, fillLogIn, openLoggedIn } from "./sessions.ts";

const LOG_IN_LIMIT = 28_000;
const PAGES: readonly (readonly [name: string, path: string, title: string])[] = [
	["log-in", "/login", "Log in"],
	["log-in with an error", "/login?error=auth_failed", "Log in"],
	["forgot password", "/forgot-password", "Forgot password"],
	["reset by a link", "/reset-password-with-token#token=x", "Set a new password"],
	["reset without a token", "/reset-password-with-token", "This link is not complete"],
	["logged out", "/logout", "You are logged out"],
];

let server: TestServer;
let browser: Browser;
let member: Account;

beforeAll(async () => {
	server = await startWithAuth();
	browser = await launchBrowser();
	member = await createAccount(server, "MEMBER");
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
});

/** A local account that has to set a new password, with the password it begins with. */
async function createNewcomer(): Promise<{ email: string; password: string }> {
	const name = `newcomer-${Math.random().toString(36).slice(2)}`;
	const user = { auth_method: "LOCAL", email: `${name}@example.com`, username: name, role: "MEMBER" };
	const password = "given-by-an-admin";
	await asAdmin(server).data("POST", "/v1/users", { user: { ...user, password }, send_welcome_email: false });
	return { email: user.email, password };
}

test.each(PAGES)("the page %s is accessible in both themes, quiet, and fits a phone", async (_name, path, title) => {
	await using watched = await openPage(browser, server.url + path, { colorScheme: "light" });
	const { page } = watched;
	await expectWellMade(page, page.getByRole("heading", { level: 1, name: title }));
	expect(await page.title()).toBe(`${title} · Spanward`);
	expect(faultsOf(watched)).toEqual([]);
	expect(watched.foreignRequests).toEqual([]);
});

test("the log-in page needs at most 28 KB of JavaScript", async () => {
	await using watched = await openPage(browser, `${server.url}/healthz`);
	const { page } = watched;
	const size = await measureScripts(page, async () => {
		await page.goto(`${server.url}/login`);
		await page.getByLabel("Email").waitFor();
		// What would be loaded in addition begins by now.
		await page.waitForTimeout(500);
	});
	expect(size).toBeGreaterThan(0);
	expect(size).toBeLessThanOrEqual(LOG_IN_LIMIT);
});

test("who is not logged in logs in first, by keyboard alone, and comes to the page that was asked for", async () => {
	const path = "/p/default/traces?from=7d&q=refund+%26+co";
	await using watched = await openPage(browser, server.url + path);
	const { page } = watched;
	await page.waitForURL(/\/login\?returnUrl=/);
	await page.getByLabel("Email").waitFor();
	await page.keyboard.type(member.email);
	await page.keyboard.press("Tab");
	await page.keyboard.type(member.password);
	await page.keyboard.press("Enter");
	await page.waitForURL(server.url + path);
	await accountButton(page).focus();
	await page.keyboard.press("Enter");
	await page.getByText(member.email).waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("a wrong password is said in words, keeps the email and puts the cursor into the password", async () => {
	await using watched = await openPage(browser, `${server.url}/login`);
	const { page } = watched;
	await fillLogIn(page, member.email, "not-the-password");
	await page.getByRole("alert").getByText("Wrong email or password.").waitFor();
	const field = page.getByLabel("Password", { exact: true });
	expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
	expect(await page.getByLabel("Email").inputValue()).toBe(member.email);
	await page.getByRole("button", { name: "Show the password" }).click();
	expect(await field.getAttribute("type")).toBe("text");
	await field.fill(member.password);
	await page.getByRole("button", { name: "Log in" }).click();
	await accountButton(page).waitFor();
});

test("a locked account is told how long it stays so", async () => {
	const { email, password } = await createAccount(server, "VIEWER");
	const client = new Client(server);
	for (let guess = 0; guess < 5; guess++) await client.send("POST", "/auth/login", { email, password: "wrong" });
	await using watched = await openPage(browser, `${server.url}/login`);
	await fillLogIn(watched.page, email, password);
	await watched.page
		.getByRole("alert")
		.getByText(/locked\. Try again in \d+ (minutes|seconds)/)
		.waitFor();
});

test("a server that does not answer is said to, and the form can be sent again", async () => {
	await using watched = await openPage(browser, `${server.url}/login`);
	const { page } = watched;
	await page.route("**/auth/login", (route) => route.abort());
	await fillLogIn(page, member.email, member.password);
	await page.getByRole("alert").getByText("The server does not answer.").waitFor();
	await page.unroute("**/auth/login");
	await page.getByRole("button", { name: "Log in" }).click();
	await accountButton(page).waitFor();
});

test.each([
	["https://evil.example/"],
	["//evil.example"],
	["/\\evil.example"],
	["/%2Fevil.example"],
	["/..//evil.example"],
	["/\t/evil.example"],
	["javascript:document.title='pwned'"],
	["/login?returnUrl=/login"],
])("after a log-in with returnUrl=%s one is on the start page", async (wanted) => {
	await using watched = await openPage(browser, `${server.url}/login?returnUrl=${encodeURIComponent(wanted)}`);
	await fillLogIn(watched.page, member.email, member.password);
	await accountButton(watched.page).waitFor();
	expect(watched.page.url()).toBe(`${server.url}/`);
	expect(watched.foreignRequests).toEqual([]);
});

test("who is logged in already goes on from the log-in page at once", async () => {
	await using watched = await openLoggedIn(browser, server, member);
	const { page } = watched;
	await page.goto(`${server.url}/login?returnUrl=%2Fp%2Fdefault%2Fsessions`);
	await page.waitForURL(`${server.url}/p/default/sessions`);
});

test("a text in the address is never shown as an error", async () => {
	await using watched = await openPage(browser, `${server.url}/login?error=${encodeURIComponent("Call 555-0100 <b>")}`);
	const { page } = watched;
	await page.getByRole("alert").getByText("Logging in did not work.").waitFor();
	expect(await page.getByRole("main").innerText()).not.toContain("555");
});

test("a first password is replaced before anything else, and then one is where one wanted to go", async () => {
	const { email, password } = await createNewcomer();
	await using watched = await openPage(browser, `${server.url}/p/default/sessions`);
	const { page } = watched;
	await fillLogIn(page, email, password);
	await page.getByRole("heading", { name: "Set a new password" }).waitFor();
	const [fresh, again] = [page.getByLabel("New password", { exact: true }), page.getByLabel("New password again")];
	const submit = page.getByRole("button", { name: "Set password" });
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await fresh.fill("abc");
	await submit.click();
	await page.getByRole("alert").getByText("breaks the rules").waitFor();
	await fresh.fill(password);
	await again.fill(password);
	await submit.click();
	await page.getByRole("alert").getByText("differ from the current one").waitFor();
	await fresh.fill("my own password");
	await again.fill("my own passwort");
	await submit.click();
	await page.getByRole("alert").getByText("are not the same").waitFor();
	await again.fill("my own password");
	await submit.click();
	await page.waitForURL(`${server.url}/p/default/sessions`);
	await accountButton(page).waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("the app leads to the new password, which then asks for the current one; log-out is the only other way", async () => {
	const { email, password } = await createNewcomer();
	await using watched = await openPage(browser, `${server.url}/login`);
	const { page } = watched;
	await fillLogIn(page, email, password);
	await page.getByLabel("New password again").waitFor();
	await page.goto(`${server.url}/p/default/traces`);
	await page.waitForURL(`${server.url}/reset-password?returnUrl=%2Fp%2Fdefault%2Ftraces`);
	await page.getByLabel("Current password").fill("not it");
	await page.getByLabel("New password", { exact: true }).fill("my own password");
	await page.getByLabel("New password again").fill("my own password");
	await page.getByRole("button", { name: "Set password" }).click();
	await page.getByRole("alert").getByText("The current password is wrong.").waitFor();
	await page.getByRole("button", { name: "Log out" }).click();
	await page.getByRole("heading", { name: "You are logged out" }).waitFor();
	await page.goto(`${server.url}/reset-password`);
	await page.waitForURL(`${server.url}/login`);
});

test("where the server leaves it to the web app, a first password is asked for all the same", async () => {
	await using lenient = await startWithAuth({ SERVICE_ENFORCE_PASSWORD_RESET: "false" });
	await using watched = await openPage(browser, `${lenient.url}/login`);
	const { page } = watched;
	await fillLogIn(page, "admin@localhost", "admin");
	await page.getByRole("heading", { name: "Set a new password" }).waitFor();
	await page.goto(`${lenient.url}/p/default/traces`);
	await page.waitForURL(`${lenient.url}/reset-password?returnUrl=%2Fp%2Fdefault%2Ftraces`);
});

test("below a path of a proxy one logs in, comes back, renews tokens and logs out", async () => {
	await using below = await startWithAuth({ SERVICE_HOST_ROOT_PATH: "/tools/traces" });
	const account = await createAccount(below, "MEMBER");
	await using watched = await openPage(browser, `${below.url}/p/default/sessions`);
	const { page } = watched;
	await page.waitForURL(`${below.url}/login?returnUrl=%2Fp%2Fdefault%2Fsessions`);
	await fillLogIn(page, account.email, account.password);
	await page.waitForURL(`${below.url}/p/default/sessions`);
	await page.context().clearCookies({ name: /access-token$/ });
	await page.reload();
	await accountButton(page).click();
	await page.getByRole("menuitem", { name: "Log out", exact: true }).click();
	await page.waitForURL(`${below.url}/logout`);
	await page.getByRole("link", { name: "Log in again" }).click();
	await page.waitForURL(`${below.url}/login`);
	expect(faultsOf(watched)).toEqual([]);
});

test("without authentication there is nothing to sign in to, and nobody's account is shown", async () => {
	await using open = await startServer({ authentication: false });
	await using watched = await openPage(browser, `${open.url}/login`);
	const { page } = watched;
	await page.waitForURL(`${open.url}/`);
	await page.getByRole("button", { name: "New project" }).waitFor();
	expect(await accountButton(page).count()).toBe(0);
	expect(watched.problems).toEqual([]);
});
