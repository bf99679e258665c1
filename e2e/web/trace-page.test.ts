import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runSql } from "../access/database-file.ts";
import {
	findAccessibilityViolations,
	launchBrowserFor,
	openPage,
	type UserBrowser,
	type WatchedPage,
} from "../browser.ts";
import { type ExpectedSpan, listSources, readExpected, replay } from "../fixture-sources.ts";
import { startServer, type TestServer } from "../server.ts";
import { largeTrace, msOfNow, type SentSpan, sendSpans, spanIdOf } from "./otlp-json.ts";
import { expectWellMade, listRows } from "./pages.ts";

const LARGE = "b".repeat(32);
const LARGE_COUNT = 10_000;
const HOSTILE = "e".repeat(32);
const ORPHANS = "f".repeat(32);
const RUNNING = "a".repeat(32);
const WITHOUT_CONTENT = "c".repeat(32);
const LINKED = "d".repeat(32);
const DAMAGED = "9".repeat(32);
const REPEATED = "8".repeat(32);
const UNENDED = "7".repeat(32);

let server: TestServer;
let browser: UserBrowser;

beforeAll(async () => {
	server = await startServer();
	browser = await launchBrowserFor(server);
	await replay(server, listSources(), "--logs");
	await sendSpans(server, largeTrace(LARGE, LARGE_COUNT));
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
});

function openTrace(project: string, traceId: string, search = ""): Promise<WatchedPage> {
	return openPage(browser, `${server.url}/p/${encodeURIComponent(project)}/traces/${traceId}${search}`);
}

const row = (page: Page, name: string | RegExp) => page.getByRole("treeitem", { name }).first();
const selectedRow = (page: Page) => page.getByRole("treeitem", { selected: true });
const details = (page: Page) => page.getByRole("tabpanel");

/** Without the white space that layout adds. */
function squeeze(text: string): string {
	return text.replaceAll(/\s+/g, " ").trim();
}

/** What of a span a reader has to find in its preview: the first 150 characters of each text that is not JSON. */
function textsOf(span: ExpectedSpan): string[] {
	const messages = [...(span.inputMessages ?? []), ...(span.outputMessages ?? [])];
	const texts = messages.length > 0 ? messages.map((message) => message.text) : [span.inputText, span.outputText];
	const calls = messages.flatMap((message) => (message.toolCalls ?? []).map((call) => call.name));
	const documents = (span.documents ?? []).map((document) => document["content"]);
	return [...texts, ...calls, ...documents, span.error?.message, span.model]
		.filter((text): text is string => typeof text === "string" && text !== "" && !/^\s*[[{]/.test(text))
		.map((text) => squeeze(text.slice(0, 150)));
}

/** The same program sent these another way, and the page shows the same. */
const SENT_OTHERWISE = ["js-ai-sdk6-json", "py-openai-otel-v2-default", "py-phoenix-otel-grpc"];
const SOURCES = listSources().filter((source) => !SENT_OTHERWISE.includes(source));

describe.each(SOURCES)("the largest trace of %s", (source) => {
	const expected = readExpected(source);
	const trace = expected.traces.toSorted((a, b) => b.spanCount - a.spanCount)[0];
	if (!trace) throw new Error(`${source} has no trace`);
	const spans = expected.spans.filter((span) => span.traceId === trace.traceId);
	const project = expected.projectName ?? "default";

	test("shows its spans and what each of them says", async () => {
		await using watched = await openTrace(project, trace.traceId);
		const { page } = watched;
		await page.getByRole("heading", { level: 1, name: trace.rootSpanName }).waitFor();
		await page.getByRole("group", { name: "How text is shown" }).getByRole("button", { name: "Text" }).click();
		const unseen = new Map(spans.map((span) => [span.spanId, span]));
		const missing: string[] = [];
		for (const each of await page.getByRole("treeitem").all()) {
			await each.click();
			const id = await each.getAttribute("data-span");
			await page.getByTitle(`span id ${id}`).waitFor();
			await page.getByRole("heading", { name: "Details" }).waitFor();
			const span = unseen.get(id ?? "");
			if (!span) throw new Error(`the trace has no span ${id}`);
			unseen.delete(span.spanId);
			const shown = squeeze(await details(page).innerText());
			for (const text of textsOf(span)) if (!shown.includes(text)) missing.push(`${span.name} ${span.spanId}: ${text}`);
		}
		expect([...unseen.keys()]).toEqual([]);
		expect(missing).toEqual([]);
		expect(watched.problems).toEqual([]);
		expect(watched.foreignRequests).toEqual([]);
	});
});

describe("the keyboard", () => {
	const { projectName, traces } = readExpected("py-langchain-openinference");
	const traceId = traces[0]?.traceId ?? "";
	const open = () => openTrace(projectName ?? "default", traceId);

	test("moves through the tree, collapses and expands, and the address follows", async () => {
		await using watched = await open();
		const { page } = watched;
		await selectedRow(page).waitFor();
		expect(await selectedRow(page).innerText()).toContain("rag_chain");
		await page.keyboard.press("ArrowDown");
		await page.keyboard.press("j");
		await page.waitForURL(/span=e0f6ceb56a231722/);
		expect(await selectedRow(page).innerText()).toContain("RunnableSequence");
		await page.keyboard.press("ArrowLeft");
		expect(await selectedRow(page).getAttribute("aria-expanded")).toBe("false");
		expect(await row(page, /VectorStoreRetriever/).count()).toBe(0);
		await page.keyboard.press("ArrowRight");
		await page.keyboard.press("ArrowRight");
		expect(await selectedRow(page).innerText()).toContain("VectorStoreRetriever");
		await page.keyboard.press("k");
		await page.keyboard.press("End");
		expect(await selectedRow(page).innerText()).toContain("StrOutputParser");
		await page.keyboard.press("2");
		await page.waitForURL(/tab=attributes/);
		expect(watched.problems).toEqual([]);
	});

	test("finds spans by kind and by content, and goes from match to match", async () => {
		await using watched = await open();
		const { page } = watched;
		await selectedRow(page).waitFor();
		const answered = page.waitForResponse((response) => response.url().includes("q=retriever"));
		await page.keyboard.press("/");
		await page.keyboard.type("retriever");
		await page.getByText("0 of 1", { exact: true }).waitFor();
		await page.keyboard.press("Enter");
		await page.waitForURL(/span=e33eaf2635d41b30/);
		await answered;
		await page.keyboard.press("Escape");
		await page.keyboard.press("/");
		// Enter is pressed before the server has searched the content.
		await page.keyboard.type("components have 2 years");
		await page.keyboard.press("Enter");
		await page.getByText(/[1-9] of [1-9]/).waitFor();
		expect(watched.problems).toEqual([]);
	});

	test("lists its keys on the ? sheet", async () => {
		await using watched = await open();
		const { page } = watched;
		await selectedRow(page).waitFor();
		await page.keyboard.press("?");
		await page.getByText("Search this trace").first().waitFor();
	});
});

describe("the address", () => {
	const { projectName, traces, spans } = readExpected("py-openai-agents-openinference");
	const trace = traces.toSorted((a, b) => b.spanCount - a.spanCount)[0];
	const span = spans.find(({ traceId, kind }) => traceId === trace?.traceId && kind === "TOOL");
	const project = projectName ?? "default";

	test("restores span and tab, also going back and forward and beside the list", async () => {
		const search = `span=${span?.spanId}&tab=attributes`;
		await using watched = await openTrace(project, trace?.traceId ?? "", `?${search}`);
		const { page } = watched;
		await page.getByRole("tab", { name: /Attributes/, selected: true }).waitFor();
		expect(await selectedRow(page).innerText()).toContain(span?.name);
		await page.goto(`${server.url}/p/${encodeURIComponent(project)}/traces?trace=${trace?.traceId}&${search}`);
		await page.getByRole("tab", { name: /Attributes/, selected: true }).waitFor();
		expect(await selectedRow(page).innerText()).toContain(span?.name);
		await page.goBack();
		await page.getByRole("heading", { level: 1, name: trace?.rootSpanName ?? "" }).waitFor();
		await page.getByRole("tab", { name: /Attributes/, selected: true }).waitFor();
		expect(watched.problems).toEqual([]);
	});

	test("of a trace that is not there says so", async () => {
		await using watched = await openTrace("default", "0".repeat(31).concat("1"));
		await watched.page.getByRole("heading", { name: "This trace does not exist here" }).waitFor();
	});

	test("of a span that is not there says so and leads to the root", async () => {
		await using watched = await openTrace(project, trace?.traceId ?? "", "?span=00000000000000aa");
		const { page } = watched;
		await page.getByRole("heading", { name: "This span is not here" }).waitFor();
		await page.getByRole("button", { name: "Show the root span" }).click();
		await page.waitForURL(new RegExp(`span=${trace?.rootSpanId}`));
	});
});

describe(`a trace of ${LARGE_COUNT} spans`, () => {
	test("keeps the page small, reaches its last span, and finds one by name", async () => {
		await using watched = await openTrace("default", LARGE);
		const { page } = watched;
		await page.getByText("10,000 spans", { exact: true }).waitFor();
		await page.getByText(/spans loaded/).waitFor({ state: "hidden" });
		const nodes = () => page.evaluate(() => document.querySelectorAll("*").length);
		expect(await nodes()).toBeLessThan(2500);
		await page.keyboard.press("End");
		await expect.poll(() => selectedRow(page).count()).toBe(1);
		expect(await selectedRow(page).innerText()).toContain("step-");
		expect(await nodes()).toBeLessThan(2500);
		await page.keyboard.press("/");
		await page.keyboard.type("step-7777");
		await page.getByText("0 of 1", { exact: true }).waitFor();
		await page.keyboard.press("Enter");
		await page.waitForURL(new RegExp(`span=${spanIdOf(7777)}`));
		await details(page).getByText("question 7777").waitFor();
		expect(watched.problems).toEqual([]);
	});
});

describe("a trace that repeats itself, fails far down, and goes deep", () => {
	const spanOf = (index: number, parent: number | undefined, more: Partial<SentSpan>): SentSpan => ({
		traceId: REPEATED,
		spanId: spanIdOf(index),
		...(parent === undefined ? {} : { parentSpanId: spanIdOf(parent) }),
		name: `span-${index}`,
		startMs: index * 10,
		endMs: index * 10 + 9,
		...more,
	});
	beforeAll(async () => {
		const searches = Array.from({ length: 19 }, (_, n) => spanOf(n + 1, 0, { name: "search_web" }));
		const levels = Array.from({ length: 60 }, (_, n) =>
			spanOf(n + 20, n === 0 ? 0 : n + 19, {
				startMs: 200 + n,
				endMs: 900 - n,
				...(n === 59 ? { name: "deepest", error: "out of stock" } : {}),
			}),
		);
		await sendSpans(server, [spanOf(0, undefined, { name: "run", endMs: 1000 }), ...searches, ...levels]);
	});

	test("folds what repeats, leads to the failure, and keeps every name readable", async () => {
		await using watched = await openTrace("default", REPEATED);
		const { page } = watched;
		const searches = page.getByRole("treeitem", { name: /search_web/ });
		await page.getByRole("button", { name: "× 19" }).waitFor();
		expect(await searches.count()).toBe(1);
		await page.getByRole("button", { name: "× 19" }).click();
		await expect.poll(() => searches.count()).toBeGreaterThan(10);
		await searches.nth(5).click();
		await page.keyboard.press("h");
		await expect.poll(() => searches.count()).toBe(1);
		expect(await selectedRow(page).innerText()).toContain("search_web");

		await page.keyboard.press("f");
		await expect.poll(() => selectedRow(page).innerText()).toContain("deepest");
		const name = selectedRow(page).getByText("deepest", { exact: true });
		expect(await name.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0);
		await selectedRow(page).getByTitle("Level 61").waitFor();
		expect(watched.problems).toEqual([]);
	});

	test("shows a part of its time, and the critical path", async () => {
		await using watched = await openTrace("default", REPEATED);
		const { page } = watched;
		await page.getByRole("button", { name: "× 19" }).waitFor();
		const minimap = await page.getByTestId("minimap").boundingBox();
		if (!minimap) throw new Error("there is no minimap");
		await page.mouse.move(minimap.x + minimap.width * 0.9, minimap.y + 10);
		await page.mouse.down();
		await page.mouse.move(minimap.x + minimap.width * 0.5, minimap.y + 10, { steps: 3 });
		await page.mouse.up();
		await row(page, /search_web/)
			.getByTitle("Ran before the time that is shown")
			.waitFor();
		await page.keyboard.press("Shift+Z");
		await row(page, /search_web/)
			.getByTitle("Ran before the time that is shown")
			.waitFor({ state: "detached" });
		await page.mouse.move(minimap.x + minimap.width * 0.99, minimap.y + 10);
		await page.keyboard.down("Control");
		for (let turn = 0; turn < 4; turn++) await page.mouse.wheel(0, -300);
		await page.keyboard.up("Control");
		await row(page, /search_web/)
			.getByTitle("Ran before the time that is shown")
			.waitFor();
		expect(await page.evaluate(() => window.visualViewport?.scale)).toBe(1);
		await page.getByRole("button", { name: "Show the whole time" }).click();
		await page.keyboard.press("l");
		await expect.poll(() => row(page, /run/).locator("[data-critical]").count()).toBeGreaterThan(0);
		await page.getByRole("separator", { name: "Width of the names" }).focus();
		const before = await row(page, /run/)
			.locator("[data-critical]")
			.first()
			.evaluate((bar) => bar.parentElement?.clientWidth);
		await page.keyboard.press("ArrowRight");
		await expect
			.poll(() =>
				row(page, /run/)
					.locator("[data-critical]")
					.first()
					.evaluate((bar) => bar.parentElement?.clientWidth),
			)
			.toBeLessThan(before ?? 0);
		expect(await findAccessibilityViolations(page)).toEqual([]);
		expect(watched.problems).toEqual([]);
	});
});

test("draws what is hostile as text, loads nothing from elsewhere, and keeps every digit", async () => {
	const attributes = {
		"openinference.span.kind": "LLM",
		"llm.input_messages.0.message.role": "user",
		"llm.input_messages.0.message.content":
			'<img src="https://example.invalid/a.png" onerror="document.title=1"> **bold** ![x](https://example.invalid/b.png) [y](javascript:document.title=1)',
		"llm.output_messages.0.message.role": "assistant",
		"llm.output_messages.0.message.content": "<script>document.title=1</script>",
		"exact.integer": 9223372036854775807n,
		__proto__: "polluted",
	};
	const traceId = HOSTILE;
	await sendSpans(server, [{ traceId, spanId: spanIdOf(0), name: "<b>name</b>", startMs: 0, endMs: 5, attributes }]);
	await using watched = await openTrace("default", HOSTILE);
	const { page } = watched;
	await page.getByRole("heading", { level: 1, name: "<b>name</b>" }).waitFor();
	await details(page).locator("strong", { hasText: "bold" }).waitFor();
	expect(await details(page).innerText()).toContain('<img src="https://example.invalid/a.png"');
	expect(await details(page).innerText()).toContain("<script>document.title=1</script>");
	expect(await details(page).locator("img, a[href^=javascript]").count()).toBe(0);
	await page.getByRole("tab", { name: /Attributes/ }).click();
	await details(page).getByText("9223372036854775807").waitFor();
	await page.getByRole("tab", { name: "Raw" }).click();
	await page.getByRole("searchbox", { name: "Search in this value" }).fill("9223372036854775807");
	await page.getByText("1 of 1", { exact: true }).waitFor();
	expect(watched.problems).toEqual([]);
	expect(watched.foreignRequests).toEqual([]);
});

test("shows spans whose parent is missing below a row that says so", async () => {
	const traceId = ORPHANS;
	await sendSpans(server, [
		{ traceId, spanId: spanIdOf(0), name: "root", startMs: 0, endMs: 9 },
		{ traceId, spanId: spanIdOf(1), parentSpanId: spanIdOf(90), name: "orphan", startMs: 1, endMs: 3 },
		{ traceId, spanId: spanIdOf(2), parentSpanId: spanIdOf(1), name: "child", startMs: 2, endMs: 3, error: "boom" },
	]);
	await using watched = await openTrace("default", ORPHANS);
	const { page } = watched;
	await row(page, /Parent 000000000000005b is not here/).waitFor();
	const levels = await page
		.getByRole("treeitem")
		.evaluateAll((rows) => rows.map((each) => Number(each.getAttribute("aria-level"))));
	expect(levels).toEqual([1, 2, 3, 4]);
	await row(page, /child/).click();
	await details(page).getByText("boom").first().waitFor();
	expect(watched.problems).toEqual([]);
});

test("shows the spans of a running trace as they arrive", async () => {
	const traceId = RUNNING;
	const now = msOfNow();
	await sendSpans(server, [{ traceId, spanId: spanIdOf(0), name: "first step", startMs: now, endMs: now + 50 }]);
	await using watched = await openTrace("default", RUNNING);
	const { page } = watched;
	await row(page, /first step/).waitFor();
	const second = { traceId, spanId: spanIdOf(1), parentSpanId: spanIdOf(0), name: "second step" };
	await sendSpans(server, [{ ...second, startMs: now + 10, endMs: now + 40 }]);
	await row(page, /second step/).waitFor();
	await page.getByText("2 spans", { exact: true }).waitFor();
	expect(watched.problems).toEqual([]);
});

test("counts the time of a span that runs, in all live views, until it ends", async () => {
	const startMs = msOfNow() - 5_000;
	const session = { "session.id": "still-talking" };
	const agent = { traceId: UNENDED, spanId: spanIdOf(0), name: "long agent", startMs, attributes: session };
	const step = { traceId: UNENDED, spanId: spanIdOf(1), parentSpanId: spanIdOf(0), name: "one step" };
	await sendSpans(server, [
		{ ...agent, endMs: undefined },
		{ ...step, startMs: startMs + 100, endMs: startMs + 400 },
	]);
	await using trace = await openTrace("default", UNENDED);
	await using list = await openPage(browser, `${server.url}/p/default/traces?session=still-talking`);
	await using talk = await openPage(browser, `${server.url}/p/default/sessions/still-talking`);
	const shown = [row(trace.page, /long agent/), listRows(list.page).first(), talk.page.getByRole("listitem").first()];
	for (const each of shown) await each.filter({ hasText: /(\d+ s|m \d\d s) Running/ }).waitFor();
	const bar = async () =>
		(
			await row(trace.page, /long agent/)
				.locator("[data-bar]")
				.boundingBox()
		)?.width ?? 0;
	const stepBar = async () =>
		(
			await row(trace.page, /one step/)
				.locator("[data-bar]")
				.boundingBox()
		)?.width ?? 0;
	expect(await bar()).toBeGreaterThan(10 * (await stepBar()));
	expect(await findAccessibilityViolations(trace.page)).toEqual([]);
	await trace.page.getByText("1 without an end").waitFor();

	await sendSpans(server, [{ ...agent, endMs: startMs + 1_500, error: "gave up" }]);
	for (const each of shown) await each.filter({ hasText: "1.50 s" }).waitFor();
	for (const each of shown) expect(await each.textContent()).not.toContain("Running");
	await details(trace.page).getByText("gave up").waitFor();
	for (const { problems } of [trace, list, talk]) expect(problems).toEqual([]);
});

test("says that content was not captured, and what to set", async () => {
	const traceId = WITHOUT_CONTENT;
	const attributes = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4o-mini" };
	await sendSpans(server, [{ traceId, spanId: spanIdOf(0), name: "chat", startMs: 0, endMs: 5, attributes }]);
	await using watched = await openTrace("default", WITHOUT_CONTENT);
	await details(watched.page).getByText("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT").waitFor();
});

test("draws steps as a graph, marks loops, and selects the spans of a step", async () => {
	const traceId = "6".repeat(32);
	const step = (index: number, kind: string, name: string, startMs: number, endMs: number): SentSpan => ({
		traceId,
		spanId: spanIdOf(index),
		...(index > 0 ? { parentSpanId: spanIdOf(0) } : {}),
		name,
		startMs,
		endMs,
		attributes: { "openinference.span.kind": kind },
	});
	await sendSpans(server, [
		step(0, "AGENT", "planner", 0, 100),
		step(1, "LLM", "model", 1, 10),
		step(2, "TOOL", "search", 12, 20),
		step(3, "LLM", "model", 22, 30),
		step(4, "TOOL", "search", 32, 40),
		step(5, "LLM", "model", 42, 50),
	]);
	await using watched = await openTrace("default", traceId);
	const { page } = watched;
	await row(page, /planner/).waitFor();
	await page.keyboard.press("g");
	const steps = page.getByRole("region", { name: "Steps of the trace" });
	await steps.getByRole("button", { name: /search/ }).click();
	await expect.poll(() => new URL(page.url()).searchParams.get("span")).toBe(spanIdOf(2));
	await steps.getByRole("button", { name: /search/, pressed: true }).click();
	await expect.poll(() => new URL(page.url()).searchParams.get("span")).toBe(spanIdOf(4));
	await steps.getByText("↻ 2").waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await page.getByRole("button", { name: "Calls" }).click();
	await steps.getByText("↻ 2").waitFor({ state: "detached" });
	await page.keyboard.press("g");
	await row(page, /planner/).waitFor();
	expect(watched.problems).toEqual([]);
});

test("plays audio, offers files, enlarges images, and says what was not sent", async () => {
	const traceId = "7".repeat(32);
	// A tenth of a second of silence, 8 kHz, 8 bit.
	const silence = Buffer.alloc(844, 128);
	silence.write(
		"RIFF\x44\x03\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\x20\x03\0\0",
		"latin1",
	);
	const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
	const messages = [
		{
			role: "user",
			content: [
				{ type: "input_audio", input_audio: { data: silence.toString("base64"), format: "wav" } },
				{ type: "file", file: { filename: "terms.pdf", file_data: "data:application/pdf;base64,JVBERi0xLjQ=" } },
				{ type: "file", file: { file_id: "file-42" } },
				{ type: "video_url", video_url: { url: "https://media.example/v.mp4" } },
				{ type: "image_url", image_url: { url: `data:image/png;base64,${pixel}` } },
			],
		},
	];
	const attributes = {
		"gen_ai.operation.name": "chat",
		"gen_ai.request.model": "gpt-4o",
		"gen_ai.input.messages": JSON.stringify(messages),
	};
	await sendSpans(server, [{ traceId, spanId: spanIdOf(0), name: "listen", startMs: 0, endMs: 5, attributes }]);
	await using watched = await openTrace("default", traceId);
	const { page } = watched;
	await page.getByText("audio/wav, 844 B").waitFor();
	await expect.poll(() => page.locator("audio").evaluate((audio: HTMLAudioElement) => audio.duration)).toBeCloseTo(0.1);
	await page.getByText("file-42").waitFor();
	await page.getByText("Its content was not sent.").waitFor();
	await page.getByText("https://media.example/v.mp4").waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);
	const saved = page.getByRole("figure").filter({ hasText: "terms.pdf" }).getByRole("link", { name: "Download" });
	const [download] = await Promise.all([page.waitForEvent("download"), saved.click()]);
	expect(download.suggestedFilename()).toBe("terms.pdf");
	await page.getByRole("button", { name: "Image 1, enlarge" }).click();
	await page.getByRole("dialog", { name: "Image 1" }).getByRole("img").waitFor();
	await page.keyboard.press("Escape");
	expect(watched.problems).toEqual([]);
});

test("links to the spans of other traces", async () => {
	const links = [{ traceId: ORPHANS, spanId: spanIdOf(0) }];
	await sendSpans(server, [{ traceId: LINKED, spanId: spanIdOf(0), name: "consumer", startMs: 0, endMs: 5, links }]);
	await sendSpans(server, [{ traceId: ORPHANS, spanId: spanIdOf(0), name: "root", startMs: 0, endMs: 9 }]);
	await using watched = await openTrace("default", LINKED);
	const { page } = watched;
	await details(page)
		.getByRole("link", { name: new RegExp(ORPHANS) })
		.click();
	await page.getByRole("heading", { level: 1, name: "root" }).waitFor();
});

test.each(["preview", "attributes", "events", "raw"])(
	"the tab %s is accessible in both themes, and on a phone",
	async (tab) => {
		const { projectName, traces } = readExpected("py-phoenix-otel-http");
		const trace = traces[0];
		const address = `${server.url}/p/${projectName ?? "default"}/traces/${trace?.traceId}?tab=${tab}`;
		await using watched = await openPage(browser, address, { colorScheme: "light" });
		const { page } = watched;
		await selectedRow(page).waitFor();
		await expectWellMade(page, details(page).locator("h3, h4, p, ul").first());
		expect(await findAccessibilityViolations(page)).toEqual([]);
		expect(watched.problems).toEqual([]);
	},
);

test("a span whose stored content is damaged says so on each tab, and not that nothing was sent", async () => {
	const name = "on a bad disk";
	const attributes = { "openinference.span.kind": "TOOL", "input.value": "page 7" };
	await sendSpans(server, [
		{ traceId: DAMAGED, spanId: spanIdOf(0), name, startMs: 0, endMs: 9, error: "no page", attributes },
	]);
	const ofSpan = "(select block_id from spans where name = ?)";
	runSql(server, `update blocks set data = ? where id in ${ofSpan}`, Buffer.from("nothing that anybody wrote"), name);
	await using watched = await openTrace("default", DAMAGED);
	const { page } = watched;
	const notice = page.getByText("The stored content of this span is damaged");
	await details(page).getByText("no page").waitFor();
	for (const tab of ["Attributes", "Events", "Raw", "Preview"]) {
		await page.getByRole("tab", { name: tab, exact: true }).click();
		await page.getByRole("tab", { name: tab, selected: true }).waitFor();
		// While one tab fades out, the panels of two are there.
		await expect.poll(() => page.locator('[role="tabpanel"]').count()).toBe(1);
		await notice.waitFor();
		expect(await details(page).innerText()).not.toMatch(/carries no|were sent|post it|spanward\.damaged|read from/);
	}
	await expectWellMade(page, notice);
	expect(watched.problems).toEqual([]);
});
