import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import {
	type Account,
	ADMIN_SECRET,
	asAdmin,
	type Client,
	createAccount,
	logIn,
	startWithAuth,
} from "../access/accounts.ts";
import { browserOf, launchBrowser, openPage, type WatchedPage } from "../browser.ts";
import { type ClickHouse, startClickHouse } from "../peers/clickhouse.ts";
import { testWith } from "../peers/requirements.ts";
import type { TestServer } from "../server.ts";
import { sendSpans } from "../web/otlp-json.ts";
import { expectWellMade, listRows, tableRow } from "../web/pages.ts";
import { faultsOf } from "../web/sessions.ts";

const test = testWith("clickhouse");

/** What a browser prints of an answer of 5xx, which these tests bring about. */
const AWAY = /the server responded with a status of 50[37]/;

let clickhouse: ClickHouse;
let server: TestServer;
let browser: Browser;
let admin: Account;
let viewer: Account;
let client: Client;
let sender: { readonly url: string; readonly headers: { readonly authorization: string } };
let sent = 0;

beforeAll(async () => {
	clickhouse = await startClickHouse();
	server = await startWithAuth(settingsFor("page"));
	browser = await launchBrowser();
	[admin, viewer] = await Promise.all([createAccount(server, "ADMIN"), createAccount(server, "VIEWER")]);
	client = await logIn(server, admin.email, admin.password);
	const { key } = await client.data("POST", "/v1/user/api_keys", { data: { name: "sends" } });
	sender = { url: server.url, headers: { authorization: `Bearer ${key}` } };
	await send();
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
	await clickhouse[Symbol.asyncDispose]();
});
beforeEach(() => clickhouse.heal());

function settingsFor(database: string): Record<string, string> {
	return {
		SERVICE_CLICKHOUSE_URL: clickhouse.url,
		SERVICE_CLICKHOUSE_DATABASE: database,
		SERVICE_CLICKHOUSE_INSERT_INTERVAL_MS: "350",
	};
}

/** Sends a trace that was not sent yet. @throws when it is not stored */
async function send(): Promise<void> {
	sent += 1;
	const traceId = String(sent).padStart(32, "e");
	await sendSpans(sender, [{ traceId, spanId: "1".repeat(16), name: `call ${sent}`, startMs: 0, endMs: 10 }]);
}

/** A statement to ClickHouse. */
async function ask(statement: string): Promise<void> {
	const response = await fetch(clickhouse.url, { method: "POST", body: statement });
	if (!response.ok) throw new Error(await response.text());
}

function open(path: string, account: Account = admin): Promise<WatchedPage> {
	return openPage(browserOf(browser, server, account), server.url + path, { colorScheme: "light" });
}

function faultsWhileAway(watched: WatchedPage): string[] {
	return faultsOf(watched).filter((fault) => !AWAY.test(fault));
}

const states = async () => ({
	traces: (await client.data("GET", "/v1/storage")).traces.state,
	node: (await client.data("GET", "/v1/storage/nodes"))[0].state,
});

test("the state of ClickHouse and its node, with room, parts and merges", async () => {
	const host = new URL(clickhouse.url).host;
	// Null until the server has asked.
	await expect
		.poll(async () => (await client.data("GET", "/v1/storage")).traces)
		.toEqual({
			...{ kind: "clickhouse", state: "ok", delay_seconds: 0 },
			...{ pending_delete_bytes: 0, insert_interval_ms: 350, older_rows: 0 },
		});
	const [node, ...others] = await client.data("GET", "/v1/storage/nodes");
	expect(others).toEqual([]);
	expect(node).toMatchObject({ shard: 1, replica: 1, host, state: "ok", delay_seconds: 0, queue_size: 0 });
	expect(node.version).toMatch(/^2\d\.\d+/);
	expect(node.active_parts_max).toBeGreaterThan(0);
	expect(node.merges).toBeGreaterThanOrEqual(0);
	expect(node.free_bytes).toBeGreaterThan(0);
	expect(node.total_bytes).toBeGreaterThan(node.free_bytes);
});

test("K85 viewers, members and system keys get no nodes and repairs, and no name of a host", async () => {
	const member = await createAccount(server, "MEMBER");
	const { key } = await client.data("POST", "/v1/system/api_keys", { data: { name: "system" } });
	const callers = await Promise.all([viewer, member].map(({ email, password }) => logIn(server, email, password)));
	for (const caller of callers) {
		for (const path of ["nodes", "repairs"]) expect((await caller.send("GET", `/v1/storage/${path}`)).status).toBe(403);
		expect((await caller.send("POST", "/v1/storage/repairs", { kind: "all" })).status).toBe(403);
		const text = await (await caller.send("GET", "/v1/storage")).text();
		expect(text).toContain('"clickhouse"');
		expect(text).not.toMatch(/127\.0\.0\.1|localhost/);
	}
	const asSystem = { headers: { authorization: `Bearer ${key}` } };
	for (const path of ["nodes", "repairs"])
		expect((await fetch(`${server.url}/v1/storage/${path}`, asSystem)).status).toBe(403);
});

// Before exports are refused, for whose end a look waits.
test("K77 K78 an admin looks for damage, and repairs what was found", async () => {
	await using watched = await open("/settings/storage");
	const { page } = watched;
	const repairs = page.getByRole("region", { name: "Repairs" });
	await repairs.getByText("Nobody has looked for damage yet.").waitFor();
	await ask("insert into page.traces select * replace (7 as error_count) from page.traces final limit 1");
	await repairs.getByRole("button", { name: "Look for damage" }).press("Enter");
	await repairs.getByText("1 thing is wrong.").waitFor();
	await repairs.getByRole("button", { name: "Repair", exact: true }).press("Enter");
	await repairs.getByText("1 thing was repaired.").waitFor();
	await tableRow(page, "Everything, only looked").getByText("Done").waitFor();
	const [repaired, looked] = await client.data("GET", "/v1/storage/repairs");
	expect(looked).toMatchObject({ kind: "all", dry_run: true, status: "completed", found: 1, repaired: 0 });
	expect(repaired).toMatchObject({ kind: "all", dry_run: false, status: "completed", found: 1, repaired: 1 });
	await repairs.getByRole("button", { name: "Look again" }).press("Enter");
	await repairs.getByText("Nothing is wrong.").waitFor();
	await expectWellMade(page, repairs.getByText("Nothing is wrong."));
	expect(faultsOf(watched)).toEqual([]);
});

test("what the user of ClickHouse may not read is null, and costs nothing else", async () => {
	await clickhouse.fail(
		["disks", "parts", "merges", "replicas", "errors"].map((table) => ({
			...{ match: `from system\\.${table}`, kind: "error", code: 497, times: 1_000 },
		})),
	);
	expect(await client.data("GET", "/v1/storage/nodes")).toMatchObject([
		{
			...{ state: "ok", version: expect.any(String), delay_seconds: null, queue_size: null, last_error: null },
			...{ active_parts_max: null, merges: null, free_bytes: null, total_bytes: null },
		},
	]);
	await clickhouse.fail([{ match: "from system\\.merges", kind: "error", code: 497 }]);
	const [node] = await client.data("GET", "/v1/storage/nodes");
	expect(node).toMatchObject({ merges: null, active_parts_max: expect.any(Number), free_bytes: expect.any(Number) });
});

test.each([
	["full", 243],
	["read_only", 242],
])("K84 exports that are refused as it is %s are its state, until one is stored", async (state, code) => {
	await clickhouse.fail([{ match: "^insert", kind: "error", code, times: 1_000 }]);
	await expect(send()).rejects.toThrow("answered with 50");
	expect(await states()).toEqual({ traces: state, node: state });
	await clickhouse.heal();
	await send();
	expect(await states()).toEqual({ traces: "ok", node: "ok" });
});

test("K49 tells what deleted traces still take", async () => {
	// What is deleted is looked for once a minute, and taken off the disk at the start.
	await using fresh = await startWithAuth(settingsFor("deleted"));
	const caller = asAdmin(fresh);
	const headers = { authorization: `Bearer ${ADMIN_SECRET}` };
	const span = { traceId: "e".repeat(32), spanId: "1".repeat(16), name: "call", startMs: 0, endMs: 10 };
	await sendSpans({ url: fresh.url, headers }, [span]);
	const [{ id }] = await caller.data("GET", "/v1/projects/default/traces");
	expect((await caller.send("DELETE", `/v1/traces/${id}`)).status).toBe(204);
	expect((await caller.data("GET", "/v1/storage")).traces.pending_delete_bytes).toBeGreaterThan(0);
});

test("an admin sees the node and what to do, also by its address", async () => {
	await using watched = await open("/settings/storage");
	const { page } = watched;
	const host = new URL(clickhouse.url).host;
	const traces = page.getByRole("region", { name: "Traces" });
	await traces.getByText("ClickHouse", { exact: true }).waitFor();
	await traces.getByText("350 ms").waitFor();
	const nodes = page.getByRole("region", { name: "Nodes" });
	await nodes.getByText("One node, nothing to repair.").waitFor();
	await page.keyboard.press("j");
	await page.keyboard.press("Enter");
	await page.waitForURL("**/settings/storage?node=1.1");
	const dialog = page.getByRole("dialog", { name: host });
	await dialog.getByText("Shard 1, replica 1").waitFor();
	await page.reload();
	await dialog.getByText(/^2\d\.\d+\.\d+/).waitFor();
	await page.keyboard.press("Escape");
	await page.waitForURL("**/settings/storage");
	await page.goto(`${server.url}/settings/storage?node=3.1`);
	await page.getByRole("dialog").getByText("There is no such node any more.").waitFor();
	await page.keyboard.press("Escape");
	await expectWellMade(page, page.getByText(host).first());
	await page.getByRole("list", { name: "Nodes" }).getByText("Last error").waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("a viewer sees the state and no node", async () => {
	await using watched = await open("/settings/storage?node=1.1", viewer);
	const { page } = watched;
	await page.getByRole("region", { name: "Traces" }).getByText("Traces are stored and read.").waitFor();
	for (const name of ["Nodes", "Repairs"]) expect(await page.getByRole("region", { name }).count()).toBe(0);
	expect(await page.getByRole("dialog").count()).toBe(0);
	await page.goto(`${server.url}/settings/ingest`);
	await page.getByText("Insert interval").waitFor();
	await page.getByText("350 ms").waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("K84 a notice above lists says that traces cannot be reached and what works, and goes by itself", async () => {
	await using watched = await open("/p/default/traces");
	const { page } = watched;
	await listRows(page).first().waitFor();
	const notice = page.getByRole("status").filter({ hasText: "Traces cannot be reached at the moment." });
	expect(await notice.count()).toBe(0);
	await clickhouse.kill();
	await expect.poll(async () => (await states()).traces).toBe("unreachable");
	await page.getByRole("navigation", { name: "Project" }).getByRole("link", { name: "Sessions" }).click();
	await notice.getByText("Datasets, prompts and settings work as usual.").waitFor();
	await notice.getByRole("link", { name: "Storage" }).click();
	await page.getByRole("region", { name: "Traces" }).getByText("Unreachable").waitFor();
	await tableRow(page, "Unreachable")
		.getByText(/^Start the database there/)
		.waitFor();
	expect((await client.send("GET", "/v1/datasets")).status).toBe(200);
	await page.goto(`${server.url}/p/default/traces`);
	await page.getByRole("alert").waitFor();
	await expectWellMade(page, notice);
	await page.setViewportSize({ width: 1440, height: 900 });
	await clickhouse.start();
	await expect.poll(() => notice.count()).toBe(0);
	await listRows(page).first().waitFor();
	expect(faultsWhileAway(watched)).toEqual([]);
});

test("K84 a notice says how much of the latest may be missing while a replica that is behind is read", async () => {
	await using watched = await open("/p/default/traces");
	const { page } = watched;
	await listRows(page).first().waitFor();
	let delay = 12;
	await page.route(/\/v1\/projects\/[^/]+\/sessions\?/, async (route) => {
		const response = await route.fetch();
		const said = delay > 0 ? { "x-spanward-data-delay": String(delay) } : {};
		await route.fulfill({ response, headers: { ...response.headers(), ...said } });
	});
	await page.route("**/v1/storage", async (route) => {
		const response = await route.fetch();
		const { data } = await response.json();
		const traces = { ...data.traces, state: delay > 0 ? "behind" : "ok", delay_seconds: delay };
		await route.fulfill({ response, json: { data: { ...data, traces } } });
	});
	await page.getByRole("navigation", { name: "Project" }).getByRole("link", { name: "Sessions" }).click();
	const notice = page.getByRole("status").filter({ hasText: "a replica is behind" });
	await notice.getByText("Traces of the last 12 s may be missing: a replica is behind.").waitFor();
	delay = 0;
	await expect.poll(() => notice.count()).toBe(0);
	await page.unrouteAll({ behavior: "wait" });
	expect(faultsOf(watched)).toEqual([]);
});
