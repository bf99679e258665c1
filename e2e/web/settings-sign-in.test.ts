import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { type Account, asAdmin, Client, createAccount, startWithAuth } from "../access/accounts.ts";
import { browserOf, findAccessibilityViolations, launchBrowser, openPage } from "../browser.ts";
import { testWith } from "../peers/requirements.ts";
import { type Slapd, startSlapd } from "../peers/slapd.ts";
import { freePort, type TestServer } from "../server.ts";
import { HostileProvider, signInWith } from "../sign-in/hostile-provider.ts";
import { expectWellMade, measureScripts, overflowsSideways, tableRow } from "./pages.ts";
import { accountButton, faultsOf } from "./sessions.ts";

const test = testWith("slapd");
const PAGE_LIMIT = 250_000;
const PATH = "/settings/sign-in";
const PERSON = {
	sub: "sub-of-ana",
	email: "ana@example.com",
	email_verified: true,
	name: "Ana Lima",
	groups: ["eng", "eu"],
	roles: { spanward: "lead" },
};

let browser: Browser;
let provider: HostileProvider;
let slapd: Slapd;
/** Has a provider with groups and roles, one that is not there, and a directory. */
let server: TestServer;
let admin: Account;

beforeAll(async () => {
	[browser, provider, slapd] = await Promise.all([launchBrowser(), HostileProvider.start(), startSlapd()]);
	server = await startWithAuth({
		...slapd.settings,
		...provider.settings("KEYCLOAK"),
		SERVICE_OAUTH2_KEYCLOAK_GROUPS_ATTRIBUTE_PATH: "groups",
		SERVICE_OAUTH2_KEYCLOAK_ALLOWED_GROUPS: "eng,ops",
		SERVICE_OAUTH2_KEYCLOAK_ROLE_ATTRIBUTE_PATH: "roles.spanward",
		SERVICE_OAUTH2_KEYCLOAK_ROLE_MAPPING: "lead:MEMBER",
		SERVICE_OAUTH2_OKTA_CLIENT_ID: "spanward",
		SERVICE_OAUTH2_OKTA_CLIENT_SECRET: "secret-of-the-absent",
		SERVICE_OAUTH2_OKTA_OIDC_CONFIG_URL: `http://127.0.0.1:${await freePort()}/.well-known/openid-configuration`,
	});
	admin = await createAccount(server, "ADMIN");
});
afterAll(async () => {
	await browser.close();
	await Promise.all([server, provider, slapd].map((each) => each[Symbol.asyncDispose]()));
});

function openAsAdmin(path = PATH, options = {}) {
	return openPage(browserOf(browser, server, admin), server.url + path, options);
}

/** The card of a way to sign in. */
function card(page: Page, name: string) {
	return page.getByRole("region", { name, exact: true });
}

/** What is said about a step, by its name. */
function step(page: Page, list: string, name: string) {
	return page.getByRole("list", { name: list }).getByRole("listitem").filter({ hasText: name });
}

async function tryWithKeycloak(page: Page): Promise<void> {
	await page.getByRole("button", { name: "Try sign-in with Keycloak" }).click();
	await page.waitForURL(/\/settings\/sign-in\?try=/);
}

async function tryUsername(page: Page, username: string, password = ""): Promise<void> {
	const directory = card(page, "Directory (LDAP)");
	await directory.getByLabel("Username").fill(username);
	await directory.getByLabel("Password (optional)").fill(password);
	await directory.getByRole("button", { name: "Try", exact: true }).click();
}

/** What is folded up. */
async function openSummaries(page: Page): Promise<void> {
	for (const summary of await page.locator("summary").all()) await summary.click();
}

test("the page is accessible in both themes, quiet, fits a phone, and says of each way whether it works", async () => {
	await using watched = await openAsAdmin(PATH, { colorScheme: "light" });
	const { page } = watched;
	await card(page, "Keycloak").getByText("Works", { exact: true }).waitFor();
	await card(page, "Okta").getByText("Does not work", { exact: true }).waitFor();
	await card(page, "Passwords").getByText("Works", { exact: true }).waitFor();
	await card(page, "Directory (LDAP)").getByText("Works", { exact: true }).waitFor();
	await openSummaries(page);
	await expectWellMade(page, card(page, "Okta").getByText("SERVICE_OAUTH2_OKTA_OIDC_CONFIG_URL").first());
	const content = await page.content();
	for (const secret of [provider.clientSecret, "secret-of-the-absent", "svc-pw"]) expect(content).not.toContain(secret);
	expect(faultsOf(watched)).toEqual([]);
	expect(watched.foreignRequests).toEqual([]);
});

test("the reports are accessible in both themes, and fit a phone", async () => {
	provider.behaviour = { claims: { ...PERSON, groups: ["sales"] } };
	await using watched = await openAsAdmin(PATH, { colorScheme: "light" });
	const { page } = watched;
	await tryWithKeycloak(page);
	await page.getByText("Would be refused").waitFor();
	await tryUsername(page, "bob");
	await openSummaries(page);
	await expectWellMade(page, page.getByText("Would be let in with the right password"));
	expect(faultsOf(watched)).toEqual([]);
});

test("the page with a report fits a phone", async () => {
	provider.behaviour = { claims: PERSON };
	await using watched = await openAsAdmin(PATH, { viewport: { width: 390, height: 800 } });
	const { page } = watched;
	await tryWithKeycloak(page);
	await page.getByText("Would be let in", { exact: true }).waitFor();
	await card(page, "Okta").waitFor();
	await openSummaries(page);
	await expect.poll(() => overflowsSideways(page)).toBe(false);
});

test("the page needs at most 250 KB of JavaScript", async () => {
	await using watched = await openAsAdmin("/healthz");
	const { page } = watched;
	const size = await measureScripts(page, async () => {
		await page.goto(server.url + PATH);
		await card(page, "Keycloak").waitFor();
		await page.waitForTimeout(500);
	});
	expect(size).toBeLessThanOrEqual(PAGE_LIMIT);
});

test("the address to register is shown and copied", async () => {
	await using watched = await openAsAdmin(PATH, { permissions: ["clipboard-read", "clipboard-write"] });
	const { page } = watched;
	await card(page, "Keycloak").getByRole("button", { name: "Copy redirect address" }).click();
	const copied = () => page.evaluate(() => navigator.clipboard.readText());
	await expect.poll(copied).toBe(`${server.url}/oauth2/keycloak/tokens`);
});

test("checking again finds a provider that has gone, and one that has come back", async () => {
	await using watched = await openAsAdmin();
	const { page } = watched;
	const isShown = async (text: string) => {
		await page.getByRole("button", { name: "Check again" }).click();
		return await card(page, "Keycloak").getByText(text, { exact: true }).count();
	};
	await card(page, "Keycloak").getByText("Works", { exact: true }).waitFor();
	provider.behaviour = { answers: { discovery: (_request, response) => void response.writeHead(500).end() } };
	await expect.poll(() => isShown("Does not work")).toBe(1);
	provider.behaviour = {};
	await expect.poll(() => isShown("Works")).toBe(1);
});

describe("a try with a provider", () => {
	test("is started by keyboard, and shows how the person would be let in; nobody is logged in or made by it", async () => {
		provider.behaviour = { claims: PERSON };
		await using watched = await openAsAdmin();
		const { page } = watched;
		await page.getByRole("button", { name: "Try sign-in with Keycloak" }).focus();
		await page.keyboard.press("Enter");
		await page.waitForURL(/\?try=/);
		const report = page.getByRole("region", { name: "Report of the try" });
		await report.getByText("Would be let in", { exact: true }).waitFor();
		await report.getByRole("heading", { name: "Try of Keycloak" }).waitFor();
		expect(await report.evaluate((element) => element === document.activeElement)).toBe(true);
		await step(page, "Steps", "Email").getByText("ana@example.com").first().waitFor();
		await step(page, "Steps", "Groups").getByText("eng").first().waitFor();
		await step(page, "Steps", "Role").getByText("MEMBER").first().waitFor();
		await step(page, "Steps", "Account").first().waitFor();
		await report.getByRole("list", { name: "Claims" }).getByText("sub-of-ana").waitFor();
		await accountButton(page).click();
		await page.getByText(admin.email).waitFor();
		const { data } = (await (await asAdmin(server).send("GET", "/v1/users")).json()) as { data: { email: string }[] };
		expect(data.map(({ email }) => email)).not.toContain("ana@example.com");
		await page.keyboard.press("Escape");
		await report.getByRole("button", { name: "Close the report" }).click();
		await page.waitForURL(server.url + PATH);
		await report.waitFor({ state: "detached" });
		expect(faultsOf(watched)).toEqual([]);
	});

	test("says why somebody would be refused, what to change, and what they would be told", async () => {
		provider.behaviour = { claims: { ...PERSON, groups: ["sales"] } };
		await using watched = await openAsAdmin();
		const { page } = watched;
		await tryWithKeycloak(page);
		await page.getByText("Would be refused").waitFor();
		await page.getByText("The log-in page would say:").waitFor();
		await page.getByText("auth_failed").first().waitFor();
		const groups = step(page, "Steps", "Groups");
		await groups.getByText("SERVICE_OAUTH2_KEYCLOAK_ALLOWED_GROUPS").first().waitFor();
		await groups.getByText("sales").first().waitFor();
		await groups.getByRole("button", { name: "Copy SERVICE_OAUTH2_KEYCLOAK_ALLOWED_GROUPS" }).waitFor();
	});

	test("has the provider ask who signs in, if one wants that", async () => {
		provider.behaviour = { claims: PERSON };
		await using watched = await openAsAdmin();
		const { page } = watched;
		await card(page, "Keycloak").getByRole("checkbox", { name: "Have the provider ask who signs in" }).check();
		await tryWithKeycloak(page);
		await page.getByText("Would be let in", { exact: true }).waitFor();
		// The check of the redirect address asks the provider too, at a time of its own and with prompt=none.
		const asked = provider.requests.filter((request) => request.includes("/authorize?"));
		expect(asked.filter((request) => request.includes("prompt=login"))).toHaveLength(1);
	});

	test("shows what the provider says as text, whatever it is", async () => {
		const bad = `<img src=x onerror="document.title='pwned'">`;
		provider.behaviour = { claims: { ...PERSON, name: bad, picture: "javascript:alert(1)", [bad]: [bad] } };
		await using watched = await openAsAdmin();
		const { page } = watched;
		await tryWithKeycloak(page);
		await page.getByRole("list", { name: "Claims" }).getByText(bad).first().waitFor();
		expect(await page.getByRole("main").locator("img").count()).toBe(0);
		expect(await page.title()).toBe("Sign-in · Settings · Spanward");
		expect(faultsOf(watched)).toEqual([]);
	});

	test("with one that is not there comes to a report at once", async () => {
		await using watched = await openAsAdmin();
		const { page } = watched;
		await page.getByRole("button", { name: "Try sign-in with Okta" }).click();
		await page.getByRole("heading", { name: "Try of Okta" }).waitFor();
		await page.getByText("Would be refused").waitFor();
		await step(page, "Steps", "Discovery").getByText("SERVICE_OAUTH2_OKTA_OIDC_CONFIG_URL").first().waitFor();
		expect(faultsOf(watched)).toEqual([]);
	});

	test("is shown to nobody else, and says so when it is over", async () => {
		provider.behaviour = { claims: PERSON };
		await using watched = await openAsAdmin();
		await tryWithKeycloak(watched.page);
		await watched.page.getByText("Would be let in", { exact: true }).waitFor();
		const other = await createAccount(server, "ADMIN");
		await using theirs = await openPage(browserOf(browser, server, other), watched.page.url());
		await theirs.page.getByRole("alert").getByText("This report is not there any more").waitFor();
		expect(await theirs.page.content()).not.toContain("ana@example.com");
		await theirs.page.goto(`${server.url}${PATH}?try=%3Cb%3E`);
		await theirs.page.getByRole("alert").getByText("This report is not there any more").waitFor();
		expect(faultsOf(theirs)).toEqual([]);
	});
});

describe("a try with the directory", () => {
	test("looks somebody up without a password, by keyboard", async () => {
		await using watched = await openAsAdmin();
		const { page } = watched;
		await card(page, "Directory (LDAP)").getByLabel("Username").focus();
		await page.keyboard.press("Enter");
		await page.getByRole("alert").getByText("Write a username.").waitFor();
		await page.keyboard.type("bob");
		await page.keyboard.press("Enter");
		await page.getByText("Would be let in with the right password").waitFor();
		const list = page.getByRole("list", { name: "Steps" });
		await list.getByText("(uid=bob)").first().waitFor();
		await list.getByText("uid=bob,ou=users,dc=example,dc=com").first().waitFor();
		await list.getByText("cn=developers,ou=groups,dc=example,dc=com").first().waitFor();
		expect(faultsOf(watched)).toEqual([]);
	});

	test("checks a password too, and keeps it nowhere", async () => {
		await using watched = await openAsAdmin();
		const { page } = watched;
		await tryUsername(page, "bob", "bob-pw");
		await page.getByText("Would be let in", { exact: true }).waitFor();
		expect(await page.getByLabel("Password (optional)").inputValue()).toBe("");
		expect(await page.content()).not.toContain("bob-pw");
		await tryUsername(page, "bob", "not-the-password");
		await page.getByText("Would be refused").waitFor();
		await page.getByText("invalid_login").waitFor();
		await tryUsername(page, "nobody-of-this-name");
		await page.getByText("Would be refused").waitFor();
		expect(faultsOf(watched)).toEqual([]);
	});

	test("counts wrong passwords as log-ins do, and says when the name is locked", async () => {
		await using watched = await openAsAdmin();
		const { page } = watched;
		for (let guess = 0; guess < 5; guess++) {
			const answer = page.waitForResponse("**/v1/sign_in/ldap/try");
			await tryUsername(page, "alice", "wrong");
			await answer;
			// Emptied when the page has read the answer; what is typed before that is lost.
			await expect.poll(() => card(page, "Directory (LDAP)").getByLabel("Password (optional)").inputValue()).toBe("");
		}
		await tryUsername(page, "alice", "alice-pw");
		await card(page, "Directory (LDAP)")
			.getByRole("alert")
			.filter({ hasText: /lock|later/i })
			.waitFor();
		expect(
			(await new Client(server).send("POST", "/auth/ldap/login", { username: "alice", password: "alice-pw" })).status,
		).toBe(429);
	});
});

test("where there are only passwords the page says what to set", async () => {
	await using plain = await startWithAuth();
	const owner = await createAccount(plain, "ADMIN");
	await using watched = await openPage(browserOf(browser, plain, owner), plain.url + PATH);
	const { page } = watched;
	await page.getByRole("heading", { name: "Only passwords so far" }).waitFor();
	await page.getByText("SERVICE_OAUTH2_KEYCLOAK_OIDC_CONFIG_URL").waitFor();
	await page.getByText("SERVICE_LDAP_HOST").waitFor();
	await page.getByText(`${plain.url}/oauth2/keycloak/tokens`).waitFor();
	await page.getByText("docs/sign-in/").waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

describe("users of providers and of the directory", () => {
	async function create(page: Page, method: string, name: string): Promise<void> {
		await page.getByRole("button", { name: "New user" }).click();
		await page.getByRole("combobox", { name: /^Signs in by/ }).selectOption(method);
		expect(await page.getByRole("combobox", { name: /^First password/ }).count()).toBe(0);
		await page.getByRole("textbox", { name: /^Email/ }).fill(`${name}@example.com`);
		await page.getByRole("textbox", { name: /^Username/ }).fill(name);
		await page.getByRole("button", { name: "Create" }).click();
		await tableRow(page, `${name}@example.com`).getByText("not signed in yet").waitFor();
	}

	test("are made without a password, bound by their first log-in, and their binding is cleared", async () => {
		await using watched = await openAsAdmin("/settings/users");
		const { page } = watched;
		await create(page, "Keycloak or Okta", "precreated");
		expect(await page.getByRole("dialog").count()).toBe(0);
		provider.behaviour = { claims: { ...PERSON, sub: "sub-1", email: "precreated@example.com" } };
		const { client } = await signInWith(server, provider, { idp: "keycloak" });
		expect((await client.send("GET", "/v1/user")).status).toBe(200);
		await page.reload();
		const row = tableRow(page, "precreated@example.com");
		await row.getByText("Keycloak", { exact: true }).waitFor();
		expect(await row.getByText("not signed in yet").count()).toBe(0);
		await page.getByRole("button", { name: "Actions for precreated" }).click();
		expect(await page.getByRole("menuitem", { name: "Set a password" }).count()).toBe(0);
		await page.getByRole("menuitem", { name: "Clear binding" }).click();
		const dialog = page.getByRole("dialog", { name: "Clear the binding of precreated?" });
		await dialog.getByText("Whoever next signs in with the email precreated@example.com").waitFor();
		expect(await findAccessibilityViolations(page)).toEqual([]);
		await dialog.getByRole("button", { name: "Clear binding" }).click();
		await page.getByText("The binding of precreated is cleared.").waitFor();
		await row.getByText("not signed in yet").waitFor();
		expect((await client.send("GET", "/v1/user")).status).toBe(401);
		expect(faultsOf(watched)).toEqual([]);
	});

	test("of the directory are made alike", async () => {
		await using watched = await openAsAdmin("/settings/users");
		const { page } = watched;
		await create(page, "Directory", "carol");
		await tableRow(page, "carol@example.com").getByText("Directory", { exact: true }).waitFor();
		expect(faultsOf(watched)).toEqual([]);
	});

	test("are the only ones that can be made where passwords are off", async () => {
		await using only = await startWithAuth({ ...slapd.settings, SERVICE_DISABLE_BASIC_AUTH: "true" });
		await using watched = await openPage(browser, `${only.url}/login?returnUrl=%2Fsettings%2Fusers`);
		const { page } = watched;
		await page.getByLabel("Username").fill("alice");
		await page.getByLabel("Password", { exact: true }).fill("alice-pw");
		await page.getByRole("button", { name: "Log in" }).click();
		await page.getByRole("button", { name: "New user" }).click();
		expect(await page.getByRole("combobox", { name: /^Signs in by/ }).count()).toBe(0);
		expect(await page.getByRole("combobox", { name: /^First password/ }).count()).toBe(0);
		await page.getByRole("textbox", { name: /^Email/ }).fill("dave@example.com");
		await page.getByRole("textbox", { name: /^Username/ }).fill("dave");
		await page.getByRole("button", { name: "Create" }).click();
		await tableRow(page, "dave@example.com").getByText("Directory", { exact: true }).waitFor();
		await page.goto(`${only.url}${PATH}`);
		await card(page, "Passwords").getByText("Off", { exact: true }).waitFor();
		expect(faultsOf(watched)).toEqual([]);
	});
});
