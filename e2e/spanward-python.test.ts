import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ADMIN_SECRET, createUserKey, logInAs } from "./access/accounts.ts";
import { listPythonTests, type PythonRun, runPythonTests } from "./python-clients.ts";
import { startServer, type TestServer } from "./server.ts";

const MODULES = ["own_client", "own_otel"];
const WITHIN_MS = 180_000;
const WITH_AUTHENTICATION = process.env["E2E_AUTHENTICATION"] === "true";

let server: TestServer;
let viewerKey: string | undefined;

beforeAll(async () => {
	server = await startServer(WITH_AUTHENTICATION ? { env: { SERVICE_ADMIN_SECRET: ADMIN_SECRET } } : {});
	if (WITH_AUTHENTICATION) viewerKey = await createUserKey(await logInAs(server, "VIEWER"));
});
afterAll(async () => server[Symbol.asyncDispose]());

describe("the Python client", () => {
	testModules(MODULES, () => server.key);
});

describe.runIf(WITH_AUTHENTICATION)("the Python client with a viewer's key", () => {
	testModules(["own_viewer"], () => viewerKey);
});

/** A test for each test of these modules; the modules run once, before them. */
function testModules(modules: readonly string[], keyOf: () => string | undefined): void {
	let run: PythonRun | undefined;
	beforeAll(async () => {
		run = await runPythonTests(modules, server, { key: keyOf() });
	}, WITHIN_MS);
	for (const module of modules) {
		test.each(listPythonTests(module))(`${module}: %s`, (name) => {
			expect(run?.errors.has(`${module}.${name}`), "the module did not run to its end").toBe(true);
			expect(run?.errors.get(`${module}.${name}`) ?? "").toBe("");
		});
	}
}
