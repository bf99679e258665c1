import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { asAdmin, startWithAuth } from "../access/accounts.ts";
import { launchBrowser, openPage, type WatchedPage } from "../browser.ts";
import type { ClientId } from "../peers/keycloak/realm.ts";
import { KEYCLOAK_START_LIMIT, type Keycloak, keycloakSettings, useKeycloak } from "../peers/keycloak.ts";
import { testWith } from "../peers/requirements.ts";
import type { TestServer } from "../server.ts";
import { accountButton, faultsOf } from "../web/sessions.ts";
import { getUser, isLoggedIn, logOut, waitForSignInError } from "./browser-pages.ts";

const test = testWith("keycloak");
const PAGE = "/settings/profile";
const IDP = "SERVICE_OAUTH2_KEYCLOAK_";

let keycloak: Keycloak;
let browser: Browser;

beforeAll(async () => {
	[keycloak, browser] = await Promise.all([useKeycloak(), launchBrowser()]);
}, KEYCLOAK_START_LIMIT);
afterAll(async () => browser.close());

/** A server that knows the realm by this client; `settings` are those of the provider, without what they begin with. */
function startFor(clientId: ClientId, settings: Readonly<Record<string, string>> = {}): Promise<TestServer> {
	const ofProvider = Object.entries(settings).map(([suffix, value]) => [IDP + suffix, value]);
	return startWithAuth({ ...keycloakSettings(keycloak, clientId), ...Object.fromEntries(ofProvider) });
}

/** Fills in Keycloak's own log-in page. */
async function fillKeycloak(page: Page, username: string, password = `${username}-pw`): Promise<void> {
	await page.getByLabel("Username or email").fill(username);
	await page.getByLabel("Password", { exact: true }).fill(password);
	await page.getByRole("button", { name: "Sign In" }).click();
}

/** A browser of its own that asked for `path`, took the link to Keycloak and logged in there. */
async function openAs(server: TestServer, username: string, path = PAGE): Promise<WatchedPage> {
	const watched = await openPage(browser, server.url + path);
	await watched.page.getByRole("link", { name: "Log in with Keycloak" }).click();
	await fillKeycloak(watched.page, username);
	return watched;
}

/** Faults of our pages, not of Keycloak's. */
function ownFaults(watched: WatchedPage): string[] {
	return faultsOf(watched).filter((fault) => !fault.includes(new URL(keycloak.issuer).host));
}

async function listEmails(server: TestServer): Promise<string[]> {
	const users: { email: string }[] = await asAdmin(server).data("GET", "/v1/users?limit=100");
	return users.map(({ email }) => email);
}

const post = { TOKEN_ENDPOINT_AUTH_METHOD: "client_secret_post" };
const pkce = { USE_PKCE: "true" };

test.each<[name: string, client: ClientId, settings: Readonly<Record<string, string>>]>([
	["T134: client_secret_basic", "service", {}],
	["T134: client_secret_basic, with an id to be encoded", "service:odd %+", {}],
	["T134: client_secret_post, with an id to be encoded", "service:odd %+", post],
	["T134: no client authentication", "service-public", {}],
	["PKCE that nobody asks for", "service", pkce],
	["PKCE that the client has to use", "service-pkce", pkce],
	["T121: an ID token signed with ES256", "service-es256", {}],
	["T121: an ID token signed with PS256", "service-ps256", {}],
])("%s: somebody who is new comes back to the page that was asked for", async (_name, client, settings) => {
	await using server = await startFor(client, settings);
	await using watched = await openAs(server, "alice");
	const { page } = watched;
	await page.waitForURL(server.url + PAGE);
	await accountButton(page).waitFor();
	expect(await getUser(page, server.url)).toMatchObject({
		email: "alice@example.com",
		username: "alice Example",
		role: "VIEWER",
		auth_method: "OAUTH2",
	});
	expect((await page.context().cookies(server.url)).map(({ name }) => name).filter((name) => /tx-/.test(name))).toEqual(
		[],
	);
	expect(ownFaults(watched)).toEqual([]);
});

describe("T133: PKCE", () => {
	test("without a challenge Keycloak refuses a client that has to use it, and the log names the variable", async () => {
		await using server = await startFor("service-pkce");
		await using watched = await openPage(browser, `${server.url}/login`);
		const { page } = watched;
		await page.getByRole("link", { name: "Log in with Keycloak" }).click();
		await waitForSignInError(page, "auth_failed");
		await page.getByRole("alert").getByText("did not let you in").waitFor();
		expect(server.output).toContain(`${IDP}USE_PKCE`);
	});

	test.each<[name: string, change: (parameters: URLSearchParams) => void]>([
		["plain", (parameters) => parameters.set("code_challenge_method", "plain")],
		[
			"another challenge",
			(parameters) => parameters.set("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
		],
		[
			"none",
			(parameters) => {
				parameters.delete("code_challenge");
				parameters.delete("code_challenge_method");
			},
		],
	])("a challenge changed on the way, to %s, logs nobody in", async (_name, change) => {
		await using server = await startFor("service-pkce", pkce);
		await using watched = await openPage(browser, `${server.url}/oauth2/keycloak/login`);
		const { page } = watched;
		await page.getByLabel("Username or email").waitFor();
		const authorization = new URL(page.url());
		change(authorization.searchParams);
		await page.goto(authorization.href);
		if (await page.getByLabel("Username or email").isVisible()) await fillKeycloak(page, "alice");
		await page.waitForURL(/\/login\?error=/);
		expect(await isLoggedIn(page, server.url)).toBe(false);
	});
});

test.each<[name: string, client: ClientId, settings: Readonly<Record<string, string>>]>([
	["groups of the ID token", "service", { GROUPS_ATTRIBUTE_PATH: "groups", ALLOWED_GROUPS: "platform, engineering" }],
	[
		"T138: groups with full paths, of userinfo alone",
		"service-userinfo",
		{ GROUPS_ATTRIBUTE_PATH: "groups", ALLOWED_GROUPS: "/engineering" },
	],
])("%s decide who comes in", async (_name, client, settings) => {
	await using server = await startFor(client, settings);
	await using member = await openAs(server, "bob");
	await accountButton(member.page).waitFor();
	expect(await getUser(member.page, server.url)).toMatchObject({ email: "bob@example.com" });

	await using other = await openAs(server, "carol");
	await waitForSignInError(other.page, "auth_failed");
	await other.page.getByRole("alert").getByText("did not let you in").waitFor();
	expect(await isLoggedIn(other.page, server.url)).toBe(false);
	expect(await listEmails(server)).not.toContain("carol@example.com");
	expect(server.output).not.toContain("carol");
	expect([...ownFaults(member), ...ownFaults(other)]).toEqual([]);
});

describe("client roles", () => {
	const roles = {
		ROLE_ATTRIBUTE_PATH: "resource_access.service.roles[0]",
		ROLE_MAPPING: "owner:admin, developer:member",
	};

	test.each([
		["alice", "ADMIN"],
		["bob", "MEMBER"],
		["carol", "VIEWER"],
	])("make %s %s", async (username, role) => {
		await using server = await startFor("service", roles);
		await using watched = await openAs(server, username);
		await accountButton(watched.page).waitFor();
		expect(await getUser(watched.page, server.url)).toMatchObject({ role });
	});

	test("T148: strict ones keep out who has none, and leave no account behind", async () => {
		await using server = await startFor("service", { ...roles, ROLE_ATTRIBUTE_STRICT: "true" });
		await using watched = await openAs(server, "carol");
		await waitForSignInError(watched.page, "auth_failed");
		expect(await listEmails(server)).not.toContain("carol@example.com");
	});
});

test("T141: an email that Keycloak has not verified takes over no account that waits for its owner", async () => {
	await using server = await startFor("service");
	const user = { auth_method: "OAUTH2", email: "victim@example.com", username: "victim", role: "ADMIN" };
	await asAdmin(server).data("POST", "/v1/users", { user, send_welcome_email: false });
	await using watched = await openAs(server, "mallory");
	await watched.page.waitForURL(/\/login\?error=/);
	expect(await isLoggedIn(watched.page, server.url)).toBe(false);
});

test("without an email nobody gets an account, and the page says what is missing", async () => {
	await using server = await startFor("service", { EMAIL_ATTRIBUTE_PATH: "mail" });
	await using watched = await openAs(server, "alice");
	await waitForSignInError(watched.page, "missing_email_scope");
	await watched.page.getByRole("alert").getByText("did not send your email").waitFor();
	expect(server.output).toContain(`${IDP}EMAIL_ATTRIBUTE_PATH`);
});

test("a client to whom Keycloak does not give the scope email is refused before anybody logs in", async () => {
	await using server = await startFor("service-noemail");
	await using watched = await openPage(browser, `${server.url}/login`);
	await watched.page.getByRole("link", { name: "Log in with Keycloak" }).click();
	await waitForSignInError(watched.page, "auth_failed");
	expect(server.output).toContain(`${IDP}SCOPES`);
});

test("after a wrong password at Keycloak the right one leads in; then out, and in again without a password", async () => {
	await using server = await startFor("service");
	await using watched = await openPage(browser, `${server.url}/login`);
	const { page } = watched;
	await page.getByRole("link", { name: "Log in with Keycloak" }).click();
	await fillKeycloak(page, "bob", "not-bobs-password");
	await page.getByText("Invalid username or password.").waitFor();
	await fillKeycloak(page, "bob");
	await accountButton(page).waitFor();
	await logOut(page);
	expect(await isLoggedIn(page, server.url)).toBe(false);
	await page.getByRole("link", { name: "Log in again" }).click();
	await page.getByRole("link", { name: "Log in with Keycloak" }).click();
	await accountButton(page).waitFor();
	expect(await getUser(page, server.url)).toMatchObject({ email: "bob@example.com" });
	expect(ownFaults(watched)).toEqual([]);
});

describe("T153: with AUTO_LOGIN", () => {
	const groups = { GROUPS_ATTRIBUTE_PATH: "groups", ALLOWED_GROUPS: "engineering" };

	test("any page leads to Keycloak and back to it, and log-out does not lead there again", async () => {
		await using server = await startFor("service", { AUTO_LOGIN: "true" });
		await using watched = await openPage(browser, server.url + PAGE);
		const { page } = watched;
		await fillKeycloak(page, "bob");
		await page.waitForURL(server.url + PAGE);
		await logOut(page);
		await page.reload();
		await page.getByRole("heading", { name: "You are logged out" }).waitFor();
		await page.goto(`${server.url}/auth/logout`);
		await page.getByRole("heading", { name: "You are logged out" }).waitFor();
		expect(await isLoggedIn(page, server.url)).toBe(false);
		expect(ownFaults(watched)).toEqual([]);
	});

	test("who is refused sees why, and ?local=1 shows the form", async () => {
		await using server = await startFor("service", { AUTO_LOGIN: "true", ...groups });
		await using watched = await openPage(browser, server.url + PAGE);
		const { page } = watched;
		await fillKeycloak(page, "carol");
		await waitForSignInError(page, "auth_failed");
		await page.getByRole("alert").getByText("did not let you in").waitFor();
		await page.goto(`${server.url}/login?local=1`);
		await page.getByLabel("Email").waitFor();
		expect(ownFaults(watched)).toEqual([]);
	});
});
