import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findAccessibilityViolations, launchBrowser, openPage } from "../browser.ts";
import { type ModelProvider, startModelProvider } from "../peers/model-provider.ts";
import { startServer, type TestServer } from "../server.ts";
import { createQuestions, runExperiment, send } from "./dataset-data.ts";
import { drawnTheme, expectWellMade, listRows, overflowsSideways } from "./pages.ts";
import { faultsOf } from "./sessions.ts";

let provider: ModelProvider;
let server: TestServer;
let browser: Browser;
let dataset: string;

beforeAll(async () => {
	provider = await startModelProvider();
	server = await startServer({ authentication: false, env: { SERVICE_OUTGOING_ALLOWED_HOSTS: "127.0.0.1" } });
	browser = await launchBrowser();
	dataset = await createQuestions(server, "questions");
	await send(server, "POST", "/v1/datasets/upload?sync=true", {
		...{ name: "questions", action: "append", inputs: [{ question: "Who wrote Emma?" }] },
	});
	await send(server, "POST", "/v1/model_connections", {
		...{ name: "stand-in", kind: "openai_compatible", base_url: provider.openai, default_model: "stand-in-a" },
	});
	await send(server, "POST", "/v1/model_prices", {
		...{ name: "stand-in", match: "prefix", pattern: "stand-in", provider: null },
		prices: { input: 1, output: 2 },
	});
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
	await provider[Symbol.asyncDispose]();
});

test("E32 a column is run over a dataset, pauses at its limit, and ends when that is raised", async () => {
	await using watched = await openPage(browser, `${server.url}/playground?dataset=${encodeURIComponent(dataset)}`, {
		colorScheme: "light",
	});
	const { page } = watched;
	const over = page.getByRole("button", { name: "Run over a dataset …" });
	await over.click();
	await page.getByText("Choose a connection.").waitFor();
	await page.getByRole("combobox", { name: "Connection" }).selectOption({ label: "stand-in" });
	await page.getByRole("textbox", { name: "Text of message 1" }).fill("Answer {{asked}}");
	const dialog = page.getByRole("dialog");
	await page.getByRole("combobox", { name: "Model" }).fill("free-model");
	await over.click();
	await dialog.getByRole("textbox", { name: "Path of asked" }).fill("input.question");
	await dialog.getByText("free-model has no price").waitFor();
	await dialog.getByText("What it costs will not be known.").waitFor();
	await dialog.getByRole("textbox", { name: /^Dollars at most/ }).fill("1");
	await dialog.getByText("the job pauses before its first call").waitFor();
	await dialog.getByRole("link", { name: /^Set a price/ }).waitFor();
	await dialog.getByRole("combobox", { name: "Version" }).selectOption({ index: 1 });
	await dialog.getByText("4 runs of 4 examples").waitFor();
	await dialog.getByRole("combobox", { name: "Version" }).selectOption({ label: "The newest" });
	await dialog.getByText("5 runs of 5 examples").waitFor();
	await page.keyboard.press("Escape");
	await page.getByRole("combobox", { name: "Model" }).fill("stand-in-a");
	await over.click();
	await expect.poll(() => dialog.getByRole("combobox", { name: "Dataset" }).inputValue()).toBe(dataset);
	const estimate = dialog.getByRole("region", { name: "Estimate" });
	await estimate.getByText("Column 1: The example has no value for asked").waitFor();
	await dialog.getByRole("textbox", { name: "Path of asked" }).fill("input.[");
	await estimate.getByRole("alert").getByText(/path/).waitFor();
	await dialog.getByRole("textbox", { name: "Path of asked" }).fill("input.question");
	await dialog.getByRole("checkbox", { name: /^train/ }).check();
	await dialog.getByRole("textbox", { name: /^Dollars at most/ }).fill("0.00001");
	await estimate.getByText("3 runs of 3 examples").waitFor();
	await expect.poll(() => estimate.getByRole("alert").count()).toBe(0);
	await dialog.getByText("The dataset has no evaluator that runs by itself").waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await page.setViewportSize({ width: 390, height: 800 });
	await page.emulateMedia({ colorScheme: "dark" });
	await expect.poll(() => drawnTheme(page)).toBe("dark");
	await expect.poll(() => findAccessibilityViolations(page)).toEqual([]);
	expect(await overflowsSideways(page)).toBe(false);
	await page.setViewportSize({ width: 1440, height: 900 });
	await page.emulateMedia({ colorScheme: "light" });
	await dialog.getByRole("button", { name: "Start" }).click();
	await dialog.getByRole("link", { name: "Show its experiments" }).click();

	const job = page.getByRole("region", { name: "Experiments that the server runs" }).getByRole("listitem");
	await job.getByText("paused").waitFor();
	await job.getByText("0/3 runs").waitFor();
	await job.getByText("of $0.00001").waitFor();
	await job.getByRole("button", { name: /^Resume/ }).press("Enter");
	await dialog.getByRole("textbox", { name: "Dollars at most" }).fill("1");
	await dialog.getByRole("button", { name: "Resume" }).click();
	await job.getByText("done").waitFor();
	await job.getByText("3/3 runs").waitFor();
	expect(await job.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("100");
	expect(await job.getByRole("button").count()).toBe(0);
	await expect.poll(() => listRows(page).count()).toBe(1);
	await listRows(page).getByText("3", { exact: true }).waitFor();
	await page.goto(`${server.url}/experiments`);
	await expectWellMade(page, job.getByText("3/3 runs"));
	expect(faultsOf(watched)).toEqual([]);
});

test("an experiment is evaluated, once it was said what that costs, and jobs are listed by their state", async () => {
	const experiment = await runExperiment(server, dataset, {
		name: "by hand",
		answers: ({ answer }) => ({ output: answer }),
	});
	const version = { kind: "BUILT_IN", builtin: { key: "contains", parameters: { texts: ["legs"] } } };
	const mapping = { run: { output: { path: "output_text" } } };
	await send(server, "POST", "/v1/evaluators", { name: "of-legs", version: { ...version, mapping } });
	await using watched = await openPage(browser, `${server.url}/datasets/${encodeURIComponent(dataset)}/experiments`, {
		colorScheme: "light",
	});
	const { page } = watched;
	await page.getByRole("button", { name: /^Actions .*by hand/ }).click();
	await page.getByRole("menuitem", { name: "Evaluate …" }).click();
	const dialog = page.getByRole("dialog");
	expect(await dialog.getByRole("button", { name: "Start" }).isDisabled()).toBe(true);
	await dialog.getByRole("checkbox", { name: /^of-legs/ }).press("Space");
	const estimate = dialog.getByRole("region", { name: "Estimate" });
	await estimate.getByText("5 evaluations").waitFor();
	await estimate.getByText("Nothing of it calls a model.").waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await dialog.getByRole("button", { name: "Start" }).click();
	await dialog.getByText("5/5 evaluations").waitFor();
	await dialog.getByRole("link", { name: "Show the results" }).click();
	await page.getByRole("rowheader", { name: "contains" }).or(page.getByText("contains")).first().waitFor();
	expect(new URL(page.url()).searchParams.toString()).toContain(experiment);

	await page.goto(`${server.url}/experiments?jobs=paused`);
	await page.getByText("No job is paused.").waitFor();
	await page.getByRole("combobox", { name: "Jobs that are shown" }).selectOption({ label: "Done" });
	const jobs = page.getByRole("region", { name: "Experiments that the server runs" }).getByRole("listitem");
	await jobs.getByText("Evaluation of by hand").waitFor();
	await expectWellMade(page, jobs.getByText("Evaluation of by hand"));
	await page.goBack();
	await page.getByText("No job is paused.").waitFor();
	expect(faultsOf(watched)).toEqual([]);
});
