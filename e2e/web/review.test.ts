import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Account, type Client, createAccount, logIn, startWithAuth } from "../access/accounts.ts";
import { browserOf, findAccessibilityViolations, launchBrowser, openPage } from "../browser.ts";
import type { TestServer } from "../server.ts";
import { sendSpans } from "./otlp-json.ts";
import { expectWellMade, listRows, overflowsSideways } from "./pages.ts";
import { faultsOf } from "./sessions.ts";

const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true };
const TRACES = 6;
const traceIdOf = (index: number) => (index + 1).toString(16).padStart(32, "d");

let server: TestServer;
let browser: Browser;
let admin: Account;
let ann: Account;
let ben: Account;
let lead: Client;
let verdict: string;
let quality: string;

beforeAll(async () => {
	server = await startWithAuth();
	browser = await launchBrowser();
	admin = await createAccount(server, "ADMIN");
	[ann, ben] = [await createAccount(server, "MEMBER"), await createAccount(server, "MEMBER")];
	lead = await logIn(server, admin.email, admin.password);
	const cookie = [...lead.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
	const spans = Array.from({ length: TRACES }, (_, index) => {
		const of = { traceId: traceIdOf(index), startMs: index };
		const [root, child] = [`${2 * index + 1}`.padStart(16, "d"), `${2 * index + 2}`.padStart(16, "d")];
		return [
			{ ...of, spanId: root, name: `question ${index + 1}`, endMs: index + 90, attributes: { "input.value": "Hi" } },
			{ ...of, spanId: child, parentSpanId: root, name: `lookup ${index + 1}`, endMs: index + 50 },
		];
	}).flat();
	await sendSpans({ url: server.url, headers: { cookie } }, spans);
	const config = async (body: object) => (await lead.data("POST", "/v1/annotation_configs", body)).id;
	const values = [
		{ label: "good", score: 1 },
		{ label: "bad", score: 0 },
	];
	verdict = await config({ name: "verdict", type: "CATEGORICAL", optimization_direction: "MAXIMIZE", values });
	const bounds = { lower_bound: 0, upper_bound: 1 };
	quality = await config({ name: "quality", type: "CONTINUOUS", optimization_direction: "MAXIMIZE", ...bounds });
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
});

/** What a former try of a test has left. */
async function removeQueues(name?: string): Promise<void> {
	const queues: { id: string; name: string }[] = await lead.data("GET", "/v1/review_queues");
	for (const queue of queues)
		if (name === undefined || queue.name === name) await lead.data("DELETE", `/v1/review_queues/${queue.id}`);
}

async function queueOf(name: string, items: number, more: object = {}): Promise<string> {
	await removeQueues(name);
	const questions = [
		{ annotation_config_id: verdict, note: true },
		{ annotation_config_id: quality, required: false, tolerance: 0.2 },
	];
	const { id } = await lead.data("POST", "/v1/review_queues", { name, target: "trace", questions, ...more });
	const targets = Array.from({ length: items }, (_, index) => ({ trace_id: traceIdOf(index) }));
	if (items > 0) await lead.data("POST", `/v1/review_queues/${id}/items`, { targets });
	return id;
}

const itemsOf = async (queue: string) => await lead.data("GET", `/v1/review_queues/${queue}/items`);

const open = (path: string, account = ann, options: BrowserContextOptions = {}) =>
	openPage(browserOf(browser, server, account), `${server.url}${path}`, { colorScheme: "light", ...options });

const choice = (page: Page, label: string) =>
	page.getByRole("group", { name: /verdict/ }).getByRole("button", { name: new RegExp(label) });

const shownTrace = (page: Page, name: string) =>
	page.getByRole("region", { name: "What is reviewed" }).getByRole("heading", { level: 2, name });

test("a queue is made in the form, and its guidance is harmless in the preview", async () => {
	await removeQueues();
	await using watched = await open("/reviews");
	const { page } = watched;
	await page.getByRole("heading", { name: "No review queue yet" }).waitFor();
	await page.getByRole("link", { name: "New review queue" }).first().click();
	await page.getByRole("button", { name: "Make the queue" }).click();
	await page.getByText("Write a name.").waitFor();
	await page.getByLabel(/^Name/).fill("Refunds");
	await page.getByLabel("Guidance", { exact: true }).fill("An answer is **good** if\n\n- it is right");
	await page.getByRole("button", { name: "Preview" }).click();
	await page.getByRole("region", { name: "Preview" }).locator("strong").getByText("good").waitFor();
	await page.getByRole("combobox", { name: "Question 1" }).selectOption({ label: "verdict (Labels)" });
	await page.getByLabel("With a note").check();
	await page.getByRole("button", { name: "Add a question" }).click();
	await page.getByRole("combobox", { name: "Question 2" }).selectOption({ label: "quality (Number)" });
	await page.getByLabel("Tolerance").fill("0.2");
	await page.getByLabel(/^Independent answers/).fill("2");
	expect(await page.getByLabel(/^Hide the answers/).isChecked()).toBe(true);
	await page.getByRole("combobox", { name: "Reviewers" }).selectOption({ label: "Named people" });
	await page.getByRole("group", { name: "Named reviewers" }).getByRole("button", { name: "Add me" }).click();
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await page.getByRole("button", { name: "Make the queue" }).click();
	await page.getByText("there are no more reviewers").waitFor();
	await page.getByLabel(/^Independent answers/).fill("1");
	await page.getByRole("button", { name: "Make the queue" }).click();
	await page.getByRole("heading", { level: 1, name: "Refunds" }).waitFor();
	await page.getByText("Nothing is in this queue yet").waitFor();
	await page.getByRole("link", { name: "Settings" }).last().click();
	await page.getByLabel("Description").fill("Of March");
	await page.getByRole("button", { name: "Save", exact: true }).click();
	await page.getByText("Saved.").waitFor();
	const [queue] = await lead.data("GET", "/v1/review_queues");
	expect(queue).toMatchObject({
		...{ name: "Refunds", description: "Of March", target: "trace", blind: false, reviewers: [ann.id] },
		questions: [
			{ annotation_config_id: verdict, note: true },
			{ annotation_config_id: quality, tolerance: 0.2 },
		],
	});
	await expectWellMade(page, page.getByText("End the queue"));
	expect(faultsOf(watched)).toEqual([]);
});

test("RV19 a whole review by keyboard alone, RV22 with the way back, and a draft that outlives a reload", async () => {
	const queue = await queueOf("by keyboard", 4, { guidance: "Look at the *lookup*." });
	await using watched = await open("/reviews");
	const { page } = watched;
	await page.getByRole("link", { name: /^Reviews.*4 open$/ }).waitFor();
	await page.getByRole("link", { name: "Review items of by keyboard" }).press("Enter");
	await shownTrace(page, "question 1").waitFor();
	await page.getByText("4 left for you").waitFor();
	await page.locator("em").getByText("lookup").waitFor();
	expect(await page.getByRole("progressbar", { name: "Progress" }).getAttribute("aria-valuetext")).toBe("0 of 4");
	await page.keyboard.press("?");
	const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
	for (const key of ["Go to quality", "Save, next item", "Skip", "Back", "Write a note"])
		await sheet.getByText(key, { exact: true }).waitFor();
	await page.keyboard.press("Escape");
	await sheet.waitFor({ state: "hidden" });

	// What is missing is said, and nothing is sent.
	await page.keyboard.press("Enter");
	await page.getByText("An answer is needed.").waitFor();
	// Any span can be opened, and the keys stay those of the form.
	await page.getByRole("treeitem", { name: /lookup 1/ }).click();
	await page.getByRole("heading", { name: /lookup 1/ }).waitFor();
	await page.keyboard.press("1");
	await expect.poll(() => choice(page, "good").getAttribute("aria-pressed")).toBe("true");
	await page.keyboard.type("0.5");
	await page.keyboard.press("Escape");
	await page.keyboard.press("v");
	await page.keyboard.press("n");
	const drafted = page.waitForResponse((response) => response.url().endsWith("/draft") && response.status() === 204);
	await page.keyboard.type("it says so");
	await drafted;
	await expect
		.poll(
			async () =>
				(await (await logIn(server, ann.email, ann.password)).data("POST", `/v1/review_queues/${queue}/next`)).draft,
		)
		.toMatchObject({
			answers: [
				{ annotation_config_id: verdict, label: "good", explanation: "it says so" },
				{ annotation_config_id: quality, score: 0.5 },
			],
			seconds: expect.any(Number),
		});
	await page.reload();
	await page.getByLabel("Note on verdict").waitFor();
	expect(await page.getByLabel("Note on verdict").inputValue()).toBe("it says so");
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await page.keyboard.press("Enter");

	await shownTrace(page, "question 2").waitFor();
	await page.keyboard.press("s");
	const skipping = page.getByRole("dialog", { name: "Skip this item?" });
	await skipping.getByRole("button", { name: "Broken" }).press("Enter");
	await shownTrace(page, "question 3").waitFor();
	await page.keyboard.press("2");
	await page.keyboard.press("Escape");
	await page.keyboard.press("Enter");
	await shownTrace(page, "question 4").waitFor();
	await page.keyboard.press("u");
	await page.getByText("Your last review").waitFor();
	await page.keyboard.press("u");
	await page.getByText("Your review 2 items ago").waitFor();
	await shownTrace(page, "question 1").waitFor();
	expect(await page.getByLabel("Note on verdict").inputValue()).toBe("it says so");
	await page.keyboard.press("2");
	await page.keyboard.press("Escape");
	await page.keyboard.press("Enter");
	await page.getByText("Your last review").waitFor();
	await page.keyboard.press("Escape");
	await shownTrace(page, "question 4").waitFor();
	await page.keyboard.press("1");
	await page.keyboard.press("Escape");
	await page.keyboard.press("Enter");
	await page.getByRole("heading", { name: "That was the last one: 4 reviews saved" }).waitFor();
	await expectWellMade(page, page.getByText("Change my last review"));

	const items = await itemsOf(queue);
	expect(items.map(({ state }: { state: string }) => state)).toEqual(["done", "disagreement", "done", "done"]);
	expect(items[0].reviews[0].answers).toMatchObject([{ label: "bad", explanation: "it says so" }, { score: 0.5 }]);
	expect(items[1].reviews[0]).toMatchObject({ status: "skipped", reason: "Broken" });
	expect(faultsOf(watched)).toEqual([]);
});

test("RV21 an answer that is given offline waits, says so, and is sent once when the server is back", async () => {
	const queue = await queueOf("offline", 3);
	const isReview = ({ pathname }: URL) => /^\/v1\/.*\/review$/.test(pathname);
	await using watched = await open(`/reviews/${encodeURIComponent(queue)}/review`);
	const { page } = watched;
	await shownTrace(page, "question 1").waitFor();
	const keys: (string | undefined)[] = [];
	page.on("request", (request) => {
		if (isReview(new URL(request.url())) && request.method() === "POST")
			keys.push(request.headers()["idempotency-key"]);
	});
	await page.route("**/v1/**", (route) => route.abort());
	await page.keyboard.press("1");
	await page.keyboard.press("Escape");
	await page.keyboard.press("Enter");
	await page.getByText(/^The server cannot be reached: 1 review waits in this browser/).waitFor();
	await page.getByText("Your answer waits in this browser", { exact: false }).waitFor();
	await expect.poll(() => keys.length).toBeGreaterThan(1);
	expect(await findAccessibilityViolations(page)).toEqual([]);
	// Also when the page is opened anew before it could be sent.
	await page.unroute("**/v1/**");
	await page.route(isReview, (route) => route.abort());
	await page.reload();
	await page.getByText(/^The server cannot be reached: 1 review waits/).waitFor();
	await page.unroute(isReview);
	await shownTrace(page, "question 2").waitFor();
	await page.getByText(/1 review waits/).waitFor({ state: "hidden" });
	expect(new Set(keys).size).toBe(1);
	expect((await itemsOf(queue))[0].reviews).toMatchObject([{ status: "done", answers: [{ label: "good" }] }]);
	// What the server has taken, and only its answer was lost, is sent as it was, and no item is passed over.
	await page.route(isReview, async (route) => {
		await route.fetch();
		await route.abort();
	});
	await page.keyboard.press("2");
	await page.keyboard.press("Escape");
	await page.keyboard.press("Enter");
	await page.getByText(/^The server cannot be reached: 1 review waits/).waitFor();
	await page.unroute(isReview);
	await shownTrace(page, "question 3").waitFor();
	await page.getByText(/1 review waits/).waitFor({ state: "hidden" });
	expect(new Set(keys).size).toBe(2);
	expect(await itemsOf(queue)).toMatchObject([
		{ state: "done" },
		{ state: "done", reviews: [{ status: "done", answers: [{ label: "bad" }] }] },
		{ state: "in_review" },
	]);
});

test("RV02 a turn that ended is said, with the draft kept", async () => {
	const queue = await queueOf("slow", 1);
	await using watched = await open(`/reviews/${encodeURIComponent(queue)}/review`);
	const { page } = watched;
	await shownTrace(page, "question 1").waitFor();
	const client = await logIn(server, ann.email, ann.password);
	const [item] = await itemsOf(queue);
	await client.data("POST", `/v1/review_queues/${queue}/items/${item.id}/release`);
	await page.keyboard.press("2");
	await page.getByText("Your turn on this item has ended.", { exact: false }).waitFor();
	await page.getByRole("button", { name: "Take it again" }).click();
	await page.getByRole("button", { name: "Take it again" }).waitFor({ state: "hidden" });
	expect(await choice(page, "bad").getAttribute("aria-pressed")).toBe("true");
	await page.getByRole("button", { name: "Stop" }).click();
	await page.getByRole("heading", { level: 1, name: "slow" }).waitFor();
	await expect.poll(async () => (await itemsOf(queue))[0].state).toBe("pending");
	expect(faultsOf(watched)).toEqual([]);
});

test("RV20 a review by touch on a phone, RV15 beside guidance that cannot do anything", async () => {
	const guidance = [
		"<script>window.hacked = 1</script><iframe src='https://example.com'></iframe>",
		"[data](data:text/html,<script>window.hacked=1</script>) [js](javascript:window.hacked=1)",
		"![pixel](https://example.com/pixel.png) <img src=x onerror='window.hacked=1'>",
		"[fine](https://example.com/guide)",
	].join("\n\n");
	const queue = await queueOf("by touch", 1, { guidance });
	await using watched = await open(`/reviews/${encodeURIComponent(queue)}/review`, ann, PHONE);
	const { page } = watched;
	await shownTrace(page, "question 1").waitFor();
	const link = page.getByRole("link", { name: "fine" });
	await link.waitFor();
	expect(await link.getAttribute("rel")).toContain("noopener");
	expect(await page.locator("iframe, main img").count()).toBe(0);
	expect(await page.locator('a[href^="data:"], a[href^="javascript:"]').count()).toBe(0);
	expect(await page.evaluate(() => "hacked" in window)).toBe(false);
	expect(watched.foreignRequests).toEqual([]);
	expect(await overflowsSideways(page)).toBe(false);
	await page.getByText("Guidance", { exact: true }).tap();
	const good = choice(page, "good");
	const box = await good.boundingBox();
	expect(box?.height).toBeGreaterThanOrEqual(44);
	await good.tap();
	await page.getByLabel("quality: Number").tap();
	await page.keyboard.type("0.75");
	await page.getByRole("button", { name: "Save, next item" }).tap();
	await page.getByRole("heading", { name: "That was the last one: 1 review saved" }).waitFor();
	expect((await itemsOf(queue))[0].reviews[0].answers).toMatchObject([{ label: "good" }, { score: 0.75 }]);
	expect(faultsOf(watched)).toEqual([]);
});

test("traces of a list are added to a queue, which each of them shows", async () => {
	const queue = await queueOf("of a list", 1, { order: "priority" });
	await using watched = await open("/p/default/traces?from=all", admin);
	const { page } = watched;
	await expect.poll(() => listRows(page).count()).toBe(TRACES);
	await page.getByRole("checkbox", { name: "Select all rows that are loaded" }).click();
	await page.getByRole("button", { name: "Add to review queue" }).click();
	const dialog = page.getByRole("dialog", { name: "Add to a review queue" });
	await dialog.getByRole("combobox", { name: "Queue" }).selectOption({ label: "of a list" });
	await dialog.getByLabel(/^Priority/).fill("5");
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await dialog.getByRole("button", { name: "Add to review queue" }).click();
	await dialog.getByText("Added 5 traces to of a list; 1 trace was in it already.").waitFor();
	await dialog.getByRole("button", { name: "Close" }).last().click();
	expect((await itemsOf(queue)).map(({ priority }: { priority: number }) => priority)).toEqual([0, 5, 5, 5, 5, 5]);
	await listRows(page).first().getByRole("gridcell").nth(1).click();
	await page.getByRole("link", { name: "of a list: Pending" }).click();
	await page.getByText("Nobody has answered yet.").waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("RV23 a key makes the item an example with a corrected output, and all gold answers become a version", async () => {
	const queue = await queueOf("gold", 1);
	await using watched = await open(`/reviews/${encodeURIComponent(queue)}/review`);
	const { page } = watched;
	await shownTrace(page, "question 1").waitFor();
	await page.keyboard.press("g");
	const dialog = page.getByRole("dialog", { name: "Add to a dataset" });
	await dialog.getByLabel("Its name").fill("golden");
	await expect.poll(() => dialog.getByLabel(/^Input/).inputValue()).toBe("Hi");
	await dialog.getByRole("button", { name: "JSON", exact: true }).click();
	await dialog.getByLabel("Output, corrected").fill("Hello");
	await dialog.getByRole("button", { name: "Add to the dataset" }).click();
	await dialog.getByText(/^Not JSON/).waitFor();
	await dialog.getByLabel("Output, corrected").fill('{ "output": "" }');
	await dialog.getByRole("button", { name: "Text", exact: true }).click();
	await dialog.getByLabel("Output, corrected").fill("Hello");
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await dialog.getByRole("button", { name: "Add to the dataset" }).click();
	await dialog.getByText("Added to golden.").waitFor();
	await dialog.getByRole("button", { name: "Close" }).last().click();
	const examplesOf = async () => {
		const [dataset] = await lead.data("GET", "/v1/datasets?name=golden");
		return (await lead.data("GET", `/v1/datasets/${dataset.id}/examples`)).examples;
	};
	const source = { span_id: "1".padStart(16, "d") };
	expect(await examplesOf()).toMatchObject([{ input: { input: "Hi" }, output: { output: "Hello" }, source }]);

	await choice(page, "bad").click();
	await page.keyboard.press("Escape");
	await page.keyboard.press("Enter");
	await page.getByRole("link", { name: "To the queue" }).click();
	await listRows(page).first().getByRole("link", { name: "question 1" }).waitFor();
	await page.getByRole("link", { name: "Progress" }).click();
	await page.getByRole("button", { name: "Make a dataset version" }).click();
	const make = page.getByRole("dialog", { name: "Gold answers as a dataset" });
	await make.getByRole("combobox", { name: "Dataset" }).selectOption({ label: "golden" });
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await make.getByRole("button", { name: "Make the version" }).click();
	await page.getByText("0 new, 1 changed, 0 as before").waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await page.getByRole("link", { name: "Open the dataset" }).click();
	await page.getByRole("heading", { level: 1, name: "golden" }).waitFor();
	expect(await examplesOf()).toMatchObject([{ input: { input: "Hi" }, output: { verdict: "bad" }, source }]);
	expect(faultsOf(watched)).toEqual([]);
});

test("RV24 a judge is compared with gold on a page, with the items where they differ", async () => {
	const queue = await queueOf("calibrated", 4, { questions: [{ annotation_config_id: verdict }] });
	await using watched = await open(`/reviews/${encodeURIComponent(queue)}/calibration`);
	const { page } = watched;
	await page.getByRole("heading", { name: "Nothing to compare yet" }).waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);
	const reviewer = await logIn(server, ben.email, ben.password);
	for (const label of ["good", "good", "bad", "bad"]) {
		const { item } = await reviewer.data("POST", `/v1/review_queues/${queue}/next`);
		const answers = [{ annotation_config_id: verdict, label }];
		await reviewer.data("POST", `/v1/review_queues/${queue}/items/${item.id}/review`, { answers });
	}
	const data = ["good", "bad", "bad"].map((label, index) => ({
		...{ trace_id: traceIdOf(index), name: "judge", annotator_kind: "LLM" },
		result: { label, explanation: `because of ${index + 1}` },
	}));
	await lead.data("POST", "/v1/trace_annotations?sync=true", { data });
	await page.reload();
	// Answers in other queues have the name of the question.
	await page.getByRole("combobox", { name: "Annotations" }).selectOption("judge");
	const matrix = page.getByRole("table", { name: "Rows: gold; columns: judge" });
	await matrix.getByRole("row", { name: "good 1 1" }).waitFor();
	await matrix.getByRole("row", { name: "bad 0 1" }).waitFor();
	await page.getByText("too few (3 pairs)").first().waitFor();
	await page.getByRole("table", { name: "By label" }).getByRole("row", { name: "good 1.00 0.50 0.67 2 1" }).waitFor();
	const differences = page.getByRole("table", { name: "Items where they differ" });
	await differences.getByText("because of 2").waitFor();
	const file = page.getByRole("link", { name: "Items that differ as CSV" });
	const href = (await file.getAttribute("href")) ?? "";
	const text = await page.evaluate(async (url) => await (await fetch(url)).text(), href);
	expect(text.trimEnd().split("\n")).toEqual([
		expect.stringMatching(/^item_id,/),
		expect.stringContaining(`${traceIdOf(1)}`),
	]);
	await page.getByRole("combobox", { name: "Gold" }).selectOption("decisions");
	await page.getByRole("heading", { name: "No item has both" }).waitFor();
	await page.getByRole("combobox", { name: "Gold" }).selectOption("all");
	await differences.getByRole("link", { name: traceIdOf(1) }).press("Enter");
	await shownTrace(page, "question 2").waitFor();
	await page.goBack();
	await expectWellMade(page, differences.getByRole("link", { name: traceIdOf(1) }));
	expect(faultsOf(watched)).toEqual([]);
});

test("a standing rule is previewed, set, read by others and deleted, and people are found by their exact name", async () => {
	const owner = await logIn(server, ann.email, ann.password);
	await removeQueues("ruled");
	const made = { name: "ruled", target: "trace", questions: [{ annotation_config_id: verdict }] };
	const { id } = await owner.data("POST", "/v1/review_queues", made);
	const path = `/reviews/${encodeURIComponent(id)}/settings`;
	await using watched = await open(path);
	const { page } = watched;
	const rule = page.getByRole("region", { name: "Standing rule" });
	await rule.getByText("No rule adds items to this queue yet.").waitFor();
	await rule.getByRole("button", { name: "Save the rule" }).click();
	await rule.getByText("Choose a project.").waitFor();
	await rule.getByRole("combobox", { name: "Project" }).selectOption({ label: "default" });
	const filter = rule.getByRole("combobox", { name: "Filter" });
	await filter.fill("error_cuont > 0");
	await rule
		.getByRole("alert")
		.getByText(/error_cuont/)
		.waitFor();
	await filter.fill("error_count == 0");
	await rule.getByLabel(/^Sample/).fill("50");
	await rule.getByLabel(/^At most a day/).fill("2");
	await rule.getByRole("button", { name: "Preview" }).press("Enter");
	await rule.getByText(/^In the last 24 hours 6 fit; .* no more than 2 on a day\.$/).waitFor();
	expect((await owner.send("GET", `/v1/review_queues/${id}/rule`)).status).toBe(404);
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await rule.getByRole("button", { name: "Save the rule" }).click();
	await rule.getByText("Saved.").waitFor();
	await rule.getByText("0 today (UTC), 0 in all").waitFor();
	expect(await owner.data("GET", `/v1/review_queues/${id}/rule`)).toMatchObject({
		...{ filter: "error_count == 0", sample: 0.5, daily_limit: 2, enabled: true },
	});
	await expectWellMade(page, rule.getByText("0 today (UTC), 0 in all"));

	const adjudicators = page.getByRole("group", { name: "Adjudicators" });
	await adjudicators.getByLabel(/^Add to/).fill(`${ben.username}x`);
	await adjudicators.getByRole("button", { name: "Add", exact: true }).click();
	await adjudicators.getByText("Nobody who may annotate has exactly this name.").waitFor();
	await adjudicators.getByLabel(/^Add to/).fill(ben.username.toUpperCase());
	await page.keyboard.press("Enter");
	await adjudicators.getByText(ben.username, { exact: true }).waitFor();

	await using others = await open(path, ben);
	const read = others.page.getByRole("region", { name: "Standing rule" });
	for (const text of ["error_count == 0", "switched on", "default", "50"])
		await read.getByText(text, { exact: true }).waitFor();
	expect(await read.getByRole("button").count()).toBe(0);
	await expectWellMade(others.page, read.getByText("switched on"));

	await rule.getByRole("button", { name: "Delete the rule" }).click();
	await page.getByRole("dialog").getByRole("button", { name: "Delete the rule" }).click();
	await rule.getByText("Deleted.").waitFor();
	await rule.getByText("No rule adds items to this queue yet.").waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("RV06 where two differ, an adjudicator sees both side by side and decides with one key", async () => {
	const queue = await queueOf("two eyes", 2, { reviews_required: 2 });
	for (const [account, labels] of [
		[ann, ["good", "good"]],
		[ben, ["bad", "bad"]],
	] as const) {
		const client = await logIn(server, account.email, account.password);
		for (const label of labels) {
			const { item } = await client.data("POST", `/v1/review_queues/${queue}/next`);
			const answers = [{ annotation_config_id: verdict, label, explanation: `so says ${label}` }];
			await client.data("POST", `/v1/review_queues/${queue}/items/${item.id}/review`, { answers });
		}
	}
	await using watched = await open(`/reviews/${encodeURIComponent(queue)}/disagreements`, admin);
	const { page } = watched;
	await expect.poll(() => listRows(page).count()).toBe(2);
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await page.keyboard.press("j");
	await page.keyboard.press("Enter");
	await shownTrace(page, "question 1").waitFor();
	const answers = page.getByRole("table", { name: "Answers" });
	for (const text of ["Reviewer 1", "Reviewer 2", "so says good", "so says bad"])
		await answers.getByText(text, { exact: true }).waitFor();
	expect(await page.getByText(ben.username).count()).toBe(0);
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await page.keyboard.press("2");
	await shownTrace(page, "question 2").waitFor();
	await page.keyboard.press("w");
	await page.keyboard.press("1");
	await page.keyboard.type("0.5");
	await page.keyboard.press("Enter");
	await page.getByRole("heading", { name: "No disagreements" }).waitFor();
	const [first, second] = await itemsOf(queue);
	expect(first).toMatchObject({ state: "done", decision: { answers: [{ label: "bad", explanation: "so says bad" }] } });
	expect(second).toMatchObject({ state: "done", decision: { answers: [{ label: "good" }, { score: 0.5 }] } });

	await page.getByRole("link", { name: "Progress" }).click();
	const byReviewer = page.getByRole("table", { name: "By reviewer" });
	await byReviewer.getByRole("row", { name: new RegExp(`${ben.username} 2 0`) }).waitFor();
	await page.getByRole("link", { name: "CSV" }).waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await page.getByRole("link", { name: "Agreement", exact: true }).click();
	await page.getByText("too few (2 pairs)").first().waitFor();
	await page.getByText("Who answered what: verdict").press("Enter");
	await page
		.getByText(/^Rows: Decision/)
		.first()
		.waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await page.getByRole("link", { name: "Items" }).click();
	await listRows(page).first().getByRole("gridcell").first().click();
	await answers.getByRole("columnheader", { name: ben.username }).waitFor();
	await expectWellMade(page, answers.getByText("Decision"));
	expect(faultsOf(watched)).toEqual([]);
});

test("runs of an experiment are selected, reviewed without what models said, and show what was answered", async () => {
	await removeQueues("of runs");
	const inputs = [{ question: "One?" }, { question: "Two?" }];
	const { dataset_id: dataset } = await lead.data("POST", "/v1/datasets/upload?sync=true", {
		...{ action: "create", name: `reviewed ${Date.now()}`, inputs, outputs: [{ answer: "1" }, { answer: "2" }] },
	});
	const about = { name: "counting", repetitions: 2 };
	const { id: experiment } = await lead.data("POST", `/v1/datasets/${dataset}/experiments`, about);
	const { examples } = await lead.data("GET", `/v1/datasets/${dataset}/examples`);
	const times = { start_time: "2026-01-02T03:00:00Z", end_time: "2026-01-02T03:00:01Z" };
	for (const [index, { node_id }] of examples.entries())
		for (const repetition_number of [1, 2]) {
			const run = { dataset_example_id: node_id, repetition_number, trace_id: traceIdOf(index), ...times };
			const output = {
				output: index === 0 ? `answer ${repetition_number}` : null,
				error: index === 0 ? null : "broke",
			};
			const { id } = await lead.data("POST", `/v1/experiments/${experiment}/runs`, { ...run, ...output });
			const judged = { experiment_run_id: id, name: "judge", annotator_kind: "LLM", result: { label: "by a model" } };
			await lead.data("POST", "/v1/experiment_evaluations", { ...judged, ...times });
		}
	const queue = await queueOf("of runs", 0, {
		...{ target: "experiment_run", reviews_required: 2, hide_model_annotations: true },
	});
	const compare = `/datasets/${dataset}/compare?experiment=${encodeURIComponent(experiment)}`;
	await using chosen = await open(compare);
	await expect.poll(() => listRows(chosen.page).count()).toBe(2);
	await listRows(chosen.page).first().getByRole("checkbox").click();
	await chosen.page.getByText("1 example selected, with 2 runs").waitFor();
	expect(await findAccessibilityViolations(chosen.page)).toEqual([]);
	await chosen.page.getByRole("button", { name: "Add to review queue" }).click();
	const dialog = chosen.page.getByRole("dialog", { name: "Add to a review queue" });
	await dialog.getByRole("button", { name: "Add to review queue" }).click();
	await dialog.getByText("Added 2 runs to of runs.").waitFor();
	await dialog.getByRole("button", { name: "Close" }).last().click();
	await chosen.page.getByRole("button", { name: "Actions of counting" }).click();
	await chosen.page.getByRole("menuitem", { name: "Add runs to review queue" }).click();
	await dialog.getByRole("button", { name: "Add to review queue" }).click();
	await dialog.getByText("Added 2 runs to of runs; 2 runs were in it already.").waitFor();
	await dialog.getByRole("button", { name: "Close" }).last().click();
	expect(faultsOf(chosen)).toEqual([]);

	await using watched = await open(`/reviews/${encodeURIComponent(queue)}/review`);
	const { page } = watched;
	const target = page.getByRole("region", { name: "What is reviewed" });
	await target.getByRole("heading", { level: 2, name: "counting" }).waitFor();
	for (const text of ["Repetition 1 of 2", "One?", "answer 1"]) await target.getByText(text).first().waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await page.keyboard.press("1");
	await page.keyboard.press("Enter");
	await target.getByText("Repetition 2 of 2").waitFor();
	await page.keyboard.press("2");
	await page.keyboard.press("Enter");
	await target.getByText("broke").waitFor();
	expect(await page.getByText("by a model").count()).toBe(0);
	const client = await logIn(server, ben.email, ben.password);
	const { item } = await client.data("POST", `/v1/review_queues/${queue}/next`);
	const answers = [{ annotation_config_id: verdict, label: "good", explanation: "It counts." }];
	await client.data("POST", `/v1/review_queues/${queue}/items/${item.id}/review`, { answers });
	expect(faultsOf(watched)).toEqual([]);

	await listRows(chosen.page).first().getByRole("gridcell").nth(1).click();
	const reviews = chosen.page.getByRole("list", { name: "Reviews" });
	for (const text of [ann.username, ben.username, "It counts."]) await reviews.getByText(text).waitFor();
	expect(await reviews.getByRole("listitem").count()).toBe(2);
	expect(await findAccessibilityViolations(chosen.page)).toEqual([]);
});
