import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchBrowserFor, openPage, type UserBrowser } from "./browser.ts";
import { readExpected, replay } from "./fixture-sources.ts";
import { SubPathProxy } from "./proxy.ts";
import { startServer, type TestServer } from "./server.ts";

const PREFIX = "/tools/traces";
const SOURCE = "py-langchain-openinference";
const { projectName, traces } = readExpected(SOURCE);
const project = projectName ?? "default";
const [trace] = traces;
if (trace === undefined) throw new Error(`${SOURCE} has no trace`);

let server: TestServer;
let browser: UserBrowser;

beforeAll(async () => {
	server = await startServer({ env: { SERVICE_HOST_ROOT_PATH: PREFIX } });
	browser = await launchBrowserFor(server);
	await replay(server, [SOURCE]);
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
});

describe.each([
	["strips the path", true],
	["keeps the path", false],
] as const)("behind a proxy that %s", (_, strip) => {
	let proxy: SubPathProxy;

	beforeAll(async () => {
		proxy = await SubPathProxy.start({ target: server.port, prefix: PREFIX, strip });
	});
	afterAll(async () => proxy[Symbol.asyncDispose]());

	test("the API answers and takes spans", async () => {
		const projects = await fetch(`${proxy.url}/v1/projects`, { headers: server.headers });
		expect(projects.status).toBe(200);
		expect((await fetch(`${proxy.url}/healthz`)).status).toBe(200);
		await replay({ url: proxy.url, headers: server.headers }, [SOURCE]);
		expect((await fetch(`${proxy.url}/v1/nothing`, { headers: server.headers })).status).toBe(404);
	});

	test("the web app opens, goes from the projects to a trace, and every address stays below the path", async () => {
		await using watched = await openPage(browser, `${proxy.url}/`);
		const { page } = watched;
		await page.getByRole("link", { name: project }).first().click();
		await page.waitForURL(`${proxy.url}/p/${project}/**`);
		await page.getByText(trace.rootSpanName).first().waitFor();
		expect(watched.problems).toEqual([]);
		expect(watched.foreignRequests).toEqual([]);
	});

	test("a trace opens from its address and after a reload", async () => {
		await using watched = await openPage(browser, `${proxy.url}/p/${project}/traces?trace=${trace.traceId}`);
		const { page } = watched;
		await page.getByText(trace.rootSpanName).first().waitFor();
		await page.reload();
		await page.getByText(trace.rootSpanName).first().waitFor();
		expect(page.url().startsWith(`${proxy.url}/p/`)).toBe(true);
		expect(watched.problems).toEqual([]);
	});
});
