import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Account, Client, createAccount, createUserKey, startWithAuth } from "../access/accounts.ts";
import { browserOf, findAccessibilityViolations, launchBrowser, openPage, type UserBrowser } from "../browser.ts";
import type { TestServer } from "../server.ts";
import { overflowsSideways, tableRow } from "./pages.ts";
import { faultsOf } from "./sessions.ts";

const run = promisify(execFile);
const TRACE = "1".repeat(32);
const SPAN = "1".repeat(16);
const CLIPBOARD = { permissions: ["clipboard-read", "clipboard-write"] };

let server: TestServer;
let browser: Browser;
let admin: Account;
let user: UserBrowser;
let key: string;

beforeAll(async () => {
	server = await startWithAuth();
	browser = await launchBrowser();
	admin = await createAccount(server, "ADMIN");
	user = browserOf(browser, server, admin);
	const client = new Client(server);
	await client.send("POST", "/auth/login", { email: admin.email, password: admin.password });
	key = await createUserKey(client);
	const spans = [1, 2].map((run) => ({
		...{ name: `run ${run}`, span_kind: "CHAIN", status_code: run === 1 ? "ERROR" : "OK" },
		context: { trace_id: `${run}`.repeat(32), span_id: `${run}`.repeat(16) },
		...{ start_time: "2026-01-02T03:00:00Z", end_time: "2026-01-02T03:00:09Z" },
		attributes: { "input.value": `what about ${run}?`, "user.id": `it's "${run}"` },
	}));
	await client.data("POST", "/v1/projects/default/spans", { data: spans });
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
});

/** What a tool of the MCP endpoint answers a program that has the key. */
async function toolText(name: string, args: object): Promise<string> {
	const response = await fetch(`${server.url}/mcp`, {
		method: "POST",
		headers: {
			...{ authorization: `Bearer ${key}`, "content-type": "application/json" },
			accept: "application/json, text/event-stream",
		},
		body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
	});
	const text = await response.text();
	const [, message = text] = /^data: (.*)$/m.exec(text) ?? [];
	return JSON.parse(message).result.content[0].text;
}

/** Copies by the keyboard, and returns what is on the clipboard. */
async function copy(page: Page, button: string, item: string): Promise<string> {
	await page.evaluate(() => navigator.clipboard.writeText("nothing"));
	await page.getByRole("button", { name: button, exact: true }).focus();
	await page.keyboard.press("Enter");
	await page.getByRole("menuitem", { name: item, exact: true }).waitFor();
	await page.getByRole("menuitem", { name: item, exact: true }).press("Enter");
	const copied = () => page.evaluate(() => navigator.clipboard.readText());
	await expect.poll(copied).not.toBe("nothing");
	return await copied();
}

test("AG27 what is copied for an agent is what the MCP endpoint answers, and what is copied as code runs", async () => {
	const filter = `user.id == "it's \\"1\\""`;
	const list = `${server.url}/p/default/traces?${new URLSearchParams({ filter, error: "1" })}`;
	await using watched = await openPage(user, list, CLIPBOARD);
	const { page } = watched;
	await page.getByText("run 1").first().waitFor();
	const curl = await copy(page, "Copy for an agent or as code", "curl");
	expect(curl).not.toContain(key);
	const env = { ...process.env, SERVICE_API_KEY: key };
	const { data } = JSON.parse((await run("sh", ["-c", curl], { env })).stdout);
	expect(data.map((trace: { trace_id: string }) => trace.trace_id)).toEqual([TRACE]);
	const ofList = await copy(page, "Copy for an agent or as code", "Copy for an agent");
	expect(ofList).toContain(`[${TRACE}]`);
	expect(ofList).not.toContain("run 2");
	expect(ofList.endsWith(`\nPage: ${page.url()}`)).toBe(true);

	await page.goto(`${server.url}/p/default/traces/${TRACE}?span=${SPAN}`);
	await page.getByRole("heading", { level: 3, name: "run 1" }).waitFor();
	const args = { project: "default", trace_id: TRACE };
	expect(await copy(page, "Copy for an agent or as code", "Copy for an agent")).toBe(await toolText("get_trace", args));
	expect(await copy(page, "Copy the span for an agent or as code", "Copy for an agent")).toBe(
		await toolText("get_span", { ...args, span_id: SPAN }),
	);
	expect(faultsOf(watched)).toEqual([]);
});

test("a text that the browser does not let the page copy is shown to be copied, also on a phone; an error says why", async () => {
	const phone = { viewport: { width: 390, height: 800 }, hasTouch: true };
	await using watched = await openPage(user, `${server.url}/p/default/traces/${TRACE}`, phone);
	const { page } = watched;
	await page.evaluate(() => {
		navigator.clipboard.write = () => Promise.reject(new DOMException("Write permission denied.", "NotAllowedError"));
	});
	await page.getByRole("button", { name: "Copy for an agent or as code" }).tap();
	await page.getByRole("menuitem", { name: "Command line" }).tap();
	const field = page.getByRole("dialog", { name: "Copy it from here" }).getByRole("textbox", { name: "Text to copy" });
	await field.waitFor();
	expect(await field.inputValue()).toBe(`npx spanward trace show --url=${server.url} --project=default ${TRACE}`);
	expect(await findAccessibilityViolations(page)).toEqual([]);
	expect(await overflowsSideways(page)).toBe(false);
	await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().tap();
	await page.route("**/v1/texts/**", (route) => route.fulfill({ status: 503, json: { detail: "Too much to do." } }));
	await page.getByRole("button", { name: "Copy for an agent or as code" }).tap();
	await page.getByRole("menuitem", { name: "Copy for an agent" }).tap();
	await page.getByRole("dialog", { name: "Nothing was copied" }).getByRole("alert").waitFor();
});

test("the settings say how agents are set up, make a key that only reads, and list what was called", async () => {
	await toolText("list_projects", {});
	await using watched = await openPage(user, `${server.url}/settings/agents`);
	const { page } = watched;
	const setUp = page.getByRole("region", { name: "Set up an agent" });
	const code = setUp.getByRole("region", { name: "set-up" });
	await code.getByText(`claude mcp add --transport http spanward '${server.url}/mcp'`).waitFor();
	await setUp.getByRole("button", { name: "API key" }).click();
	const others = [
		["Claude Code", `"Authorization": "Bearer \${SERVICE_API_KEY}"`],
		["Codex CLI", `bearer_token_env_var = "SERVICE_API_KEY"`],
		["Gemini CLI", `"httpUrl": "${server.url}/mcp"`],
		["VS Code", "promptString"],
		["Cursor", `\${env:SERVICE_API_KEY}`],
		["Another program", "<API_KEY>"],
	] as const;
	for (const [client, shown] of others) {
		await setUp.getByRole("combobox", { name: "Program" }).selectOption(client);
		await code.getByText(shown).waitFor();
	}
	await tableRow(page, "list_projects").first().waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await setUp.getByRole("button", { name: "Make a read-only key" }).click();
	await page.getByRole("textbox", { name: /^Name/ }).fill("of an agent");
	await page.getByRole("button", { name: "Create" }).click();
	const made = await page.getByRole("dialog").getByRole("region", { name: "API key" }).locator("code").innerText();
	const refused = await fetch(`${server.url}/v1/projects`, {
		method: "POST",
		headers: { authorization: `Bearer ${made}`, "content-type": "application/json" },
		body: JSON.stringify({ name: "made by an agent" }),
	});
	expect([refused.status, made.length > 20]).toEqual([403, true]);
	expect(faultsOf(watched)).toEqual([]);
});
