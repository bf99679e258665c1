import { afterAll, beforeAll, expect, test } from "vitest";
import { findAccessibilityViolations, launchBrowserFor, openPage, type UserBrowser } from "../browser.ts";
import { replay } from "../fixture-sources.ts";
import { recordTraffic } from "../page-traffic.ts";
import { startServer, type TestServer } from "../server.ts";
import { createQuestions, mostlyRight, runExperiment } from "./dataset-data.ts";
import { drawnTheme, expectWellMade } from "./pages.ts";
import { promptVersion } from "./prompt-data.ts";

const SOURCES = ["py-phoenix-otel-http", "py-openai-openinference", "py-langchain-openinference"];
/** What is the first of its kind on a new server. */
const firstId = (type: string, number = 1) => encodeURIComponent(btoa(`${type}:${number}`));
const DATASET = `/datasets/${firstId("Dataset")}`;
const COMPARISON = `${DATASET}/compare?experiment=${firstId("Experiment")}&experiment=${firstId("Experiment", 2)}`;
/** Pages of settings: settings-pages.test.ts. */
const ALL_PAGES: readonly (readonly [name: string, path: string, shows: string])[] = [
	["projects", "/", "trip-planner-http"],
	["traces", "/p/trip-planner-http/traces", "trip_agent"],
	["all spans", "/p/bike-shop/traces?view=spans", "ChatCompletion"],
	["a filter without a hit", "/p/bike-shop/traces?q=nowhere-to-be-found", "Nothing matches these filters"],
	["a project that waits", "/p/default/traces", "Waiting for the first trace"],
	["sessions", "/p/langgraph-shop/sessions", "lc-session-1"],
	["a session", "/p/trip-planner-http/sessions/sess-trip-7", "Should I visit Paris this week?"],
	["overview", "/p/trip-planner-http/overview?from=all", "Latency"],
	["overview by model", "/p/bike-shop/overview?from=all&by=model", "gpt-4o-mini"],
	["project settings", "/p/bike-shop/settings", "Delete project"],
	["datasets", "/datasets", "questions"],
	["a dataset", `${DATASET}/examples`, "Who wrote Emma?"],
	["an example", `${DATASET}/examples?example=${firstId("DatasetExample", 2)}`, "Text"],
	["versions of a dataset", `${DATASET}/versions`, "4 examples created"],
	["splits of a dataset", `${DATASET}/splits`, "train"],
	["experiments of a dataset", `${DATASET}/experiments`, "2 rows, all loaded"],
	["experiments", "/experiments", "second prompt"],
	["a comparison", COMPARISON, "Worst first"],
	["an example of a comparison", `${COMPARISON}&example=${firstId("DatasetExample")}`, "Word differences"],
	["prompts", "/prompts", "clerk"],
	["a prompt", "/prompts/clerk", "You are a kind clerk of"],
	["versions compared", "/prompts/clerk?tab=compare", "From Version 1 to Version 2"],
	["code of a prompt", "/prompts/clerk?tab=code", "arize-phoenix-client"],
	["a new prompt", "/prompts?create=1", "Invocation parameters"],
	["reviews", "/reviews", "No review queue yet"],
	["a new review queue", "/reviews/new", "What is reviewed"],
	["waiting annotations", "/settings/waiting-annotations", "tone"],
	["annotated traces", "/p/bike-shop/traces", "ChatCompletion"],
	["an unknown address", "/nothing/here", "There is no such page"],
];
/** With authentication the frame of the pages is another one, which one page of each kind shows. */
const KINDS: ReadonlySet<string> = new Set([
	"projects",
	"traces",
	"a session",
	"a dataset",
	"a comparison",
	"a prompt",
]);
const PAGES = process.env["E2E_AUTHENTICATION"] === "true" ? ALL_PAGES.filter(([name]) => KINDS.has(name)) : ALL_PAGES;

let server: TestServer;
let browser: UserBrowser;

beforeAll(async () => {
	server = await startServer();
	browser = await launchBrowserFor(server);
	// The projects show their last day.
	await replay(server, SOURCES, "--shift-now");
	await writePrompts();
	await annotate();
	const dataset = await createQuestions(server, "questions");
	await runExperiment(server, dataset, { name: "first prompt", answers: mostlyRight() });
	const answers = mostlyRight({ "What is the capital of France?": "The capital is Lyon." });
	await runExperiment(server, dataset, { name: "second prompt", answers });
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
});

async function post(path: string, body: unknown): Promise<void> {
	const headers = { "content-type": "application/json" };
	const response = await server.fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
	if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
}

async function writePrompts(): Promise<void> {
	const version = promptVersion({ system: "You are a clerk of {{shop}}." });
	await post("/v1/prompts", { prompt: { name: "clerk" }, version });
	const second = promptVersion({ system: "You are a kind clerk of {{shop}}." });
	await post("/v1/prompts/clerk/versions", { version: second, tags: [{ name: "production" }] });
}

/** One annotation that is shown, and one that waits. */
async function annotate(): Promise<void> {
	const { data } = (await server.getJson("/v1/projects/bike-shop/traces?limit=1")) as { data: { trace_id: string }[] };
	const shared = { annotator_kind: "HUMAN", name: "tone", result: { label: "friendly", score: 1 } };
	await post("/v1/trace_annotations?sync=true", { data: [{ ...shared, trace_id: data[0]?.trace_id }] });
	await post("/v1/span_annotations", { data: [{ ...shared, span_id: "ab".repeat(8) }] });
}

test.each(PAGES)("%s is accessible in both themes, quiet, and fits a phone", async (_name, path, shows) => {
	await using watched = await openPage(browser, server.url + path, { colorScheme: "light" });
	const { page } = watched;
	await expectWellMade(page, page.getByText(shows).first());
	expect(watched.problems).toEqual([]);
	expect(watched.foreignRequests).toEqual([]);
});

test.each(["light", "dark"] as const)("the projects are accessible with forced colours, %s", async (colorScheme) => {
	await using watched = await openPage(browser, server.url, { colorScheme, forcedColors: "active" });
	const { page } = watched;
	await page.getByText("17 %").first().waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);
});

test.each([
	["the projects", "/", "17 %"],
	["the traces", "/p/trip-planner-http/traces", "trip_agent"],
])("opening %s first takes at most 250 KB in 25 requests", async (_name, path, shows) => {
	await using watched = await openPage(browser, `${server.url}/healthz`);
	const { page } = watched;
	const settle = await recordTraffic(page);
	await page.goto(server.url + path);
	await page.getByText(shows).first().waitFor();
	const requests = await settle();
	expect(requests.length).toBeGreaterThan(5);
	expect(requests.length).toBeLessThanOrEqual(25);
	expect(requests.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(250_000);
});

test("the theme follows the system until one is chosen, which a reload keeps", async () => {
	await using watched = await openPage(browser, server.url, { colorScheme: "dark" });
	const { page } = watched;
	const drawn = () => drawnTheme(page);
	await expect.poll(drawn).toBe("dark");
	await page.emulateMedia({ colorScheme: "light" });
	await expect.poll(drawn).toBe("light");
	await page.getByRole("button", { name: /^Theme/ }).click();
	await page.getByRole("menuitemradio", { name: "Dark" }).click();
	await expect.poll(drawn).toBe("dark");
	await page.reload();
	await expect.poll(drawn).toBe("dark");
});
