import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { at, type Json, list } from "./fixture-comparison.ts";
import { PYTHON } from "./python-clients.ts";
import { startServer, type TestServer } from "./server.ts";

const ROOT = join(import.meta.dirname, "..");
const run = promisify(execFile);

let server: TestServer;

beforeAll(async () => {
	server = await startServer();
});
afterAll(async () => server[Symbol.asyncDispose]());

test("the Python of the README sends a trace", async () => {
	await run(PYTHON, ["-c", readSnippet("README.md", "python")]);
	expect(await listSpanNames("first-steps")).toEqual(["answer", "model call"]);
});

test("the TypeScript of the README sends a trace", async () => {
	const code = readSnippet("README.md", "ts");
	await run(process.execPath, ["--input-type=module-typescript", "--eval", code], { cwd: import.meta.dirname });
	expect(await listSpanNames("first-steps")).toContain("model call");
});

test("the curl of docs/sending-traces.md sends a span", async () => {
	const snippets = readSnippets("docs/sending-traces.md", "sh");
	const curl = snippets.find((snippet) => snippet.startsWith("curl"));
	await run("sh", ["-c", curl ?? "exit 1"]);
	expect(await listSpanNames("by-hand")).toEqual(["hello"]);
});

function readSnippet(file: string, language: string): string {
	const [snippet] = readSnippets(file, language);
	if (snippet === undefined) throw new Error(`${file} has no ${language}`);
	return snippet;
}

/** The code blocks of a document in a language, sent to the server of this test. */
function readSnippets(file: string, language: string): string[] {
	const text = readFileSync(join(ROOT, file), "utf8");
	const blocks = Array.from(text.matchAll(/^```(\w+)\n(.*?)^```$/gms), ([, name, code = ""]) => ({ name, code }));
	return blocks
		.filter(({ name }) => name === language)
		.map(({ code }) => code.replaceAll("http://localhost:6006", server.url));
}

async function listSpanNames(project: string): Promise<string[]> {
	const page = (await server.getJson(`/v1/projects/${project}/spans`)) as Json;
	return list(at(page, "data"))
		.map((span) => String(at(span, "name")))
		.toSorted();
}
