import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ISSUER, TestProgram, type Tokens } from "#access/authorization-server/test-program.ts";
import { buildApp } from "#app.ts";
import { askerOf } from "#http/asker.ts";
import { openTestApp, type TestApp, text } from "#test-app.ts";
import { Rest } from "./rest.ts";
import { connectClient, listening } from "./test-client.ts";

const TRACE = "1".repeat(32);
const INITIALIZE = {
	...{ jsonrpc: "2.0", id: 1, method: "initialize" },
	params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};
const ACCEPT = { accept: "application/json, text/event-stream" };

describe("while authentication is off", () => {
	let server: TestApp;
	beforeAll(async () => {
		server = await openTestApp({ SERVICE_ENABLE_PROMETHEUS: "true" });
		await server.send(
			[
				{ spanId: "a".repeat(16), name: "run", status: { code: 2, message: "gave up" } },
				...[1, 2, 3].map((id) => ({ spanId: `${id}`.repeat(16), parentSpanId: "a".repeat(16), name: "step" })),
			],
			"shop",
		);
	});
	afterAll(() => server[Symbol.asyncDispose]());

	test.each(["auto", "legacy"] as const)("a released client lists and calls tools (%s)", async (era) => {
		await using agent = await connectClient(server, {}, era);
		// What is listed depends on the key alone, and is asked for again with each request: there is nothing to be told of.
		const { tools, prompts, resources } = agent.client.getServerCapabilities() ?? {};
		expect([tools, prompts, resources]).toMatchObject(Array(3).fill({ listChanged: false }));
		expect(await agent.tools()).toEqual(expect.arrayContaining(["list_projects", "get_trace"]));
		const projects = await agent.call("list_projects");
		expect(projects.data.projects).toContainEqual(expect.objectContaining({ name: "shop" }));
		const trace = await agent.call("get_trace", { project: "shop", trace_id: TRACE });
		expect(trace.data).toMatchObject({
			trace: { trace_id: TRACE, span_count: 4, error_count: 1 },
			left_out: { spans: 0 },
		});
		expect(trace.text).toContain("step ×3");
		expect(trace.data.link).toBe(`${await listening(server)}/p/${trace.data.trace.project_id}/traces/${TRACE}`);
	});

	test("clients are told the same of the tools, however often they ask", async () => {
		await using agent = await connectClient(server);
		await using older = await connectClient(server, {}, "legacy");
		const { tools } = await agent.client.listTools(undefined, { cacheMode: "bypass" });
		for (const { client } of [older, agent, older])
			expect((await client.listTools(undefined, { cacheMode: "bypass" })).tools).toEqual(tools);
		expect(tools[0]).toMatchObject({ inputSchema: { type: "object" }, outputSchema: { type: "object" } });
	});

	test("a tool that is refused says why, without an exception", async () => {
		await using agent = await connectClient(server);
		expect(await agent.call("get_trace", { project: "shop", trace_id: "2".repeat(32) })).toEqual({
			text: `Trace with trace_id '${"2".repeat(32)}' not found`,
			data: undefined,
			isError: true,
		});
		expect(await agent.call("get_trace", { project: "shop" })).toMatchObject({ isError: true });
	});

	test("AG06 a page of another site, or a name that was made to resolve to this machine, is refused with 403", async () => {
		const post = (headers: Record<string, string>) =>
			server.call("POST", "/mcp", INITIALIZE, { ...ACCEPT, ...headers });
		expect(await post({ host: "127.0.0.1:6006" })).toMatchObject({ status: 200 });
		expect(await post({ host: "evil.example:6006" })).toMatchObject({ status: 403 });
		expect(await post({ host: "127.0.0.1:6006", origin: "http://evil.example" })).toMatchObject({ status: 403 });
		expect(await post({ host: "127.0.0.1:6006", origin: "http://127.0.0.1:6006" })).toMatchObject({ status: 200 });
		expect(await server.get("/mcp", { host: "127.0.0.1:6006", origin: "null" })).toMatchObject({ status: 403 });
	});

	test("what is no message of the protocol is an error of the protocol", async () => {
		const post = (payload: string, type = "application/json") =>
			server.app.inject({ method: "POST", url: "/mcp", payload, headers: { ...ACCEPT, "content-type": type } });
		expect((await post("{")).json()).toMatchObject({ error: { code: -32700 } });
		expect((await post(`"${"x".repeat(1_100_000)}"`)).statusCode).toBe(413);
		expect((await post("[".repeat(10_000))).statusCode).toBe(400);
		expect((await post("x", "text/plain")).statusCode).toBe(415);
		expect((await server.get("/mcp", ACCEPT)).status).toBe(405);
	});

	test("resources, prompts and completions are of what the caller sees", async () => {
		await using agent = await connectClient(server);
		const { client } = agent;
		const { resourceTemplates } = await client.listResourceTemplates();
		expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
			"spanward://project/{name}/trace/{trace_id}",
			"spanward://project/{name}/span/{span_id}",
			"spanward://dataset/{name}",
			"spanward://prompt/{name}@{tag}",
		]);
		const { contents } = await client.readResource({ uri: `spanward://project/shop/trace/${TRACE}` });
		expect(contents).toMatchObject([{ mimeType: "text/plain", text: expect.stringContaining("step ×3") }]);
		const span = await client.readResource({ uri: `spanward://project/shop/span/${"a".repeat(16)}` });
		expect(span.contents).toMatchObject([{ text: expect.stringContaining("gave up") }]);
		await expect(client.readResource({ uri: "spanward://project/nought/trace/1" })).rejects.toThrow(/not found/i);
		const { prompts } = await client.listPrompts();
		expect(prompts.map(({ name }) => name)).toEqual(["debug_trace", "triage_errors", "write_evaluation_set"]);
		const { messages } = await client.getPrompt({ name: "triage_errors", arguments: { project: "shop" } });
		expect(messages).toMatchObject([{ content: { text: expect.stringContaining('"shop"') } }]);
		const complete = async (name: string, value: string, args = {}) =>
			(
				await client.complete({
					ref: { type: "ref/prompt", name: "debug_trace" },
					argument: { name, value },
					context: { arguments: args },
				})
			).completion.values;
		expect(await complete("project", "sh")).toEqual(["shop"]);
		expect(await complete("trace_id", "1", { project: "shop" })).toEqual([TRACE]);
		expect(await complete("trace_id", "1", { project: "nought" })).toEqual([]);
	});

	test("calls are counted by tool", async () => {
		await using agent = await connectClient(server);
		await agent.call("list_projects");
		const { text } = await server.get("/metrics");
		expect(text).toMatch(/spanward_mcp_calls_total\{tool="list_projects",outcome="ok"\} [1-9]/);
		expect(text).toMatch(/spanward_mcp_call_duration_seconds_count\{tool="list_projects"\} [1-9]/);
	});
});

describe("while authentication is on", () => {
	let server: TestApp;
	beforeAll(async () => {
		server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	});
	afterAll(() => server[Symbol.asyncDispose]());

	test("AG02 without credentials it answers the challenge, a session is not enough, a key works", async () => {
		const none = await server.call("POST", "/mcp", INITIALIZE, ACCEPT);
		expect(none).toMatchObject({
			status: 401,
			headers: {
				"www-authenticate": expect.stringMatching(
					/^Bearer realm="service", resource_metadata="http:[^"]*\/.well-known\/oauth-protected-resource\/mcp", scope="read"$/,
				),
			},
		});
		const session = await server.signedIn("MEMBER", "session");
		expect(await server.call("POST", "/mcp", INITIALIZE, { ...ACCEPT, ...session.headers })).toMatchObject({
			status: 401,
		});
		const key = await server.signedIn("MEMBER", "key");
		await using agent = await connectClient(server, key.headers);
		expect((await agent.call("list_projects")).isError).toBe(false);
	});

	test("AG04 a token for this address reads by tools, and is none for the API; that of the API is none here", async () => {
		const ada = await server.signedIn("MEMBER", "session");
		const program = new TestProgram(server);
		const asBearer = ({ access_token }: Tokens) => ({ authorization: `Bearer ${access_token}` });
		const ofMcp = asBearer(await program.tokens(ada, { resource: `${ISSUER}/mcp`, permissions: ["read"] }));
		const ofApi = asBearer(await program.tokens(ada, { permissions: ["read"] }));
		await using agent = await connectClient(server, ofMcp);
		expect((await agent.call("list_projects")).isError).toBe(false);
		expect(await agent.tools()).not.toContain("annotate");
		expect(await server.get("/v1/projects", ofMcp)).toMatchObject({ status: 401 });
		expect(await server.get("/v1/projects", ofApi)).toMatchObject({ status: 200 });
		expect(await server.call("POST", "/mcp", INITIALIZE, { ...ACCEPT, ...ofApi })).toMatchObject({ status: 401 });
	});

	test("AG03 a role that is taken away takes its tools away from a client that is connected, and with the account all", async () => {
		const admin = await server.signedIn("ADMIN");
		const key = await server.signedIn("MEMBER", "key");
		const user = `/v1/users/${Buffer.from(`User:${key.userId}`).toString("base64")}`;
		await using agent = await connectClient(server, key.headers, "legacy");
		const create = (name: string) => agent.call("create_dataset", { name });
		expect(await create("before")).toMatchObject({ isError: false });
		expect(await server.call("PATCH", user, { role: "VIEWER" }, admin.headers)).toMatchObject({ status: 200 });
		await expect(create("after")).rejects.toThrow(/create_dataset not found/);
		expect(await agent.tools()).not.toContain("create_dataset");
		expect(await agent.call("list_datasets")).toMatchObject({ isError: false });
		expect(await server.call("DELETE", user, undefined, admin.headers)).toMatchObject({ status: 204 });
		await expect(agent.call("list_datasets")).rejects.toThrow(/credentials are not valid/);
	});

	test("more than 120 calls a minute get 429 with the time to wait, however they are sent", async () => {
		const key = await server.signedIn("VIEWER", "key");
		const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
		const batch = await server.call("POST", "/mcp", Array(121).fill(ping), { ...ACCEPT, ...key.headers });
		expect(batch).toMatchObject({ status: 429, headers: { "retry-after": "1" } });
		const other = await server.signedIn("VIEWER", "key");
		expect(await server.call("POST", "/mcp", ping, { ...ACCEPT, ...other.headers })).toMatchObject({ status: 200 });
	});
});

test("AG29 while authentication is off it is used from other machines by the names that the rest of the server has", async () => {
	const settings = { SERVICE_ENABLE_AUTH: "false", SERVICE_HOST: "0.0.0.0", SERVICE_ALLOWED_HOSTS: "traces.internal" };
	await using server = await openTestApp({ ...settings });
	const headers = { ...ACCEPT, "content-type": "application/json" };
	for (const [host, statuses] of [
		["192.0.2.7:6006", [200, 200]],
		["traces.internal", [200, 200]],
		["localhost:6006", [200, 200]],
		["elsewhere.example", [403, 421]],
	] as const) {
		const from = { remoteAddress: "192.0.2.8", headers: { ...headers, host } };
		const mcp = await server.app.inject({ ...from, method: "POST", url: "/mcp", payload: INITIALIZE });
		const rest = await server.app.inject({ ...from, url: "/v1/projects" });
		expect([host, [mcp.statusCode, rest.statusCode]]).toEqual([host, statuses]);
	}
});

test("AG28 while it is switched off, its path is not there", async () => {
	await using server = await openTestApp({ SERVICE_ENABLE_MCP: "false" });
	expect(await server.get("/mcp")).toMatchObject({ status: 404 });
	expect(await server.call("POST", "/mcp", INITIALIZE)).toMatchObject({ status: 404 });
});

test("a call that takes 10 s answers what it has read, and names what it has not", async () => {
	await using server = await openTestApp();
	await server.send(
		[{ name: "run", attributes: { "session.id": text("s"), "input.value": text("a question") } }],
		"shop",
	);
	const { promise: isOver, resolve: over } = Promise.withResolvers<void>();
	const slow: ReadonlySet<string | symbol> = new Set([
		"listTraces",
		"listSpans",
		"listStoredSpans",
		"findSpansBySpanId",
		"findEntitiesById",
	]);
	const traces = new Proxy(server.context.traces, {
		get: (store, name) => {
			const member: unknown = Reflect.get(store, name);
			if (typeof member !== "function") return member;
			if (!slow.has(name)) return member.bind(store);
			return async (...given: unknown[]) => {
				await isOver;
				return Reflect.apply(member, store, given);
			};
		},
	});
	const app = await buildApp({ ...server.context, traces });
	await using agent = await connectClient({ ...server, app });
	const of = { project: "shop", trace_id: TRACE };
	const reports: { progress: number; message?: string | undefined }[] = [];
	const onprogress = (report: (typeof reports)[number]) => void reports.push(report);
	// The first call of all may take a while.
	await agent.call("list_projects");
	await agent.client.callTool({ name: "list_projects" }, { onprogress });
	expect(reports).toEqual([]);
	const [described, session, full, explained, listed, span, , written] = await Promise.all([
		agent.call("describe_project", { project: "shop", max_tokens: 500 }),
		agent.call("get_session", { project: "shop", session_id: "s" }),
		agent.call("get_trace", { ...of, view: "full" }),
		agent.call("explain_filter", { project: "shop" }),
		agent.call("search_traces", { project: "shop" }),
		agent.call("get_span", { ...of, span_id: "1".repeat(16) }),
		agent.client.callTool({ name: "search_spans", arguments: { project: "shop", filter: "words" } }, { onprogress }),
		agent.call("add_examples", { dataset: "new", span_ids: ["1".repeat(16)], project: "shop", create_missing: true }),
	]);
	expect(described).toMatchObject({
		isError: false,
		data: {
			...{ name: "shop", newest_week: null, annotations: [], sampled_span_count: 0 },
			not_read_in_time: expect.arrayContaining([
				...["first_trace_start_time", "newest_trace_start_time", "newest_week", "names, models and attributes"],
			]),
		},
	});
	expect(described.text).toContain("This answer is partial. Not read within 10 seconds: ");
	for (const form of [described.text, JSON.stringify(described.data)]) expect(form.length).toBeLessThanOrEqual(2_000);
	expect(session).toMatchObject({
		isError: false,
		data: { session: { session_id: "s", trace_count: 1 }, traces: [], not_read_in_time: ["traces"] },
	});
	expect(full).toMatchObject({
		isError: false,
		data: { trace: { span_count: 1 }, contents: [], contents_not_read: 1, not_read_in_time: ["contents"] },
	});
	expect(explained).toMatchObject({ isError: false, data: { not_read_in_time: ["attributes"] } });
	for (const { isError, text: said } of [listed, span])
		expect([isError, said]).toEqual([
			true,
			expect.stringContaining("Nothing was read within 10 seconds. Ask for less"),
		]);
	expect(written).toMatchObject({ isError: true, text: expect.stringContaining("may have been done all the same") });
	// Each second, as long as the call takes.
	expect(reports.length).toBeGreaterThan(1);
	expect(reports.map(({ progress }) => progress)).toEqual(reports.map((_, at) => at + 1));
	expect(reports[0]?.message).toBe("looking");
	over();
	await app.close();
});

test("AG11 what a cancelled call asked of a route is told that its caller has gone", async () => {
	await using server = await openTestApp();
	const { promise: gone, resolve } = Promise.withResolvers<void>();
	// A slow route in the place of a slow query: it is told when its caller has gone.
	server.app.get("/v1/slow", { config: { access: "read", home: "none" } }, (request, reply) => {
		askerOf(request, reply).gone?.addEventListener("abort", () => resolve());
	});
	await server.app.ready();
	const cancelled = new AbortController();
	const rest = new Rest(server.app, { headers: {}, ip: "127.0.0.1" }, cancelled.signal, "mcp");
	const answer = rest.get("/v1/slow");
	setTimeout(() => cancelled.abort(), 50);
	await expect(answer).rejects.toThrow(/abort/i);
	await gone;
});
