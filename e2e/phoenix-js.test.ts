import { createClient } from "@arizeai/phoenix-client";
import { deleteSession, getSession, getSessionTurns, listSessions } from "@arizeai/phoenix-client/sessions";
import { deleteSpan, getSpans, logSpans, type Span, SpanCreationError } from "@arizeai/phoenix-client/spans";
import { getTraces } from "@arizeai/phoenix-client/traces";
import { register } from "@arizeai/phoenix-otel";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, type TestServer } from "./server.ts";

let server: TestServer;
let client: ReturnType<typeof createClient>;

beforeAll(async () => {
	server = await startServer();
	// As its users set it; a variable because the exporter of phoenix-otel reads it too.
	if (server.adminKey !== undefined) process.env["PHOENIX_API_KEY"] = server.adminKey;
	client = createClient({ options: { baseUrl: server.url } });
});
afterAll(async () => {
	delete process.env["PHOENIX_API_KEY"];
	await server[Symbol.asyncDispose]();
});

test("register() of phoenix-otel sends spans that getSpans() of phoenix-client reads", async () => {
	const provider = register({ projectName: "js-otel", url: server.url, global: false });
	const tracer = provider.getTracer("e2e");
	const attributes = { "openinference.span.kind": "LLM", "llm.model_name": "gpt-4o-mini", "input.value": "hello" };
	tracer.startSpan("chat", { attributes }).end();
	tracer.startSpan("plain").end();
	await provider.shutdown();
	const { spans } = await getSpans({ client, project: { projectName: "js-otel" } });
	expect(spans.map((span) => span.name).toSorted()).toEqual(["chat", "plain"]);
	const chat = spans.find((span) => span.name === "chat");
	expect(chat?.span_kind).toBe("LLM");
	expect(chat?.attributes).toMatchObject({ "llm.model_name": "gpt-4o-mini", "input.value": "hello" });
});

test("projects: create, list, read, update and delete", async () => {
	const created = await client.POST("/v1/projects", { body: { name: "js-project", description: "one" } });
	expect(created.data?.data).toMatchObject({ name: "js-project", description: "one" });
	const listed = await client.GET("/v1/projects");
	expect(listed.data?.data.map(({ name }) => name)).toContain("js-project");
	const path = { project_identifier: "js-project" };
	await client.PUT("/v1/projects/{project_identifier}", { params: { path }, body: { description: "two" } });
	const read = await client.GET("/v1/projects/{project_identifier}", { params: { path } });
	expect(read.data?.data.description).toBe("two");
	await client.DELETE("/v1/projects/{project_identifier}", { params: { path } });
	await expect(client.GET("/v1/projects/{project_identifier}", { params: { path } })).rejects.toThrow();
});

test("logSpans() stores spans, getSpans() filters and pages them", async () => {
	const project = { projectName: "js-log" };
	const spans = [
		makeSpan({ span: 1, name: "root", kind: "AGENT", attributes: { "session.id": "s-1" } }),
		makeSpan({
			span: 2,
			name: "model",
			kind: "LLM",
			parent: 1,
			status: "ERROR",
			attributes: { "llm.model_name": "m" },
		}),
		makeSpan({ span: 3, name: "tool", kind: "TOOL", parent: 1, attributes: { attempts: 2 } }),
	];
	expect(await logSpans({ client, project, spans })).toEqual({ totalReceived: 3, totalQueued: 3 });

	const names = async (filter: Omit<Parameters<typeof getSpans>[0], "client" | "project">) =>
		(await getSpans({ client, project, ...filter })).spans.map(({ name }) => name).toSorted();
	expect(await names({})).toEqual(["model", "root", "tool"]);
	expect(await names({ parentId: null })).toEqual(["root"]);
	expect(await names({ parentId: "0000000000000001" })).toEqual(["model", "tool"]);
	expect(await names({ name: ["model", "root"] })).toEqual(["model", "root"]);
	expect(await names({ spanKind: "LLM" })).toEqual(["model"]);
	expect(await names({ statusCode: "ERROR" })).toEqual(["model"]);
	expect(await names({ attributes: { attempts: 2 } })).toEqual(["tool"]);
	expect(await names({ traceIds: ["0".repeat(31).concat("9")] })).toEqual([]);
	expect(await names({ startTime: "2026-01-01T00:00:02+00:00" })).toEqual(["model", "tool"]);

	const first = await getSpans({ client, project, limit: 2 });
	expect(first.spans).toHaveLength(2);
	const second = await getSpans({ client, project, limit: 2, cursor: first.nextCursor });
	expect(second.spans).toHaveLength(1);
	expect(second.nextCursor).toBeNull();
});

test("logSpans() names the duplicates and stores nothing of that request", async () => {
	const project = { projectName: "js-duplicates" };
	const span = makeSpan({ span: 11, name: "once", kind: "CHAIN" });
	await logSpans({ client, project, spans: [span] });
	const again = logSpans({ client, project, spans: [span, makeSpan({ span: 12, name: "new", kind: "CHAIN" })] });
	const error = await again.then(
		() => undefined,
		(reason: unknown) => reason,
	);
	expect(error).toBeInstanceOf(SpanCreationError);
	expect(error).toMatchObject({ totalReceived: 2, totalQueued: 0, totalDuplicates: 1 });
	expect((await getSpans({ client, project })).spans).toHaveLength(1);
});

test("getTraces() with spans, deleteSpan(), and the session calls", async () => {
	const project = { projectName: "js-sessions" };
	const spans = [
		makeSpan({ trace: 21, span: 21, name: "first turn", kind: "CHAIN", second: 1, attributes: turn("hi", "hello") }),
		makeSpan({ trace: 22, span: 22, name: "second turn", kind: "CHAIN", second: 5, attributes: turn("bye", "ciao") }),
		makeSpan({ trace: 22, span: 23, name: "inner", kind: "TOOL", parent: 22, second: 6 }),
	];
	await logSpans({ client, project, spans });

	const { traces } = await getTraces({ client, project, includeSpans: true, order: "asc" });
	expect(traces.map(({ spans }) => spans?.map(({ name }) => name))).toEqual([["first turn"], ["second turn", "inner"]]);
	expect((await getTraces({ client, project, sessionId: "talk" })).traces).toHaveLength(2);

	const sessions = await listSessions({ client, projectName: "js-sessions" });
	expect(sessions.map(({ sessionId }) => sessionId)).toEqual(["talk"]);
	const session = await getSession({ client, sessionId: "talk" });
	expect(session.traces).toHaveLength(2);
	const turns = await getSessionTurns({ client, sessionId: "talk" });
	expect(turns.map(({ input, output }) => [input?.value, output?.value])).toEqual([
		["hi", "hello"],
		["bye", "ciao"],
	]);

	await deleteSpan({ client, spanIdentifier: "0000000000000017" });
	expect((await getSpans({ client, project })).spans).toHaveLength(2);
	await deleteSession({ client, sessionId: "talk" });
	expect((await getSpans({ client, project })).spans).toHaveLength(0);
	expect(await listSessions({ client, projectName: "js-sessions" })).toEqual([]);
});

interface SpanSketch {
	readonly trace?: number;
	readonly span: number;
	readonly parent?: number;
	readonly name: string;
	readonly kind: string;
	readonly status?: "OK" | "ERROR";
	readonly second?: number;
	readonly attributes?: Span["attributes"];
}

function makeSpan({
	trace = 1,
	span,
	parent,
	name,
	kind,
	status = "OK",
	second = span,
	attributes = {},
}: SpanSketch): Span {
	return {
		name,
		context: { trace_id: hex(trace, 32), span_id: hex(span, 16) },
		span_kind: kind,
		parent_id: parent === undefined ? null : hex(parent, 16),
		start_time: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
		end_time: new Date(Date.UTC(2026, 0, 1, 0, 1)).toISOString(),
		status_code: status,
		attributes,
	};
}

function turn(input: string, output: string): NonNullable<Span["attributes"]> {
	return { "session.id": "talk", "input.value": input, "output.value": output };
}

function hex(number: number, digits: number): string {
	return number.toString(16).padStart(digits, "0");
}
