import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { at, type Json, list } from "../fixture-comparison.ts";
import { startServer, type TestServer } from "../server.ts";
import { findEnvironment, namesOf } from "./environments.ts";
import { ANSWER, type FakeModel, startFakeModel, TOKENS } from "./fake-model.ts";
import { listPages, listRecipes, type Recipe } from "./pages.ts";

const RUN_MS = 400_000;
const QUESTION = "What is a span?";
/** What every page calls its project: each recipe has one of its own here. */
const PROJECT = "first-steps";

let server: TestServer;
let model: FakeModel;

beforeAll(async () => {
	[server, model] = await Promise.all([startServer(), startFakeModel()]);
});
afterAll(async () => {
	await server[Symbol.asyncDispose]();
	await model[Symbol.asyncDispose]();
});

const WITH_AUTHENTICATION = process.env["E2E_AUTHENTICATION"] === "true";
const RECIPES = listRecipes()
	.filter((recipe) => (WITH_AUTHENTICATION ? takesKey(recipe) : !needsKey(recipe)))
	// A page says once how its key is given.
	.filter(({ page }, index, all) => !WITH_AUTHENTICATION || all.findIndex((other) => other.page === page) === index)
	.map((recipe) => [recipe.name, recipe] as const);

describe.each(RECIPES)("%s", (_, recipe) => {
	test("installs what its versions are noted of", () => {
		const { noted, printed } = namesOf(recipe);
		expect(noted).toEqual(expect.arrayContaining([...printed]));
		expect(printed).not.toEqual([]);
	});

	test(
		"sends messages, tokens and model",
		async () => {
			await runRecipe(recipe);
			const spans = list(at(await read(recipe, "spans?include=semantic"), "data")).map((span) => at(span, "semantic"));
			const calls = spans.filter((span) => list(at(span, "input_messages")).length > 0 && at(span, "kind") === "LLM");
			expect(calls.length, JSON.stringify(spans)).toBeGreaterThan(0);
			for (const call of calls) {
				expect(list(at(call, "input_messages"))).toContainEqual(
					expect.objectContaining({ role: "user", text: QUESTION }),
				);
				expect(list(at(call, "output_messages"))).toContainEqual(
					expect.objectContaining({ role: "assistant", text: ANSWER }),
				);
				expect(at(call, "tokens")).toMatchObject(TOKENS);
				expect(at(call, "model")).toMatch(/^(gpt-4o-mini|claude-haiku-4-5)$/);
			}
			const traces = list(at(await read(recipe, "traces"), "data"));
			expect(traces.map((trace) => [at(trace, "token_count_prompt"), at(trace, "token_count_completion")])).toEqual([
				[TOKENS.prompt, TOKENS.completion],
			]);
		},
		2 * RUN_MS,
	);
});

test("every page is in the table of docs/sending-traces.md", () => {
	const table = readFileSync(join(import.meta.dirname, "../../docs/sending-traces.md"), "utf8");
	for (const page of listPages()) expect(table).toContain(`](sending/${page}`);
});

/** What is tested with another package on the same page, or from recordings (`fixtures/js-ai-sdk*`, `fixtures/agents`). */
const ROWS_WITHOUT_PROGRAM = [
	...["python.md#other-libraries", "vercel-ai-sdk.md#ai-sdk-4-to-6"],
	...["claude-code.md", "codex.md", "gemini-cli.md"],
];

test("every row of that table leads to a program that is tested", () => {
	const table = readFileSync(join(import.meta.dirname, "../../docs/sending-traces.md"), "utf8");
	const programs = new Set(
		listRecipes().flatMap(({ page, name }) => [`${page}.md`, name.replace(`${page}-`, `${page}.md#`)]),
	);
	const rows = Array.from(table.matchAll(/^\|.*\]\(sending\/([^)]+)\)/gm), ([, target = ""]) => target);
	expect(rows.length).toBeGreaterThan(10);
	expect(rows.filter((target) => !programs.has(target))).toEqual(ROWS_WITHOUT_PROGRAM);
});

/** As a reader does it: the file, and then the commands; addresses and the project are those of the test. */
async function runRecipe(recipe: Recipe): Promise<void> {
	const environment = findEnvironment(recipe);
	const folder = await mkdtemp(join(environment.folder, "application-"));
	try {
		await writeFile(join(folder, recipe.file.name), localized(recipe.file.code, recipe));
		const credentials = server.key === undefined ? "" : withoutKey(recipe.credentials ?? "");
		const commands = `set -e\n${localized(credentials, recipe)}\n${localized(recipe.commands, recipe)}`;
		const { key } = server;
		const env = {
			...inherited(),
			...environment.env,
			...model.env,
			DO_NOT_TRACK: "1",
			TRACELOOP_TELEMETRY: "false",
			...(key === undefined ? {} : { SERVICE_API_KEY: key }),
		};
		await promisify(execFile)("sh", ["-c", commands], { cwd: folder, env, timeout: RUN_MS });
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

function takesKey(recipe: Recipe): boolean {
	return recipe.credentials !== undefined || needsKey(recipe);
}

function needsKey({ file }: Recipe): boolean {
	return file.code.includes("SERVICE_API_KEY");
}

/** The key itself is that of the test's server. */
function withoutKey(commands: string): string {
	return commands.replaceAll(/^export SERVICE_API_KEY=.*$/gm, "");
}

function localized(text: string, { name }: Recipe): string {
	return text
		.replaceAll("http://localhost:6006", server.url)
		.replaceAll("http://localhost:4317", `http://${server.grpcAddress}`)
		.replaceAll(PROJECT, name);
}

/** Nothing that would send elsewhere. */
function inherited(): NodeJS.ProcessEnv {
	const names = Object.entries(process.env).filter(
		([name]) => !/^(OTEL|SERVICE|PHOENIX|LANGFUSE|TRACELOOP|MLFLOW)_/.test(name),
	);
	return Object.fromEntries(names);
}

function read({ name }: Recipe, path: string): Promise<Json> {
	return server.getJson(`/v1/projects/${name}/${path}`) as Promise<Json>;
}
