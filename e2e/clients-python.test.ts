import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ADMIN_SECRET, createUserKey, logInAs } from "./access/accounts.ts";
import { runPythonTests } from "./python-clients.ts";
import { startServer, type TestServer } from "./server.ts";
import { testPythonModules } from "./test-python-modules.ts";

const EXPORTERS = ["phoenix_otel", "otel_exporters"];
const CHECKS = [
	"check_projects",
	"check_spans",
	"check_tables",
	"check_annotations",
	"check_traces",
	"check_sessions",
	"check_datasets",
	"check_experiments",
	"check_prompts",
];
const PHOENIX_CHECKS = ["check_pytest"];
const WITH_AUTHENTICATION = process.env["E2E_AUTHENTICATION"] === "true";
/**
 * Released ones, and ours by the names and calls of those, which send the same requests, so they do it once. Of ours the
 * sync client is made from the async one, and spanward-python.test.ts calls it by its own names.
 */
const CLIENTS = WITH_AUTHENTICATION ? ["phoenix", "phoenix_async", "spanward_async"] : ["phoenix"];

let server: TestServer;
/** Keys of users, while authentication is on. */
const keys: { member?: string; viewer?: string } = {};

beforeAll(async () => {
	server = await startServer(WITH_AUTHENTICATION ? { env: { SERVICE_ADMIN_SECRET: ADMIN_SECRET } } : {});
	if (!WITH_AUTHENTICATION) return;
	keys.member = await createUserKey(await logInAs(server, "MEMBER"));
	keys.viewer = await createUserKey(await logInAs(server, "VIEWER"));
});
afterAll(async () => server[Symbol.asyncDispose]());

describe("exporters", () => {
	testPythonModules(EXPORTERS, () => runPythonTests(EXPORTERS, server, { key: server.key }));
});

describe.each(CLIENTS)("%s", (client) => {
	const credentials = () => ({ key: keys.member, adminKey: server.adminKey, client });
	const checks = client.startsWith("phoenix") ? [...CHECKS, ...PHOENIX_CHECKS] : CHECKS;
	const finished = testPythonModules(checks, () => runPythonTests(checks, server, credentials()));

	test("K08 every public function of the client is called", () => {
		const { functions, called } = finished();
		expect(functions.length).toBeGreaterThan(50);
		expect(functions.filter((name) => !called.includes(name))).toEqual([]);
	});
});

describe.runIf(WITH_AUTHENTICATION).each(CLIENTS)("%s with a viewer's key", (client) => {
	const credentials = () => ({ key: keys.viewer, adminKey: server.adminKey, client });
	testPythonModules(["check_viewer"], () => runPythonTests(["check_viewer"], server, credentials()));
});
