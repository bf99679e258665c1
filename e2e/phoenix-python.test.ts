import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PYTHON } from "./python-clients.ts";
import { startServer, type TestServer } from "./server.ts";

const FOLDER = join(import.meta.dirname, "python");

let server: TestServer;

beforeAll(async () => {
	server = await startServer();
});
afterAll(async () => server[Symbol.asyncDispose]());

describe.each(["phoenix_otel", "phoenix_client", "otel_exporters"])("%s", (module) => {
	let errors: ReadonlyMap<string, string | null>;

	beforeAll(async () => {
		errors = await runPython(module);
	});

	test.each(listTests(module))("%s", (name) => {
		expect(errors.has(name), "the module did not run to its end").toBe(true);
		expect(errors.get(name) ?? "").toBe("");
	});
});

function listTests(module: string): string[] {
	const source = readFileSync(join(FOLDER, `${module}.py`), "utf8");
	return Array.from(source.matchAll(/^def (test_\w+)/gm), ([, name = ""]) => name);
}

/** What each test of the module ended with: an error with its traceback, or null. */
async function runPython(module: string): Promise<ReadonlyMap<string, string | null>> {
	const { stdout } = await promisify(execFile)(PYTHON, [join(FOLDER, "run.py"), module], {
		env: {
			...process.env,
			SPANWARD_URL: server.url,
			SPANWARD_GRPC_ADDRESS: server.grpcAddress,
			// As users of the Phoenix packages set it; an admin's, because the client deletes projects.
			...(server.adminKey === undefined ? {} : { PHOENIX_API_KEY: server.adminKey }),
		},
		timeout: 110_000,
	});
	const lines = stdout.split("\n").filter((line) => line.startsWith('{"name"'));
	return new Map(
		lines
			.map((line) => JSON.parse(line) as { name: string; error: string | null })
			.map(({ name, error }) => [name, error]),
	);
}
