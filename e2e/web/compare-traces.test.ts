import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowserFor, openPage, type UserBrowser, type WatchedPage } from "../browser.ts";
import { readExpected, replay } from "../fixture-sources.ts";
import { startServer, type TestServer } from "../server.ts";
import { largeTrace, msOfNow, type SentSpan, sendSpans, spanIdOf } from "./otlp-json.ts";
import { expectWellMade, listRows } from "./pages.ts";

const FIRST = "1".repeat(32);
const SECOND = "2".repeat(32);
const RUNNING = "3".repeat(32);
const LARGE = ["4".repeat(32), "5".repeat(32)] as const;
const elsewhere = readExpected("py-langchain-openinference");

let server: TestServer;
let browser: UserBrowser;

beforeAll(async () => {
	server = await startServer();
	browser = await launchBrowserFor(server);
	await replay(server, ["py-langchain-openinference"]);
	await sendSpans(server, [...agent(FIRST, "small"), ...agent(SECOND, "large")]);
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
});

/** An agent that plans, takes steps and answers; with the large model it checks as well, and a tool fails. */
function agent(traceId: string, model: "small" | "large"): SentSpan[] {
	const isLarge = model === "large";
	const of = (index: number, parent: number | undefined, name: string, attributes: Record<string, string>) => ({
		traceId,
		spanId: spanIdOf(index),
		...(parent === undefined ? {} : { parentSpanId: spanIdOf(parent) }),
		name,
		startMs: index * 10,
		endMs: index * 10 + (isLarge ? 9 : 5),
		attributes,
	});
	const chat = {
		"openinference.span.kind": "LLM",
		"llm.model_name": model,
		"llm.input_messages.0.message.role": "system",
		"llm.input_messages.0.message.content": "Answer briefly.",
		"llm.input_messages.1.message.role": "user",
		"llm.input_messages.1.message.content": "How do I get from Lyon to Oslo?",
		"llm.output_messages.0.message.role": "assistant",
		"llm.output_messages.0.message.content": `Take the flight via ${isLarge ? "Frankfurt" : "Amsterdam"}.`,
		"llm.invocation_parameters": JSON.stringify({ temperature: isLarge ? 0.7 : 0, max_tokens: 100 }),
	};
	const tool = { "openinference.span.kind": "TOOL" };
	return [
		of(0, undefined, "travel agent", { "openinference.span.kind": "AGENT" }),
		of(1, 0, "plan", {}),
		of(2, 1, `chat ${model}`, chat),
		{ ...of(3, 0, "flights", tool), ...(isLarge ? { error: "timeout" } : {}) },
		isLarge ? of(4, 0, "check", {}) : of(4, 0, "hotels", tool),
		of(5, 0, "answer", {}),
	];
}

function compare(left: string, search: string): Promise<WatchedPage> {
	return openPage(browser, `${server.url}/p/default/traces/${left}/compare${search}`);
}

const selectedRow = (page: Page) => page.getByRole("treeitem", { selected: true });

/** The rows with their states, as `Changed travel agent`. */
async function rows(page: Page): Promise<string[]> {
	const all = await page.getByRole("treeitem").all();
	return await Promise.all(
		all.map(async (row) => {
			const [state = "", _kind, name = ""] = (await row.innerText()).split("\n").filter((line) => line.trim() !== "");
			return `${state} ${name}`;
		}),
	);
}

async function textsCompared(page: Page): Promise<void> {
	await page.getByRole("treeitem").first().waitFor();
	await page.getByText(/Comparing texts/).waitFor({ state: "detached" });
}

const ALIGNED = [
	"Same travel agent",
	"Same plan",
	"Changed chat small → chat large",
	"Changed flights",
	"Only left hotels",
	"Only right check",
	"Same answer",
];

test("two selected traces are aligned, and lead from difference to difference", async () => {
	await using watched = await openPage(browser, `${server.url}/p/default/traces`);
	const { page } = watched;
	for (const traceId of [FIRST, SECOND]) {
		await listRows(page)
			.filter({ has: page.locator(`a[href*="${traceId}"]`) })
			.getByRole("checkbox")
			.click();
	}
	await page.getByRole("region", { name: "Selection" }).getByRole("link", { name: "Compare" }).click();
	await page.waitForURL(`**/p/default/traces/${FIRST}/compare?with=${SECOND}`);
	await textsCompared(page);
	await expect.poll(() => rows(page)).toEqual(ALIGNED);
	await page.getByText("3 same · 2 changed · 1 only left · 1 only right").waitFor();
	await page.keyboard.press("n");
	await expect.poll(() => selectedRow(page).innerText()).toContain("name, model, output, parameters");
	await page.waitForURL(/span=0{15}3/);
	await page.locator("del", { hasText: "Amsterdam" }).waitFor();
	await page.locator("ins", { hasText: "Frankfurt" }).waitFor();
	await page.getByRole("button", { name: "2 equal messages" }).click();
	await page.getByText("Answer briefly.").waitFor();
	const parameters = page.getByRole("table", { name: "Invocation parameters" });
	expect(await parameters.locator("[data-differs]").allInnerTexts()).toEqual([
		expect.stringMatching(/temperature\s+0\s+0\.7/),
	]);
	await page.keyboard.press("Shift+N");
	await page.waitForURL(/right=0{15}5/);
	await page.getByText("This span is only on the right.").waitFor();
	await page.keyboard.press("d");
	await page.waitForURL(/only=differences/);
	await expect.poll(() => rows(page)).toEqual(ALIGNED.filter((row) => row !== "Same answer"));
	await page.reload();
	await textsCompared(page);
	expect(await selectedRow(page).innerText()).toContain("check");
	await page.goBack();
	await expect.poll(() => rows(page)).toEqual(ALIGNED);
	await page.keyboard.press("s");
	await page.waitForURL(`**/traces/${SECOND}/compare?with=${FIRST}`);
	await expect.poll(() => rows(page)).toContain("Only right hotels");
	expect(watched.problems).toEqual([]);
});

test("the keys go through the rows as in a trace", async () => {
	await using watched = await compare(FIRST, `?with=${SECOND}`);
	const { page } = watched;
	await textsCompared(page);
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("ArrowLeft");
	await expect.poll(() => selectedRow(page).getAttribute("aria-expanded")).toBe("false");
	await selectedRow(page).getByTitle("1 difference below").waitFor();
	await page.keyboard.press("n");
	await expect.poll(() => selectedRow(page).innerText()).toContain("chat small → chat large");
	await page.keyboard.press("End");
	await expect.poll(() => selectedRow(page).innerText()).toContain("answer");
	expect(watched.problems).toEqual([]);
});

test("a trace is compared with one of another project, by its link, its id in the dialog, or in the palette", async () => {
	const project = elsewhere.projectName ?? "";
	const other = elsewhere.traces[0]?.traceId ?? "";
	const compared = `**/p/default/traces/${FIRST}/compare?with=${other}&in=${encodeURIComponent(project)}`;
	await using watched = await openPage(browser, `${server.url}/p/default/traces?trace=${FIRST}`);
	const { page } = watched;
	await page.getByRole("button", { name: "Actions on this trace" }).click();
	await page.getByRole("menuitem", { name: "Compare with…" }).click();
	const dialog = page.getByRole("dialog", { name: "Compare with which trace?" });
	await dialog.getByRole("region", { name: "The newest named travel agent" }).getByRole("button").waitFor();
	const field = dialog.getByRole("textbox", { name: "Trace id or link" });
	await field.fill("two words");
	await field.press("Enter");
	await dialog.getByText("This is neither a trace id nor a link to a trace.").waitFor();
	await field.fill(FIRST);
	await field.press("Enter");
	await dialog.getByText("This is the same trace.").waitFor();
	await field.fill(`${server.url}/p/${project}/traces/${other}?span=1`);
	await field.press("Enter");
	await page.waitForURL(compared);
	await textsCompared(page);
	await page.getByRole("region", { name: "Right" }).getByText(project).waitFor();
	await page.goBack();
	await dialog.waitFor({ state: "detached" });
	await page.getByRole("button", { name: "Actions on this trace" }).waitFor();
	await page.getByRole("treeitem").first().waitFor();
	await page.keyboard.press("c");
	await dialog.getByRole("textbox", { name: "Trace id or link" }).fill(other);
	await page.keyboard.press("Enter");
	await page.waitForURL(compared);
	await page.getByRole("region", { name: "Right" }).getByText(project).waitFor();
	await page.goBack();
	await dialog.waitFor({ state: "detached" });
	await page.getByRole("button", { name: "Actions on this trace" }).waitFor();
	await page.getByRole("treeitem").first().waitFor();
	await page.keyboard.press("Control+k");
	await page.getByRole("dialog").getByRole("combobox").fill(other);
	await page.getByRole("option", { name: `Compare the open trace with ${other}` }).click();
	await page.waitForURL(compared);
	expect(watched.problems).toEqual([]);
});

test("says which trace is missing, that both are the same, and asks for one where none is chosen", async () => {
	await using missing = await compare(FIRST, `?with=${"9".repeat(32)}`);
	await missing.page.getByRole("region", { name: "Right" }).getByText("This trace does not exist here").waitFor();
	await missing.page.getByRole("button", { name: "Another trace…" }).click();
	await missing.page.getByRole("button", { name: /travel agent/ }).click();
	await missing.page.waitForURL(`**/compare?with=${SECOND}`);
	await using same = await compare(FIRST, `?with=${FIRST}`);
	await same.page.getByText("Both sides are the same trace").waitFor();
	await using none = await compare(FIRST, "");
	await none.page.getByRole("heading", { level: 1, name: "Compare with which trace?" }).waitFor();
	await none.page.getByRole("button", { name: /travel agent/ }).click();
	await none.page.waitForURL(`**/compare?with=${SECOND}`);
	expect([...same.problems, ...none.problems]).toEqual([]);
});

test("a trace that runs is compared as it grows", async () => {
	const root = { traceId: RUNNING, spanId: spanIdOf(0), name: "travel agent", startMs: msOfNow(), endMs: undefined };
	await sendSpans(server, [{ ...root, attributes: { "openinference.span.kind": "AGENT" } }]);
	await using watched = await compare(FIRST, `?with=${RUNNING}`);
	const { page } = watched;
	await textsCompared(page);
	expect(await rows(page)).toContain("Only left answer");
	expect((await rows(page))[0]).toBe("Changed travel agent");
	const now = msOfNow();
	await sendSpans(server, [
		{ ...root, endMs: now, attributes: { "openinference.span.kind": "AGENT" } },
		{ ...root, spanId: spanIdOf(5), parentSpanId: root.spanId, name: "answer", endMs: now },
	]);
	await expect.poll(() => rows(page)).toContain("Same answer");
	await expect.poll(() => rows(page)).toContain("Same travel agent");
	expect(watched.problems).toEqual([]);
});

test("10,000 spans a side", async () => {
	const [left, right] = LARGE;
	const other = largeTrace(right, 10_000).map((span, index) => (index === 7_777 ? { ...span, name: "another" } : span));
	await sendSpans(server, [...largeTrace(left, 10_000), ...other]);
	await using watched = await compare(left, `?with=${right}`);
	const { page } = watched;
	await textsCompared(page);
	await page.getByText("9,999 same · 1 only left · 1 only right").waitFor();
	await page.keyboard.press("n");
	await expect.poll(() => selectedRow(page).innerText()).toMatch(/^Only left[\s\S]*step-7777/);
	await page.keyboard.press("d");
	await expect.poll(async () => (await rows(page)).length).toBeLessThan(12);
	expect(watched.problems).toEqual([]);
});

test("is accessible in both themes and fits a phone", async () => {
	await using watched = await openPage(
		browser,
		`${server.url}/p/default/traces/${FIRST}/compare?with=${SECOND}&span=${spanIdOf(2)}`,
		{ colorScheme: "light" },
	);
	await textsCompared(watched.page);
	await expectWellMade(watched.page, watched.page.locator("del", { hasText: "Amsterdam" }));
});
