import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Spanward } from "@spanward/client";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Account, asAdmin, Client, createAccount, logIn, startWithAuth } from "../access/accounts.ts";
import { browserOf, findAccessibilityViolations, launchBrowser, openPage } from "../browser.ts";
import { OWN_CLIENT, PYTHON } from "../python-clients.ts";
import type { TestServer } from "../server.ts";
import { spanward } from "../spanward-command.ts";
import { expectWellMade, measureScripts, overflowsSideways, tableRow } from "./pages.ts";
import { faultsOf, fillLogIn } from "./sessions.ts";

const CONSENT_LIMIT = 36_000;
const PHONE = { viewport: { width: 390, height: 844 } };
const TITLE = "A program asks to use Spanward as you";
const VERIFIER = randomBytes(32).toString("base64url");

let server: TestServer;
let browser: Browser;
let admin: Account;
let member: Account;
let callback: Callback;

beforeAll(async () => {
	server = await startWithAuth();
	browser = await launchBrowser();
	callback = await startCallback();
	admin = await createAccount(server, "ADMIN");
	member = await createAccount(server, "MEMBER");
	for (const name of ["payments", "ledger"]) await asAdmin(server).data("POST", "/v1/projects", { name });
});
afterAll(async () => {
	callback.close();
	await browser.close();
	await server[Symbol.asyncDispose]();
});

/** The program's own web server, which browsers are sent back to; also a page of another site than the tested server's. */
interface Callback {
	readonly redirectUri: string;
	/** What browsers were sent back with. */
	readonly answers: URLSearchParams[];
	/** Address of a page with this content, on another site. */
	readonly page: (html: string) => string;
	readonly close: () => void;
}

async function startCallback(): Promise<Callback> {
	const answers: URLSearchParams[] = [];
	const http: Server = createServer((request, response) => {
		const url = new URL(request.url ?? "/", "http://callback.invalid");
		if (url.pathname === "/callback") answers.push(url.searchParams);
		const html =
			url.pathname === "/page" ? (url.searchParams.get("html") ?? "") : "<title>Back</title>Back in the program";
		response.setHeader("content-type", "text/html; charset=utf-8").end(html);
	});
	await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
	const { port } = http.address() as AddressInfo;
	return {
		redirectUri: `http://127.0.0.1:${port}/callback`,
		answers,
		page: (html) => `http://localhost:${port}/page?html=${encodeURIComponent(html)}`,
		close: () => http.close(),
	};
}

/** Registers a program as it does itself. @returns its client ID */
async function register(name: string): Promise<string> {
	const body = { client_name: name, redirect_uris: [callback.redirectUri], token_endpoint_auth_method: "none" };
	const response = await new Client(server).send("POST", "/oauth2/register", body);
	if (response.status !== 201) throw new Error(`registration answered ${response.status}: ${await response.text()}`);
	return ((await response.json()) as { client_id: string }).client_id;
}

function questionOf(clientId: string, more: Readonly<Record<string, string>> = {}): string {
	const challenge = createHash("sha256").update(VERIFIER).digest("base64url");
	return `?${new URLSearchParams({
		response_type: "code",
		client_id: clientId,
		redirect_uri: callback.redirectUri,
		code_challenge: challenge,
		code_challenge_method: "S256",
		state: "as & it was",
		...more,
	})}`;
}

async function sendForm(path: string, form: Readonly<Record<string, string>>): Promise<Response> {
	return await fetch(server.url + path, { method: "POST", body: new URLSearchParams(form) });
}

interface Tokens {
	readonly access_token: string;
	readonly scope?: string;
}

async function exchange(clientId: string, code: string): Promise<Tokens> {
	const response = await sendForm("/oauth2/token", {
		grant_type: "authorization_code",
		client_id: clientId,
		code,
		redirect_uri: callback.redirectUri,
		code_verifier: VERIFIER,
	});
	expect(response.status).toBe(200);
	return (await response.json()) as Tokens;
}

/** Lets a program act for somebody without a browser. */
async function connect(account: Account, clientId: string, decision: object = {}): Promise<Tokens> {
	const client = await logIn(server, account.email, account.password);
	const query = Object.fromEntries(new URLSearchParams(questionOf(clientId, { scope: "read annotate" })));
	const body = { ...query, approved: true, permissions: ["read", "annotate"], ...decision };
	const response = await client.send("POST", "/oauth2/authorize/decision", body, { origin: server.url });
	const { redirect_to } = (await response.json()) as { redirect_to: string };
	return await exchange(clientId, new URL(redirect_to).searchParams.get("code") ?? "");
}

function allow(page: Page) {
	return page.getByRole("button", { name: "Allow" });
}

/** Moves the focus on until it is there, as people without a mouse do. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
	for (let count = 0; count < 60; count++) {
		await page.keyboard.press("Tab");
		const text = await page.evaluate(() => {
			const element = document.activeElement;
			return (
				element?.closest("label")?.textContent || element?.getAttribute("aria-label") || element?.textContent || ""
			);
		});
		if (name.test(text)) return;
	}
	throw new Error(`nothing that can have the focus is named ${name}`);
}

test("R67 R69 who is not logged in logs in first, narrows what a program may by keyboard alone, and it gets no more", async () => {
	const clientId = await register("Inspector");
	await using watched = await openPage(browser, `${server.url}/oauth2/authorize${questionOf(clientId)}`);
	const { page } = watched;
	await page.waitForURL(/\/login\?returnUrl=%2Foauth2%2Fconsent/);
	await fillLogIn(page, member.email, member.password);
	await page.getByRole("heading", { level: 1, name: TITLE }).waitFor();
	await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("H1");
	await page.getByText("Registered itself just now.").waitFor();
	await page.getByText(`a program on your device (${new URL(callback.redirectUri).host})`).waitFor();
	await page.getByText(member.email).waitFor();
	expect(await page.getByRole("checkbox", { checked: true }).count()).toBe(2);
	expect(await page.getByRole("checkbox", { name: /administer/ }).count()).toBe(0);

	await tabTo(page, /^annotate/);
	await page.keyboard.press("Space");
	await page.keyboard.press("Enter");
	await tabTo(page, /^Everywhere/);
	await page.keyboard.press("ArrowDown");
	await tabTo(page, /^Find a project/);
	await page.keyboard.type("pay");
	await page.keyboard.press("Enter");
	await page.getByRole("checkbox", { name: /^payments/ }).waitFor();
	await page.getByText("ledger").waitFor({ state: "detached" });
	await tabTo(page, /^payments/);
	await page.keyboard.press("Space");
	await tabTo(page, /^For/);
	await page.keyboard.type("7");
	await page.waitForTimeout(1_000);
	expect(callback.answers).toEqual([]);
	await tabTo(page, /^Allow/);
	await page.keyboard.press("Enter");
	await page.getByText("Back in the program").waitFor();
	expect(faultsOf(watched)).toEqual([]);

	const answer = callback.answers.pop();
	expect(answer?.get("state")).toBe("as & it was");
	expect(answer?.get("iss")).toBe(server.url);
	const tokens = await exchange(clientId, answer?.get("code") ?? "");
	expect(tokens.scope).toBe("read");
	const program = new Client(server, tokens.access_token);
	expect((await program.send("GET", "/v1/projects/payments")).status).toBe(200);
	expect((await program.send("GET", "/v1/projects/ledger")).status).toBe(404);
	const refused = await program.send("POST", "/v1/span_annotations", { data: [] });
	expect(refused.status).toBe(403);
	expect(refused.headers.get("www-authenticate")).toContain('error="insufficient_scope"');
});

test("R70 R71 R74 a link on another site leads to the question without logging in again, a frame shows nothing, and the name is text", async () => {
	const clientId = await register("<b onclick=x>Ins\u200Bpec\u202Etor</b>");
	const address = `${server.url}/oauth2/authorize${questionOf(clientId, { scope: "read nonsense" })}`;
	const escaped = address.replaceAll("&", "&amp;");
	await using watched = await openPage(browserOf(browser, server, admin), `${server.url}/healthz`, {
		colorScheme: "light",
	});
	const { page } = watched;
	await page.goto(callback.page(`<a href="${escaped}">Connect</a><iframe src="${escaped}"></iframe>`));
	await expect.poll(() => page.frames().at(-1)?.url()).toMatch(/^chrome-error:/);
	await page.getByRole("link", { name: "Connect" }).click();
	const heading = page.getByRole("heading", { level: 1, name: TITLE });
	await heading.waitFor();
	await page.getByText("<b onclick=x>Inspector</b>", { exact: true }).waitFor();
	await page.getByText("It asked for: read.").waitFor();
	expect(await page.getByRole("checkbox", { checked: true }).count()).toBe(1);
	await expectWellMade(page, heading);

	await page.getByRole("checkbox", { name: /^administer/ }).click();
	await page.getByRole("radio", { name: "Only in what I choose" }).click();
	await allow(page).click();
	await page.getByRole("alert").getByText("Choose a project or the library.").waitFor();
	await page.getByRole("checkbox", { name: /^The library/ }).click();
	await allow(page).click();
	await page.getByRole("alert").getByText("Administration goes with everywhere only").waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);
	expect(await overflowsSideways(page)).toBe(false);
	await page.getByRole("button", { name: "Deny" }).click();
	await page.getByText("Back in the program").waitFor();
	expect(callback.answers.pop()?.get("error")).toBe("access_denied");
});

test("R71 a decision that another site sends does not count", async () => {
	const clientId = await register("Forger");
	const query = Object.fromEntries(new URLSearchParams(questionOf(clientId)));
	const person = await logIn(server, member.email, member.password);
	for (const headers of [{ origin: "https://evil.example" }, {}] as Record<string, string>[]) {
		const body = { ...query, approved: true };
		const response = await person.send("POST", "/oauth2/authorize/decision", body, headers);
		expect(response.status).toBe(403);
	}
});

test("a program that is unknown, asks wrongly, goes back elsewhere or is disabled is refused, each in a sentence", async () => {
	const clientId = await register("Disabled one");
	const { id } = (await asAdmin(server).data("GET", "/v1/oauth2_clients")).find(
		(each: { client_id: string }) => each.client_id === clientId,
	);
	const known = await register("Known");
	const person = await logIn(server, admin.email, admin.password);
	await person.data("PATCH", `/v1/oauth2_clients/${id}`, { disabled: true });
	const cases: readonly (readonly [query: string, sentence: RegExp])[] = [
		[questionOf("px_dcr_unknown"), /does not know the program/],
		[questionOf(known, { redirect_uri: "https://elsewhere.example/" }), /not one that the program has registered/],
		[questionOf(clientId), /Ask one if you need it/],
		[questionOf(known, { code_challenge_method: "plain" }), /asked in a way that is not allowed/],
	];
	await using watched = await openPage(browserOf(browser, server, member), `${server.url}/healthz`, {
		colorScheme: "light",
	});
	const { page } = watched;
	for (const [query, sentence] of cases) {
		await page.goto(`${server.url}/oauth2/consent${query}`);
		await page.getByText(sentence).waitFor();
		expect(await allow(page).count()).toBe(0);
	}
	await expectWellMade(page, page.getByRole("heading", { level: 1, name: "This program gets no access" }));
	expect(faultsOf(watched)).toEqual([]);
});

test("a question too long for the address of the log-in page is still there after a log-in, also as somebody else", async () => {
	const clientId = await register("Long winded");
	const state = "s/".repeat(500);
	await using watched = await openPage(browser, `${server.url}/oauth2/authorize${questionOf(clientId, { state })}`);
	const { page } = watched;
	await fillLogIn(page, member.email, member.password);
	await page.getByText("Long winded").waitFor();
	await page.getByRole("button", { name: "Log out, and in as somebody else" }).click();
	await page.getByRole("link", { name: "Log in again" }).click();
	await fillLogIn(page, admin.email, admin.password);
	await page.getByText(admin.email).waitFor();
	await page.reload();
	await allow(page).click();
	await page.getByText("Back in the program").waitFor();
	expect(callback.answers.pop()?.get("state")).toBe(state);
});

test("the question needs at most 36 KB of JavaScript", async () => {
	const clientId = await register("Small");
	await using watched = await openPage(browserOf(browser, server, member), `${server.url}/healthz`);
	const { page } = watched;
	const size = await measureScripts(page, async () => {
		await page.goto(`${server.url}/oauth2/consent${questionOf(clientId)}`);
		await allow(page).waitFor();
		// What would be loaded in addition begins by now.
		await page.waitForTimeout(500);
	});
	expect(size).toBeLessThanOrEqual(CONSENT_LIMIT);
});

interface DeviceCode {
	readonly device_code: string;
	readonly user_code: string;
	readonly verification_uri_complete: string;
}

async function askForCode(): Promise<DeviceCode> {
	const response = await sendForm("/oauth2/device_authorization", { client_id: "spanward-cli", scope: "read" });
	expect(response.status).toBe(200);
	return (await response.json()) as DeviceCode;
}

async function poll({ device_code }: DeviceCode): Promise<{ error?: string; access_token?: string }> {
	const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
	const response = await sendForm("/oauth2/token", { grant_type, device_code, client_id: "spanward-cli" });
	return (await response.json()) as { error?: string; access_token?: string };
}

test("R72 a code typed in lower case connects a device, a link to it approves nothing, and a used code says so", async () => {
	const asked = await askForCode();
	await using watched = await openPage(browser, `${server.url}/device`, { colorScheme: "light" });
	const { page } = watched;
	await fillLogIn(page, member.email, member.password);
	const field = page.getByLabel("Code");
	await field.waitFor();
	await page.goto(asked.verification_uri_complete);
	await expect.poll(() => field.inputValue()).toBe(asked.user_code);
	expect((await poll(asked)).error).toBe("authorization_pending");
	await field.fill("abc");
	await page.keyboard.press("Enter");
	await page.getByRole("alert").getByText("eight letters").waitFor();
	await field.fill("bbbb-bbbb");
	await page.keyboard.press("Enter");
	await page.getByRole("alert").getByText("There is no such code.").waitFor();
	await expectWellMade(page, page.getByRole("heading", { level: 1, name: "Connect a device" }));

	await field.fill(asked.user_code.toLowerCase().replace("-", " "));
	await page.keyboard.press("Enter");
	await page.getByText("Allow it only if you started this yourself a moment ago.").waitFor();
	await page.getByText("127.0.0.1").waitFor();
	await page.getByText("just now").first().waitFor();
	await page.keyboard.press("Enter");
	await page.goBack();
	await field.waitFor();
	expect((await poll(asked)).error).toMatch(/^(authorization_pending|slow_down)$/);
	await field.press("Enter");
	await allow(page).click();
	await page.getByRole("heading", { level: 1, name: "The program is connected" }).waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await page.getByRole("link", { name: "Type another code" }).click();
	await field.fill(asked.user_code);
	await page.keyboard.press("Enter");
	await page.getByRole("alert").getByText("This code was used already.").waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("R72 a denied code is told so to the program, and ten wrong codes are too many", async () => {
	const asked = await askForCode();
	const account = await createAccount(server, "VIEWER");
	await using watched = await openPage(browserOf(browser, server, account), `${server.url}/device`, PHONE);
	const { page } = watched;
	const field = page.getByLabel("Code");
	await field.fill(asked.user_code);
	await page.keyboard.press("Enter");
	await page.getByText("You may only read, so it can do no more.").waitFor();
	expect(await page.getByRole("checkbox").count()).toBe(1);
	await page.getByRole("button", { name: "Deny" }).click();
	await page.getByRole("heading", { level: 1, name: "The program was not connected" }).waitFor();
	expect((await poll(asked)).error).toBe("access_denied");
	await page.getByRole("link", { name: "Type another code" }).click();
	for (let count = 0; count < 11; count++) {
		await field.fill("BBBB-BBBB");
		await page.keyboard.press("Enter");
		await page
			.getByRole("alert")
			.getByText(/no such code|Too many wrong codes/)
			.waitFor();
		await page.getByRole("button", { name: "Continue" }).waitFor();
	}
	await page
		.getByRole("alert")
		.getByText(/Too many wrong codes\. Try again in \d+ minutes?\./)
		.waitFor();
	expect(await field.inputValue()).toBe("BBBB-BBBB");
	expect(faultsOf(watched)).toEqual([]);
});

test("R73 one's connected programs are listed with what they may, and ended after a question; an admin sees everybody's", async () => {
	const account = await createAccount(server, "MEMBER");
	await using watched = await openPage(browserOf(browser, server, account), `${server.url}/settings/apps`, {
		colorScheme: "light",
	});
	const { page } = watched;
	await page.getByRole("heading", { name: "No program is connected" }).waitFor();
	const clientId = await register("Night\u200B shift");
	const { id } = await asAdmin(server).data("GET", "/v1/projects/payments");
	const { access_token } = await connect(account, clientId, { projects: [id], include_library: true, days: 7 });
	const program = new Client(server, access_token);
	expect((await program.send("GET", "/v1/projects/payments")).status).toBe(200);
	await page.reload();
	const row = tableRow(page, "Night shift");
	await row.getByText("read, annotate", { exact: true }).waitFor();
	await row.getByText("payments and the library").filter({ visible: true }).waitFor();
	// Uses are noted by and by.
	const noted = async () => {
		await page.reload();
		await row.getByText("read, annotate", { exact: true }).waitFor();
		return await row.getByText("from 127.0.0.1").count();
	};
	await expect.poll(noted).toBe(1);
	await row.getByRole("button", { name: "What can Night shift do?" }).click();
	const dialog = page.getByRole("dialog", { name: "Night shift" });
	await dialog.getByText("This program can read and annotate in the project payments and the library.").waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await dialog.getByRole("button", { name: "Close" }).last().click();

	{
		await using everybodys = await openPage(browserOf(browser, server, admin), `${server.url}/settings/apps`);
		await everybodys.page.getByRole("button", { name: "Everybody's" }).click();
		await tableRow(everybodys.page, "Night shift").getByText(account.email).waitFor();
	}
	await expectWellMade(page, row);
	const end = page.getByRole("button", { name: "End the access of Night shift" });
	await end.press("Enter");
	await page.getByRole("dialog", { name: "End the access of Night shift?" }).waitFor();
	await page.getByRole("button", { name: "End access" }).press("Enter");
	await page.getByText("The program has no access any more.").waitFor();
	await expect.poll(async () => (await program.send("GET", "/v1/projects/payments")).status).toBe(401);
	expect(faultsOf(watched)).toEqual([]);
});

test("an admin adds a client, changes it, disables it for its people, enables and deletes it", async () => {
	await using watched = await openPage(browserOf(browser, server, admin), `${server.url}/settings/clients`);
	const { page } = watched;
	await tableRow(page, "spanward-cli").getByText("comes with Spanward").waitFor();
	await page.getByRole("button", { name: "Add a client" }).click();
	await page.getByLabel("Name").fill("Dashboard");
	await page.getByLabel("Addresses to go back to").fill("javascript:alert(1)");
	await page.getByRole("button", { name: "Create" }).click();
	await page.getByRole("dialog").getByRole("alert").waitFor();
	await page.getByLabel("Addresses to go back to").fill(`https://app.example.com/back\n${callback.redirectUri}`);
	await page.getByRole("button", { name: "Create" }).click();
	await page.getByText("Dashboard is added.").waitFor();
	const row = tableRow(page, "Dashboard");
	await row.getByText("https://app.example.com/back").waitFor();
	await row.getByText("and 1 more").waitFor();
	const clientId = await row.locator("code").innerText();
	const { access_token } = await connect(member, clientId);
	const program = new Client(server, access_token);

	const choose = async (item: string) => {
		await page.getByRole("button", { name: "Actions for Dash" }).click();
		await page.getByRole("menuitem", { name: item }).click();
	};
	await choose("Change");
	await page.getByLabel("Name").fill("Dashboards");
	await page.getByRole("button", { name: "Save" }).click();
	await page.getByText("Dashboards is changed.").waitFor();
	await choose("Disable");
	await page.getByText("1 connection is refused until it is enabled again.").waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
	await row.getByText("disabled").waitFor();
	await expect.poll(async () => (await program.send("GET", "/v1/projects")).status).toBe(401);
	await choose("Enable");
	await page.getByRole("dialog").getByRole("button", { name: "Enable" }).click();
	await page.getByText("Dashboards is enabled.").waitFor();
	await expect.poll(async () => (await program.send("GET", "/v1/projects")).status).toBe(200);
	await row.getByRole("link", { name: "1", exact: true }).click();
	await page.getByText("Only those of Dashboards").waitFor();
	await page.goBack();
	await choose("Delete");
	await page.getByText("Ends 1 connection for good.").waitFor();
	await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
	await row.waitFor({ state: "detached" });
	await expect.poll(async () => (await program.send("GET", "/v1/projects")).status).toBe(401);
	expect(faultsOf(watched)).toEqual([]);
});

test("R76 spanward login goes through the browser, and its token serves curl, the Python and the TypeScript client", async () => {
	const folder = await mkdtemp(join(tmpdir(), "spanward-login-"));
	const opened = join(folder, "opened");
	await writeFile(join(folder, "browser"), `#!/bin/sh\nprintf %s "$1" > "${opened}"\n`, { mode: 0o700 });
	const env = { XDG_CONFIG_HOME: folder, BROWSER: join(folder, "browser") };
	const ended = spanward(["login", server.url], { env });
	const address = () => readFile(opened, "utf8").catch(() => "");
	await expect.poll(address).toContain("/oauth2/authorize?");
	await using watched = await openPage(browserOf(browser, server, member), await address());
	await allow(watched.page).click();
	await watched.page.getByText("You are logged in. This page can be closed.").waitFor();
	expect(await ended).toMatchObject({ code: 0, stderr: expect.stringContaining(`You are ${member.username}.`) });

	const token = (await spanward(["token"], { env })).stdout.trim();
	const run = promisify(execFile);
	const { stdout: byCurl } = await run("curl", ["-s", "-H", `Authorization: Bearer ${token}`, `${server.url}/v1/user`]);
	expect(JSON.parse(byCurl).data.username).toBe(member.username);
	const python = "from spanward import Client; print([project['name'] for project in Client().projects.list()])";
	const { stdout: byPython } = await run(PYTHON, ["-c", python], {
		env: { PYTHONPATH: OWN_CLIENT, SERVICE_COLLECTOR_ENDPOINT: server.url, SERVICE_API_KEY: token },
	});
	expect(byPython).toContain("payments");
	const byTypeScript = await new Spanward({ baseUrl: server.url, apiKey: token }).users.me();
	expect(byTypeScript).toMatchObject({ username: member.username });
	expect((await spanward(["logout"], { env })).code).toBe(0);
	await rm(folder, { recursive: true });
});
