import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestServer } from "./server.ts";

/** Python with what e2e/python/requirements.txt lists; `npm test` makes it. */
export const PYTHON = process.env["E2E_PYTHON"] ?? join(import.meta.dirname, "../.cache/python/bin/python");

const FOLDER = join(import.meta.dirname, "python");

/** The names of the tests of a module in e2e/python. */
export function listPythonTests(module: string): string[] {
	const source = readFileSync(join(FOLDER, `${module}.py`), "utf8");
	return Array.from(source.matchAll(/^def (test_\w+)/gm), ([, name = ""]) => name);
}

/**
 * Runs a module of e2e/python against `server`.
 * @param key what users of the Phoenix packages set as `PHOENIX_API_KEY`; undefined: they set none
 * @returns what each test ended with: an error with its traceback, or null
 */
export async function runPythonTests(
	module: string,
	server: TestServer,
	key: string | undefined,
): Promise<ReadonlyMap<string, string | null>> {
	const { stdout } = await promisify(execFile)(PYTHON, [join(FOLDER, "run.py"), module], {
		env: {
			...process.env,
			SPANWARD_URL: server.url,
			SPANWARD_GRPC_ADDRESS: server.grpcAddress,
			...(key === undefined ? {} : { PHOENIX_API_KEY: key }),
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
