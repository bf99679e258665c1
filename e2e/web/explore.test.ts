import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowserFor, openPage, type UserBrowser } from "../browser.ts";
import { startServer, type TestServer } from "../server.ts";
import { MODELS, type SentTrace, sendTraffic, USERS } from "./explore-data.ts";
import { expectWellMade, listRows, measureScripts, tableRow } from "./pages.ts";

const DAYS = 12;
/** Traces of each day are fewer. */
const MOST_OF_A_DAY = 13;
const EXPLORE = "/p/default/explore";
/** Clocks of the browser: the same as those of the data. */
const CLOCK = { timezoneId: "UTC" };

let server: TestServer;
let browser: UserBrowser;
let traces: readonly SentTrace[];

beforeAll(async () => {
	server = await startServer();
	browser = await launchBrowserFor(server);
	traces = await sendTraffic(server, DAYS);
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
});

const open = (path: string, options: Parameters<typeof openPage>[2] = {}) =>
	openPage(browser, server.url + path, { ...CLOCK, ...options });

function parameters(page: Page, name: string): string[] {
	return new URL(page.url()).searchParams.getAll(name);
}

/** Those in the time range of the address. */
function inRange(page: Page): SentTrace[] {
	const [from = 0, to = Number.POSITIVE_INFINITY] = ["from", "to"].map(
		(name) => parameters(page, name).map(Date.parse)[0],
	);
	return traces.filter(({ at }) => at >= from && at < to);
}

/** The number of rows that are counted in all. */
async function countOfAll(page: Page): Promise<string> {
	return await tableRow(page, "All").last().locator("td").first().innerText();
}

test.each([
	["Users are", "/p/default/users", "grid"],
	["A user is", `/p/default/users/${encodeURIComponent(USERS[4])}`, "application"],
] as const)("%s accessible in both themes, and fits a phone", async (_name, path, role) => {
	await using watched = await open(path, { colorScheme: "light" });
	await expectWellMade(watched.page, watched.page.getByRole(role).first());
	expect(watched.problems).toEqual([]);
	expect(watched.foreignRequests).toEqual([]);
});

test.each([
	["over time", `${EXPLORE}?measure=count&measure=latency_p95&group_by=model&chart=bars&compare=previous_period`],
	["as a ranking, of all projects", "/explore?of=traces&measure=error_rate&group_by=user&group_by=status&chart=bar"],
	["in numbers, with the rows", `${EXPLORE}?of=sessions&chart=number&compare=previous_week&tab=rows`],
])("Explore %s is accessible in both themes, and fits a phone", async (_name, path) => {
	await using watched = await open(path, { colorScheme: "light" });
	await expectWellMade(watched.page, watched.page.getByRole("table").first());
	expect(watched.problems).toEqual([]);
	expect(watched.foreignRequests).toEqual([]);
});

test("opening Explore first takes at most 300 KB of JavaScript", async () => {
	await using watched = await open("/healthz");
	const { page } = watched;
	const size = await measureScripts(page, async () => {
		await page.goto(`${server.url}${EXPLORE}`);
		await page.getByRole("application").waitFor();
		await page.getByRole("table").waitFor();
	});
	expect(size).toBeGreaterThan(0);
	expect(size).toBeLessThanOrEqual(300_000);
});

test("the form asks, and the address has all of it", async () => {
	await using watched = await open(EXPLORE);
	const { page } = watched;
	await page.getByLabel("Rows").first().selectOption("traces");
	await page.getByRole("button", { name: /^Measures/ }).click();
	await page.getByRole("checkbox", { name: "Error rate" }).check();
	await page.getByLabel("Key of the attribute").fill("llm.it's");
	await page.getByRole("button", { name: "Add" }).click();
	await page.keyboard.press("Escape");
	await page.getByRole("button", { name: /^Split by/ }).click();
	await page.getByRole("button", { name: "User", exact: true }).click();
	await page.keyboard.press("Escape");
	await page.getByRole("button", { name: "Ranking" }).click();
	await page.getByRole("combobox", { name: /^Search words/ }).fill("error_count > 0");
	await page.keyboard.press("Enter");
	await expect.poll(() => parameters(page, "filter")).toEqual(["error_count > 0"]);
	expect(parameters(page, "of")).toEqual(["traces"]);
	expect(parameters(page, "measure")).toEqual(["count", "error_rate", String.raw`avg(attributes['llm.it\'s'])`]);
	expect(parameters(page, "group_by")).toEqual(["user"]);
	expect(parameters(page, "chart")).toEqual(["bar"]);
	const week = Date.now() - 7 * 86_400_000;
	const failed = traces.filter(({ isError, at }) => isError && at > week).length;
	await expect.poll(() => countOfAll(page)).toBe(String(failed));
	await page.reload();
	await expect.poll(() => countOfAll(page)).toBe(String(failed));
	await page.getByRole("button", { name: "Measures Traces, Error rate" }).waitFor();
	await page.getByRole("button", { name: "Time range Last 7 days" }).click();
	await page.getByRole("button", { name: "Yesterday" }).click();
	await expect.poll(() => parameters(page, "from")).toEqual(["yesterday"]);
	const today = new Date().setUTCHours(0, 0, 0, 0);
	const yesterday = traces.filter(({ isError, at }) => isError && at >= today - 86_400_000 && at < today);
	const nothing = page.getByRole("heading", { name: "No such rows in this time range" });
	if (yesterday.length === 0) await nothing.waitFor();
	else await expect.poll(() => countOfAll(page)).toBe(String(yesterday.length));
	expect(watched.problems).toEqual([]);
});

test("W24 a bar of a stacked chart leads to its group and bucket, and Back to the same chart", async () => {
	const address = `${EXPLORE}?of=spans&group_by=model&chart=bars&bucket=day&from=7d&filter=span_kind == 'LLM'`;
	await using watched = await open(address);
	const { page } = watched;
	const canvas = page.locator(".u-over");
	await canvas.waitFor();
	const before = page.url();
	const box = await canvas.boundingBox();
	if (box === null) throw new Error("the chart is not drawn");
	// The last but two of eight days, at the foot of its bar.
	await page.mouse.move(box.x + (box.width * 5.4) / 8, box.y + box.height - 3);
	await page.locator("[data-chart-tooltip]").waitFor();
	const [model = ""] = await page.locator("[data-chart-tooltip] tr.font-semibold td").allInnerTexts();
	await page.mouse.down();
	await page.mouse.up();
	await page.waitForURL("**/p/default/traces?*");
	expect(parameters(page, "filter")).toEqual([`(span_kind == 'LLM') and model == '${model.trim()}'`]);
	const count = inRange(page).filter((trace) => trace.model === model.trim()).length;
	expect(count).toBeGreaterThan(0);
	expect(count).toBeLessThan(MOST_OF_A_DAY);
	await expect.poll(() => listRows(page).count()).toBe(count);
	await page.goBack();
	await canvas.waitFor();
	expect(page.url()).toBe(before);
	expect(watched.problems).toEqual([]);
});

test("dragging across a chart zooms, and arrow keys with Enter lead to the rows of a bucket", async () => {
	await using watched = await open(`${EXPLORE}?of=traces&bucket=day&from=7d`);
	const { page } = watched;
	const canvas = page.locator(".u-over");
	await canvas.waitFor();
	const box = await canvas.boundingBox();
	if (box === null) throw new Error("the chart is not drawn");
	await page.mouse.move(box.x + (box.width * 4.2) / 8, box.y + 40);
	await page.mouse.down();
	await page.mouse.move(box.x + (box.width * 6.8) / 8, box.y + 40, { steps: 5 });
	await page.mouse.up();
	await expect.poll(() => parameters(page, "to")).toHaveLength(1);
	await expect.poll(() => countOfAll(page)).toBe(String(inRange(page).length));
	expect(inRange(page).length).toBeLessThan(3 * MOST_OF_A_DAY);
	await page.getByRole("application").focus();
	await page.keyboard.press("ArrowRight");
	await page.keyboard.press("ArrowRight");
	await page.keyboard.press("Enter");
	await page.waitForURL("**/p/default/traces?*");
	expect(inRange(page).length).toBeGreaterThan(0);
	await expect.poll(() => listRows(page).count()).toBe(inRange(page).length);
});

test("W28 Chart this counts what the list shows, with its filter, its words and its chips", async () => {
	await using watched = await open("/p/default/traces?q=timed out&filter=latency_ms > 300&error=1&from=all");
	const { page } = watched;
	await listRows(page).first().waitFor();
	const listed = await listRows(page).count();
	expect(listed).toBeGreaterThan(1);
	expect(listed).toBeLessThan(traces.filter(({ isError }) => isError).length + 1);
	await page.getByRole("link", { name: "Chart this" }).click();
	await expect.poll(() => countOfAll(page)).toBe(String(listed));
	expect(parameters(page, "filter")).toEqual(["latency_ms > 300 and error_count > 0"]);
	expect(parameters(page, "q")).toEqual(["timed out"]);
	await page.getByRole("button", { name: "Rows", exact: true }).click();
	await expect.poll(() => page.getByRole("table", { name: "Rows" }).locator("tbody tr").count()).toBe(listed);
});

test("W28 Save to dashboard adds the chart to a new one, and then to that", async () => {
	await using watched = await open("/p/default/traces?error=1&from=30d");
	const { page } = watched;
	await page.getByRole("link", { name: "Chart this" }).click();
	await page.getByRole("button", { name: "Number", exact: true }).click();
	const save = async () => {
		await page.getByRole("button", { name: "Save to dashboard" }).click();
		const dialog = page.getByRole("dialog", { name: "Save to a dashboard" });
		const name = dialog.getByLabel("Name", { exact: true });
		await dialog.getByRole("button", { name: "Save", exact: true }).and(page.locator(":enabled")).waitFor();
		if ((await name.count()) > 0) await name.fill("Failures");
		await dialog.getByRole("button", { name: "Save", exact: true }).click();
		return page.getByRole("dialog", { name: "Saved to Failures" });
	};
	await (await save()).getByRole("button", { name: "Close" }).last().click();
	await (await save()).getByRole("link", { name: "Open the dashboard" }).click();
	await page.waitForURL("**/p/default/dashboards/*");
	const failed = String(traces.filter(({ isError }) => isError).length);
	await expect.poll(() => page.getByText(failed, { exact: true }).count()).toBe(2);
	expect(watched.problems).toEqual([]);
});

test("the answer is saved as CSV, and the question copied as a link and as code", async () => {
	await using watched = await open(`${EXPLORE}?group_by=model&chart=table&from=30d`, {
		permissions: ["clipboard-read", "clipboard-write"],
	});
	const { page } = watched;
	await tableRow(page, MODELS[1]).waitFor();
	const downloading = page.waitForEvent("download");
	await page.getByRole("button", { name: "Download CSV" }).click();
	const stream = await (await downloading).createReadStream();
	const csv = (await stream.toArray()).join("");
	expect(csv.split("\r\n")[0]).toBe("model,count");
	expect(csv).toContain(MODELS[0]);
	const copy = async (form: string) => {
		await page.getByRole("button", { name: "Copy the question" }).click();
		await page.getByRole("menuitem", { name: form, exact: true }).click();
		await page.getByText(`Copied: ${form}`).waitFor();
		return await page.evaluate(() => navigator.clipboard.readText());
	};
	expect(await copy("Link")).toBe(page.url());
	expect(await copy("curl")).toContain(
		"/v1/projects/default/analytics?of=spans&range=30d&measure=count&group_by=model",
	);
	expect(await copy("Python")).toContain('("group_by", "model")');
	expect(await copy("TypeScript")).toContain('["group_by", "model"]');
});

test("a question that cannot be asked says why in its place, and an address that is too long says so", async () => {
	await using watched = await open(`${EXPLORE}?measure=cuont`);
	const { page } = watched;
	await page
		.getByRole("alert")
		.getByText(/count may be meant/)
		.waitFor();
	await page.getByRole("button", { name: "Try again" }).waitFor();
	const words = `name == '${"x".repeat(8_500)}'`;
	await page.goto(`${server.url}${EXPLORE}?filter=${encodeURIComponent(words)}`);
	await page.getByText(/The address of this question is 8\.\d+ KB long/).waitFor();
	await page.getByRole("heading", { name: "No such rows in this time range" }).waitFor();
});

test("a partial answer says from when on it counts", async () => {
	await using watched = await open("/healthz");
	const { page } = watched;
	await page.route("**/analytics?*", async (route) => {
		const response = await route.fetch();
		const { data } = (await response.json()) as { data: { buckets: { start_time: string }[] } };
		const covered = data.buckets.at(-3)?.start_time;
		await route.fulfill({ response, json: { data: { ...data, is_partial: true, covered_start_time: covered } } });
	});
	await page.goto(`${server.url}${EXPLORE}?bucket=day`);
	await page.getByText(/^Time was up: only what began after/).waitFor();
});

test("W34 users of any id are listed, searched and sorted, and lead to their page and their traces", async () => {
	await using watched = await open("/p/default/users?from=all");
	const { page } = watched;
	const ofUser = (user: string | undefined) => traces.filter((trace) => trace.user === user).length;
	await expect.poll(() => listRows(page).count()).toBe(USERS.length);
	await page.getByText(`${ofUser(undefined)} traces without a user are not in the list.`).waitFor();
	await page.getByRole("columnheader", { name: "Traces" }).getByRole("button").click();
	await expect.poll(() => parameters(page, "sort")).toEqual(["traces"]);
	for (const user of USERS.slice(2)) {
		await page
			.getByRole("textbox", { name: /^Find a user/ })
			.or(page.getByRole("searchbox"))
			.first()
			.fill(user);
		await expect.poll(() => listRows(page).count()).toBe(1);
		await listRows(page).getByRole("link", { name: user }).click();
		await page.getByRole("heading", { level: 1, name: user }).waitFor();
		const figures = page.getByRole("region", { name: "Figures" });
		await figures
			.getByText(String(ofUser(user)), { exact: true })
			.first()
			.waitFor();
		await page.getByRole("navigation", { name: "User" }).getByRole("link", { name: "Traces" }).click();
		await expect.poll(() => listRows(page).count()).toBe(ofUser(user));
		await page.goBack();
		await page.goBack();
	}
	expect(watched.problems).toEqual([]);
});

test("the user of a trace leads to their page, where nobody is a user who has no trace", async () => {
	const user = "ann";
	const traceId = traces.find((trace) => trace.user === user)?.traceId;
	await using watched = await open(`/p/default/traces/${traceId}`);
	const { page } = watched;
	await page
		.getByRole("link", { name: `User ${user}` })
		.first()
		.click();
	await page.getByRole("heading", { level: 1, name: user }).waitFor();
	await page.getByRole("table", { name: "Newest traces" }).waitFor();
	await page.goto(`${server.url}/p/default/users/nobody`);
	await page.getByText("No trace of nobody").waitFor();
});

test("a project without users says how they come, and a list that did not load can be tried again", async () => {
	const headers = { "content-type": "application/json" };
	const made = await server.fetch("/v1/projects", { method: "POST", headers, body: JSON.stringify({ name: "quiet" }) });
	expect(made.status).toBe(200);
	await using watched = await open("/p/quiet/users");
	const { page } = watched;
	await page.getByRole("heading", { name: "No trace names a user yet" }).waitFor();
	await page.route("**/end_users?*", (route) =>
		route.fulfill({ status: 422, json: { code: "broken", detail: "No." } }),
	);
	await page.reload();
	await page.getByRole("alert").getByText("No.").waitFor();
	await page.unroute("**/end_users?*");
	await page.getByRole("button", { name: "Try again" }).click();
	await page.getByRole("heading", { name: "No trace names a user yet" }).waitFor();
});
