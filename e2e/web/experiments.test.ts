import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findAccessibilityViolations, launchBrowser, openPage } from "../browser.ts";
import { startServer, type TestServer } from "../server.ts";
import { createQuestions, mostlyRight, runExperiment, send } from "./dataset-data.ts";
import { listRows } from "./pages.ts";

const FRANCE = "What is the capital of France?";
const SPIDER = "How many legs does a spider have?";

let server: TestServer;
let browser: Browser;
let dataset: string;
/** Answers one question wrong, and has the tag. */
let first: string;
/** Answers another one wrong in two of three repetitions, and fails once. */
let second: string;
/** Was left before its end. */
let third: string;

beforeAll(async () => {
	server = await startServer({ authentication: false });
	browser = await launchBrowser();
	dataset = await createQuestions(server, "questions");
	first = await runExperiment(server, dataset, {
		name: "first prompt",
		answers: mostlyRight({ [SPIDER]: "It has six legs." }),
	});
	await send(server, "POST", `/v1/experiments/${encodeURIComponent(first)}/tags`, { name: "baseline" });
	second = await runExperiment(server, dataset, {
		name: "second prompt",
		repetitions: 3,
		answers: ({ question, answer }, repetition) => {
			if (question === FRANCE) return { output: repetition === 2 ? answer : "The capital is Lyon." };
			if (question === "Who wrote Emma?" && repetition === 3) return { error: "TimeoutError: no answer" };
			return { output: answer };
		},
	});
	third = await runExperiment(server, dataset, {
		name: "third prompt",
		answers: ({ question, answer }) => (question === FRANCE ? { output: answer } : null),
	});
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
});

const open = (path: string) => openPage(browser, server.url + path);
const list = () => `/datasets/${encodeURIComponent(dataset)}/experiments`;
const comparison = (...ids: string[]) =>
	`/datasets/${encodeURIComponent(dataset)}/compare?${ids.map((id) => `experiment=${encodeURIComponent(id)}`).join("&")}`;
const experimentRow = (page: Page, name: string) => listRows(page).filter({ hasText: name });
const detailOf = (page: Page) => page.getByRole("region", { name: "The selected example" });
const textOf = async (locator: Locator) => (await locator.textContent()) ?? "";

test("the list shows means, runs and what is missing, over all datasets too", async () => {
	for (const path of [list(), "/experiments"]) {
		await using watched = await open(path);
		const { page } = watched;
		await expect.poll(() => textOf(experimentRow(page, "first prompt"))).toContain("0.75");
		expect(await textOf(experimentRow(page, "first prompt"))).toContain("baseline");
		expect(await textOf(experimentRow(page, "second prompt"))).toContain("11/12");
		await experimentRow(page, "second prompt").getByRole("img", { name: "1 failed" }).waitFor();
		await experimentRow(page, "third prompt").getByRole("img", { name: "3 missing" }).waitFor();
		if (path === "/experiments")
			await experimentRow(page, "first prompt").getByRole("link", { name: "questions" }).waitFor();
		else await page.getByRole("img", { name: /^correctness of the experiments.*: 0\.75, 0\.833, 1$/ }).waitFor();
		expect(watched.problems).toEqual([]);
	}
});

test("bars keep their tracks on a row that the pointer is on", async () => {
	await using watched = await open(list());
	const row = experimentRow(watched.page, "second prompt");
	await row.hover();
	const colours = () =>
		row.evaluate((element) => {
			const tracks = element.querySelectorAll("svg rect:first-child, [aria-hidden]:has(> .bg-accent)");
			const colourOf = (track: Element) => {
				const { fill, backgroundColor } = getComputedStyle(track);
				return track.tagName === "rect" ? fill : backgroundColor;
			};
			return { row: getComputedStyle(element).backgroundColor, tracks: [...tracks].map(colourOf) };
		});
	await expect.poll(async () => (await colours()).row).not.toBe("rgba(0, 0, 0, 0)");
	const { row: behind, tracks } = await colours();
	expect(tracks).toHaveLength(2);
	expect(tracks).not.toContain(behind);
});

test("two are selected by keyboard and compared, the tagged one as the base", async () => {
	await using watched = await open(list());
	const { page } = watched;
	await experimentRow(page, "first prompt").waitFor();
	const compare = page.getByRole("button", { name: /^Compare/ });
	expect(await compare.isDisabled()).toBe(true);
	await page.keyboard.press("j");
	await page.keyboard.press("j");
	await page.keyboard.press("x");
	await page.keyboard.press("j");
	await page.keyboard.press("x");
	await page.keyboard.press("c");
	await page.waitForURL("**/compare?*");
	expect(new URL(page.url()).searchParams.getAll("experiment")).toEqual([first, second]);
	expect(watched.problems).toEqual([]);
});

test("the worst example stands first, with what got better and worse in sum", async () => {
	await using watched = await open(comparison(first, second));
	const { page } = watched;
	await expect.poll(() => textOf(listRows(page).first())).toContain(FRANCE);
	await expect.poll(() => textOf(listRows(page).first())).toContain("−0.67");
	await expect.poll(() => textOf(listRows(page).last())).toContain(SPIDER);
	const summary = page.getByRole("table", { name: "Per metric" }).getByRole("row").filter({ hasText: "correctness" });
	await expect.poll(() => textOf(summary)).toContain("1 improved1 regressed2 equal");
	await page.getByRole("button", { name: "Only regressions" }).click();
	await expect.poll(() => listRows(page).count()).toBe(1);
	expect(new URL(page.url()).searchParams.get("only")).toBe("regressions");
	await page.getByRole("button", { name: "By example" }).click();
	await expect.poll(() => listRows(page).count()).toBe(4);
	// Pale while what is shown is older than what is asked for.
	await expect.poll(() => findAccessibilityViolations(page)).toEqual([]);
	expect(watched.problems).toEqual([]);
});

test("an example is read side by side: differing words, repetitions, failures, and what was not run", async () => {
	await using watched = await open(comparison(first, second, third));
	const { page } = watched;
	await listRows(page).first().waitFor();
	await page.keyboard.press("j");
	await page.keyboard.press("Enter");
	const detail = detailOf(page);
	const answer = (name: string) => detail.getByRole("region", { name, exact: true });
	await detail.getByText("The capital is Paris.").first().waitFor();
	expect(await textOf(answer("second prompt").locator("del"))).toBe("Paris");
	expect(await textOf(answer("second prompt").locator("ins"))).toBe("Lyon");
	expect(await textOf(answer("second prompt"))).toContain("Not what was expected.");
	await answer("second prompt").getByRole("link", { name: "Trace of second prompt, repetition 1" }).waitFor();
	await detail.getByRole("button", { name: "2", exact: true }).click();
	await expect.poll(() => answer("second prompt").locator("ins").count()).toBe(0);
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await page.goto(`${server.url}${comparison(first, second, third)}&sort=example`);
	await listRows(page).filter({ hasText: "Who wrote Emma?" }).click();
	await answer("third prompt").getByText("Not run").waitFor();
	await detail.getByRole("button", { name: "3", exact: true }).click();
	await answer("second prompt").getByText("TimeoutError: no answer").waitFor();
	const opened = new URL(page.url()).searchParams.get("example");
	await page.keyboard.press("j");
	await expect.poll(() => new URL(page.url()).searchParams.get("example")).not.toBe(opened);
	await page.keyboard.press("Escape");
	await detail.waitFor({ state: "detached" });
	expect(watched.problems).toEqual([]);
});

test("another base turns the changes round, and an experiment is added and taken out", async () => {
	await using watched = await open(comparison(first, second));
	const { page } = watched;
	await listRows(page).first().waitFor();
	await page.getByRole("button", { name: "Column of second prompt" }).click();
	await page.getByRole("menuitem", { name: "Make it the base" }).click();
	await expect.poll(() => textOf(listRows(page).first())).toContain(SPIDER);
	expect(new URL(page.url()).searchParams.getAll("experiment")).toEqual([second, first]);
	await page.getByRole("button", { name: "Add an experiment" }).click();
	await page.getByRole("menuitem", { name: "third prompt" }).click();
	const columns = page.getByRole("table", { name: "Per metric" }).getByRole("columnheader");
	await expect.poll(() => columns.count()).toBe(4);
	await page.getByRole("button", { name: "Column of third prompt" }).click();
	await page.getByRole("menuitem", { name: "Take it out" }).click();
	await expect.poll(() => columns.count()).toBe(3);
	expect(watched.problems).toEqual([]);
});

test("a metric that is to be minimized is worse where it is higher", async () => {
	const config = { type: "CONTINUOUS", name: "correctness", optimization_direction: "MINIMIZE" };
	const { id } = await send(server, "POST", "/v1/annotation_configs", config);
	await using watched = await open(comparison(first, second));
	const { page } = watched;
	await expect.poll(() => textOf(listRows(page).first())).toContain(SPIDER);
	await listRows(page).first().getByTitle("+1, worse than the base").waitFor();
	await listRows(page).last().getByTitle("−0.667, better than the base").waitFor();
	await page.getByRole("button", { name: "Only regressions" }).click();
	await expect.poll(() => listRows(page).count()).toBe(1);
	await send(server, "DELETE", `/v1/annotation_configs/${encodeURIComponent(id)}`);
	expect(watched.problems).toEqual([]);
});

test("means of ten examples and more come with an interval, of fewer with how few they are", async () => {
	await using watched = await open(comparison(second));
	const { page } = watched;
	const summary = page.getByRole("table", { name: "Per metric" }).getByRole("row").filter({ hasText: "correctness" });
	expect(await textOf(summary.getByTitle("No interval of 4 examples: it takes at least 10."))).toBe("too few (n = 4)");
	expect(await page.getByRole("button", { name: "Only regressions" }).count()).toBe(0);
	const many = await createQuestions(server, "many questions", 3);
	const right = await runExperiment(server, many, { name: "all right", answers: mostlyRight() });
	await page.goto(`${server.url}/datasets/${encodeURIComponent(many)}/compare?experiment=${encodeURIComponent(right)}`);
	const interval = summary.getByTitle("95 % between 0.758 and 1, of 12 examples");
	await expect.poll(() => textOf(interval)).toBe("0.758 – 1 (n = 12)");
	expect(watched.problems).toEqual([]);
});

test("an experiment that is not done says how it is resumed", async () => {
	await using watched = await open(comparison(third));
	const { page } = watched;
	await page.getByText("3 runs missing or failed").waitFor();
	await page.getByRole("button", { name: "Resume" }).click();
	const code = page.getByRole("dialog").getByRole("region", { name: "Code", exact: true });
	expect(await textOf(code)).toContain(`experiment_id="${third}"`);
	expect(await findAccessibilityViolations(page)).toEqual([]);
	expect(watched.problems).toEqual([]);
});

test("a tag is moved to another experiment, which is renamed, downloaded and deleted with its traces", async () => {
	const tagged = await runExperiment(server, dataset, { name: "to be moved", answers: mostlyRight() });
	const { project_name: project } = await send(server, "GET", `/v1/experiments/${encodeURIComponent(tagged)}`);
	await using watched = await open(list());
	const { page } = watched;
	const choose = async (name: string, item: string) => {
		await page.getByRole("button", { name: `Actions of ${name}` }).click();
		await page.getByRole("menuitem", { name: item }).click();
	};
	await choose("to be moved", "Tags…");
	await page.getByRole("textbox", { name: "Tag" }).fill("Not Good");
	await page.getByRole("button", { name: "Set", exact: true }).click();
	await page.getByText("Small letters, digits, - and _ only").waitFor();
	await page.getByRole("button", { name: "Set the tag baseline" }).click();
	await page.getByRole("dialog").getByRole("button", { name: "Remove the tag baseline" }).waitFor();
	await page.keyboard.press("Escape");
	await experimentRow(page, "to be moved").getByText("baseline").waitFor();
	expect(await textOf(experimentRow(page, "first prompt"))).not.toContain("baseline");
	await choose("to be moved", "Rename or describe");
	await page.getByRole("textbox", { name: "Name" }).fill("renamed");
	await page.getByRole("button", { name: "Save" }).click();
	await experimentRow(page, "renamed").waitFor();
	const [download] = await Promise.all([page.waitForEvent("download"), choose("renamed", "Download CSV")]);
	expect(download.suggestedFilename()).toBe("renamed.csv");
	await choose("renamed", "Delete");
	await page.getByRole("checkbox", { name: /^Delete its traces too/ }).check();
	await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
	await page.getByRole("dialog").waitFor({ state: "detached" });
	await expect.poll(() => experimentRow(page, "renamed").count()).toBe(0);
	expect((await server.fetch(`/v1/experiments/${encodeURIComponent(tagged)}`)).status).toBe(404);
	expect((await server.fetch(`/v1/projects/${encodeURIComponent(project)}`)).status).toBe(404);
	await send(server, "POST", `/v1/experiments/${encodeURIComponent(first)}/tags`, { name: "baseline" });
	expect(watched.problems).toEqual([]);
});

test("a dataset without experiments says how to run one", async () => {
	const quiet = await createQuestions(server, "quiet");
	await using watched = await open(`/datasets/${encodeURIComponent(quiet)}/experiments`);
	const { page } = watched;
	await page.getByText("No experiments yet").waitFor();
	const code = page.getByRole("region", { name: "Code", exact: true });
	expect(await textOf(code)).toContain('get_dataset(dataset="quiet")');
	await page.getByRole("tab", { name: "TypeScript" }).click();
	await expect.poll(() => textOf(code)).toContain('datasetName: "quiet"');
	expect(watched.problems).toEqual([]);
});
