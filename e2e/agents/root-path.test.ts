import { once } from "node:events";
import { createServer } from "node:http";
import { Client as McpClient, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testMcpProgram } from "../../apps/server/src/access/authorization-server/test-mcp-program.ts";
import { type Account, createAccount, startWithAuth } from "../access/accounts.ts";
import { launchBrowser, openPage } from "../browser.ts";
import { SubPathProxy } from "../proxy.ts";
import { freePort, type TestServer } from "../server.ts";
import { fillLogIn } from "../web/sessions.ts";

const PREFIX = "/tools/traces";

let server: TestServer;
let proxy: SubPathProxy;
let browser: Browser;
let member: Account;

beforeAll(async () => {
	const port = await freePort();
	const address = { SERVICE_ROOT_URL: `http://127.0.0.1:${port}${PREFIX}`, SERVICE_HOST_ROOT_PATH: PREFIX };
	server = await startWithAuth({ SERVICE_TRUSTED_PROXIES: "127.0.0.1", ...address });
	// What is not below the path belongs to somebody else, who knows nothing of it: well-known addresses of the host, too.
	proxy = await SubPathProxy.start({ target: server.port, prefix: PREFIX, strip: true, port });
	browser = await launchBrowser();
	member = await createAccount(server, "MEMBER");
});
afterAll(async () => {
	await browser?.close();
	await proxy?.[Symbol.asyncDispose]();
	await server?.[Symbol.asyncDispose]();
});

function isBelow(page: Page): boolean {
	return page.url().startsWith(`${proxy.url}/`);
}

test("R67 below a root path a released MCP client finds the way, and a person lets it in in the browser", async () => {
	const callback = createServer((_request, response) => response.end("Back in the program")).listen(0, "127.0.0.1");
	await once(callback, "listening");
	const { port } = callback.address() as { port: number };
	const redirectUrl = `http://127.0.0.1:${port}/callback`;
	const { provider: authProvider, kept } = testMcpProgram("Below", redirectUrl);
	const transport = () => new StreamableHTTPClientTransport(new URL(`${proxy.url}/mcp`), { authProvider });
	const asking = transport();
	const client = () => new McpClient({ name: "below", version: "1" });
	await expect(client().connect(asking)).rejects.toThrow(UnauthorizedError);

	await using watched = await openPage(browser, kept.address?.href ?? "");
	const { page } = watched;
	await page.getByLabel("Email").waitFor();
	expect(isBelow(page)).toBe(true);
	await fillLogIn(page, member.email, member.password);
	await page.getByRole("button", { name: "Allow" }).waitFor();
	expect(isBelow(page)).toBe(true);
	await page.getByRole("button", { name: "Allow" }).click();
	await page.getByText("Back in the program").waitFor();
	const answer = new URL(page.url()).searchParams;
	expect(answer.get("iss")).toBe(proxy.url);
	callback.close();

	await asking.finishAuth(answer);
	const connected = client();
	await connected.connect(transport());
	expect((await connected.listTools()).tools.map(({ name }) => name)).toContain("list_projects");
	expect(await connected.callTool({ name: "list_projects", arguments: {} })).not.toMatchObject({ isError: true });
	await connected.close();
});

test("R72 below a root path a device is connected at the address that its program shows", async () => {
	const post = async (path: string, form: Readonly<Record<string, string>>) =>
		await (await fetch(proxy.url + path, { method: "POST", body: new URLSearchParams(form) })).json();
	const client_id = "spanward-cli";
	const asked = await post("/oauth2/device_authorization", { client_id, scope: "read" });
	expect(asked.verification_uri).toBe(`${proxy.url}/device`);
	await using watched = await openPage(browser, asked.verification_uri_complete);
	const { page } = watched;
	await fillLogIn(page, member.email, member.password);
	const field = page.getByLabel("Code");
	await expect.poll(() => field.inputValue()).toBe(asked.user_code);
	await field.press("Enter");
	await page.getByRole("button", { name: "Allow" }).click();
	await page.getByRole("heading", { level: 1, name: "The program is connected" }).waitFor();
	expect(isBelow(page)).toBe(true);
	const grant = { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: asked.device_code };
	const tokens = await post("/oauth2/token", { ...grant, client_id });
	const headers = { authorization: `Bearer ${tokens.access_token}` };
	expect((await fetch(`${proxy.url}/v1/projects`, { headers })).status).toBe(200);
});
