import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Account, asAdmin, createAccount, logIn, startWithAuth } from "../access/accounts.ts";
import { findAccessibilityViolations, launchBrowser } from "../browser.ts";
import type { TestServer } from "../server.ts";
import { accountButton, dropAccessToken, faultsOf, fillLogIn, openLoggedIn } from "./sessions.ts";

const START = "/p/default/traces?q=refund";

/** A page that asks for nothing by itself while it is open. */
const QUIET = "/settings/account";

let server: TestServer;
let browser: Browser;
let admin: Account;
let member: Account;

beforeAll(async () => {
	server = await startWithAuth();
	browser = await launchBrowser();
	[admin, member] = [await createAccount(server, "ADMIN"), await createAccount(server, "MEMBER")];
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
});

/** Ends the sessions of the account from another place. */
async function endSessionsElsewhere(account: Account): Promise<void> {
	const client = await logIn(server, account.email, account.password);
	const response = await client.send("POST", "/auth/logout-all");
	if (response.status !== 204) throw new Error(`log-out answered ${response.status}`);
}

/** Counts how often any tab got new tokens. */
function countRenewals(context: BrowserContext): () => number {
	let count = 0;
	context.on("response", (response) => {
		if (new URL(response.url()).pathname.endsWith("/auth/refresh")) count += 1;
	});
	return () => count;
}

/**
 * The most requests for new tokens that were on their way at one time, over all tabs, as the pages themselves see it that
 * are opened from now on: events about requests come from several processes, in any order on a busy machine.
 */
async function watchOverlap(context: BrowserContext): Promise<() => number> {
	const renewals: { readonly from: number; readonly until: number }[] = [];
	await context.exposeFunction("noteRenewal", (from: number, until: number) => renewals.push({ from, until }));
	await context.addInitScript(() => {
		const { fetch } = window;
		window.fetch = async (input, init) => {
			const from = Date.now();
			const response = await fetch(input, init);
			if (new URL(response.url).pathname.endsWith("/auth/refresh")) {
				await Reflect.get(window, "noteRenewal")(from, Date.now());
			}
			return response;
		};
	});
	const openAt = (time: number) => renewals.filter(({ from, until }) => from <= time && time < until).length;
	return () => Math.max(...renewals.map(({ from }) => openAt(from)));
}

/** As under http in a local network. */
function withoutLocks(context: BrowserContext): Promise<unknown> {
	return context.addInitScript(() => {
		Object.defineProperty(Navigator.prototype, "locks", { get: () => undefined });
	});
}

/** What a tab writes to local storage comes to the others late, as in a browser on a busy machine. */
function withLateStorage(context: BrowserContext): Promise<unknown> {
	return context.addInitScript(() => {
		const { getItem, setItem, removeItem } = Storage.prototype;
		const written = new Map<string, string | null>();
		const write = (key: string, value: string | null) => {
			written.set(key, value);
			setTimeout(() => {
				if (value === null) removeItem.call(localStorage, key);
				else setItem.call(localStorage, key, value);
				if (written.get(key) === value) written.delete(key);
			}, 500);
		};
		Storage.prototype.getItem = function (key) {
			const isLate = this === localStorage && written.has(key);
			return isLate ? (written.get(key) ?? null) : getItem.call(this, key);
		};
		Storage.prototype.setItem = function (key, value) {
			if (this === localStorage) write(key, value);
			else setItem.call(this, key, value);
		};
		Storage.prototype.removeItem = function (key) {
			if (this === localStorage) write(key, null);
			else removeItem.call(this, key);
		};
	});
}

async function chooseInAccountMenu(page: Page, item: string): Promise<void> {
	await accountButton(page).click();
	await page.getByRole("menuitem", { name: item, exact: true }).click();
}

test("an access token whose time is over is renewed without a word", async () => {
	await using watched = await openLoggedIn(browser, server, member, START);
	const { page } = watched;
	const renewals = countRenewals(page.context());
	await dropAccessToken(page);
	await page.getByRole("link", { name: "Sessions" }).first().click();
	await page.getByText("No session matches these filters").waitFor();
	await expect.poll(renewals).toBe(1);
	expect(new URL(page.url()).pathname).toBe("/p/default/sessions");
	expect(faultsOf(watched)).toEqual([]);
});

test("tokens are renewed before their time is over while the page is used", async () => {
	await using watched = await openLoggedIn(browser, server, member, START);
	const { page } = watched;
	const renewals = countRenewals(page.context());
	const before = watched.problems.length;
	await page.evaluate(() => {
		localStorage.setItem("spanward.tokens-renewed", `${Date.now() - 9 * 60_000}.aged`);
		document.dispatchEvent(new Event("visibilitychange"));
	});
	await expect.poll(renewals).toBe(1);
	await expect.poll(() => page.evaluate(() => localStorage.getItem("spanward.tokens-renewed"))).not.toContain("aged");
	// Not even the refusals that browsers print.
	expect(watched.problems.slice(before)).toEqual([]);
});

test("a link to a file works after the access token's time is over", async () => {
	await using watched = await openLoggedIn(browser, server, admin, "/settings/audit");
	const { page } = watched;
	const link = page.getByRole("link", { name: "Download NDJSON" });
	await link.waitFor();
	await page.evaluate(() => {
		localStorage.setItem("spanward.tokens-renewed", `${Date.now() - 11 * 60_000}.aged`);
	});
	await dropAccessToken(page);
	const [file] = await Promise.all([page.waitForEvent("download"), link.click()]);
	expect(await file.failure()).toBeNull();
});

test.each([
	{ name: "with navigator.locks", changes: [], isOneEnough: true },
	{ name: "without navigator.locks", changes: [withoutLocks], isOneEnough: true },
	{
		name: "that hear of each other late",
		changes: [withoutLocks, withLateStorage],
		isOneEnough: false,
	},
])(
	"tabs $name that need new tokens at once ask for them one after the other, and the session lives on",
	async ({ changes, isOneEnough }) => {
		await using watched = await openLoggedIn(browser, server, member, QUIET);
		const context = watched.page.context();
		for (const change of changes) await change(context);
		const overlap = await watchOverlap(context);
		const tabs = [watched.page, await context.newPage(), await context.newPage()];
		await Promise.all(tabs.map((tab) => tab.goto(server.url + QUIET)));
		await Promise.all(tabs.map((tab) => accountButton(tab).waitFor()));
		const renewals = countRenewals(context);
		for (let round = 1; round <= 3; round++) {
			await dropAccessToken(watched.page);
			await Promise.all(tabs.map((tab) => tab.reload()));
			await Promise.all(tabs.map((tab) => accountButton(tab).waitFor()));
			await expect.poll(renewals).toBeGreaterThanOrEqual(round);
		}
		expect(overlap()).toBe(1);
		// Mostly one a round; a busy machine may tell a tab too late that it is done.
		if (isOneEnough) expect(renewals()).toBeLessThan(3 * tabs.length);
		expect(tabs.map((tab) => tab.url())).toEqual(tabs.map(() => server.url + QUIET));
	},
);

test("a session that was ended elsewhere leads to the log-in page and from there back to where one was", async () => {
	await using watched = await openLoggedIn(browser, server, member, START);
	const { page } = watched;
	await endSessionsElsewhere(member);
	await page.getByRole("link", { name: "Sessions" }).first().click();
	await page.waitForURL(/\/login\?returnUrl=/);
	await fillLogIn(page, member.email, member.password);
	await page.waitForURL(/\/p\/default\/sessions/);
	await page.getByText("No session matches these filters").waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("what was typed when the session ended is kept: one logs in on the page and goes on", async () => {
	const account = await createAccount(server, "MEMBER");
	await using watched = await openLoggedIn(browser, server, account);
	const { page } = watched;
	await page.getByRole("button", { name: "New project" }).click();
	await page.getByLabel("Name").fill("typed before the end");
	await endSessionsElsewhere(account);
	await page.getByRole("button", { name: "Create" }).click();
	await page.getByRole("dialog", { name: "Your session has ended" }).waitFor();
	expect(await page.getByLabel("Email").inputValue()).toBe(account.email);
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await page.getByLabel("Password", { exact: true }).fill(account.password);
	await page.getByRole("button", { name: "Log in", exact: true }).click();
	await page.waitForURL(`${server.url}/p/typed%20before%20the%20end/traces`);
	expect(faultsOf(watched)).toEqual([]);
});

test("after another user has logged in, no tab shows what the first one saw", async () => {
	const [first, second] = [await createAccount(server, "ADMIN"), await createAccount(server, "VIEWER")];
	await using watched = await openLoggedIn(browser, server, first);
	const { page } = watched;
	const other = await page.context().newPage();
	await other.goto(`${server.url}/login`);
	await accountButton(other).waitFor();
	await page.context().clearCookies();
	await other.goto(`${server.url}/login`);
	await fillLogIn(other, second.email, second.password);
	await accountButton(other).waitFor();
	await expect.poll(() => page.getByRole("button", { name: "New project" }).count()).toBe(0);
	await accountButton(page).click();
	await page.getByText(second.email).waitFor();
	expect(await page.getByText(first.email).count()).toBe(0);
});

test("logging out here ends this session in all tabs, not the one in another browser, and leaves nothing behind", async () => {
	await using watched = await openLoggedIn(browser, server, member, START);
	await using elsewhere = await openLoggedIn(browser, server, member, START);
	const { page } = watched;
	const otherTab = await page.context().newPage();
	await otherTab.goto(server.url + START);
	await accountButton(otherTab).waitFor();
	await page.evaluate(() => {
		localStorage.setItem("spanward.theme", "dark");
		localStorage.setItem("spanward.recent", "a secret project");
		sessionStorage.setItem("spanward.draft", "a secret text");
	});
	await chooseInAccountMenu(page, "Log out");
	await page.waitForURL(`${server.url}/logout`);
	// With where to return to if the tab has asked for something by itself before it heard of the log-out.
	await otherTab.waitForURL(/\/login(\?|$)/);
	const left = await page.evaluate(() => [Object.keys(localStorage), Object.keys(sessionStorage)]);
	expect(left).toEqual([["spanward.theme"], []]);
	expect((await page.context().cookies()).map((cookie) => cookie.name)).toEqual([]);
	await elsewhere.page.reload();
	await accountButton(elsewhere.page).waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("logging out everywhere ends the session in another browser too", async () => {
	const account = await createAccount(server, "VIEWER");
	await using watched = await openLoggedIn(browser, server, account, START);
	await using elsewhere = await openLoggedIn(browser, server, account, START);
	await chooseInAccountMenu(watched.page, "Log out everywhere");
	await watched.page.waitForURL(`${server.url}/logout`);
	// The page may have asked for something by itself already, and so be at the log-in.
	const sessionsLink = elsewhere.page.getByRole("link", { name: "Sessions" });
	await sessionsLink.or(elsewhere.page.getByLabel("Email")).first().click();
	await elsewhere.page.waitForURL(/\/login\?returnUrl=/);
});

test("a log-out that did not reach the server says that one is still logged in", async () => {
	await using watched = await openLoggedIn(browser, server, member, START);
	const { page } = watched;
	await page.route("**/auth/logout", (route) => route.abort());
	await chooseInAccountMenu(page, "Log out");
	await page.getByRole("dialog", { name: "You are still logged in" }).waitFor();
});

test.each([
	["the account menu", async (page: Page) => chooseInAccountMenu(page, "Log out"), /\/login$/],
	[
		"the address of log-out",
		async (page: Page) => {
			await page.goto(`${server.url}/auth/logout`);
		},
		/\/login\?returnUrl=/,
	],
])("T155 after a log-out by %s the browser's back button shows no data", async (_name, leave, backAt) => {
	const account = await createAccount(server, "ADMIN");
	const name = `seen-before-${Math.random().toString(36).slice(2)}`;
	await asAdmin(server).data("POST", "/v1/projects", { name });
	await using watched = await openLoggedIn(browser, server, account);
	const { page } = watched;
	await page.getByRole("link", { name }).first().click();
	await page.waitForURL(/\/p\/seen-before/);
	await page.getByRole("main").getByText("Waiting for the first trace").waitFor();
	await leave(page);
	await page.waitForURL(/\/(logout|login)$/);
	await page.evaluate(() => history.back());
	await page.waitForURL(backAt);
	await page.getByLabel("Email").waitFor();
	expect(await page.content()).not.toContain(name);
	const answer = await page.request.get(`${server.url}/v1/projects`);
	expect(answer.status()).toBe(401);
});

test("what a page got of the API is in no cache of the browser", async () => {
	await using watched = await openLoggedIn(browser, server, admin);
	const answers = await watched.page.evaluate(async () => {
		const paths = ["v1/projects", "v1/user"];
		return Promise.all(paths.map(async (path) => (await fetch(path)).headers.get("cache-control")));
	});
	expect(answers).toEqual(["no-store", "no-store"]);
});

test("a role is offered what it may do", async () => {
	const viewer = await createAccount(server, "VIEWER");
	const offers = async (account: Account) => {
		await using watched = await openLoggedIn(browser, server, account);
		const { page } = watched;
		await page.getByRole("heading", { name: "Projects" }).waitFor();
		await page.getByRole("link", { name: "default" }).first().waitFor();
		const create = await page.getByRole("button", { name: "New project" }).count();
		await page.goto(`${server.url}/p/default/settings`);
		await page.getByText("Description").first().waitFor();
		const describe = await page.getByRole("textbox", { name: "Description" }).count();
		const explained = await page.getByText("Only admins change and delete projects.").count();
		expect(faultsOf(watched)).toEqual([]);
		return { create, describe, explained };
	};
	expect(await offers(viewer)).toEqual({ create: 0, describe: 0, explained: 1 });
	expect(await offers(member)).toEqual({ create: 1, describe: 0, explained: 1 });
	expect(await offers(admin)).toEqual({ create: 1, describe: 1, explained: 0 });
});

test("who loses a right is no longer offered what needed it", async () => {
	const account = await createAccount(server, "MEMBER");
	await using watched = await openLoggedIn(browser, server, account);
	const { page } = watched;
	await page.getByRole("button", { name: "New project" }).waitFor();
	await asAdmin(server).data("PATCH", `/v1/users/${account.id}`, { role: "VIEWER" });
	await page.goto(`${server.url}/`);
	await page.waitForURL(/\/login/);
	await fillLogIn(page, account.email, account.password);
	await accountButton(page).waitFor();
	await page.getByRole("heading", { name: "Projects" }).waitFor();
	expect(await page.getByRole("button", { name: "New project" }).count()).toBe(0);
});
