import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launchBrowserFor, openPage, type UserBrowser } from "./browser.ts";
import { JUDGE, MODEL, makeDataset, PLAYGROUND, RIGHT_ANSWER, runTwoVariants, tellStory } from "./model-story.ts";
import { type ModelProvider, startModelProvider } from "./peers/model-provider.ts";
import { PYTHON } from "./python-clients.ts";
import { startServer, type TestServer } from "./server.ts";
import { findSnippet } from "./snippets.ts";
import { send } from "./web/dataset-data.ts";
import { faultsOf } from "./web/sessions.ts";

const run = promisify(execFile);

let provider: ModelProvider;
let server: TestServer;
let browser: UserBrowser;

beforeAll(async () => {
	[provider, server] = await Promise.all([startModelProvider(), startServer({ authentication: false })]);
	browser = await launchBrowserFor(server);
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
	await provider[Symbol.asyncDispose]();
});

it("E84 from a failing trace to a better prompt, judged and gated, on a server that was merely started", async () => {
	await tellStory(server, provider);
	const presets = await send(server, "GET", "/v1/model_connection_presets");
	expect(presets.find(({ name }: { name: string }) => name === "Ollama")).toMatchObject({
		...{ kind: "openai_compatible", base_url: "http://localhost:11434/v1", needs_key: false },
	});

	const watched = await openPage(browser, server.url + PLAYGROUND);
	const { page } = watched;
	await runTwoVariants(page);
	const requests = (await provider.requests({ model: MODEL })).map(({ json }) => json);
	expect(requests).toHaveLength(2);
	for (const request of requests) expect(request).toMatchObject({ temperature: 0.2, messages: [{}, { role: "user" }] });
	await page.getByRole("button", { name: "More of column 2" }).click();
	await page.getByRole("menuitem", { name: "Save as prompt version" }).click();
	const dialog = page.getByRole("dialog", { name: "Save as prompt version" });
	await dialog.getByRole("combobox", { name: "Prompt" }).fill("double-charges");
	await dialog.getByRole("button", { name: "Save as prompt version" }).click();
	await page.getByText("Saved as a version of double-charges.").waitFor();
	expect(faultsOf(watched)).toEqual([]);
	await watched[Symbol.asyncDispose]();

	await makeDataset(server);
	const script = findSnippet("README.md", "python", "experiment_jobs", server);
	const { stdout } = await run(PYTHON, ["-c", script]);
	expect(stdout).toBe("mean('correctness') >= 0.8: 1 is >= 0.8.\n");
	const asked = await provider.lastRequest({ model: JUDGE });
	expect(JSON.stringify(asked.json)).toContain(RIGHT_ANSWER);
	const [job] = await send(server, "GET", "/v1/experiment_jobs");
	expect(job).toMatchObject({ state: "done", runs: { done: 1, failed: 0 }, evaluations: { done: 1, failed: 0 } });
	await provider.setModel(JUDGE, { answers: [{ json: { explanation: "It names no time.", label: "incorrect" } }] });
	await expect(run(PYTHON, ["-c", script])).rejects.toMatchObject({ code: 1 });

	const env = {
		...{ PATH: process.env["PATH"], JOB: job.id, DATASET: job.dataset_id, EXPERIMENT: job.experiments[0].id },
		CONNECTION: (await send(server, "GET", "/v1/model_connections"))[0].id,
		PROMPT_VERSION: (await send(server, "GET", "/v1/prompts/double-charges/versions"))[0].id,
	};
	const answers = async (part: string, file = "docs/experiments.md") =>
		(await run("sh", ["-c", findSnippet(file, "sh", part, server)], { env })).stdout;
	expect(JSON.parse(await answers("experiment_jobs/estimate"))).toMatchObject({ data: { runs: 3, problems: [] } });
	expect(JSON.parse(await answers("max_cost_usd"))).toMatchObject({ data: { kind: "run", max_cost_usd: 5 } });
	expect(JSON.parse(await answers('"evaluate"'))).toMatchObject({ data: { kind: "evaluate" } });
	for (const [part, evaluator] of [
		["names-order", { kind: "BUILT_IN" }],
		["short-enough", { kind: "CODE" }],
		["run_automatically", { evaluator: { name: "names-order" }, run_automatically: true }],
		["/v1/evaluations", { outputs: { regex: { label: "pass", score: 1 } } }],
	] as const)
		expect(JSON.parse(await answers(part, "docs/evaluators.md")), part).toMatchObject({ data: evaluator });
});
