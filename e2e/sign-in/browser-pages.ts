import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { accountButton } from "../web/sessions.ts";

const ATTEMPTS = 50;

interface LoggedInUser {
	readonly email: string | null;
	readonly username: string;
	readonly role: string;
	readonly auth_method: string;
}

/** Who the browser of this page is logged in as. @throws when nobody is */
export async function getUser(page: Page, url: string): Promise<LoggedInUser> {
	// A page that was just opened may be changing its tokens.
	for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
		const response = await page.context().request.get(`${url}/v1/user`);
		if (response.ok()) return (await response.json()).data;
		if (response.status() !== 401)
			throw new Error(`GET /v1/user answered ${response.status()}: ${await response.text()}`);
		await sleep(100);
	}
	throw new Error("nobody is logged in");
}

export async function isLoggedIn(page: Page, url: string): Promise<boolean> {
	return (await page.context().request.get(`${url}/v1/user`)).ok();
}

/** Waits for the log-in page that tells of `code`; it may have put the page that was asked for into its address since. */
export async function waitForSignInError(page: Page, code: string): Promise<void> {
	await page.waitForURL((url) => url.pathname.endsWith("/login") && url.searchParams.get("error") === code);
}

/** Fills in the form for the directory's accounts and sends it. */
export async function fillDirectoryLogIn(page: Page, username: string, password: string): Promise<void> {
	await page.getByRole("radio", { name: "Directory (LDAP)" }).check({ force: true });
	await page.getByLabel("Username").fill(username);
	await page.getByLabel("Password", { exact: true }).fill(password);
	await page.getByRole("button", { name: "Log in", exact: true }).click();
}

export async function logOut(page: Page): Promise<void> {
	await accountButton(page).click();
	await page.getByRole("menuitem", { name: "Log out", exact: true }).click();
	await page.getByRole("heading", { name: "You are logged out" }).waitFor();
}
