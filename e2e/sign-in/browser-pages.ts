import type { Page } from "playwright-core";
import { accountButton } from "../web/sessions.ts";

export interface LoggedInUser {
	readonly email: string | null;
	readonly username: string;
	readonly role: string;
	readonly auth_method: string;
}

/** Who the browser of this page is logged in as; undefined when it is not. */
export async function findUser(page: Page, url: string): Promise<LoggedInUser | undefined> {
	const response = await page.context().request.get(`${url}/v1/user`);
	if (response.status() === 401) return undefined;
	if (!response.ok()) throw new Error(`GET /v1/user answered ${response.status()}: ${await response.text()}`);
	return (await response.json()).data;
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
