import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { Client, startWithAuth } from "../access/accounts.ts";
import { findAccessibilityViolations, launchBrowser, openPage } from "../browser.ts";
import { testWith } from "../peers/requirements.ts";
import { type Slapd, startSlapd } from "../peers/slapd.ts";
import { freePort, type TestServer } from "../server.ts";
import { HostileProvider, signInWith } from "../sign-in/hostile-provider.ts";
import { expectWellMade, measureScripts, overflowsSideways } from "./pages.ts";
import { accountButton, dropAccessToken, faultsOf } from "./sessions.ts";

const test = testWith("slapd");
const LOG_IN_LIMIT = 28_000;
// As the pages write a search into their address.
const START = "/p/default/traces?from=7d&q=refund+%26+co";
/** Everything that comes back from elsewhere, and what the page says to it. */
const ERRORS: readonly (readonly [code: string, text: string])[] = [
	["unknown_idp", "This way to log in is not known here"],
	["auth_failed", "The sign-in service did not let you in"],
	["invalid_state", "the browser kept no cookie of it"],
	["unsafe_return_url", "Log in again from here"],
	["oauth_error", "could not be reached"],
	["no_oidc_support", "set up for OpenID Connect"],
	["missing_email_scope", "did not send your email"],
	["email_in_use", "There is an account with your email"],
	["sign_in_not_allowed", "There is no account for you here"],
	["invalid_login", "Wrong username or password"],
	["directory_unavailable", "The directory does not answer"],
];

let browser: Browser;
let provider: HostileProvider;
let slapd: Slapd;
/** Has every way to sign in; the provider Okta is not there. */
let server: TestServer;

beforeAll(async () => {
	[browser, provider, slapd] = await Promise.all([launchBrowser(), HostileProvider.start(), startSlapd()]);
	server = await startWithAuth({
		...slapd.settings,
		...provider.settings("KEYCLOAK"),
		...absentProvider("OKTA", await freePort()),
	});
});
afterAll(async () => {
	await browser.close();
	await Promise.all([server, provider, slapd].map((each) => each[Symbol.asyncDispose]()));
});

/** Settings of a provider whose address nobody listens at. */
function absentProvider(idp: string, port: number, name?: string): Record<string, string> {
	return {
		[`SERVICE_OAUTH2_${idp}_CLIENT_ID`]: "spanward",
		[`SERVICE_OAUTH2_${idp}_CLIENT_SECRET`]: "secret-of-the-absent",
		[`SERVICE_OAUTH2_${idp}_OIDC_CONFIG_URL`]: `http://127.0.0.1:${port}/.well-known/openid-configuration`,
		...(name === undefined ? {} : { [`SERVICE_OAUTH2_${idp}_DISPLAY_NAME`]: name }),
	};
}

/** Who the provider says signs in; a new person each time. */
function somebody(): { sub: string; email: string; email_verified: boolean; name: string } {
	const id = Math.random().toString(36).slice(2);
	return { sub: id, email: `${id}@example.com`, email_verified: true, name: `Person ${id}` };
}

function directoryRadio(page: Page) {
	return page.getByRole("radio", { name: "Directory (LDAP)" });
}

async function fillDirectory(page: Page, username: string, password: string): Promise<void> {
	await page.getByLabel("Username").fill(username);
	await page.getByLabel("Password", { exact: true }).fill(password);
	await page.getByRole("button", { name: "Log in" }).click();
}

/** Counts how often the browser set out for a provider. */
function countStarts(context: BrowserContext): () => number {
	let count = 0;
	context.on("request", (request) => {
		if (/\/oauth2\/\w+\/login$/.test(new URL(request.url()).pathname)) count += 1;
	});
	return () => count;
}

test.each(["Local account", "Directory (LDAP)"])(
	"the log-in page is accessible in both themes, quiet, and fits a phone with %s",
	async (way) => {
		await using watched = await openPage(browser, `${server.url}/login`, { colorScheme: "light" });
		const { page } = watched;
		await page.getByRole("radio", { name: way }).check({ force: true });
		await expectWellMade(page, page.getByRole("link", { name: "Log in with Keycloak" }));
		expect(faultsOf(watched)).toEqual([]);
		expect(watched.foreignRequests).toEqual([]);
	},
);

test("with every way to sign in the log-in page needs at most 28 KB of JavaScript", async () => {
	await using watched = await openPage(browser, `${server.url}/healthz`);
	const { page } = watched;
	const size = await measureScripts(page, async () => {
		await page.goto(`${server.url}/login`);
		await page.getByRole("link", { name: "Log in with Okta" }).waitFor();
		await page.waitForTimeout(500);
	});
	expect(size).toBeLessThanOrEqual(LOG_IN_LIMIT);
});

test("one logs in at the directory by keyboard alone, and the browser remembers that way", async () => {
	await using watched = await openPage(browser, server.url + START);
	const { page } = watched;
	await page.getByLabel("Email").waitFor();
	await page.keyboard.press("Shift+Tab");
	await page.keyboard.press("ArrowRight");
	expect(await directoryRadio(page).isChecked()).toBe(true);
	await page.keyboard.press("Tab");
	await page.keyboard.type("bob");
	await page.keyboard.press("Tab");
	await page.keyboard.type("bob-pw");
	await page.keyboard.press("Enter");
	await page.waitForURL(server.url + START);
	await accountButton(page).click();
	await page.getByText("bob@example.com").waitFor();
	await page.getByRole("menuitem", { name: "Log out", exact: true }).click();
	await page.getByRole("link", { name: "Log in again" }).click();
	await page.getByLabel("Username").waitFor();
	expect(await directoryRadio(page).isChecked()).toBe(true);
	expect(faultsOf(watched)).toEqual([]);
});

test("what the directory does not accept is said in its words, and not of the other way", async () => {
	await using watched = await openPage(browser, `${server.url}/login`);
	const { page } = watched;
	await directoryRadio(page).check({ force: true });
	await page.getByRole("button", { name: "Log in" }).click();
	await page.getByRole("alert").getByText("Write your username and your password.").waitFor();
	await fillDirectory(page, "bob", "not-the-password");
	const wrong = page.getByRole("alert").getByText("Wrong username or password");
	await wrong.waitFor();
	expect(await page.getByLabel("Username").inputValue()).toBe("bob");
	await page.getByRole("radio", { name: "Local account" }).check({ force: true });
	expect(await wrong.count()).toBe(0);
	expect(await page.getByLabel("Email").inputValue()).toBe("bob");
});

test("a name that is locked is told for how long", async () => {
	const client = new Client(server);
	for (let guess = 0; guess < 5; guess++) {
		await client.send("POST", "/auth/ldap/login", { username: "alice", password: "wrong" });
	}
	await using watched = await openPage(browser, `${server.url}/login`);
	await directoryRadio(watched.page).check({ force: true });
	await fillDirectory(watched.page, "alice", "alice-pw");
	await watched.page
		.getByRole("alert")
		.getByText(/locked\. Try again in \d+ (minutes|seconds)/)
		.waitFor();
});

test("a directory that is down is said to be, and providers still work", async () => {
	await using other = await startSlapd();
	await using below = await startWithAuth({ ...other.settings, ...provider.settings("KEYCLOAK") });
	await other.stop();
	provider.behaviour = { claims: somebody() };
	await using watched = await openPage(browser, `${below.url}/login`);
	const { page } = watched;
	await directoryRadio(page).check({ force: true });
	await fillDirectory(page, "bob", "bob-pw");
	await page.getByRole("alert").getByText("The directory does not answer. Try again later, or ask an admin.").waitFor();
	await page.getByRole("link", { name: "Log in with Keycloak" }).click();
	await accountButton(page).waitFor();
});

test("where there is only the directory nothing is to be chosen", async () => {
	await using only = await startWithAuth({ ...slapd.settings, SERVICE_DISABLE_BASIC_AUTH: "true" });
	await using watched = await openPage(browser, `${only.url}/login`);
	const { page } = watched;
	await page.getByLabel("Username").waitFor();
	expect(await page.getByRole("radio").count()).toBe(0);
	expect(await page.getByText("or", { exact: true }).count()).toBe(0);
	expect(await page.getByRole("link").count()).toBe(0);
	await fillDirectory(page, "bob", "bob-pw");
	await accountButton(page).waitFor();
	await page.goto(`${only.url}/settings/account`);
	await page.getByText("With username and password of the directory").waitFor();
	expect(await page.getByLabel("Current password").count()).toBe(0);
});

test("where there are only providers each is a link, reached by keyboard, and a failure leads to the log-out page", async () => {
	await using only = await startWithAuth({
		...provider.settings("KEYCLOAK"),
		...absentProvider("OKTA", await freePort()),
		SERVICE_DISABLE_BASIC_AUTH: "true",
	});
	provider.behaviour = { claims: somebody() };
	await using watched = await openPage(browser, only.url + START);
	const { page } = watched;
	await page.getByRole("link", { name: "Log in with Okta" }).waitFor();
	expect(await page.getByRole("textbox").count()).toBe(0);
	await page.getByRole("link", { name: "Log in with Okta" }).click();
	await page.waitForURL(/\/logout\?error=oauth_error/);
	await page.getByRole("heading", { name: "You are not logged in" }).waitFor();
	await page.getByRole("alert").getByText("could not be reached").waitFor();
	await page.getByRole("link", { name: "Back to log-in" }).click();
	await page.getByRole("link", { name: "Log in with Keycloak" }).waitFor();
	await page.keyboard.press("Tab");
	await page.keyboard.press("Enter");
	await accountButton(page).waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("many providers, also with long names, scroll with the page", async () => {
	const port = await freePort();
	const long = "The identity provider of a large organisation whose name does not fit into one line";
	const many = Array.from({ length: 14 }, (_, index) => absentProvider(`IDP_${index + 10}`, port));
	await using crowded = await startWithAuth(Object.assign({}, ...many, absentProvider("LONG", port, long)));
	await using watched = await openPage(browser, `${crowded.url}/login`, { viewport: { width: 390, height: 640 } });
	const { page } = watched;
	const links = page.getByRole("main").getByRole("listitem").getByRole("link");
	await links.first().waitFor();
	expect(await links.count()).toBe(15);
	await expect.poll(() => overflowsSideways(page)).toBe(false);
	await links.last().focus();
	expect(await links.last().evaluate((link) => link.getBoundingClientRect().bottom <= innerHeight)).toBe(true);
	expect(await findAccessibilityViolations(page)).toEqual([]);
});

test("a provider leads back to the page that was asked for", async () => {
	provider.behaviour = { claims: somebody() };
	await using watched = await openPage(browser, server.url + START);
	const { page } = watched;
	await page.getByRole("link", { name: "Log in with Keycloak" }).click();
	await page.waitForURL(server.url + START);
	await accountButton(page).waitFor();
	await page.goto(`${server.url}/settings/account`);
	await page.getByText("With Keycloak", { exact: true }).waitFor();
	await page.getByText("You sign in with Keycloak; change the password there.").waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("below a path of a proxy a provider leads back to the page that was asked for", async () => {
	await using below = await startWithAuth({
		...provider.settings("KEYCLOAK"),
		SERVICE_HOST_ROOT_PATH: "/tools/traces",
	});
	provider.behaviour = { claims: somebody() };
	await using watched = await openPage(browser, below.url + START);
	const { page } = watched;
	await page.getByRole("link", { name: "Log in with Keycloak" }).click();
	await page.waitForURL(below.url + START);
	await accountButton(page).waitFor();
});

test("a provider that is not there is said to be, and another way still leads to the page", async () => {
	provider.behaviour = { claims: somebody() };
	await using watched = await openPage(browser, server.url + START);
	const { page } = watched;
	await page.getByRole("link", { name: "Log in with Okta" }).click();
	await page.getByRole("alert").getByText("The sign-in service could not be reached").waitFor();
	expect(new URL(page.url()).searchParams.get("error")).toBe("oauth_error");
	await page.getByRole("link", { name: "Log in with Keycloak" }).click();
	await page.waitForURL(server.url + START);
	await accountButton(page).waitFor();
});

test.each(ERRORS)("the code %s is a sentence that says what to do", async (code, text) => {
	await using watched = await openPage(browser, `${server.url}/login?error=${code}&error_description=pwned`);
	await watched.page.getByRole("alert").getByText(text).waitFor();
	expect(await watched.page.getByRole("main").innerText()).not.toContain("pwned");
});

test("other tabs go on when one has logged in with a provider", async () => {
	provider.behaviour = { claims: somebody() };
	await using watched = await openPage(browser, `${server.url}/login?returnUrl=%2Fp%2Fdefault%2Fsessions`);
	const { page } = watched;
	await page.getByRole("link", { name: "Log in with Keycloak" }).waitFor();
	const other = await page.context().newPage();
	await other.goto(`${server.url}/login`);
	await other.getByRole("link", { name: "Log in with Keycloak" }).click();
	await accountButton(other).waitFor();
	await page.waitForURL(`${server.url}/p/default/sessions`);
});

describe("when the session has ended and something was typed", () => {
	test("who signs in with a provider does so in a new tab, and nothing typed is lost", async () => {
		provider.behaviour = { claims: somebody() };
		await using watched = await openPage(browser, `${server.url}/login?returnUrl=%2Fsettings%2Faccount`);
		const { page } = watched;
		await page.getByRole("link", { name: "Log in with Keycloak" }).click();
		await accountButton(page).waitFor();
		await page.getByLabel("Username").fill("typed before the end");
		const elsewhere = (await signInWith(server, provider, { idp: "keycloak" })).client;
		await elsewhere.send("POST", "/auth/logout-all");
		await page.getByRole("button", { name: "Save" }).click();
		const dialog = page.getByRole("dialog", { name: "Your session has ended" });
		await dialog.getByText("It opens in a new tab.").waitFor();
		expect(await findAccessibilityViolations(page)).toEqual([]);
		expect(await dialog.getByRole("link").allTextContents()).toEqual(["Log in with Keycloak"]);
		const [tab] = await Promise.all([page.context().waitForEvent("page"), dialog.getByRole("link").click()]);
		await accountButton(tab).waitFor();
		expect(tab.url()).toBe(`${server.url}/settings/account`);
		await page.getByText("Saved").waitFor();
		expect(await page.getByLabel("Username").inputValue()).toBe("typed before the end");
		expect(faultsOf(watched)).toEqual([]);
	});

	test("who signs in at the directory does so on the page", async () => {
		await using watched = await openPage(browser, `${server.url}/login?returnUrl=%2Fsettings%2Faccount`);
		const { page } = watched;
		await directoryRadio(page).check({ force: true });
		await fillDirectory(page, "bob", "bob-pw");
		await accountButton(page).waitFor();
		await page.getByLabel("Username").fill("Bob, typed before the end");
		const elsewhere = new Client(server);
		await elsewhere.send("POST", "/auth/ldap/login", { username: "bob", password: "bob-pw" });
		await elsewhere.send("POST", "/auth/logout-all");
		await page.getByRole("button", { name: "Save" }).click();
		const dialog = page.getByRole("dialog", { name: "Your session has ended" });
		await dialog.getByLabel("Username").fill("bob");
		await dialog.getByLabel("Password", { exact: true }).fill("bob-pw");
		await dialog.getByRole("button", { name: "Log in", exact: true }).click();
		await page.getByText("Saved").waitFor();
		expect(faultsOf(watched)).toEqual([]);
	});
});

describe("AUTO_LOGIN", () => {
	let auto: TestServer;
	beforeAll(async () => {
		const settings = { ...provider.settings("KEYCLOAK"), SERVICE_OAUTH2_KEYCLOAK_AUTO_LOGIN: "true" };
		auto = await startWithAuth(settings);
	});
	afterAll(() => auto[Symbol.asyncDispose]());

	test("T153: goes to the provider without a word and comes back to the page that was asked for", async () => {
		provider.behaviour = { claims: somebody() };
		await using watched = await openPage(browser, auto.url + START);
		const { page } = watched;
		await accountButton(page).waitFor();
		expect(page.url()).toBe(auto.url + START);
		expect(faultsOf(watched)).toEqual([]);
	});

	test("T153: shows the page after an error, and with local=1", async () => {
		provider.behaviour = { claims: somebody(), callback: { code: undefined, error: "access_denied" } };
		await using watched = await openPage(browser, `${auto.url}/healthz`);
		const { page } = watched;
		const starts = countStarts(page.context());
		await page.goto(`${auto.url}/`);
		await page.getByRole("alert").getByText("The sign-in service").waitFor();
		expect(new URL(page.url()).searchParams.has("error")).toBe(true);
		await page.waitForTimeout(500);
		expect(starts()).toBe(1);
		await page.goto(`${auto.url}/login?local=1`);
		await page.getByLabel("Email").waitFor();
		await page.getByRole("link", { name: "Log in with Keycloak" }).waitFor();
		await page.waitForTimeout(500);
		expect(starts()).toBe(1);
	});

	test("T153: stays out after log-out, in other tabs too, until one asks for it", async () => {
		provider.behaviour = { claims: somebody() };
		await using watched = await openPage(browser, `${auto.url}/`);
		const { page } = watched;
		await accountButton(page).waitFor();
		const other = await page.context().newPage();
		await other.goto(`${auto.url}/`);
		await accountButton(other).waitFor();
		const starts = countStarts(page.context());
		await accountButton(page).click();
		await page.getByRole("menuitem", { name: "Log out", exact: true }).click();
		await page.getByRole("heading", { name: "You are logged out" }).waitFor();
		await other.getByRole("heading", { name: "You are logged out" }).waitFor();
		await page.reload();
		await page.getByRole("heading", { name: "You are logged out" }).waitFor();
		await page.waitForTimeout(500);
		expect(starts()).toBe(0);
		await page.getByRole("link", { name: "Log in again" }).click();
		await accountButton(page).waitFor();
	});

	test("T153: stays out after log-out by its address", async () => {
		provider.behaviour = { claims: somebody() };
		await using watched = await openPage(browser, `${auto.url}/`);
		const { page } = watched;
		await accountButton(page).waitFor();
		const starts = countStarts(page.context());
		// An open page that hears of its log-out goes to /logout by itself, which would end the navigation below.
		await page.goto("about:blank");
		await page.goto(`${auto.url}/auth/logout`);
		await page.waitForURL(`${auto.url}/logout`);
		await page.getByRole("heading", { name: "You are logged out" }).waitFor();
		await page.waitForTimeout(500);
		expect(starts()).toBe(0);
	});

	test.each([
		["every cookie", /./],
		["the cookies of the session", /(access|refresh)-token=/],
	])("T153: does not go round when the browser refuses %s", async (_what, refused) => {
		provider.behaviour = { claims: somebody() };
		await using proxy = await withoutCookies(auto, refused);
		const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
		await using watched = await openPage(browser, `${url}/healthz`);
		const { page } = watched;
		const starts = countStarts(page.context());
		await page.goto(url + START);
		await page
			.getByRole("alert")
			.getByText(/[cC]ookies/)
			.waitFor();
		await page.getByLabel("Email").waitFor();
		await page.waitForTimeout(1_000);
		expect(starts()).toBe(1);
	});

	test("T153: waits to be told where the browser keeps nothing for a tab", async () => {
		await using watched = await openPage(browser, `${auto.url}/healthz`);
		const { page } = watched;
		await page.context().addInitScript(() => {
			for (const name of ["localStorage", "sessionStorage"]) {
				Object.defineProperty(window, name, {
					get: () => {
						throw new DOMException("blocked", "SecurityError");
					},
				});
			}
		});
		const starts = countStarts(page.context());
		await page.goto(`${auto.url}/`);
		await page.getByRole("link", { name: "Log in with Keycloak" }).waitFor();
		expect(starts()).toBe(0);
		expect(faultsOf(watched)).toEqual([]);
	});

	test("T153: brings back who was logged out by time, without a word", async () => {
		provider.behaviour = { claims: somebody() };
		await using watched = await openPage(browser, auto.url + START);
		const { page } = watched;
		await accountButton(page).waitFor();
		const elsewhere = (await signInWith(auto, provider, { idp: "keycloak" })).client;
		await elsewhere.send("POST", "/auth/logout-all");
		await dropAccessToken(page);
		const starts = countStarts(page.context());
		await page.getByRole("link", { name: "Sessions" }).first().click();
		await page.getByText("No session matches these filters").waitFor();
		expect(starts()).toBe(1);
	});
});

/** The server as it is for a browser that does not keep the cookies that match: a proxy takes them out. */
async function withoutCookies({ port }: TestServer, refused: RegExp): Promise<Server & AsyncDisposable> {
	const proxy = createServer((incoming, outgoing) => {
		const { method, url: path, headers } = incoming;
		const forwarded = request({ host: "127.0.0.1", port, method, path, headers }, (answer) => {
			const kept = (answer.headers["set-cookie"] ?? []).filter((cookie) => !refused.test(cookie));
			outgoing.writeHead(answer.statusCode ?? 502, { ...answer.headers, "set-cookie": kept });
			answer.pipe(outgoing);
		});
		forwarded.on("error", () => outgoing.destroy());
		outgoing.on("close", () => forwarded.destroy());
		incoming.pipe(forwarded);
	}).listen(0, "127.0.0.1");
	await once(proxy, "listening");
	return proxy;
}
