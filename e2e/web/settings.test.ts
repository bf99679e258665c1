import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Account, asAdmin, createAccount, logIn, startWithAuth } from "../access/accounts.ts";
import { browserOf, findAccessibilityViolations, launchBrowser, openPage } from "../browser.ts";
import type { TestServer } from "../server.ts";
import { sendSpans, spanIdOf } from "./otlp-json.ts";
import { listRows } from "./pages.ts";
import { faultsOf } from "./sessions.ts";

let server: TestServer;
let browser: Browser;

beforeAll(async () => {
	server = await startWithAuth();
	browser = await launchBrowser();
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
});

function openAs(account: Pick<Account, "email" | "password">, path: string) {
	return openPage(browserOf(browser, server, account), server.url + path);
}

function rows(page: Page, table: string) {
	return page.getByRole("table", { name: table }).locator("tbody tr");
}

/** Sends one span with the key. @throws when it is refused */
async function sendWith(key: string, traceId: string): Promise<void> {
	const headers = { authorization: `Bearer ${key}` };
	await sendSpans({ url: server.url, headers }, [
		{ traceId, spanId: spanIdOf(0), name: "sent with a key", startMs: 0, endMs: 5 },
	]);
}

test("a member makes a key, sends a span with it, never sees it again and deletes it", async () => {
	const member = await createAccount(server, "MEMBER");
	await using watched = await openAs(member, "/settings/api-keys");
	const { page } = watched;
	await page.getByRole("heading", { name: "No API keys yet" }).waitFor();
	await page.getByRole("main").getByRole("button", { name: "New key" }).first().click();
	await page.getByRole("textbox", { name: /^Name/ }).fill("Notebook");
	await page.getByText("It works until somebody deletes it.").waitFor();
	await page.getByRole("button", { name: "Create" }).click();
	const key = await page.getByRole("region", { name: "API key" }).locator("code").innerText();
	expect(key).toMatch(/^sw_u_/);
	// Enter copies: it was just pressed to make the key, and closing would lose it.
	await page.locator("button:focus[aria-label='Copy API key']").waitFor();
	const dialog = page.getByRole("dialog", { name: "Your new key" });
	expect(await dialog.getByRole("region", { name: "Variables" }).innerText()).toBe(`export SERVICE_API_KEY='${key}'`);
	// The end of a long line can be read: nothing lies over the code.
	const code = await dialog.getByRole("region", { name: "Code" }).boundingBox();
	const copy = await dialog.getByRole("button", { name: "Copy Code" }).boundingBox();
	expect((code?.x ?? 0) + (code?.width ?? 0)).toBeLessThanOrEqual(copy?.x ?? 0);
	// A click beside the dialog does not take the key away.
	await page.mouse.click(5, 500);
	await sendWith(key, "c0".repeat(16));
	await dialog.getByRole("button", { name: "I have kept it" }).click();
	await dialog.waitFor({ state: "detached" });
	expect(await page.content()).not.toContain(key);
	await page.reload();
	await rows(page, "API keys").filter({ hasText: "Notebook" }).getByRole("cell", { name: "never" }).first().waitFor();
	expect(await page.content()).not.toContain(key);
	await page.getByRole("button", { name: "Delete the key Notebook" }).click();
	await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
	await page.getByRole("heading", { name: "No API keys yet" }).waitFor();
	await expect(sendWith(key, "c1".repeat(16))).rejects.toThrow("401");
	expect(faultsOf(watched)).toEqual([]);
});

/** A page of another origin than the server's. */
async function openForeignPage(): Promise<{ origin: string } & AsyncDisposable> {
	const pages = createServer((_request, response) =>
		response.setHeader("content-type", "text/html").end("<p>Shop</p>"),
	);
	pages.listen(0, "127.0.0.1");
	await once(pages, "listening");
	const { port } = pages.address() as AddressInfo;
	return {
		origin: `http://127.0.0.1:${port}`,
		async [Symbol.asyncDispose]() {
			pages.closeAllConnections();
			await new Promise((resolve) => pages.close(resolve));
		},
	};
}

/** What a page of this origin gets for an export with the key: a status, or an error of the browser. */
async function exportFromPage(origin: string, key: string): Promise<number | string> {
	const context = await browser.newContext();
	try {
		const page = await context.newPage();
		await page.goto(origin);
		const outcome = await page.evaluate(
			async ([url, apiKey]) => {
				const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
				const body = JSON.stringify({ resourceSpans: [] });
				return await fetch(`${url}/v1/traces`, { method: "POST", headers, body }).then(
					({ status }) => status,
					(error: unknown) => String(error),
				);
			},
			[server.url, key] as const,
		);
		expect(await context.cookies()).toEqual([]);
		return outcome;
	} finally {
		await context.close();
	}
}

test("R28 R66 a key for a browser sends from pages of its origin; its sentence and commands are true", async () => {
	await using shop = await openForeignPage();
	await using other = await openForeignPage();
	const member = await createAccount(server, "MEMBER");
	await using watched = await openAs(member, "/settings/api-keys");
	const { page } = watched;
	await page.setViewportSize({ width: 390, height: 844 });
	await page.getByRole("main").getByRole("button", { name: "New key" }).first().click();
	await page.getByRole("textbox", { name: /^Name/ }).fill("Shop");
	await page.getByRole("combobox", { name: "What for" }).selectOption("Browser or device");
	await page.getByRole("textbox", { name: /^Pages that may send/ }).fill(shop.origin);
	const sentence = `This key can send traces from web pages of ${shop.origin} up to 100,000 spans a day; it can read nothing.`;
	await page.getByText(sentence).waitFor();
	await page.getByRole("button", { name: "Create" }).click();
	const key = await page.getByRole("region", { name: "API key" }).locator("code").innerText();
	expect(key).toMatch(/^sw_i_/);
	expect(await exportFromPage(shop.origin, key)).toBe(200);
	expect(await exportFromPage(other.origin, key)).toContain("Failed to fetch");
	const abilities = page.getByRole("region", { name: "What can it do?" });
	await abilities.getByText(sentence).waitFor();
	const statusOf = async (name: string) => {
		const command = await abilities.getByRole("region", { name }).innerText();
		const printed = await promisify(execFile)("sh", ["-c", `${command} -s -o /dev/null -w '%{http_code}'`]);
		return printed.stdout;
	};
	expect([await statusOf("This works"), await statusOf("This is refused")]).toEqual(["200", "403"]);
	expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
	await page.getByRole("button", { name: "I have kept it" }).click();

	await page.getByRole("button", { name: "What can the key Shop do?" }).click();
	const dialog = page.getByRole("dialog", { name: "Shop" });
	await dialog.getByText(/of 100,000 spans today/).waitFor();
	await dialog.getByRole("combobox", { name: "The old key works on for" }).selectOption("no time");
	await dialog.getByRole("button", { name: "Replace by a new key" }).click();
	const renewed = await page.getByRole("region", { name: "API key" }).locator("code").innerText();
	await page.getByRole("button", { name: "I have kept it" }).click();
	expect([await exportFromPage(shop.origin, key), await exportFromPage(shop.origin, renewed)]).toEqual([401, 200]);
	await page.setViewportSize({ width: 1280, height: 800 });
	await rows(page, "API keys").filter({ hasText: "replaced" }).getByRole("cell", { name: "expired" }).waitFor();
	await page.getByRole("checkbox", { name: "Unused for 90 days" }).click();
	await page.getByRole("heading", { name: "No key was unused for 90 days" }).waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("on a phone a key gets its homes from a list, is lost only after a question, and changes to less", async () => {
	const admin = asAdmin(server);
	const orders = `orders-${randomUUID().slice(0, 8)}`;
	const [trial, hidden] = [`${orders}-trial`, `${orders}-hidden`];
	for (const name of [orders, trial, hidden]) await admin.data("POST", "/v1/projects", { name });
	await admin.data("PATCH", `/v1/projects/${hidden}/access`, { access: "restricted" });
	const member = await createAccount(server, "MEMBER");
	await using watched = await openAs(member, "/settings/account");
	const { page } = watched;
	await page.getByRole("link", { name: "API keys" }).click();
	await page.setViewportSize({ width: 390, height: 844 });
	const fits = async () => {
		expect(await findAccessibilityViolations(page)).toEqual([]);
		expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
	};
	await page.getByRole("main").getByRole("button", { name: "New key" }).first().click();
	await page.getByRole("textbox", { name: /^Name/ }).fill("Orders");
	await page.getByRole("combobox", { name: "What for" }).selectOption("Runs experiments");
	await page.getByRole("searchbox", { name: "Find a project" }).fill(orders);
	await page.getByRole("checkbox", { name: trial }).press("Space");
	await page.getByRole("checkbox", { name: orders, exact: true }).press("Space");
	expect(await page.getByRole("checkbox", { name: hidden }).count()).toBe(0);
	// Not sent by Enter in the search.
	await page.getByRole("searchbox", { name: "Find a project" }).press("Enter");
	await page.getByRole("searchbox", { name: "Find a project" }).fill("");
	await page.getByRole("checkbox", { name: /^The library/ }).press("Space");
	await page.getByText(`This key can read and write in the projects ${trial} and ${orders} and the library.`).waitFor();
	await fits();
	await page.getByRole("button", { name: "Create" }).click();
	const made = page.getByRole("dialog", { name: "Your new key" });
	const key = await made.getByRole("region", { name: "API key" }).locator("code").innerText();

	const questions: string[] = [];
	page.on("dialog", (dialog) => {
		questions.push(dialog.type());
		void dialog.dismiss();
	});
	await page.keyboard.press("Escape");
	await made.getByText("Close without copying it?").waitFor();
	await fits();
	await made.getByRole("button", { name: "Back to it" }).click();
	expect(await made.getByRole("region", { name: "API key" }).locator("code").innerText()).toBe(key);
	await page.evaluate(() => history.back());
	await made.getByText("Close without copying it?").waitFor();
	await made.getByRole("button", { name: "Back to it" }).click();
	await page.evaluate(() => location.reload());
	await expect.poll(() => questions).toEqual(["beforeunload"]);
	await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
	await made.getByRole("button", { name: "Copy API key" }).click();
	await made.getByRole("button", { name: "Copied" }).waitFor();
	await made.getByRole("button", { name: "Close" }).click();
	await made.waitFor({ state: "detached" });

	await page.getByRole("button", { name: "What can the key Orders do?" }).click();
	await page.getByRole("button", { name: "Change", exact: true }).press("Enter");
	const form = page.getByRole("dialog", { name: "Change Orders" });
	await form.getByText("A key only gets less").waitFor();
	await form.getByRole("checkbox", { name: orders, exact: true }).press("Space");
	await form.getByRole("checkbox", { name: trial }).press("Space");
	await form.getByRole("checkbox", { name: /^The library/ }).press("Space");
	await form.getByRole("button", { name: "Save" }).press("Enter");
	await form.getByText("Choose at least one; a key").waitFor();
	await form.getByRole("checkbox", { name: orders, exact: true }).press("Space");
	await form.getByRole("checkbox", { name: /^write:/ }).press("Space");
	await form.getByRole("textbox", { name: /^Only from these addresses/ }).fill("127.0.0.1\n::1");
	await form.getByLabel(/^Ends earlier/).fill(`${new Date().getFullYear() + 1}-12-24`);
	await fits();
	await form.getByRole("button", { name: "Save" }).press("Enter");
	await page.getByText(`This key can read in the project ${orders} from 127.0.0.1 and ::1 only.`).waitFor();
	await fits();
	await page.getByRole("button", { name: "Change", exact: true }).click();
	expect(await form.getByRole("checkbox", { name: trial }).count()).toBe(0);
	expect(await form.getByRole("checkbox", { name: /^write:/ }).count()).toBe(0);
	await form.getByLabel(/^Ends earlier/).fill(`${new Date().getFullYear() + 2}-12-24`);
	await form.getByRole("button", { name: "Save" }).click();
	await form.getByText("cannot end later").waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("an expiry on a day is asked for, and shown in the list, marked when it is near", async () => {
	const member = await createAccount(server, "MEMBER");
	await using watched = await openAs(member, "/settings/api-keys");
	const { page } = watched;
	await page.getByRole("main").getByRole("button", { name: "New key" }).first().click();
	await page.getByRole("button", { name: "Create" }).click();
	await page.getByRole("alert").filter({ hasText: "Write a name." }).waitFor();
	await page.getByRole("textbox", { name: /^Name/ }).fill("Until Christmas");
	await page.getByRole("combobox", { name: /^Expires/ }).selectOption("on a date");
	await page.getByRole("button", { name: "Create" }).click();
	await page.getByRole("alert").filter({ hasText: "Choose a day" }).waitFor();
	const year = new Date().getFullYear() + 1;
	await page.getByLabel("Last day").fill(`${year}-12-24`);
	await page.getByRole("button", { name: "Create" }).click();
	await page.getByRole("button", { name: "I have kept it" }).click();
	await rows(page, "API keys")
		.filter({ hasText: "Until Christmas" })
		.getByRole("cell", { name: `${year}-12-24` })
		.waitFor();
	// One that ends within two weeks is marked.
	const body = { data: { name: "Soon", expires_at: new Date(Date.now() + 9 * 86_400_000).toISOString() } };
	await (await logIn(server, member.email, member.password)).data("POST", "/v1/user/api_keys", body);
	await page.reload();
	await rows(page, "API keys").filter({ hasText: "Soon" }).getByRole("img", { name: "Ends soon:" }).waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("a key is made and deleted with the keyboard alone", async () => {
	const member = await createAccount(server, "MEMBER");
	await using watched = await openAs(member, "/settings/api-keys");
	const { page } = watched;
	await page.getByRole("heading", { name: "No API keys yet" }).waitFor();
	const tabTo = async (name: string) => {
		for (let presses = 0; presses < 60; presses++) {
			const focused = page.locator(":focus");
			const text =
				(await focused.count()) === 0
					? ""
					: await focused.evaluate((element) => element.ariaLabel ?? element.textContent);
			if (text?.trim() === name) return;
			await page.keyboard.press("Tab");
		}
		throw new Error(`Tab does not reach “${name}”`);
	};
	await tabTo("New key");
	await page.keyboard.press("Enter");
	await page.getByRole("dialog", { name: "New API key" }).waitFor();
	await expect.poll(() => page.locator("input:focus").count()).toBe(1);
	await page.keyboard.type("By hand");
	await page.keyboard.press("Enter");
	await page.getByRole("dialog", { name: "Your new key" }).waitFor();
	await tabTo("I have kept it");
	await page.keyboard.press("Enter");
	await rows(page, "API keys").getByText("By hand").waitFor();
	await tabTo("Delete the key By hand");
	await page.keyboard.press("Enter");
	await page.getByRole("dialog", { name: "Delete the key By hand?" }).waitFor();
	await tabTo("Delete");
	await page.keyboard.press("Enter");
	await page.getByRole("heading", { name: "No API keys yet" }).waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("another session is shown and ended, this one goes on", async () => {
	const member = await createAccount(server, "MEMBER");
	await using watched = await openAs(member, "/settings/sessions");
	const { page } = watched;
	await rows(page, "Log-in sessions").filter({ hasText: "This one" }).getByText("Chrome on Linux").waitFor();
	// The one in which the account set its password.
	await page
		.getByRole("button", { name: /^End this session/ })
		.first()
		.click();
	await expect.poll(() => rows(page, "Log-in sessions").count()).toBe(1);
	const other = await logIn(server, member.email, member.password);
	expect((await other.send("GET", "/v1/user")).status).toBe(200);
	await page.reload();
	const end = page.getByRole("button", { name: /^End this session/ });
	expect(await end.getAttribute("aria-label")).toContain("127.0.0.1");
	await end.click();
	await page.getByText("The session has ended.").waitFor();
	expect((await other.send("GET", "/v1/user")).status).toBe(401);
	expect(await rows(page, "Log-in sessions").count()).toBe(1);
	expect(faultsOf(watched)).toEqual([]);
});

test("log-out here ends this session, log-out everywhere all", async () => {
	const member = await createAccount(server, "MEMBER");
	const other = await logIn(server, member.email, member.password);
	await using first = await openAs(member, "/settings/sessions");
	await first.page.getByRole("main").getByRole("button", { name: "Log out here" }).click();
	await first.page.waitForURL(`${server.url}/logout`);
	expect((await other.send("GET", "/v1/user")).status).toBe(200);
	await using second = await openAs(member, "/settings/sessions");
	await second.page.getByRole("main").getByRole("button", { name: "Log out everywhere" }).click();
	await second.page.getByRole("dialog").getByRole("button", { name: "Log out everywhere" }).click();
	await second.page.waitForURL(`${server.url}/logout`);
	expect((await other.send("GET", "/v1/user")).status).toBe(401);
});

test("the password is changed with the current one; other sessions end and this one goes on", async () => {
	const viewer = await createAccount(server, "VIEWER");
	const other = await logIn(server, viewer.email, viewer.password);
	await using watched = await openAs(viewer, "/settings/account");
	const { page } = watched;
	const current = page.getByLabel("Current password", { exact: true });
	const next = page.getByLabel("New password", { exact: true });
	const change = page.getByRole("button", { name: "Change password" });
	const password = "third-Password3!";
	await current.fill("not the password");
	await next.fill("abc");
	await change.click();
	await page.getByRole("alert").filter({ hasText: "does not keep all the rules" }).waitFor();
	await next.fill(password);
	await change.click();
	await page.getByRole("alert").filter({ hasText: "The current password is wrong." }).waitFor();
	expect(await current.getAttribute("aria-invalid")).toBe("true");
	await current.fill(viewer.password);
	await change.click();
	await page.getByText("Your other sessions have ended").waitFor();
	expect(await next.inputValue()).toBe("");
	expect((await other.send("GET", "/v1/user")).status).toBe(401);
	await expect(logIn(server, viewer.email, viewer.password)).rejects.toThrow("401");
	await logIn(server, viewer.email, password);
	await page.reload();
	await page.getByText(viewer.email).first().waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("a username that is taken is refused at its field, a free one is shown in the menu", async () => {
	const [member, other] = await Promise.all([createAccount(server, "MEMBER"), createAccount(server, "MEMBER")]);
	await using watched = await openAs(member, "/settings/account");
	const { page } = watched;
	const field = page.getByLabel("Username");
	const save = page.getByRole("main").getByRole("button", { name: "Save" });
	await field.fill(other.email.replace(/@.*/, ""));
	await save.click();
	await page
		.getByRole("alert")
		.filter({ hasText: /already exists/ })
		.waitFor();
	expect(await field.getAttribute("aria-invalid")).toBe("true");
	const name = `renamed-${member.email.slice(0, 12)}`;
	await field.fill(name);
	await save.click();
	await page.getByRole("status").filter({ hasText: "Saved" }).waitFor();
	await page.getByRole("button", { name: `Account of ${name}` }).waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("an empty project gives the key with the snippet, and shows what is sent with it", async () => {
	const admin = await createAccount(server, "ADMIN");
	await using watched = await openAs(admin, "/p/onboarding/traces");
	const { page } = watched;
	const variables = page.getByRole("region", { name: "Variables" });
	await variables.getByText("SERVICE_API_KEY").waitFor();
	expect(await variables.innerText()).toContain("<your API key>");
	expect(await page.getByRole("region", { name: "Code" }).innerText()).toContain('{"authorization": f"Bearer');
	await page.getByRole("combobox", { name: "Whose key" }).selectOption("a system key");
	await page.getByRole("button", { name: "Create a key and insert it here" }).click();
	await page.getByText("it will not be shown again").waitFor();
	const key = /'(.*)'/.exec(await variables.innerText())?.[1] ?? "";
	expect(key).toMatch(/^sw_s_/);
	const leave = () => page.getByRole("link", { name: "Datasets", exact: true }).first().click();
	await leave();
	const question = page.getByRole("dialog", { name: "API key" });
	await question.getByText("Close without copying it?").waitFor();
	await question.getByRole("button", { name: "Back to it" }).click();
	await question.waitFor({ state: "detached" });
	expect(await variables.innerText()).toContain(key);
	await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
	await page.getByRole("button", { name: "Copy Variables" }).click();
	await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain(key);
	await leave();
	await page.waitForURL((url) => !url.pathname.startsWith("/p/onboarding"));
	await page.goBack();
	await fetch(`${server.url}/v1/traces`, {
		method: "POST",
		headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
		body: JSON.stringify({
			resourceSpans: [
				{
					resource: {
						attributes: [{ key: "openinference.project.name", value: { stringValue: "onboarding" } }],
					},
					scopeSpans: [{ spans: [{ traceId: "0a".repeat(16), spanId: "0b".repeat(8), name: "first" }] }],
				},
			],
		}),
	});
	await listRows(page).getByText("first").first().waitFor();
	expect(await page.content()).not.toContain(key);
	expect(faultsOf(watched)).toEqual([]);
});

test("a key that nobody has copied stays when the page switches to the first span", async () => {
	const member = await createAccount(server, "MEMBER");
	await using watched = await openAs(member, "/p/at-once/traces");
	const { page } = watched;
	await page.getByRole("button", { name: "Create a key and insert it here" }).click();
	await page.getByText("it will not be shown again").waitFor();
	const variables = page.getByRole("region", { name: "Variables" });
	const key = /'(.*)'/.exec(await variables.innerText())?.[1] ?? "";
	const headers = { authorization: `Bearer ${key}`, "x-project-name": "at-once" };
	await sendSpans({ url: server.url, headers }, [
		{ traceId: "0c".repeat(16), spanId: spanIdOf(0), name: "before it was copied", startMs: 0, endMs: 5 },
	]);
	const dialog = page.getByRole("dialog", { name: "Your key is still here" });
	expect(await dialog.locator("code").innerText()).toBe(key);
	await page.keyboard.press("Escape");
	await dialog.getByText("Close without copying it?").waitFor();
	await dialog.getByRole("button", { name: "Back to it" }).click();
	await dialog.getByRole("button", { name: "I have kept it" }).click();
	await dialog.waitFor({ state: "detached" });
	await listRows(page).getByText("before it was copied").first().waitFor();
	expect(await page.content()).not.toContain(key);
	expect(faultsOf(watched)).toEqual([]);
});

test("a viewer is told that they cannot send, and whom to ask", async () => {
	const viewer = await createAccount(server, "VIEWER");
	await using watched = await openAs(viewer, "/p/nothing-yet/traces");
	const { page } = watched;
	await page.getByText("so it cannot send spans").waitFor();
	await page.getByText("Ask an admin of this server").waitFor();
	expect(await page.getByRole("button", { name: "Create a key and insert it here" }).count()).toBe(0);
	expect(await page.getByText("SERVICE_API_KEY").count()).toBe(0);
	expect(faultsOf(watched)).toEqual([]);
});
