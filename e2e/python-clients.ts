import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestServer } from "./server.ts";

/** Python with what e2e/python/requirements.txt lists; `npm test` makes it. */
export const PYTHON = process.env["E2E_PYTHON"] ?? join(import.meta.dirname, "../.cache/python/bin/python");

const FOLDER = join(import.meta.dirname, "python");
/** Where our own client is imported from. */
export const OWN_CLIENT = join(import.meta.dirname, "../clients/python/src");

/** The names of the tests of a module in e2e/python. */
export function listPythonTests(module: string): string[] {
	const source = readFileSync(join(FOLDER, `${module}.py`), "utf8");
	return Array.from(source.matchAll(/^def (test_\w+)/gm), ([, name = ""]) => name);
}

interface Credentials {
	/** What users of the Phoenix packages set as `PHOENIX_API_KEY`; undefined: they set none. */
	readonly key?: string | undefined;
	/** For what takes an admin. */
	readonly adminKey?: string | undefined;
	/** The client that the modules check_… call, by its name in client_under_test.py. */
	readonly client?: string;
	/** The cookies of somebody who is logged in, and approves what programs ask for. */
	readonly session?: string;
	/** A trace that is there. */
	readonly trace?: { readonly project: string; readonly id: string };
}

export interface PythonRun {
	/** What each test ended with, by `module.test`: an error with its traceback, or null. */
	readonly errors: ReadonlyMap<string, string | null>;
	/** Public functions of the client, and those that the checks called. */
	readonly functions: readonly string[];
	readonly called: readonly string[];
}

/** Runs modules of e2e/python against `server`, in one process. */
export async function runPythonTests(
	modules: readonly string[],
	server: TestServer,
	{ key, adminKey, client, session, trace }: Credentials = {},
): Promise<PythonRun> {
	const { stdout } = await promisify(execFile)(PYTHON, [join(FOLDER, "run.py"), ...modules], {
		env: {
			...process.env,
			PYTHONPATH: OWN_CLIENT,
			SPANWARD_URL: server.url,
			SPANWARD_GRPC_ADDRESS: server.grpcAddress,
			...(key === undefined ? {} : { PHOENIX_API_KEY: key }),
			...(adminKey === undefined ? {} : { SPANWARD_ADMIN_KEY: adminKey }),
			...(client === undefined ? {} : { CLIENT_UNDER_TEST: client }),
			...(session === undefined ? {} : { SPANWARD_SESSION: session }),
			...(trace === undefined ? {} : { SPANWARD_PROJECT: trace.project, SPANWARD_TRACE: trace.id }),
		},
		maxBuffer: 64 * 1_024 * 1_024,
		timeout: 1_100_000,
	});
	const lines = stdout.split("\n").filter((line) => /^\{"(module|called)"/.test(line));
	const results = lines.map((line) => JSON.parse(line) as Partial<Result & Coverage>);
	const coverage = results.find((result) => result.called !== undefined);
	return {
		errors: new Map(
			results.flatMap(({ module, name, error = null }) => (name === undefined ? [] : [[`${module}.${name}`, error]])),
		),
		functions: coverage?.public ?? [],
		called: coverage?.called ?? [],
	};
}

interface Result {
	readonly module: string;
	readonly name: string;
	readonly error: string | null;
}

interface Coverage {
	readonly called: readonly string[];
	readonly public: readonly string[];
}
