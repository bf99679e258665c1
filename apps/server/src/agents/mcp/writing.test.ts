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
	server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
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

test("AG05 a restricted project is in no tool, resource, prompt or completion: not listed, and answered as one that never existed", async () => {
	const admin = await server.signedIn("ADMIN", "key");
	const made = async (url: string, body: object) => {
		const { status, json } = await server.call("POST", url, body, admin.headers);
		if (status >= 300) throw new Error(JSON.stringify(json));
		return json?.data;
	};
	await using inside = await connectClient(server, admin.headers);
	const hidden = await inside.call("create_dataset", {
		...{ name: "hidden set", project: "secret", examples: [{ input: { question: "1" } }] },
	});
	const { id: experiment } = await made(`/v1/datasets/${hidden.data.dataset_id}/experiments`, { name: "hidden run" });
	const { id: version } = await made("/v1/prompts", {
		prompt: { name: "hidden-prompt", project: "secret" },
		version: {
			...{ model_provider: "OPENAI", model_name: "gpt-4o", template_type: "CHAT", template_format: "MUSTACHE" },
			template: { type: "chat", messages: [{ role: "user", content: "hidden" }] },
			invocation_parameters: { type: "openai", openai: {} },
		},
	});
	await made(`/v1/prompt_versions/${version}/tags`, { name: "hidden-tag" });
	const restricted = await server.call("PATCH", "/v1/projects/secret/access", { access: "restricted" }, admin.headers);
	expect(restricted.status).toBe(200);
	const stranger = await server.signedIn("MEMBER", "key");
	await using outside = await connectClient(server, stranger.headers);
	const { client } = outside;

	const project = ["secret", "nought"];
	const dataset = ["hidden set", "nought"];
	const prompt = ["hidden-prompt", "nought"];
	const ofNothing = (kind: string) => Buffer.from(`${kind}:999999`).toString("base64");
	const experiments = [experiment, ofNothing("Experiment")];
	const versions = [version, ofNothing("PromptVersion")];
	/** Of every tool what a stranger may guess, beside one that is not there; none of what lists all. */
	const guesses: Readonly<Record<string, { args?: object; guessed?: Readonly<Record<string, readonly unknown[]>> }>> = {
		...{ list_projects: {}, list_datasets: {}, list_experiments: {}, list_prompts: {} },
		...{ describe_project: { guessed: { project } }, explain_filter: { guessed: { project } } },
		...{ search_traces: { guessed: { project } }, search_spans: { guessed: { project } } },
		list_sessions: { guessed: { project } },
		get_trace: { args: { trace_id: TRACE }, guessed: { project } },
		get_span: { args: { span_id: SPAN }, guessed: { project } },
		get_session: { args: { session_id: "of secret" }, guessed: { project } },
		compare_traces: { args: { a: TRACE, b: TRACE }, guessed: { project } },
		list_annotations: { args: { target: "span", ids: [SPAN] }, guessed: { project } },
		annotate: { args: { target: "span", target_id: SPAN, name: "x", score: 1 }, guessed: { project } },
		add_note: { args: { target: "span", target_id: SPAN, note: "x" }, guessed: { project } },
		get_examples: { guessed: { dataset } },
		get_experiment: { guessed: { experiment_id: experiments } },
		compare_experiments: {
			guessed: { dataset, experiment_ids: experiments.map((id) => [id, id]) },
		},
		get_prompt: { guessed: { prompt } },
		create_dataset: { args: { name: "another set" }, guessed: { project } },
		add_examples: { args: { dataset: "regressions", span_ids: [SPAN] }, guessed: { project } },
		create_prompt_version: {},
		move_prompt_tag: { args: { tag: "x" }, guessed: { prompt, version_id: versions } },
	};
	expect(Object.keys(guesses).toSorted()).toEqual(TOOLS.map(({ name }) => name).toSorted());
	const withoutNames = (said: string) =>
		[...project, ...dataset, ...prompt, ...experiments, ...versions].reduce(
			(text, name) => text.replaceAll(name, "…"),
			said,
		);
	for (const [tool, { args, guessed }] of Object.entries(guesses)) {
		if (guessed === undefined) {
			if (!tool.startsWith("list_")) continue;
			const { text: said, data } = await outside.call(tool);
			expect(said + JSON.stringify(data)).not.toMatch(/hidden|secret/);
			continue;
		}
		const [there, never] = [0, 1].map((which) =>
			outside.call(tool, {
				...args,
				...Object.fromEntries(Object.entries(guessed).map(([name, values]) => [name, values[which]])),
			}),
		);
		const answers = [await there, await never];
		expect([tool, ...answers.map((answer) => answer?.isError)]).toEqual([tool, true, true]);
		const [first, second] = answers.map((answer) => withoutNames(answer?.text ?? ""));
		expect([tool, first]).toEqual([tool, second]);
	}

	const resources = [
		...project.map((name) => `spanward://project/${name}/trace/${TRACE}`),
		...project.map((name) => `spanward://project/${name}/span/${SPAN}`),
		...dataset.map((name) => `spanward://dataset/${encodeURIComponent(name)}`),
		...prompt.map((name) => `spanward://prompt/${name}@hidden-tag`),
	];
	const read = async (uri: string) =>
		await client.readResource({ uri }).then(
			() => "read",
			(error: Error) => withoutNames(decodeURIComponent(error.message)),
		);
	for (let at = 0; at < resources.length; at += 2) {
		const [there = "", never = ""] = resources.slice(at, at + 2);
		expect([there, await read(there)]).toEqual([there, await read(never)]);
		expect((await inside.client.readResource({ uri: there })).contents[0]).toHaveProperty("text");
	}
	const { resourceTemplates } = await client.listResourceTemplates();
	const { prompts } = await client.listPrompts();
	const completed = [
		...resourceTemplates.map(({ uriTemplate: uri }) => ({
			ref: { type: "ref/resource" as const, uri },
			names: [...uri.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ""),
		})),
		...prompts.map(({ name, arguments: list = [] }) => ({
			ref: { type: "ref/prompt" as const, name },
			names: list.map((argument) => argument.name),
		})),
	];
	const complete = async (agent: TestClient) => {
		const found: string[] = [];
		for (const { ref, names } of completed)
			for (const name of names)
				for (const value of ["", "h", "secret", "1"]) {
					const of = name === "tag" ? "hidden-prompt" : "secret";
					const context = { arguments: { project: of, name: of } };
					const { completion } = await agent.client
						.complete({ ref, argument: { name, value }, context })
						.catch(() => ({ completion: { values: [] } }));
					found.push(...completion.values);
				}
		return new Set(found);
	};
	const guessable = ["secret", "hidden set", "hidden-prompt", "hidden-tag", TRACE];
	expect([...(await complete(inside))]).toEqual(expect.arrayContaining(guessable));
	expect([...(await complete(outside))].filter((value) => guessable.includes(value))).toEqual([]);
	for (const { name, arguments: list = [] } of prompts) {
		const [there, never] = await Promise.all(
			project.map(async (of) =>
				JSON.stringify(
					await client.getPrompt({
						name,
						arguments: Object.fromEntries(
							list.map((argument) => [argument.name, argument.name === "project" ? of : "x"]),
						),
					}),
				),
			),
		);
		expect(withoutNames(there ?? "")).toBe(withoutNames(never ?? ""));
	}
	expect((await inside.call("get_trace", { project: "secret", trace_id: TRACE })).text).toContain("run of secret");
});
