import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApp, type TestApp, text } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";
import { connectClient, type TestClient } from "./test-client.ts";
import { TOOLS } from "./tools.ts";

const TRACE = "1".repeat(32);
const SPAN = "1".repeat(16);
const WRITING = TOOLS.filter(({ access }) => access !== "read").map(({ name }) => name);

let server: TestApp;
let member: TestPrincipal;
let agent: TestClient;
beforeAll(async () => {
	server = await openTestApp({ SERVICE_ENABLE_AUTH: "true", SERVICE_ENABLE_MCP: "true" });
	member = await server.signedIn("MEMBER", "key");
	agent = await connectClient(server, member.headers);
	for (const project of ["shop", "secret"]) await send(project);
});
afterAll(async () => {
	await agent[Symbol.asyncDispose]();
	await server[Symbol.asyncDispose]();
});

async function send(project: string): Promise<void> {
	const spans = [
		{
			...{ traceId: TRACE, spanId: SPAN, name: `run of ${project}`, startTimeUnixNano: "1700000000000000000" },
			endTimeUnixNano: "1700000001000000000",
			attributes: [
				{ key: "input.value", value: text("a question") },
				{ key: "output.value", value: text("an answer") },
				{ key: "session.id", value: text(`of ${project}`) },
			],
		},
	];
	const admin = await server.signedIn("ADMIN", "key");
	const body = { resourceSpans: [{ resource: {}, scopeSpans: [{ scope: { name: "test" }, spans }] }] };
	const { status } = await server.call("POST", "/v1/traces", body, { ...admin.headers, "x-project-name": project });
	if (status !== 200) throw new Error(`${status}`);
}

async function limitedKey(permissions: readonly string[]): Promise<{ authorization: string }> {
	const session = await server.signedIn("MEMBER", "session");
	const { json } = await server.call(
		"POST",
		"/v1/user/api_keys",
		{ data: { name: "limited", permissions } },
		session.headers,
	);
	return { authorization: `Bearer ${json.data.key}` };
}

test("AG02 tools that write are listed to keys that may use them, and refused to others", async () => {
	expect(await agent.tools()).toEqual(TOOLS.map(({ name }) => name));
	const viewer = await server.signedIn("VIEWER", "key");
	await using reading = await connectClient(server, viewer.headers);
	const readOnly = TOOLS.filter(({ access }) => access === "read").map(({ name }) => name);
	expect(await reading.tools()).toEqual(readOnly);
	const note = { project: "shop", target: "trace", target_id: TRACE, note: "x" };
	await expect(reading.call("add_note", note)).rejects.toThrow(/add_note/);
	await using annotating = await connectClient(server, await limitedKey(["read", "annotate"]));
	expect((await annotating.tools()).filter((name) => WRITING.includes(name))).toEqual(["annotate", "add_note"]);
	expect((await annotating.call("add_note", note)).isError).toBe(false);
	await using only = await connectClient(server, await limitedKey(["read"]));
	expect(await only.tools()).toEqual(readOnly);
	const { tools } = await agent.client.listTools();
	for (const { name, annotations, outputSchema, description } of tools) {
		expect([name, annotations?.readOnlyHint]).toEqual([name, !WRITING.includes(name)]);
		expect(outputSchema?.["type"]).toBe("object");
		expect(description?.length).toBeGreaterThan(60);
	}
});

test("each tool that writes does what it says, AG14 once for each idempotency key, AG30 with an entry in the audit log", async () => {
	const done = async (name: string, args: object) => {
		const answer = await agent.call(name, args);
		if (answer.isError) throw new Error(answer.text);
		return answer.data;
	};
	const of = { project: "shop", target: "span", target_id: SPAN };
	const annotated = await done("annotate", { ...of, name: "correct", label: "no", score: 0 });
	expect(await done("annotate", { ...of, name: "correct", label: "yes", score: 1 })).toEqual(annotated);
	const note = { ...of, note: "look here", idempotency_key: "note-1" };
	const noted = await done("add_note", note);
	expect(await done("add_note", note)).toEqual(noted);
	const { annotations } = await done("list_annotations", { project: "shop", target: "span", ids: [SPAN] });
	expect(
		annotations.map(({ name, label, explanation }: Record<string, unknown>) => [name, label, explanation]),
	).toEqual(
		expect.arrayContaining([
			["correct", "yes", null],
			["note", null, "look here"],
		]),
	);
	expect(annotations).toHaveLength(2);

	const made = {
		name: "regressions",
		examples: [{ input: { question: "1" }, output: { answer: "2" } }],
		idempotency_key: "set-1",
	};
	const dataset = await done("create_dataset", made);
	expect(await done("create_dataset", made)).toEqual(dataset);
	const added = { dataset: "regressions", span_ids: [SPAN], project: "shop", idempotency_key: "add-1" };
	expect(await done("add_examples", added)).toMatchObject({ created_count: 1 });
	await done("add_examples", added);
	await done("add_examples", { dataset: "regressions", examples: [{ input: { question: "3" } }] });
	const { examples } = await done("get_examples", { dataset: "regressions" });
	expect(examples.map(({ span_id: of }: { span_id: string }) => of)).toEqual([null, SPAN, null]);
	expect(await done("create_dataset", { name: "empty" })).toMatchObject({ created_count: 0 });

	const version = {
		prompt: "greet",
		messages: [{ role: "user", content: "Hello {{name}}" }],
		model_provider: "OPENAI",
		model_name: "gpt-4o",
		parameters: { temperature: 0 },
	};
	const first = await done("create_prompt_version", { ...version, idempotency_key: "version-1" });
	expect(await done("create_prompt_version", { ...version, idempotency_key: "version-1" })).toEqual(first);
	const second = await done("create_prompt_version", version);
	expect(
		await done("move_prompt_tag", { prompt: "greet", version_id: first.version_id, tag: "production" }),
	).toMatchObject({ tags: ["production"] });
	await done("move_prompt_tag", { prompt: "greet", version_id: second.version_id, tag: "production" });
	expect(await done("get_prompt", { prompt: "greet", tag: "production" })).toMatchObject({
		version_id: second.version_id,
	});

	const admin = await server.signedIn("ADMIN", "session");
	const { json } = await server.get("/v1/audit_events?action=mcp.write&limit=100", admin.headers);
	const entries = json.data.filter(({ actor }: { actor: { name?: string; username?: string } }) =>
		JSON.stringify(actor).includes(member.username),
	);
	expect(new Set(entries.map(({ details }: { details: { tool: string } }) => details.tool))).toEqual(new Set(WRITING));
	expect(entries[0]).toMatchObject({ outcome: "success", details: { client: "test-agent", client_version: "1.2.3" } });
	await using old = await connectClient(server, member.headers, "legacy");
	expect((await old.call("add_note", { ...of, target_id: "f".repeat(16), note: "x" })).isError).toBe(true);
	const [last] = (await server.get("/v1/audit_events?action=mcp.write&limit=1", admin.headers)).json.data;
	expect(last).toMatchObject({ outcome: "failure", details: { tool: "add_note", client: "test-agent" } });
});

test("AG03 a role that is taken away ends the tools that write at once, and an account that is gone ends all", async () => {
	const other = await server.signedIn("MEMBER", "key");
	await using session = await connectClient(server, other.headers);
	expect(await session.tools()).toContain("add_note");
	const admin = await server.signedIn("ADMIN", "session");
	const id = Buffer.from(`User:${other.userId}`).toString("base64");
	expect(await server.call("PATCH", `/v1/users/${id}`, { role: "VIEWER" }, admin.headers)).toMatchObject({
		status: 200,
	});
	const note = { project: "shop", target: "span", target_id: SPAN, note: "x" };
	await expect(session.call("add_note", note)).rejects.toThrow(/add_note/);
	expect((await session.call("list_projects")).isError).toBe(false);
	await server.call("DELETE", `/v1/users/${id}`, undefined, admin.headers);
	await expect(session.call("list_projects")).rejects.toThrow();
});

test("AG05 a restricted project is in no tool: not listed, and answered as one that never existed", async () => {
	const admin = await server.signedIn("ADMIN", "key");
	const restricted = await server.call("PATCH", "/v1/projects/secret/access", { access: "restricted" }, admin.headers);
	expect(restricted.status).toBe(200);
	const stranger = await server.signedIn("MEMBER", "key");
	await using outside = await connectClient(server, stranger.headers);
	expect((await outside.call("list_projects")).text).not.toContain("secret");
	const guesses: Readonly<Record<string, object>> = {
		describe_project: {},
		search_traces: {},
		search_spans: {},
		list_sessions: {},
		get_trace: { trace_id: TRACE },
		get_span: { span_id: SPAN, trace_id: TRACE },
		get_session: { session_id: "of secret" },
		compare_traces: { a: TRACE, b: TRACE },
		list_annotations: { target: "span", ids: [SPAN] },
		explain_filter: {},
		annotate: { target: "span", target_id: SPAN, name: "x", score: 1 },
		add_note: { target: "span", target_id: SPAN, note: "x" },
	};
	for (const [tool, args] of Object.entries(guesses)) {
		const hidden = await outside.call(tool, { ...args, project: "secret" });
		const never = await outside.call(tool, { ...args, project: "nought" });
		expect([tool, hidden.isError]).toEqual([tool, true]);
		expect([tool, hidden.text.replaceAll("secret", "…")]).toEqual([tool, never.text.replaceAll("nought", "…")]);
	}
	const inside = await connectClient(server, admin.headers);
	await using _ = inside;
	expect((await inside.call("get_trace", { project: "secret", trace_id: TRACE })).text).toContain("run of secret");
});
