import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAccount, startWithAuth } from "../access/accounts.ts";
import { requestToken, waitForLink } from "../access/password-mails.ts";
import { launchBrowser, openPage } from "../browser.ts";
import { linkOf, MailSink } from "../mail-sink.ts";
import type { TestServer } from "../server.ts";
import { accountButton, faultsOf, fillLogIn, openLoggedIn } from "./sessions.ts";

const NEW_PASSWORD = "the one I will remember";

let sink: MailSink;
let server: TestServer;
let browser: Browser;

beforeAll(async () => {
	sink = await MailSink.start();
	server = await startWithAuth(sink.env);
	browser = await launchBrowser();
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
	await sink[Symbol.asyncDispose]();
});

test("from the forgotten password to the log-in with a new one", async () => {
	const { email } = await createAccount(server, "MEMBER");
	await using watched = await openPage(browser, `${server.url}/login`);
	const { page } = watched;
	await page.getByRole("link", { name: "Forgot password?" }).click();
	await page.getByLabel("Email").fill(email);
	await page.getByRole("button", { name: "Send link" }).click();
	await page.getByRole("heading", { name: "Check your mailbox" }).waitFor();
	await page.goto(linkOf(await waitForLink(sink, email), "reset-url"));
	await page.getByLabel("New password", { exact: true }).fill(NEW_PASSWORD);
	await page.getByLabel("New password again").fill(NEW_PASSWORD);
	await page.getByRole("button", { name: "Set password" }).click();
	await page.getByRole("link", { name: "Log in" }).click();
	await fillLogIn(page, email, NEW_PASSWORD);
	await accountButton(page).waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("an unknown address gets the same answer", async () => {
	const { email } = await createAccount(server, "MEMBER");
	const answers: string[] = [];
	for (const address of [email, "nobody@example.com"]) {
		await using watched = await openPage(browser, `${server.url}/forgot-password`);
		const { page } = watched;
		await page.getByLabel("Email").fill(address);
		await page.getByRole("button", { name: "Send link" }).click();
		await page.getByRole("status").waitFor();
		answers.push(await page.getByRole("main").innerText());
	}
	expect(answers[0]).toBe(answers[1]);
});

test("T103 the token of a link leaves the address at once and is sent to nobody but with the new password", async () => {
	const { email } = await createAccount(server, "MEMBER");
	const token = await requestToken(server, sink, email);
	await using watched = await openPage(browser, `${server.url}/login`);
	const { page } = watched;
	const seen: string[] = [];
	page.on("request", (request) => seen.push(`${request.url()} ${request.headers()["referer"] ?? ""}`));
	await page.goto(`${server.url}/reset-password-with-token#token=${token}`);
	await page.getByLabel("New password again").waitFor();
	expect(page.url()).toBe(`${server.url}/reset-password-with-token`);
	await page.goto(`${server.url}/login`);
	await page.goBack();
	await page.getByRole("heading", { name: "This link is not complete" }).waitFor();
	expect(seen.filter((line) => line.includes(token.slice(0, 20)))).toEqual([]);
	expect(server.output).not.toContain(token.slice(0, 20));
});

test("a link that was used says that it is no longer good and where to get another", async () => {
	const { email } = await createAccount(server, "MEMBER");
	const token = await requestToken(server, sink, email);
	for (const [attempt, answer] of ["Your new password is set", "This link is no longer valid"].entries()) {
		await using watched = await openPage(browser, `${server.url}/reset-password-with-token#token=${token}`);
		const { page } = watched;
		await page.getByLabel("New password", { exact: true }).fill(`${NEW_PASSWORD} ${attempt}`);
		await page.getByLabel("New password again").fill(`${NEW_PASSWORD} ${attempt}`);
		await page.getByRole("button", { name: "Set password" }).click();
		await page.getByText(answer).waitFor();
		if (attempt === 1) await page.getByRole("link", { name: "Send a new link" }).waitFor();
	}
});

test("who is logged in when a link sets a new password has to log in again", async () => {
	const account = await createAccount(server, "MEMBER");
	await using watched = await openLoggedIn(browser, server, account);
	const { page } = watched;
	const token = await requestToken(server, sink, account.email);
	await page.goto(`${server.url}/reset-password-with-token#token=${token}`);
	await page.getByLabel("New password", { exact: true }).fill(NEW_PASSWORD);
	await page.getByLabel("New password again").fill(NEW_PASSWORD);
	await page.getByRole("button", { name: "Set password" }).click();
	await page.getByRole("heading", { name: "Your new password is set" }).waitFor();
	await page.goto(server.url);
	await page.waitForURL(`${server.url}/login`);
});
