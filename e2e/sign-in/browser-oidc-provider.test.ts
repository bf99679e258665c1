import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startWithAuth } from "../access/accounts.ts";
import { launchBrowser, openPage, type WatchedPage } from "../browser.ts";
import { type OidcProvider, type OidcProviderOptions, startOidcProvider } from "../peers/oidc-provider.ts";
import { accountButton, faultsOf } from "../web/sessions.ts";
import { getUser, isLoggedIn, logOut, waitForSignInError } from "./browser-pages.ts";

const PAGE = "/settings/profile";

let browser: Browser;

beforeAll(async () => {
	browser = await launchBrowser();
});
afterAll(async () => browser.close());

/** A provider and a server that knows it, `settings` without what they begin with. */
async function startBoth(
	method: Parameters<OidcProvider["settings"]>[0],
	settings: Readonly<Record<string, string>> = {},
	options: OidcProviderOptions = {},
) {
	await using cleanup = new AsyncDisposableStack();
	const provider = cleanup.use(await startOidcProvider(options));
	const ofProvider = Object.entries(settings).map(([suffix, value]) => [`SERVICE_OAUTH2_OIDC_${suffix}`, value]);
	const server = cleanup.use(await startWithAuth({ ...provider.settings(method), ...Object.fromEntries(ofProvider) }));
	provider.allow([server.url]);
	const resources = cleanup.move();
	return { provider, server, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** A browser of its own that asked for a page and took the link to the provider, which logs in without a page. */
async function openByProvider(url: string): Promise<WatchedPage> {
	const watched = await openPage(browser, url + PAGE);
	await watched.page.getByRole("link", { name: "Log in with OIDC" }).click();
	return watched;
}

test.each([
	["client_secret_basic", {}],
	["client_secret_post", {}],
	["client_secret_post", { USE_PKCE: "true" }],
	["none", { USE_PKCE: "true" }],
] as const)(
	"T134: %s with %o: somebody who is new comes back to the page that was asked for",
	async (method, settings) => {
		await using both = await startBoth(method, settings);
		const { server } = both;
		await using watched = await openByProvider(server.url);
		const { page } = watched;
		await page.waitForURL(server.url + PAGE);
		await accountButton(page).waitFor();
		expect(await getUser(page, server.url)).toMatchObject({
			email: "alice@example.com",
			username: "Alice",
			role: "VIEWER",
			auth_method: "OAUTH2",
		});
		expect(faultsOf(watched)).toEqual([]);
	},
);

test("claims that only userinfo gives decide who comes in and as what", async () => {
	const settings = {
		SCOPES: "groups",
		GROUPS_ATTRIBUTE_PATH: "groups",
		ALLOWED_GROUPS: "admins",
		ROLE_ATTRIBUTE_PATH: "role",
		ROLE_MAPPING: "Owner:ADMIN",
	};
	await using both = await startBoth("client_secret_basic", settings, { claimsOnlyInUserinfo: true });
	const { provider, server } = both;
	await using watched = await openByProvider(server.url);
	await accountButton(watched.page).waitFor();
	expect(await getUser(watched.page, server.url)).toMatchObject({ email: "alice@example.com", role: "ADMIN" });

	provider.logIn = "bob";
	await using other = await openByProvider(server.url);
	await waitForSignInError(other.page, "auth_failed");
	expect(await isLoggedIn(other.page, server.url)).toBe(false);
});

test("without PKCE a client that has no secret either is refused by the provider", async () => {
	await using both = await startBoth("none");
	await using watched = await openByProvider(both.server.url);
	await watched.page.waitForURL(/\/login\?error=/);
	expect(both.server.output).toContain("SERVICE_OAUTH2_OIDC_USE_PKCE");
});

test("after a log-out somebody else logs in with the same browser", async () => {
	const people = {
		alice: { email: "alice@example.com", email_verified: true, name: "Alice" },
		carol: { email: "carol@example.com", email_verified: true, name: "Carol" },
	};
	await using both = await startBoth("client_secret_basic", {}, { people });
	const { provider, server } = both;
	await using watched = await openByProvider(server.url);
	const { page } = watched;
	await accountButton(page).waitFor();
	await logOut(page);
	await page.context().clearCookies({ domain: "localhost" });
	provider.logIn = "carol";
	await page.getByRole("link", { name: "Log in again" }).click();
	await page.getByRole("link", { name: "Log in with OIDC" }).click();
	await accountButton(page).waitFor();
	expect(await getUser(page, server.url)).toMatchObject({ email: "carol@example.com" });
	expect(faultsOf(watched)).toEqual([]);
});

test("a provider that is down leads back to the log-in page, and back up it lets in", async () => {
	await using both = await startBoth("client_secret_basic");
	const { provider, server } = both;
	await provider.stop();
	await using watched = await openByProvider(server.url);
	const { page } = watched;
	await waitForSignInError(page, "oauth_error");
	await page.getByRole("alert").getByText("could not be reached").waitFor();
	await provider.start();
	// What was found out about it is kept for some seconds.
	const logInAgain = async () => {
		await page.goto(`${server.url}/oauth2/oidc/login`);
		return await isLoggedIn(page, server.url);
	};
	await expect.poll(logInAgain, { timeout: 300_000, interval: 500 }).toBe(true);
});
