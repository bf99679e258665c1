import { connect } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { TestServer } from "../server.ts";
import { ADMIN_SECRET as ADMIN, asAdmin, Client, logInAs, startWithAuth } from "./accounts.ts";

let server: TestServer;
let viewer: Client;
beforeAll(async () => {
	server = await startWithAuth();
	viewer = await logInAs(server, "VIEWER");
});
afterAll(async () => server[Symbol.asyncDispose]());

/** Stacks, files, statements, names of libraries and tables, versions. */
const INSIDE =
	/\bat \S+ ?\(|\.ts\b|\.js\b|\.mjs\b|node_modules|node:|\/(home|root|work|tmp|usr)\/|sqlite|kysely|fastify|FST_|\bselect .* from\b|insert into|no such table|constraint|\b\d+\.\d+\.\d+\b|v26\./i;

function expectNothingInside(text: string): void {
	expect(text).not.toMatch(INSIDE);
	expect(text).not.toContain(server.workingDir);
}

const big = "x".repeat(70_000);
type Sent = readonly [
	method: string,
	path: string,
	status: number,
	body?: object | string,
	headers?: Readonly<Record<string, string>>,
];

const REQUESTS: readonly Sent[] = [
	["GET", "/v1/nothing", 404],
	["GET", "/v1/projects/absent", 404],
	["DELETE", "/v1/audit_events", 405],
	["GET", "/v1/projects?limit=x", 422],
	["GET", "/v1/projects?cursor=%00", 422],
	["GET", "/v1/projects/%ff", 400],
	["GET", "/v1/spans?span_ids='%20or%201=1--", 422],
	["DELETE", "/v1/users/..%2F..%2Fetc%2Fpasswd", 422],
	["POST", "/v1/projects", 422, {}],
	["POST", "/v1/projects", 422, "{"],
	["POST", "/v1/projects", 415, "name=x", { "content-type": "application/x-www-form-urlencoded" }],
	["POST", "/v1/projects", 415, "{}", { "content-type": "application/json\ta" }],
	["POST", "/v1/projects", 422, { name: `${big}' or 1=1` }],
	["POST", "/v1/traces", 415, "x", { "content-type": "text/plain" }],
	["POST", "/v1/traces", 422, "{", { "content-type": "application/json" }],
	["POST", "/v1/traces", 422, "x", { "content-type": "application/x-protobuf" }],
	["POST", "/v1/traces", 400, "x", { "content-type": "application/x-protobuf", "content-encoding": "gzip" }],
	["PUT", "/v1/secrets", 422, { secrets: 5 }],
	["POST", "/v1/users", 422, { user: [] }],
	["POST", "/auth/login", 422, { email: [], password: {} }],
	["POST", "/auth/login", 401, { email: "a@example.com", password: "x" }],
	["POST", "/auth/login", 415, "x", { "content-type": "text/plain" }],
];

describe.each(["*/*", "application/problem+json"])("T199 answered as %s,", (accept) => {
	test.each(REQUESTS.map(([method, path, status, body, headers = {}]) => ({ method, path, status, body, headers })))(
		"the refusal of $method $path shows nothing of the inside",
		async ({ method, path, status, body, headers }) => {
			const response = await fetch(server.url + path, {
				method,
				headers: { accept, authorization: `Bearer ${ADMIN}`, "content-type": "application/json", ...headers },
				...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
			});
			expect(response.status).toBe(status);
			expectNothingInside(await response.text());
		},
	);

	test("the refusals of nobody and of a viewer show nothing of the inside", async () => {
		const nobody = await new Client(server).send("GET", "/v1/users", undefined, { accept });
		expect(nobody.status).toBe(401);
		const refused = await viewer.send("DELETE", "/v1/projects/default", undefined, { accept });
		expect(refused.status).toBe(403);
		for (const response of [nobody, refused]) expectNothingInside(await response.text());
	});
});

test.each([
	"nonsense\r\n\r\n",
	"GET / HTTP/9.9\r\n\r\n",
	"GET http:// HTTP/1.1\r\nHost: x\r\n\r\n",
	`GET /${"a".repeat(200_000)} HTTP/1.1\r\n\r\n`,
])("T199 what is no request is answered with nothing of the inside", async (text) => {
	expectNothingInside(await sendRaw(text));
});

function sendRaw(text: string): Promise<string> {
	return new Promise((resolve) => {
		const socket = connect(server.port, "127.0.0.1", () => socket.end(text));
		let answer = "";
		socket.setEncoding("latin1").on("data", (part) => {
			answer += part;
		});
		// The headers name the compatibility level on purpose.
		socket.on("close", () => resolve(answer.split("\r\n\r\n").slice(1).join("\r\n\r\n")));
		socket.on("error", () => socket.destroy());
	});
}

test("T199 an error of the server is masked, its id leads to the cause in the log, and the server goes on", async () => {
	await using own = await startWithAuth();
	const client = asAdmin(own);
	const db = new DatabaseSync(join(own.workingDir, "spanward.db"));
	// The server, which is in this process, may be writing.
	await vi.waitFor(() => db.exec("alter table projects rename to gone"), { timeout: 60_000 });
	db.close();
	for (const accept of ["*/*", "application/problem+json"]) {
		for (const [method, path] of [
			["GET", "/v1/projects"],
			["POST", "/v1/projects"],
			["GET", "/v1/projects/default/traces"],
		] as const) {
			const response = await client.send(method, path, method === "POST" ? { name: "x" } : undefined, { accept });
			expect(response.status).toBe(500);
			const text = await response.text();
			expect(text).not.toMatch(INSIDE);
			expect(text).not.toContain("projects");
			const id = response.headers.get("x-request-id");
			expect(id).toMatch(/^[0-9a-f-]{36}$/);
			const logged = own.output.split("\n").find((line) => line.includes(id ?? "-"));
			expect(logged).toContain("no such table");
		}
	}
	expect((await client.send("GET", "/v1/users")).status).toBe(200);
});
