import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import type { Account } from "../access/accounts.ts";
import { openPage, type WatchedPage } from "../browser.ts";
import type { TestServer } from "../server.ts";

/** What browsers print about any answer of 4xx; that such an answer comes is part of these tests. */
const REFUSAL = /^console: Failed to load resource: the server responded with a status of 4\d\d/;

/** Console errors and uncaught exceptions, violations of the content security policy among them. */
export function faultsOf({ problems }: WatchedPage): string[] {
	return problems.filter((problem) => !REFUSAL.test(problem));
}

/** Fills in the log-in form and sends it. */
export async function fillLogIn(page: Page, email: string, password: string): Promise<void> {
	await page.getByLabel("Email").fill(email);
	await page.getByLabel("Password", { exact: true }).fill(password);
	await page.getByRole("button", { name: "Log in" }).click();
}

/** A page of a browser of its own, after a log-in through the form. */
export async function openLoggedIn(
	browser: Browser,
	server: TestServer,
	account: Pick<Account, "email" | "password">,
	path = "/",
	options: BrowserContextOptions = {},
): Promise<WatchedPage> {
	const watched = await openPage(browser, `${server.url}/login?returnUrl=${encodeURIComponent(path)}`, options);
	await fillLogIn(watched.page, account.email, account.password);
	await watched.page.waitForURL(server.url + path);
	await accountButton(watched.page).waitFor();
	return watched;
}

export function accountButton(page: Page) {
	return page.getByRole("button", { name: /^Account of / });
}

/** Takes the access token out of the browser, as if its time were over. */
export async function dropAccessToken(page: Page): Promise<void> {
	await page.context().clearCookies({ name: /access-token$/ });
}
