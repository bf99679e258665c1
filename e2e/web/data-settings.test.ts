import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Account, type Client, createAccount, logIn, startWithAuth } from "../access/accounts.ts";
import { browserOf, launchBrowser, openPage, type WatchedPage } from "../browser.ts";
import type { TestServer } from "../server.ts";
import { sendSpans } from "./otlp-json.ts";
import { tableRow } from "./pages.ts";
import { faultsOf } from "./sessions.ts";

const TRACES = 5;
const KEPT = "1".padStart(32, "d");

let server: TestServer;
let browser: Browser;
let admin: Account;
let viewer: Account;
let client: Client;

beforeAll(async () => {
	server = await startWithAuth({ SERVICE_DATABASE_ALLOCATED_STORAGE_CAPACITY_GIBIBYTES: "1" });
	browser = await launchBrowser();
	[admin, viewer] = await Promise.all([createAccount(server, "ADMIN"), createAccount(server, "VIEWER")]);
	client = await logIn(server, admin.email, admin.password);
	const { key } = await client.data("POST", "/v1/user/api_keys", { data: { name: "sends" } });
	await sendSpans(
		{ url: server.url, headers: { authorization: `Bearer ${key}` } },
		Array.from({ length: TRACES }, (_, index) => ({
			traceId: String(index + 1).padStart(32, "d"),
			spanId: String(index + 1).padStart(16, "d"),
			name: `call ${index + 1}`,
			startMs: index * 1000,
			endMs: index * 1000 + 10,
			attributes: {
				"openinference.span.kind": "LLM",
				"llm.model_name": "house-model-7",
				"llm.token_count.prompt": 1_000_000n,
				"llm.token_count.completion": 0n,
			},
		})),
	);
	await client.data("POST", "/v1/trace_annotations?sync=true", {
		data: [{ trace_id: KEPT, name: "quality", annotator_kind: "HUMAN", result: { label: "good" } }],
	});
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
});

function open(path: string, account: Account = admin): Promise<WatchedPage> {
	return openPage(browserOf(browser, server, account), server.url + path);
}

test("an annotation config is made, changed, assigned to a project and deleted", async () => {
	await using watched = await open("/settings/annotation-configs");
	const { page } = watched;
	await tableRow(page, "user_feedback").waitFor();
	await page.getByRole("button", { name: "New config" }).click();
	await page.getByRole("button", { name: "Number" }).click();
	await page.getByRole("textbox", { name: /^Name/ }).fill("user_feedback");
	await page.getByRole("textbox", { name: /^Lowest/ }).fill("5");
	await page.getByRole("textbox", { name: /^Highest/ }).fill("1");
	await page.getByRole("button", { name: "Create" }).click();
	await page.getByText("The lowest must be less than the highest.").waitFor();
	await page.getByRole("textbox", { name: /^Highest/ }).fill("10");
	await page.getByRole("button", { name: "Create" }).click();
	await page.getByText("The name of the annotation configuration is already taken").waitFor();
	await page.getByRole("textbox", { name: /^Name/ }).fill("length");
	await page.getByRole("button", { name: "Create" }).click();
	await tableRow(page, "length").getByText("5 to 10").waitFor();
	await page.getByRole("button", { name: "Actions for length" }).click();
	await page.getByRole("menuitem", { name: "Edit" }).click();
	await page.getByRole("textbox", { name: /^Highest/ }).fill("20");
	await page.getByRole("button", { name: "Save" }).click();
	await tableRow(page, "length").getByText("5 to 20").waitFor();
	await page.getByRole("button", { name: "Actions for length" }).click();
	await page.getByRole("menuitem", { name: "Projects…" }).click();
	await page.getByRole("checkbox", { name: "Assign to default" }).click();
	const assigned = () => client.data("GET", "/v1/projects/default/annotation_configs");
	await expect.poll(assigned).toMatchObject([{ name: "length" }]);
	await page.keyboard.press("Escape");
	await page.goto(`${server.url}/p/default/settings`);
	await page.getByRole("button", { name: "Remove length from this project" }).click();
	await page.getByText("None is assigned; all can be used.").waitFor();
	expect(await assigned()).toEqual([]);
	await page.goto(`${server.url}/settings/annotation-configs`);
	await page.getByRole("button", { name: "Actions for length" }).click();
	await page.getByRole("menuitem", { name: "Delete" }).click();
	await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
	await expect.poll(() => tableRow(page, "length").count()).toBe(0);
	expect(faultsOf(watched)).toEqual([]);
});

test("annotations that wait are listed with the reason, and deleted", async () => {
	await client.data("POST", "/v1/span_annotations", {
		data: [{ span_id: "abcd".repeat(4), name: "early", annotator_kind: "CODE", result: { score: 0.5 } }],
	});
	await using watched = await open("/settings/waiting-annotations");
	const { page } = watched;
	await tableRow(page, "early").getByText("Its span has not arrived.").waitFor();
	await page.getByRole("button", { name: "Delete early" }).click();
	await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
	await page.getByText("Nothing is waiting").waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("a policy is made with its times in words, tried on a project, set there, and run", async () => {
	await using watched = await open("/settings/retention");
	const { page } = watched;
	await tableRow(page, "SERVICE_DEFAULT_RETENTION_POLICY_DAYS").waitFor();
	await page.getByRole("button", { name: "New policy" }).click();
	await page.getByRole("textbox", { name: /^Name/ }).fill("Newest two");
	await page.getByRole("textbox", { name: /^Keep for days/ }).fill("");
	await page.getByRole("textbox", { name: /^Keep at most/ }).fill("2.5");
	await page.getByRole("textbox", { name: /^When/ }).fill("30 4 * * 1");
	await page.getByText("Runs every Monday at 04:30 (UTC).").waitFor();
	await page.getByRole("button", { name: "Create" }).click();
	await page.getByText("A whole number, or nothing.").waitFor();
	await page.getByRole("textbox", { name: /^Keep at most/ }).fill("2");
	await page.getByRole("textbox", { name: /^When/ }).fill("61 4 * * 1");
	await page.getByRole("button", { name: "Create" }).click();
	await expect.poll(() => page.getByRole("textbox", { name: /^When/ }).getAttribute("aria-invalid")).toBe("true");
	await page.getByRole("textbox", { name: /^When/ }).fill("30 4 * * 1");
	await page.getByRole("button", { name: "Create" }).click();
	await tableRow(page, "Newest two")
		.getByText("the newest 2 traces, and annotated ones")
		.filter({ visible: true })
		.waitFor();
	await tableRow(page, "Newest two").getByText("every Monday at 04:30").waitFor();

	await page.goto(`${server.url}/p/default/settings`);
	const preview = page.getByRole("region", { name: "What it would delete now" });
	await preview.getByText("Nothing would be deleted.").waitFor();
	await preview.getByRole("textbox", { name: /^Keep at most/ }).fill("1");
	await preview.getByText(`Would delete 4 of ${TRACES} traces.`).waitFor();
	await preview.getByRole("checkbox", { name: "Keep annotated traces" }).check();
	await preview.getByText(`Would delete 3 of ${TRACES} traces.`).waitFor();
	await preview.getByText("Keeps 1 annotated ones that would otherwise be deleted.").waitFor();
	const policies = await client.data("GET", "/v1/retention_policies");
	const { id } = policies.find(({ name }: { name: string }) => name === "Newest two");
	await page.getByRole("combobox", { name: "Policy" }).selectOption(id);
	await preview.getByText(`Would delete 2 of ${TRACES} traces.`).waitFor();
	expect((await client.data("GET", "/v1/projects/default/traces")).length).toBe(TRACES);

	await page.goto(`${server.url}/settings/retention`);
	await page.getByRole("button", { name: "Actions for Newest two" }).click();
	await page.getByRole("menuitem", { name: "Run now" }).click();
	await page.getByRole("dialog").getByRole("button", { name: "Run now" }).click();
	await page.getByText("Started in 1 project.").waitFor();
	const runs = page.getByRole("region", { name: "Runs" });
	await runs.getByText("2 traces").waitFor();
	await runs.getByText("done").waitFor();
	const left = await client.data("GET", "/v1/projects/default/traces");
	expect(left.map((trace: { root_name: string }) => trace.root_name).toSorted()).toEqual([
		"call 1",
		"call 4",
		"call 5",
	]);
	expect(faultsOf(watched)).toEqual([]);
});

test("an own price shows which models it is for, and costs are computed anew with it", async () => {
	await using watched = await open("/settings/prices");
	const { page } = watched;
	await page.getByRole("searchbox", { name: "Find a model" }).fill("gpt-4o-mini");
	await tableRow(page, "gpt-4o-mini").filter({ hasText: "$0.15" }).first().waitFor();
	await page.getByRole("button", { name: "New price" }).click();
	await page.getByRole("combobox", { name: "Model name" }).selectOption({ label: "begins with" });
	await page.getByRole("textbox", { name: "Pattern" }).fill("house-");
	await page.getByRole("status").filter({ hasText: "house-model-7" }).waitFor();
	await page.getByRole("textbox", { name: /^In force from/ }).fill("soon");
	await page.getByRole("button", { name: "Create" }).click();
	await page.getByText("At least input or output.").waitFor();
	await page.getByText(/^A date such as/).waitFor();
	await page.getByRole("textbox", { name: /^In force from/ }).fill("2020-01-01");
	await page.getByRole("textbox", { name: "Input" }).fill("3");
	await page.getByRole("button", { name: "Create" }).click();
	await page.getByRole("dialog").waitFor({ state: "detached" });
	await page.getByRole("button", { name: "Own", exact: true }).click();
	await page.getByRole("searchbox", { name: "Find a model" }).fill("house");
	await tableRow(page, "house-").getByText("2020-01-01").waitFor();

	await page.goto(`${server.url}/p/default/settings`);
	await page.getByRole("button", { name: "Recompute costs" }).click();
	const list = page.getByRole("list", { name: "Recomputations" });
	await list.getByText("done").waitFor();
	await list.getByText(/with a changed cost/).waitFor();
	const [trace] = await client.data("GET", "/v1/projects/default/traces");
	expect(trace.total_cost).toBe(3);
	await page.goto(`${server.url}/settings/prices?q=house`);
	await page.getByRole("button", { name: "Actions for house-" }).click();
	await page.getByRole("menuitem", { name: "Delete" }).click();
	await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
	await page.getByText("No price matches").waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("j and k go from row to row of a table, and its further rows come with its end", async () => {
	await using watched = await open("/settings/prices");
	const { page } = watched;
	const rows = page.locator("tbody tr");
	await rows.first().waitFor();
	const loaded = await rows.count();
	const focused = () => rows.evaluateAll((all) => all.indexOf(document.activeElement as (typeof all)[number]));
	for (const [key, row] of [
		["j", 0],
		["j", 1],
		["ArrowDown", 2],
		["k", 1],
	] as const) {
		await page.keyboard.press(key);
		await expect.poll(focused).toBe(row);
	}
	for (let step = 1; step < loaded; step += 1) await page.keyboard.press("j");
	await expect.poll(() => rows.count()).toBeGreaterThan(loaded);
	expect(faultsOf(watched)).toEqual([]);
});

test("the storage shows how full it is", async () => {
	await using watched = await open("/settings/storage");
	const { page } = watched;
	await page.getByText(/MB of 1\.07 GB/).waitFor();
	const used = page.getByRole("meter", { name: "Used" });
	expect(Number(await used.getAttribute("aria-valuenow"))).toBeLessThan(10);
	expect(faultsOf(watched)).toEqual([]);
});

test("a viewer sees all of it and is offered no change", async () => {
	await using watched = await open("/settings/annotation-configs", viewer);
	const { page } = watched;
	const buttons = page.getByRole("main").getByRole("button");
	await tableRow(page, "user_feedback").waitFor();
	expect(await buttons.count()).toBe(0);
	await page.goto(`${server.url}/settings/retention`);
	await page.getByText("Only admins change policies.").waitFor();
	await tableRow(page, "SERVICE_DEFAULT_RETENTION_POLICY_DAYS").waitFor();
	expect(await buttons.filter({ hasText: /New|Run/ }).count()).toBe(0);
	await page.goto(`${server.url}/settings/prices`);
	await page.getByText("Only admins change prices.").waitFor();
	expect(await buttons.filter({ hasText: "New price" }).count()).toBe(0);
	await page.goto(`${server.url}/p/default/settings`);
	await page.getByRole("region", { name: "What it would delete now" }).getByRole("status").waitFor();
	expect(await page.getByRole("combobox", { name: "Policy" }).count()).toBe(0);
	expect(await buttons.filter({ hasText: /Recompute|Assign|Delete/ }).count()).toBe(0);
	expect(faultsOf(watched)).toEqual([]);
});
