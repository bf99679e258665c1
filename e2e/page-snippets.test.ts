import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { snippets as sendSnippets } from "../apps/web/src/lib/snippets.ts";
import { datasetSnippets, exampleSnippets } from "../apps/web/src/pages/datasets/snippets.ts";
import { experimentSnippets, resumeSnippets } from "../apps/web/src/pages/experiments/snippets.ts";
import { promptSnippets } from "../apps/web/src/pages/prompts/prompt-snippets.ts";
import { at, type Json, list } from "./fixture-comparison.ts";
import { PYTHON } from "./python-clients.ts";
import { startServer, type TestServer } from "./server.ts";
import { promptVersion } from "./web/prompt-data.ts";

// What the pages offer to paste, run as it stands there, with the versions that this project pins of the packages.

const run = promisify(execFile);
const LANGUAGES = ["python", "typescript", "curl"] as const;
type Language = (typeof LANGUAGES)[number];

let server: TestServer;

beforeAll(async () => {
	server = await startServer({ authentication: true, env: { SERVICE_HOST_ROOT_PATH: "/tools" } });
});
afterAll(async () => server[Symbol.asyncDispose]());

const ownServer = () => ({ origin: server.url, needsKey: true });

async function runCode(language: Language, code: string, env: Record<string, string> = {}): Promise<string> {
	const options = {
		cwd: import.meta.dirname,
		env: { ...process.env, ...env, SERVICE_API_KEY: server.key, NODE_NO_WARNINGS: "1" },
	};
	if (language === "python") return (await run(PYTHON, ["-c", code], options)).stdout;
	if (language === "curl") return (await run("sh", ["-c", code], options)).stdout;
	return (await run(process.execPath, ["--input-type=module-typescript", "--eval", code], options)).stdout;
}

function codeOf(snippets: readonly { readonly key: Language; readonly code: string }[], language: Language): string {
	return snippets.find(({ key }) => key === language)?.code ?? "";
}

interface DatasetItem {
	readonly id: string;
	readonly example_count: number;
}

async function findDataset(name: string): Promise<DatasetItem> {
	const path = `/v1/datasets?name=${encodeURIComponent(name)}`;
	const { data } = (await server.getJson(path)) as { data: DatasetItem[] };
	const [dataset] = data;
	if (dataset === undefined) throw new Error(`there is no dataset ${name}`);
	return dataset;
}

async function makeDataset(name: string): Promise<void> {
	const body = JSON.stringify({ name, inputs: [{ question: "Who?" }], outputs: [{ answer: "Ada" }] });
	const headers = { "content-type": "application/json" };
	const { ok } = await server.fetch("/v1/datasets/upload?sync=true", { method: "POST", headers, body });
	expect(ok).toBe(true);
}

async function findExperiment(dataset: DatasetItem): Promise<Json> {
	const answer = (await server.getJson(`/v1/datasets/${encodeURIComponent(dataset.id)}/experiments`)) as Json;
	const [experiment] = list(at(answer, "data"));
	if (experiment === undefined) throw new Error("the dataset has no experiment");
	return experiment;
}

test.each(["python", "typescript"] as const)("the %s of an empty project sends a trace", async (language) => {
	const project = `first steps in "${language}"`;
	const { code, install } = sendSnippets({ ...ownServer(), project })[language];
	expect(install).toMatch(/^(pip|npm) install [\w@/-]+$/);
	await runCode(language, code);
	const page = (await server.getJson(`/v1/projects/${encodeURIComponent(project)}/spans`)) as Json;
	expect(list(at(page, "data")).map((span) => at(span, "name"))).toEqual(["answer"]);
});

test.each(LANGUAGES)("the %s of the pages of datasets makes one and adds to it", async (language) => {
	await runCode(language, codeOf(datasetSnippets(ownServer()), language));
	const made = await findDataset("questions");
	expect(made.example_count).toBe(1);
	const { ok } = await fetch(`${server.url}/v1/datasets/${encodeURIComponent(made.id)}`, {
		method: "DELETE",
		headers: { authorization: `Bearer ${server.adminKey}` },
	});
	expect(ok).toBe(true);
	await makeDataset(`of ${language}`);
	await runCode(language, codeOf(exampleSnippets(ownServer(), `of ${language}`), language));
	expect((await findDataset(`of ${language}`)).example_count).toBe(2);
});

test.each(["python", "typescript"] as const)("the %s of experiments runs one and resumes it", async (language) => {
	const name = `tried in ${language}`;
	await makeDataset(name);
	await runCode(language, codeOf(experimentSnippets(ownServer(), name), language));
	const experiment = await findExperiment(await findDataset(name));
	expect(at(experiment, "successful_run_count")).toBe(1);
	const resume = resumeSnippets(ownServer(), String(at(experiment, "id")));
	await runCode(language, codeOf(resume, language));
	expect(await runCode("curl", codeOf(resume, "curl"))).toContain('"data":[]');
});

test.each(LANGUAGES)("the %s of a prompt fetches it", async (language) => {
	await server.fetch("/v1/prompts", {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ prompt: { name: "clerk" }, version: promptVersion({ system: "Be kind to {{shop}}." }) }),
	});
	const prompt = {
		...ownServer(),
		prompt: "clerk",
		fetchBy: { by: "latest" } as const,
		variables: ["shop", "question"],
	};
	const { code } = promptSnippets(prompt)[language];
	expect(await runCode(language, code, { SERVICE_COLLECTOR_ENDPOINT: server.url })).toContain("Be kind to");
});
