import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { at, type Json, list } from "../fixture-comparison.ts";
import { PYTHON } from "../python-clients.ts";
import { startServer, type TestServer } from "../server.ts";
import { findSnippet } from "../snippets.ts";

const DOCUMENT = "docs/authentication.md";
const ADMIN_SECRET = "an-admin-secret-of-the-documents-0123456789";
const run = promisify(execFile);

let server: TestServer;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
	server = await startServer({ authentication: true, env: { SERVICE_ADMIN_SECRET: ADMIN_SECRET } });
	env = { ...process.env, SERVICE_API_KEY: server.key, SERVICE_ADMIN_SECRET: ADMIN_SECRET };
});
afterAll(async () => server[Symbol.asyncDispose]());

async function listSpanNames(project = "with-a-key"): Promise<string[]> {
	const page = (await server.getJson(`/v1/projects/${project}/spans`)) as Json;
	return list(at(page, "data")).map((span) => String(at(span, "name")));
}

function runNode(code: string): Promise<{ stdout: string }> {
	return run(process.execPath, ["--input-type=module-typescript", "--eval", code], { cwd: import.meta.dirname, env });
}

test("Python sends a span over gRPC with a key", async () => {
	await run(PYTHON, ["-c", findSnippet(DOCUMENT, "python", "OTLPSpanExporter", server)], { env });
	expect(await listSpanNames()).toContain("over gRPC");
});

test("the Phoenix packages for Python send a span and read it with a key", async () => {
	const { stdout } = await run(PYTHON, ["-c", findSnippet(DOCUMENT, "python", "phoenix.otel", server)], { env });
	expect(stdout).toContain("with phoenix");
});

test("JavaScript sends a span with a key", async () => {
	await runNode(findSnippet(DOCUMENT, "ts", "OTLPTraceExporter", server));
	expect(await listSpanNames()).toContain("from JavaScript");
});

test("an SDK that is told everything by the variables of OpenTelemetry sends a span with a key", async () => {
	const variables = findSnippet(DOCUMENT, "sh", "OTEL_EXPORTER_OTLP_HEADERS", server);
	const code = `
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter()))
provider.get_tracer("x").start_span("told by variables").end()`;
	await run("sh", ["-c", `${variables}\nexec "$0" -c "$1"`, PYTHON, code], { env });
	expect(await listSpanNames("default")).toContain("told by variables");
});

test("curl reads with a key", async () => {
	const { stdout } = await run("sh", ["-c", findSnippet(DOCUMENT, "sh", "/v1/projects", server)], { env });
	expect(list(at(JSON.parse(stdout) as Json, "data")).length).toBeGreaterThan(0);
});

test("curl makes a system key with the admin secret", async () => {
	const { stdout } = await run("sh", ["-c", findSnippet(DOCUMENT, "sh", "/v1/system/api_keys", server)], { env });
	const key = String(at(JSON.parse(stdout) as Json, "data", "key"));
	const headers = { authorization: `Bearer ${key}` };
	expect((await fetch(`${server.url}/v1/projects`, { headers })).status).toBe(200);
});

test("the TypeScript client reads its key and the address of the server from the environment", async () => {
	const code = `
		import { createClient } from ${JSON.stringify(new URL("../../clients/typescript/src/index.ts", import.meta.url).href)};
		const { data } = await createClient().get("/v1/projects");
		process.stdout.write(JSON.stringify(data.map(({ name }) => name)));`;
	env = { ...env, SERVICE_COLLECTOR_ENDPOINT: server.url };
	expect(JSON.parse((await runNode(code)).stdout)).toContain("default");
});

test("R82 curl restricts a project to a team, and makes somebody its member", async () => {
	const document = "docs/access.md";
	const headers = { authorization: `Bearer ${ADMIN_SECRET}`, "content-type": "application/json" };
	const user = {
		auth_method: "LOCAL",
		email: "bob@example.com",
		username: "bob",
		role: "MEMBER",
		password: "first-Password1!",
	};
	const body = JSON.stringify({ user, send_welcome_email: false });
	await fetch(`${server.url}/v1/users`, { method: "POST", headers, body });
	const sh = async (snippet: string, more: NodeJS.ProcessEnv = {}) =>
		await run("sh", ["-ec", snippet.replaceAll("curl ", "curl -sSf ")], { env: { ...env, ...more } });
	await sh(findSnippet(document, "sh", "/v1/projects/ledger/access", server));
	const teams = (await (await fetch(`${server.url}/v1/teams`, { headers })).json()) as Json;
	const [team] = list(at(teams, "data"));
	const members = findSnippet(document, "sh", "/members", server);
	await sh(members, { TEAM_ID: String(at(team ?? null, "id")), SERVICE_COLLECTOR_ENDPOINT: server.url });
	const people = await (await fetch(`${server.url}/v1/projects/ledger/access/people`, { headers })).text();
	expect(people).toContain('"username":"bob","role":"editor"');
});

test("R82 curl makes keys that only send, and puts another in the place of one", async () => {
	const document = "docs/keys.md";
	const sh = async (marker: string, more: NodeJS.ProcessEnv = {}) => {
		const { stdout } = await run("sh", ["-c", findSnippet(document, "sh", marker, server)], {
			env: { ...env, ...more },
		});
		return at(JSON.parse(stdout) as Json, "data");
	};
	const checkout = await sh("checkout");
	expect(String(at(checkout, "key"))).toMatch(/^sw_i_/);
	expect(at(await sh("shop.example.com"), "allowed_origins")).toEqual(["https://shop.example.com"]);
	const KEY_ID = String(at(checkout, "id"));
	expect(at(await sh("/rotate", { KEY_ID }), "replaces")).toBe(KEY_ID);
});
