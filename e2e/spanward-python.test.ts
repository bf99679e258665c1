import { afterAll, beforeAll, describe } from "vitest";
import { ADMIN_SECRET, createUserKey, logInAs } from "./access/accounts.ts";
import { runPythonTests } from "./python-clients.ts";
import { startServer, type TestServer } from "./server.ts";
import { testPythonModules } from "./test-python-modules.ts";

const MODULES = ["own_client", "own_evaluate", "own_otel", "own_watch"];
const WITH_AUTHENTICATION = process.env["E2E_AUTHENTICATION"] === "true";

let server: TestServer;
let viewerKey: string | undefined;

beforeAll(async () => {
	server = await startServer(WITH_AUTHENTICATION ? { env: { SERVICE_ADMIN_SECRET: ADMIN_SECRET } } : {});
	if (WITH_AUTHENTICATION) viewerKey = await createUserKey(await logInAs(server, "VIEWER"));
});
afterAll(async () => server[Symbol.asyncDispose]());

describe("the Python client", () => {
	testPythonModules(MODULES, () => runPythonTests(MODULES, server, { key: server.key, adminKey: server.adminKey }));
});

describe.runIf(WITH_AUTHENTICATION)("the Python client with a viewer's key", () => {
	testPythonModules(["own_viewer"], () => runPythonTests(["own_viewer"], server, { key: viewerKey }));
});
