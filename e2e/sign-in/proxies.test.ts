import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { asAdmin, startWithAuth } from "../access/accounts.ts";
import { launchBrowser, openPage } from "../browser.ts";
import { type NginxOptions, PROXY_PATH, startNginx } from "../peers/nginx.ts";
import { type OidcProvider, startOidcProvider } from "../peers/oidc-provider.ts";
import { testWith } from "../peers/requirements.ts";
import { freePort, type TestServer } from "../server.ts";
import { accountButton, dropAccessToken, faultsOf, fillLogIn } from "../web/sessions.ts";
import { getUser, isLoggedIn, logOut } from "./browser-pages.ts";

const test = testWith("nginx");
const PAGE = "/settings/profile";
/** Where a browser far away would be. */
const CLIENT = "203.0.113.9";
/** The default one is not taken through a proxy. */
const FIRST_PASSWORD = "a-first-password-1";

let browser: Browser;

beforeAll(async () => {
	browser = await launchBrowser();
});
afterAll(async () => browser.close());

describe.each<[name: string, site: NginxOptions["site"], tls: boolean, root: string]>([
	["with a host of its own, by https", "host", true, ""],
	["with a host of its own, by http", "host", false, ""],
	["that keeps the path, by https", "path-kept", true, PROXY_PATH],
	["that keeps the path, by http", "path-kept", false, PROXY_PATH],
	["that strips the path, by https", "path-stripped", true, PROXY_PATH],
	["that strips the path, by http", "path-stripped", false, PROXY_PATH],
])("T154: behind a proxy %s", (_name, site, tls, root) => {
	let url: string;
	let provider: OidcProvider;
	let server: TestServer;
	let nginx: AsyncDisposable;

	beforeAll(async () => {
		const port = await freePort();
		const origin = `${tls ? "https" : "http"}://127.0.0.1:${port}`;
		url = origin + root;
		provider = await startOidcProvider({ origins: [url] });
		server = await startWithAuth({
			...provider.settings(),
			SERVICE_ROOT_URL: url,
			SERVICE_HOST_ROOT_PATH: root,
			SERVICE_USE_SECURE_COOKIES: String(tls),
			SERVICE_TRUSTED_PROXIES: "127.0.0.1",
			SERVICE_CSRF_TRUSTED_ORIGINS: origin,
			SERVICE_DEFAULT_ADMIN_INITIAL_PASSWORD: FIRST_PASSWORD,
		});
		nginx = await startNginx({ target: server.port, site, tls, port });
	});
	afterAll(async () => {
		for (const resource of [nginx, server, provider]) await resource[Symbol.asyncDispose]();
	});

	test("a provider leads in and back to the page that was asked for, with cookies for this path alone; then out", async () => {
		await using watched = await openPage(browser, url + PAGE, {
			ignoreHTTPSErrors: true,
			extraHTTPHeaders: { "x-forwarded-for": CLIENT },
		});
		const { page } = watched;
		await page.waitForURL(`${url}/login?returnUrl=*`);
		await page.getByRole("link", { name: "Log in with OIDC" }).click();
		await page.waitForURL(url + PAGE);
		await accountButton(page).waitFor();
		expect(await getUser(page, url)).toMatchObject({ email: "alice@example.com", auth_method: "OAUTH2" });

		const asked = provider.requests.find((line) => line.startsWith("GET /auth?")) ?? "";
		expect(new URLSearchParams(asked.split("?")[1]).get("redirect_uri")).toBe(`${url}/oauth2/oidc/tokens`);

		const cookies = (await page.context().cookies()).filter(({ domain }) => domain === "127.0.0.1");
		const prefix = !tls ? "" : root === "" ? "__Host-" : "__Secure-";
		const refreshPrefix = tls ? "__Secure-" : "";
		expect(cookies.map(({ name, path, secure, httpOnly }) => ({ name, path, secure, httpOnly }))).toEqual(
			expect.arrayContaining([
				{ name: `${prefix}service-access-token`, path: root === "" ? "/" : root, secure: tls, httpOnly: true },
				{ name: `${refreshPrefix}service-refresh-token`, path: `${root}/auth`, secure: tls, httpOnly: true },
			]),
		);
		expect(cookies).toHaveLength(2);

		await dropAccessToken(page);
		await page.reload();
		await accountButton(page).waitFor();
		await logOut(page);
		expect(page.url()).toBe(`${url}/logout`);
		expect(await isLoggedIn(page, url)).toBe(false);
		expect(faultsOf(watched)).toEqual([]);

		const logIns: { ip: string }[] = await asAdmin(server).data("GET", "/v1/audit_events?action=login&outcome=success");
		expect(logIns.map(({ ip }) => ip)).toContain(CLIENT);
	});

	test("a refused sign-in leads to the log-in page, where a password is taken", async () => {
		await using watched = await openPage(browser, `${url}/oauth2/nobody/login`, { ignoreHTTPSErrors: true });
		const { page } = watched;
		await page.waitForURL(`${url}/login?error=unknown_idp`);
		await fillLogIn(page, "admin@localhost", FIRST_PASSWORD);
		await page.getByRole("heading", { name: "Set a new password" }).waitFor();
		expect(faultsOf(watched)).toEqual([]);
	});
});

test("T154: without SERVICE_TRUSTED_PROXIES nobody can say by X-Forwarded-For where they are", async () => {
	const port = await freePort();
	const url = `http://127.0.0.1:${port}`;
	await using server = await startWithAuth({
		SERVICE_ROOT_URL: url,
		SERVICE_DEFAULT_ADMIN_INITIAL_PASSWORD: FIRST_PASSWORD,
	});
	await using _nginx = await startNginx({ target: server.port, site: "host", tls: false, port });
	const response = await fetch(`${url}/auth/login`, {
		method: "POST",
		headers: { "content-type": "application/json", "x-forwarded-for": CLIENT },
		body: JSON.stringify({ email: "admin@localhost", password: FIRST_PASSWORD }),
	});
	expect(response.status).toBe(204);
	const logIns: { ip: string }[] = await asAdmin(server).data("GET", "/v1/audit_events?action=login");
	expect(logIns.map(({ ip }) => ip)).toEqual(["127.0.0.1"]);
});
