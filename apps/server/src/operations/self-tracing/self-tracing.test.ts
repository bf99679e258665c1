import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { expect, test } from "vitest";
import { readConfig } from "#base/config.ts";
import { problems, warnings } from "#base/settings/test-settings.ts";
import { SELF_TRACING_HEADER } from "#http/self-tracing-header.ts";
import { openTestApp } from "#test-app.ts";
import { SelfTracing } from "./self-tracing.ts";

const STORAGE = process.env["TEST_STORAGE"];

test("sends spans of requests, named by route, to another server, which does not trace these requests", async () => {
	await using told = await openTestApp();
	await told.app.listen({ host: "127.0.0.1", port: 0 });
	const { port } = told.app.server.address() as AddressInfo;
	await using telling = await openTestApp({
		SERVICE_SELF_TRACING_ENDPOINT: `http://127.0.0.1:${port}`,
		SERVICE_SELF_TRACING_PROJECT: "what it does",
	});
	await telling.send([{ name: "stored" }]);
	await telling.get("/v1/projects/nobody-has-this-name?filter=nor-this");
	await telling.get("/v1/projects/default/spans?filter=span.name%20%3D%3D%20%22this-value%22");
	await telling.get("/healthz");
	const fromAnother = { [SELF_TRACING_HEADER]: "true" };
	await telling.get("/v1/projects", fromAnother);
	const scopeSpans = [{ spans: [{ traceId: "2".repeat(32), spanId: "2".repeat(16), name: "of another" }] }];
	const sent = await telling.call("POST", "/v1/traces", { resourceSpans: [{ scopeSpans }] }, fromAnother);
	expect([sent.status, sent.text]).toEqual([200, "{}"]);
	await telling.context.tracing.flush();
	const { json, text } = await told.get("/v1/projects/what%20it%20does/spans?limit=100");
	const spans: { name: string; parent_id: string | null; context: { trace_id: string }; attributes: object }[] =
		json.data;
	const roots = spans.filter(({ parent_id: parent }) => parent === null);
	expect(roots.map(({ name }) => name).sort()).toEqual([
		"GET /v1/projects/:project_identifier",
		"GET /v1/projects/:project_identifier/spans",
		"POST /v1/traces",
		"commit exports",
	]);
	expect(text).not.toMatch(/nobody-has-this-name|nor-this|this-value/);
	const asked = roots.find(({ name }) => name.endsWith(":project_identifier"));
	expect(asked?.attributes).toMatchObject({ "http.request.method": "GET", "http.response.status_code": 404 });
	const listed = roots.find(({ name }) => name.endsWith("/spans"));
	const statementsOf = (root = asked) =>
		spans.filter(({ context, parent_id: parent }) => context.trace_id === root?.context.trace_id && parent !== null);
	if (STORAGE === "postgres") {
		const [statement] = statementsOf(asked);
		expect(statement?.name).toBe("select");
		expect(statement?.attributes).toMatchObject({ "db.query.text": expect.stringContaining("$1") });
	}
	if (STORAGE === "clickhouse") {
		const [statement] = statementsOf(listed);
		expect(statement?.name).toBe("select");
		expect(statement?.attributes).toMatchObject({
			"db.system.name": "clickhouse",
			"db.query.text": expect.stringMatching(/\{\w+:/),
			"clickhouse.query_id": expect.stringMatching(/^[0-9a-f-]{36}$/),
		});
	}
});

test("an unreachable receiver costs only spans, and is logged once", async () => {
	let answers = 0;
	let status = 503;
	const headers: unknown[] = [];
	await using receiver = createServer((request, response) => {
		answers += 1;
		headers.push(request.headers.authorization);
		request.resume();
		response.writeHead(status).end();
	});
	await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
	const { port } = receiver.address() as AddressInfo;
	const lines: string[] = [];
	const log = pino({}, { write: (line: string) => void lines.push(line) });
	const config = readConfig({
		SERVICE_SELF_TRACING_ENDPOINT: `http://127.0.0.1:${port}`,
		SERVICE_SELF_TRACING_HEADERS: "authorization=Bearer%20hunter2",
	});
	await using tracing = new SelfTracing(config, log);
	const tell = async () => {
		const request = tracing.beginRequest();
		if (request === undefined) throw new Error("not told");
		tracing.endRequest(request, "GET", "/", 200);
		await tracing.flush();
	};
	await tell();
	await tell();
	expect(lines).toHaveLength(1);
	expect(lines[0]).toContain("does not accept spans");
	status = 200;
	await tell();
	expect(lines).toHaveLength(2);
	expect(lines[1]).toContain('"dropped":2');
	expect(answers).toBe(3);
	expect(headers).toEqual(Array(3).fill("Bearer hunter2"));
	expect(`${lines}${JSON.stringify(config)}`).not.toContain("hunter2");
	// While the receiver fails, spans beyond the queue are dropped.
	status = 503;
	for (let count = 0; count < 10_000; count += 1) {
		const request = tracing.beginRequest();
		if (request !== undefined) tracing.endRequest(request, "GET", "/", 200);
	}
	await tracing.flush();
	expect(answers).toBeLessThan(12);
});

test("is off by default, samples requests, and never traces requests of self-tracing", async () => {
	const tracing = (environment: Readonly<Record<string, string>>) =>
		new SelfTracing(readConfig(environment), pino({ level: "silent" }));
	await using off = tracing({});
	expect([off.isOn, off.beginRequest()]).toEqual([false, undefined]);
	const endpoint = { SERVICE_SELF_TRACING_ENDPOINT: "http://127.0.0.1:9" };
	await using none = tracing({ ...endpoint, SERVICE_SELF_TRACING_SAMPLE_RATIO: "0" });
	expect([none.isOn, none.beginRequest()]).toEqual([false, undefined]);
	for (const own of ["http://localhost:6006", "http://[::1]:6006/", "https://traces.example/x"]) {
		const environment = { SERVICE_ROOT_URL: "https://traces.example", SERVICE_SELF_TRACING_ENDPOINT: own };
		expect(problems(environment)).toEqual([expect.stringMatching(/ENDPOINT is the address of this server/)]);
	}
	expect(problems({ SERVICE_SELF_TRACING_HEADERS: "a=hunter2" })).toEqual([
		"SERVICE_SELF_TRACING_HEADERS needs SERVICE_SELF_TRACING_ENDPOINT",
	]);
	const [wrong = ""] = problems({ ...endpoint, SERVICE_SELF_TRACING_HEADERS: "hunter2" });
	expect(wrong).toMatch(/name=value pairs/);
	expect(wrong).not.toContain("hunter2");
	expect(
		warnings({ SERVICE_SELF_TRACING_ENDPOINT: "http://other.example", SERVICE_SELF_TRACING_HEADERS: "a=b" }),
	).toEqual([expect.stringMatching(/sent unencrypted/)]);
});
