import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Client, createUserKey, logInAs, startWithAuth } from "../access/accounts.ts";
import { readExpected, replay } from "../fixture-sources.ts";
import { runPythonTests } from "../python-clients.ts";
import type { TestServer } from "../server.ts";
import { testPythonModules } from "../test-python-modules.ts";
import { runProgram } from "./programs.ts";

const SOURCE = "py-langchain-openinference";
const { projectName, traces } = readExpected(SOURCE);
const PROJECT = projectName ?? "default";
const TRACE = traces[0]?.traceId ?? "";

let server: TestServer;
let member: Client;
let key: string;

beforeAll(async () => {
	server = await startWithAuth();
	member = await logInAs(server, "MEMBER");
	key = await createUserKey(member);
	await replay({ url: server.url, headers: { authorization: `Bearer ${key}` } }, [SOURCE]);
});
afterAll(() => server[Symbol.asyncDispose]());

describe("R67 AG01 Python", () => {
	const modules = ["mcp_client", "authlib_client"];
	testPythonModules(modules, () =>
		runPythonTests(modules, server, {
			key,
			session: [...member.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
			trace: { project: PROJECT, id: TRACE },
		}),
	);
});

describe("AG01 the Inspector's command line", () => {
	const INSPECTOR = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";
	let home: string;
	beforeAll(async () => {
		home = await mkdtemp(join(tmpdir(), "spanward-inspector-"));
	});
	afterAll(() => rm(home, { recursive: true, force: true }));

	// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it
	async function inspect(...words: readonly string[]): Promise<any> {
		const where = ["--cli", `${server.url}/mcp`, "--header", `Authorization: Bearer ${key}`];
		const { code, stdout, stderr } = await runProgram(INSPECTOR, [...where, ...words], { HOME: home });
		expect([code, stderr]).toEqual([0, expect.not.stringContaining("Path: inputSchema")]);
		return JSON.parse(stdout);
	}

	test.each(["legacy", "modern"])("lists what there is (%s)", async (era) => {
		// Strict, it ends with another code than 0 for a schema that some client refuses, and names what not all understand.
		const { tools } = await inspect("--method", "tools/list", "--strict", "--protocol-era", era);
		expect(tools.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(["get_trace", "annotate"]));
		const { resourceTemplates } = await inspect("--method", "resources/templates/list", "--protocol-era", era);
		expect(resourceTemplates).toHaveLength(4);
	});

	test("calls a tool, and reads a resource", async () => {
		const call = ["--method", "tools/call", "--tool-name", "get_trace"];
		const answer = await inspect(...call, "--tool-arg", `project=${PROJECT}`, `trace_id=${TRACE}`);
		expect(answer.structuredContent.trace.trace_id).toBe(TRACE);
		const uri = `spanward://project/${PROJECT}/trace/${TRACE}`;
		const { contents } = await inspect("--method", "resources/read", "--uri", uri);
		expect(contents).toMatchObject([{ uri, text: expect.stringContaining(TRACE) }]);
	});
});
