import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Account, asAdmin, Client, createAccount, startWithAuth } from "../access/accounts.ts";
import { browserOf, findAccessibilityViolations, launchBrowser, openPage } from "../browser.ts";
import { createTestServer, type TestServer } from "../server.ts";
import { expectWellMade } from "./pages.ts";
import { faultsOf } from "./sessions.ts";

const OWN = ["Account", "Log-in sessions", "API keys", "Connected apps"];
const DATA = ["Annotation configs", "Waiting annotations", "Retention", "Models", "Prices", "Storage"];
const ADMINS = [
	"Users",
	"Teams",
	"Access",
	"Sign-in",
	"All user keys",
	"System keys",
	"Clients",
	"Secrets",
	"Audit log",
];
const PAGES: readonly (readonly [name: string, path: string, shows: string])[] = [
	["Account", "/settings/account", "Cannot be changed"],
	["Log-in sessions", "/settings/sessions", "This one"],
	["API keys", "/settings/api-keys", "Notebook"],
	["Connected apps", "/settings/apps", "No program is connected"],
	["Users", "/settings/users", "has to set a password"],
	["Teams", "/settings/teams", "There are no teams yet"],
	["Access", "/settings/access", "What holds where nothing else says so."],
	["Sign-in", "/settings/sign-in", "Only passwords so far"],
	["All user keys", "/settings/user-keys", "Notebook"],
	["System keys", "/settings/system-keys", "Collector"],
	["Clients", "/settings/clients", "comes with Spanward"],
	["Secrets", "/settings/secrets", "MODEL_KEY"],
	["Audit log", "/settings/audit?action=secret.write", "Secret written"],
	["Annotation configs", "/settings/annotation-configs", "user_feedback"],
	["Waiting annotations", "/settings/waiting-annotations", "Nothing is waiting"],
	["Retention", "/settings/retention", "No policy has run yet."],
	["Models", "/settings/models", "bench"],
	["Prices", "/settings/prices", "US dollars per million tokens"],
	["Storage", "/settings/storage", "No limit"],
	["Ingest health", "/settings/ingest", "Accepted spans"],
	["Agents and command line", "/settings/agents", "No calls within a week"],
];
const MANAGEMENT = "https://manage.example.com/";

let server: TestServer;
let browser: Browser;
let admin: Account;
let member: Account;
let viewer: Account;

beforeAll(async () => {
	server = await startWithAuth({ SERVICE_ADMINS: "jamie=jamie@example.com", SERVICE_MANAGEMENT_URL: MANAGEMENT });
	browser = await launchBrowser();
	[admin, member, viewer] = await Promise.all([
		createAccount(server, "ADMIN"),
		createAccount(server, "MEMBER"),
		createAccount(server, "VIEWER"),
	]);
	const client = new Client(server);
	await client.send("POST", "/auth/login", { email: admin.email, password: admin.password });
	await client.data("POST", "/v1/user/api_keys", { data: { name: "Notebook", description: "of the laptop" } });
	await client.data("POST", "/v1/system/api_keys", { data: { name: "Collector" } });
	await client.data("POST", "/v1/model_connections", {
		...{ name: "bench", kind: "openai", credentials: { api_key: { value: "sk-not-in-any-list" } } },
	});
	await client.data("PUT", "/v1/secrets", { secrets: [{ key: "MODEL_KEY", value: "sk-not-in-any-list" }] });
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
});

function sections(page: Page) {
	return page.getByRole("navigation", { name: "Settings" }).getByRole("link");
}

test.each(PAGES)("%s is accessible in both themes, quiet, and fits a phone", async (name, path, shows) => {
	const user = browserOf(browser, server, admin);
	await using watched = await openPage(user, server.url + path, { colorScheme: "light" });
	const { page } = watched;
	await expectWellMade(page, page.getByText(shows).filter({ visible: true }).first());
	expect(await page.title()).toBe(`${name} · Settings · Spanward`);
	expect(await page.getByRole("heading", { level: 1, name }).count()).toBe(1);
	expect(await page.content()).not.toContain("sk-not-in-any-list");
	expect(faultsOf(watched)).toEqual([]);
	expect(watched.foreignRequests).toEqual([]);
});

test("the list of sections holds what the role may open", async () => {
	const offered: Record<string, string[]> = {};
	for (const [role, account] of Object.entries({ admin, member, viewer })) {
		await using watched = await openPage(browserOf(browser, server, account), `${server.url}/settings`);
		await watched.page.getByText("Cannot be changed").waitFor();
		offered[role] = await sections(watched.page).allTextContents();
	}
	const ofEverybody = ["Ingest health", "Agents and command line"];
	const everybody = [...OWN, ...DATA, ...ofEverybody];
	expect(offered).toEqual({
		admin: [...OWN, ...DATA, ...ADMINS, ...ofEverybody],
		member: everybody,
		viewer: everybody,
	});
});

test.each(ADMINS)(
	"%s tells a member in a sentence that it is for admins, and asks the server for nothing",
	async (name) => {
		const path = PAGES.find(([page]) => page === name)?.[1];
		const requests: string[] = [];
		await using watched = await openPage(browserOf(browser, server, member), `${server.url}/settings/account`);
		const { page } = watched;
		await page.getByText("Cannot be changed").waitFor();
		page.on("request", (request) => requests.push(new URL(request.url()).pathname));
		await page.goto(server.url + path);
		await page.getByRole("heading", { name: `Only admins may open “${name}”` }).waitFor();
		await page.getByRole("link", { name: "Go to my account" }).click();
		await page.waitForURL(`${server.url}/settings/account`);
		await page.getByText("Cannot be changed").waitFor();
		expect(requests.filter((each) => /^\/v1\/(users|system|secrets|audit|sign_in|oauth2)/.test(each))).toEqual([]);
		expect(faultsOf(watched)).toEqual([]);
	},
);

test("the palette offers the sections that the role may open", async () => {
	for (const [account, count] of [
		[admin, 1],
		[viewer, 0],
	] as const) {
		await using watched = await openPage(browserOf(browser, server, account), `${server.url}/settings`);
		const { page } = watched;
		await page.getByText("Cannot be changed").waitFor();
		await page.keyboard.press("ControlOrMeta+k");
		await page.getByRole("combobox").fill("settings");
		await page.getByRole("option", { name: "API keys" }).waitFor();
		expect(await page.getByRole("option", { name: "Audit log" }).count()).toBe(count);
		await page.getByRole("combobox").fill("log-in sess");
		await page.getByRole("option", { name: "Log-in sessions" }).waitFor();
		await page.keyboard.press("Enter");
		await page.waitForURL(`${server.url}/settings/sessions`);
	}
});

test("the management link is there for who is named in SERVICE_ADMINS, and tells the other page nothing", async () => {
	const users = await asAdmin(server).data("GET", "/v1/users");
	const jamie = users.find((user: { email: string }) => user.email === "jamie@example.com");
	const password = "given-Password-1";
	await asAdmin(server).data("PATCH", `/v1/users/${jamie.id}`, { password });
	const client = new Client(server);
	await client.send("POST", "/auth/login", { email: jamie.email, password });
	const own = { email: jamie.email, password: "own-Password-1" };
	await client.data("PATCH", "/v1/user", { password: own.password, current_password: password });
	await using watched = await openPage(browserOf(browser, server, own), `${server.url}/settings`);
	const link = watched.page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: /^Management/ });
	expect(await link.getAttribute("href")).toBe(MANAGEMENT);
	expect(await link.getAttribute("target")).toBe("_blank");
	expect(await link.getAttribute("rel")).toContain("noopener");
});

test("R81 without authentication there are the settings of data and ingest health, and a note how to switch it on", async () => {
	await using open = await createTestServer();
	await open.start();
	await using watched = await openPage(browser, `${open.url}/settings`);
	const { page } = watched;
	await page.waitForURL(`${open.url}/settings/ingest`);
	await page.getByText("Accepted spans").waitFor();
	expect(await sections(page).allTextContents()).toEqual([...DATA, "Ingest health", "Agents and command line"]);
	await page.getByText("Authentication is off").click();
	await page.getByText("SERVICE_ENABLE_AUTH=true").waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);
	for (const path of ["users", "teams", "access", "user-keys", "system-keys", "apps", "clients"]) {
		await page.goto(`${open.url}/settings/${path}`);
		await page.getByRole("heading", { level: 1, name: "Authentication is off" }).waitFor();
	}
	expect(faultsOf(watched)).toEqual([]);
});

test("the settings work below a path, and their links stay there", async () => {
	await using below = await startWithAuth({ SERVICE_HOST_ROOT_PATH: "/spanward" });
	const account = await createAccount(below, "ADMIN");
	await using watched = await openPage(browserOf(browser, below, account), `${below.url}/settings`);
	const { page } = watched;
	await page.waitForURL(`${below.url}/settings/account`);
	await sections(page).filter({ hasText: "Users" }).click();
	await page.getByText(account.email).first().waitFor();
	await sections(page).filter({ hasText: "Audit log" }).click();
	const download = page.getByRole("link", { name: "Download NDJSON" });
	expect(await download.getAttribute("href")).toBe("/spanward/v1/audit_events?format=ndjson");
	await page.goto(`${below.url}/settings/api-keys`);
	await page.getByRole("main").getByRole("button", { name: "New key" }).first().click();
	await page.getByRole("textbox", { name: /^Name/ }).fill("x");
	await page.getByRole("button", { name: "Create" }).click();
	expect(await page.getByRole("region", { name: "Code" }).innerText()).toContain(`${below.url}/v1/traces`);
	expect(faultsOf(watched)).toEqual([]);
});
