import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { at, type Json, list } from "./fixture-comparison.ts";
import { PYTHON } from "./python-clients.ts";
import { startServer, type TestServer } from "./server.ts";
import { findSnippet } from "./snippets.ts";

const run = promisify(execFile);

let server: TestServer;
/** With authentication a key in the variable that the documents name. */
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
	server = await startServer();
	const { key } = server;
	env = { ...process.env, ...(key === undefined ? {} : { SERVICE_API_KEY: key }) };
});
afterAll(async () => server[Symbol.asyncDispose]());

test("the Python of the README sends a trace", async () => {
	const env = withOwnClient();
	await run(PYTHON, ["-c", findSnippet("README.md", "python", "llm.model_name", server)], { env });
	expect(await listSpanNames("first-steps")).toEqual(["answer", "model call"]);
});

test("the first trace of the README is that of docs/sending/python.md, which is run with the newest packages", () => {
	const first = findSnippet("README.md", "python", "auto_instrument", server);
	expect(`# answer.py\n${first}`).toBe(findSnippet("docs/sending/python.md", "python", "auto_instrument", server));
});

test("the experiment of docs/experiments.md runs", async () => {
	const code = findSnippet("docs/experiments.md", "python", "experiments.run", server);
	const { stdout } = await run(PYTHON, ["-c", code], { env: withOwnClient() });
	expect(stdout).toMatch(/^capitals-\w{8}: 2 runs: exact_match 0\.500\n$/);
});

test("the TypeScript of the README sends a trace", async () => {
	const code = findSnippet("README.md", "ts", "register", server);
	await run(process.execPath, ["--input-type=module-typescript", "--eval", code], { cwd: import.meta.dirname, env });
	expect(await listSpanNames("first-steps")).toContain("model call");
});

test("the curl of docs/sending-traces.md sends a span", async () => {
	await run("sh", ["-c", findSnippet("docs/sending-traces.md", "sh", "curl", server)], { env });
	expect(await listSpanNames("by-hand")).toEqual(["hello"]);
});

function withOwnClient(): NodeJS.ProcessEnv {
	const source = join(import.meta.dirname, "../clients/python/src");
	return { ...env, PYTHONPATH: source, SERVICE_COLLECTOR_ENDPOINT: server.url };
}

async function listSpanNames(project: string): Promise<string[]> {
	const page = (await server.getJson(`/v1/projects/${project}/spans`)) as Json;
	return list(at(page, "data"))
		.map((span) => String(at(span, "name")))
		.toSorted();
}
