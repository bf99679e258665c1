import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askedFor } from "../apps/web/src/copying/asked.ts";
import { codeOf as copiedCode } from "../apps/web/src/copying/code.ts";
import type { Copied } from "../apps/web/src/copying/copied.ts";
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

async function runCode(
	language: Language,
	code: string,
	env: Record<string, string> = {},
	cwd = import.meta.dirname,
): Promise<string> {
	const options = {
		cwd,
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

// Each would run, or end, something if it were not quoted.
const HOSTILE = `'; touch hacked; ' $(touch hacked) \`touch hacked\` "\\" !! \n touch hacked \n é`;
const PROJECT = `of ${HOSTILE.replaceAll("\n", " ")}`;
const COPIED_FORMS = ["curl", "command", "python", "typescript"] as const;
const BOUNDS = { start_time: "2026-01-01T00:00:00Z" };
const ALL_FILTERS = {
	...{ q: "asked", min: 1, max: 1e6, name: ["run", HOSTILE], user: [HOSTILE, "b"], session: ["s"], model: ["m"] },
	...{ filter: "start_time > '2026-01-01T00:00:00Z' or name == 'x'", from: "2026-01-01T00:00:00Z" },
};
const COPIED: readonly (readonly [what: string, copied: Copied, found: readonly number[]])[] = [
	["a trace", { kind: "trace", project: PROJECT, traceId: "1".repeat(32) }, [1]],
	["a span", { kind: "span", project: PROJECT, traceId: "1".repeat(32), spanId: "1".repeat(16) }, [1]],
	["a session", { kind: "session", project: PROJECT, sessionId: "s" }, [1, 2]],
	["a list of traces", listOf("trace", {}), [1, 2, 3]],
	["words", listOf("trace", { q: "$(touch asked" }), [1]],
	["a filter", listOf("trace", { filter: `user.id == ${JSON.stringify(HOSTILE)}` }), [1]],
	["traces with all filters", listOf("trace", { ...ALL_FILTERS, error: "1", sort: "latency_ms", order: "asc" }), [1]],
	["spans with all filters", listOf("span", { ...ALL_FILTERS, error: "0", kind: ["LLM", "TOOL"] }), [2]],
	["sessions of a user", listOf("session", { user: ["b"], error: "0", sort: "end_time" }), [3]],
];

function listOf(of: "trace" | "span" | "session", search: Extract<Copied, { kind: "list" }>["search"]): Copied {
	return { kind: "list", of, project: PROJECT, search };
}

/** The numbers of the runs of which an answer tells: their users are in their inputs. */
function runsIn(text: string): number[] {
	return [1, 2, 3].filter((run) => text.includes(`asked as number ${run}`) || text.includes(`${run}`.repeat(16)));
}

test("AG27 what is copied as code runs in a shell, and finds what the page shows, whatever its names are", async () => {
	await using files = new AsyncDisposableStack();
	const folder = await mkdtemp(join(tmpdir(), "spanward-copied-"));
	files.defer(() => rm(folder, { recursive: true, force: true }));
	const main = join(import.meta.dirname, "../apps/command-line/src/main.ts");
	await writeFile(join(folder, "npx"), `#!/bin/sh\nshift\nexec '${process.execPath}' '${main}' "$@"\n`, {
		mode: 0o755,
	});
	const json = { "content-type": "application/json" };
	const post = async (path: string, body: object) => {
		const answer = await server.fetch(path, { method: "POST", headers: json, body: JSON.stringify(body) });
		expect([answer.ok, await answer.text()]).toEqual([true, expect.anything()]);
	};
	await post("/v1/projects", { name: PROJECT });
	const runs = [HOSTILE, "b", "b"].map((user, at) => ({
		...{ name: at === 0 ? HOSTILE : "run", span_kind: "LLM", status_code: at === 0 ? "ERROR" : "OK" },
		context: { trace_id: `${at + 1}`.repeat(32), span_id: `${at + 1}`.repeat(16) },
		...{ start_time: `2026-01-02T03:00:0${at}Z`, end_time: "2026-01-02T03:00:09Z" },
		attributes: {
			...{ "user.id": user, "session.id": at === 2 ? "t" : "s", "llm.model_name": "m" },
			"input.value": `asked as number ${at + 1} by ${user}`,
		},
	}));
	await post(`/v1/projects/${encodeURIComponent(PROJECT)}/spans`, { data: runs });
	const env = { PATH: `${folder}${delimiter}${process.env["PATH"]}`, HOME: folder };
	await post("/v1/datasets/upload?sync=true", { name: HOSTILE, inputs: [{ q: "asked as number 3" }] });
	const { id: dataset } = await findDataset(HOSTILE);
	const ofDataset = [
		["examples", { kind: "examples", dataset }, [3]],
		["examples with words", { kind: "examples", dataset, q: "asked" }, [3]],
		["experiments", { kind: "experiments", dataset }, []],
	] as const;
	for (const [what, copied, found] of [...COPIED, ...ofDataset]) {
		const asked = askedFor(copied, BOUNDS);
		// The others start slowly, and differ by their quotes alone.
		for (const form of what.endsWith("all filters") ? COPIED_FORMS : COPIED_FORMS.slice(0, 2)) {
			const code = copiedCode(form, asked, ownServer());
			expect(code).not.toContain(server.key);
			const language = form === "command" ? "curl" : form;
			expect([what, form, runsIn(await runCode(language, code, env, folder))]).toEqual([what, form, found]);
		}
		const told = await server.fetch(
			`/v1/texts/${asked.tool}?${new URLSearchParams(asked.args.map(([...each]) => each))}`,
		);
		expect([what, runsIn(await told.text())]).toEqual([what, found]);
	}
	expect(await readdir(folder)).toEqual(["npx"]);
});
