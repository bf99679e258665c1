import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listPythonTests, runPythonTests } from "./python-clients.ts";
import { startServer, type TestServer } from "./server.ts";

let server: TestServer;

beforeAll(async () => {
	server = await startServer();
});
afterAll(async () => server[Symbol.asyncDispose]());

describe.each(["phoenix_otel", "phoenix_client", "otel_exporters"])("%s", (module) => {
	let errors: ReadonlyMap<string, string | null>;

	beforeAll(async () => {
		// The client deletes projects, which takes an admin.
		errors = await runPythonTests(module, server, module === "phoenix_client" ? server.adminKey : server.key);
	});

	test.each(listPythonTests(module))("%s", (name) => {
		expect(errors.has(name), "the module did not run to its end").toBe(true);
		expect(errors.get(name) ?? "").toBe("");
	});
});
