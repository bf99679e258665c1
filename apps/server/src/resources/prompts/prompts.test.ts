import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openTestApp, type TestApp, text } from "#test-app.ts";

let server: TestApp;
beforeAll(async () => {
	server = await openTestApp();
});
afterAll(() => server[Symbol.asyncDispose]());

let count = 0;
let name = "";
beforeEach(() => {
	count += 1;
	name = `greeting-${count}`;
});

function version(override: object = {}): object {
	return {
		model_provider: "OPENAI",
		model_name: "gpt-4o",
		template: { type: "chat", messages: [{ role: "user", content: "Say hello to {{name}}" }] },
		template_type: "CHAT",
		template_format: "MUSTACHE",
		invocation_parameters: { type: "openai", openai: { temperature: 0.5 } },
		...override,
	};
}

function post(override: object = {}, prompt: object = {}) {
	return server.call("POST", "/v1/prompts", { prompt: { name, ...prompt }, version: version(override) });
}

/** The new version. */
// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it
async function create(override: object = {}, prompt: object = {}): Promise<any> {
	const { status, json, text } = await post(override, prompt);
	expect(status, text).toBe(200);
	return json.data;
}

test("creating a prompt answers its first version, without members that were not sent", async () => {
	const created = await create({ tools: null, metadata: {} }, { description: "Greets", metadata: { a: 1 } });
	expect(created).toEqual({
		id: expect.any(String),
		description: "",
		model_provider: "OPENAI",
		model_name: "gpt-4o",
		// As parts, although it was sent as a text.
		template: {
			type: "chat",
			messages: [{ role: "user", content: [{ type: "text", text: "Say hello to {{name}}" }] }],
		},
		template_type: "CHAT",
		template_format: "MUSTACHE",
		invocation_parameters: { type: "openai", openai: { temperature: 0.5 } },
		prompt_id: expect.any(String),
		created_at: expect.any(String),
		user_id: null,
		tags: [],
	});
	expect((await server.get(`/v1/prompt_versions/${created.id}`)).json.data).toEqual(created);
	expect((await server.get(`/v1/prompts/${name}/latest`)).json.data).toEqual(created);
	const { json } = await server.get(`/v1/prompts/${created.prompt_id}`);
	expect(json.data).toMatchObject({ name, description: "Greets", source_prompt_id: null, metadata: { a: 1 } });
});

test("posting a prompt that exists adds a version and changes nothing else", async () => {
	await create({}, { description: "first" });
	const second = await create({ model_name: "gpt-5" }, { description: "second" });
	const { json } = await server.get(`/v1/prompts/${name}/versions`);
	expect(json.data.map((item: { model_name: string }) => item.model_name)).toEqual(["gpt-5", "gpt-4o"]);
	expect((await server.get(`/v1/prompts/${name}`)).json.data.description).toBe("first");
	expect((await server.get(`/v1/prompts/${name}/latest`)).json.data.id).toBe(second.id);
});

test("a version has all parts of a chat, as they were sent", async () => {
	const given = {
		description: "with tools",
		metadata: { team: "x" },
		template: {
			type: "chat",
			messages: [
				{ role: "system", content: [{ type: "text", text: "Be short." }] },
				{
					role: "assistant",
					content: [
						{ type: "text", text: "I look it up" },
						{
							type: "tool_call",
							tool_call_id: "c1",
							tool_call: { type: "function", name: "look_up", arguments: '{"q":1}' },
						},
					],
				},
				{ role: "tool", content: [{ type: "tool_result", tool_call_id: "c1", tool_result: null }] },
			],
		},
		tools: {
			type: "tools",
			tools: [
				{
					type: "function",
					function: { name: "look_up", parameters: { type: "object", default: null }, strict: true },
				},
				{ type: "raw", raw: { type: "web_search", __proto__: null } },
			],
			tool_choice: { type: "specific_function", function_name: "look_up" },
			disable_parallel_tool_calls: true,
		},
		response_format: { type: "json_schema", json_schema: { name: "answer", schema: { type: "object" } } },
	};
	expect(await create(given)).toMatchObject(given);
});

const PARAMETERS = [
	["OPENAI", "openai"],
	["AZURE_OPENAI", "azure_openai"],
	["DEEPSEEK", "deepseek"],
	["XAI", "xai"],
	["OLLAMA", "ollama"],
	["CEREBRAS", "cerebras"],
	["FIREWORKS", "fireworks"],
	["GROQ", "groq"],
	["MOONSHOT", "moonshot"],
	["MINIMAX", "openai"],
	["PERPLEXITY", "perplexity"],
	["TOGETHER", "together"],
	["ZAI", "zai"],
	["META", "meta"],
] as const;

test.each(PARAMETERS)(
	"parameters of %s are stored as OpenAI's, and can be sent as they were read",
	async (provider, variant) => {
		const content = { seed: 1, stop: ["a"], reasoning_effort: "low", extra_body: { top_k: 1 } };
		const parameters = { type: variant, [variant]: content };
		const created = await create({ model_provider: provider, invocation_parameters: parameters });
		expect(created.invocation_parameters).toEqual({ type: "openai", openai: content });
		const { invocation_parameters } = created;
		expect((await create({ model_provider: provider, invocation_parameters })).id).not.toBe(created.id);
	},
);

test.each([
	[
		"ANTHROPIC",
		{ type: "anthropic", anthropic: { max_tokens: 4_096, thinking: { type: "enabled", budget_tokens: 1_024 } } },
	],
	["GOOGLE", { type: "google", google: { top_k: 3, thinking_config: { thinking_level: "low" } } }],
	["AWS", { type: "aws", aws: { max_tokens: 5, stop_sequences: ["x"] } }],
])("parameters of %s are kept as they are", async (model_provider, invocation_parameters) => {
	expect((await create({ model_provider, invocation_parameters })).invocation_parameters).toEqual(
		invocation_parameters,
	);
});

test.each([
	[
		"ANTHROPIC",
		{ type: "openai", openai: {} },
		"'openai' does not match model provider 'ANTHROPIC' (expected 'anthropic')",
	],
	["OPENAI", { type: "google", google: {} }, "'google' does not match model provider 'OPENAI' (expected 'openai')"],
	["OPENAI", { type: "groq", groq: {} }, "'groq' does not match model provider 'OPENAI' (expected 'openai')"],
	["MOONSHOT", { type: "aws", aws: {} }, "'aws' does not match model provider 'MOONSHOT' (expected 'moonshot')"],
])(
	"both ways to make a version refuse parameters that %s does not have",
	async (model_provider, parameters, message) => {
		await create();
		const invalid = { model_provider, invocation_parameters: parameters };
		const answers = [
			await post(invalid),
			await server.call("POST", `/v1/prompts/${name}/versions`, { version: version(invalid) }),
		];
		for (const { status, text } of answers) {
			expect([status, text]).toEqual([422, `Invocation parameters variant ${message}.`]);
		}
		expect((await server.get(`/v1/prompts/${name}/versions`)).json.data).toHaveLength(1);
	},
);

const MESSAGE = { role: "user", content: "x" };

test.each([
	["template", { template: { type: "chat", messages: [], x: 1 } }],
	["message", { template: { type: "chat", messages: [{ ...MESSAGE, x: 1 }] } }],
	["part", { template: { type: "chat", messages: [{ role: "user", content: [{ type: "text", text: "a", x: 1 }] }] } }],
	["tools", { tools: { type: "tools", tools: [{ type: "raw", raw: {} }], x: 1 } }],
	["tool", { tools: { type: "tools", tools: [{ type: "raw", raw: {}, x: 1 }] } }],
	["function", { tools: { type: "tools", tools: [{ type: "function", function: { name: "f", x: 1 } }] } }],
	["parameters", { invocation_parameters: { type: "openai", openai: { x: 1 } } }],
	["variant", { invocation_parameters: { type: "openai", openai: {}, x: 1 } }],
	["response format", { response_format: { type: "json_schema", json_schema: { name: "a", x: 1 } } }],
])("an unknown key in the %s is refused as such", async (_what, override) => {
	const { status, json } = await post(override);
	expect(status).toBe(422);
	const unknown = json.detail.find(({ type }: { type: string }) => type === "extra_forbidden");
	expect(unknown.loc.at(-1)).toBe("x");
});

test("unknown keys around the payload are ignored", async () => {
	const body = { prompt: { name, x: 1 }, version: version({ x: 1 }), x: 1 };
	expect((await server.call("POST", "/v1/prompts", body)).status).toBe(200);
});

test.each([
	["a name that is no identifier", {}, { name: "Not One" }],
	["a template that is no chat", { template_type: "STR", template: { type: "string", template: "a" } }, {}],
	["a text template of a chat", { template: { type: "string", template: "a" } }, {}],
	["a message without parts", { template: { type: "chat", messages: [{ role: "user", content: [] }] } }, {}],
	["an unknown role", { template: { type: "chat", messages: [{ role: "robot", content: "a" }] } }, {}],
	["no tools in the list", { tools: { type: "tools", tools: [] } }, {}],
	[
		"Anthropic without max_tokens",
		{ model_provider: "ANTHROPIC", invocation_parameters: { type: "anthropic", anthropic: {} } },
		{},
	],
	[
		"a thinking budget as large as the answer",
		{
			model_provider: "ANTHROPIC",
			invocation_parameters: {
				type: "anthropic",
				anthropic: { max_tokens: 2_000, thinking: { type: "enabled", budget_tokens: 2_000 } },
			},
		},
		{},
	],
	["a source that is no prompt", {}, { source_prompt_id: "x" }],
	["a NUL in a message", { template: { type: "chat", messages: [{ role: "user", content: "\0" }] } }, {}],
])("refuses %s", async (_what, override, prompt) => {
	expect((await post(override, prompt)).status).toBe(422);
});

test("prompts are listed newest first, by a part of their name and by a tag", async () => {
	const first = await create();
	const names = async (query: string) => {
		const { json } = await server.get(`/v1/prompts?${query}`);
		return json.data.map((item: { name: string }) => item.name);
	};
	await server.call("POST", `/v1/prompt_versions/${first.id}/tags`, { name: "only-here" });
	await server.call("POST", "/v1/prompts", { prompt: { name: "zz-other_1" }, version: version() });
	expect(await names("limit=2")).toEqual(["zz-other_1", name]);
	expect(await names("name_contains=OTHER_")).toEqual(["zz-other_1"]);
	expect(await names("name_contains=%25")).toEqual([]);
	expect(await names("tag=only-here")).toEqual([name]);
	const page = await server.get("/v1/prompts?limit=1");
	expect(await names(`limit=1&cursor=${page.json.next_cursor}`)).toEqual([name]);
	expect((await server.get("/v1/prompts?cursor=x")).status).toBe(422);
});

test("a list shows how many versions a prompt has, which is the newest and which tags exist", async () => {
	const first = await create();
	await server.call("POST", `/v1/prompt_versions/${first.id}/tags`, { name: "production" });
	const tags = [{ name: "staging" }, { name: "blue" }];
	const { json } = await server.call("POST", `/v1/prompts/${name}/versions`, { version: version(), tags });
	const { id, model_name, created_at, user_id } = json.data;
	const [listed] = (await server.get(`/v1/prompts?name_contains=${name}`)).json.data;
	expect(listed).toMatchObject({
		name,
		version_count: 2,
		latest_version: { id, model_name, created_at, user_id },
		tags: ["blue", "production", "staging"],
	});
});

test("a change of a prompt answers it without nulls, and is refused when based on an outdated state", async () => {
	const { prompt_id } = await create({}, { description: "a" });
	const url = `/v1/prompts/${name}`;
	const etag = String((await server.get(url)).headers["etag"]);
	const { json } = await server.call("PATCH", url, { description: null, metadata: { b: 2 } }, { "if-match": etag });
	expect(json.data).toEqual({
		id: prompt_id,
		name,
		metadata: { b: 2 },
		created_at: expect.any(String),
		updated_at: expect.any(String),
	});
	expect((await server.call("PATCH", url, { description: "lost" }, { "if-match": etag })).status).toBe(412);
	expect((await server.call("PATCH", url, {})).status).toBe(422);
	expect((await server.call("PATCH", url, { metadata: null })).status).toBe(422);
});

test("a prompt is deleted with its versions; one copied from it stays", async () => {
	const { id, prompt_id } = await create();
	await server.call("POST", `/v1/prompt_versions/${id}/tags`, { name: "production" });
	const copy = await server.call("POST", "/v1/prompts", {
		prompt: { name: `${name}-copy`, source_prompt_id: prompt_id },
		version: version(),
	});
	const url = `/v1/prompts/${name}`;
	expect((await server.call("DELETE", url)).status).toBe(204);
	expect((await server.get(`/v1/prompt_versions/${id}`)).status).toBe(404);
	const again = await server.call("DELETE", url);
	expect([again.status, again.text]).toEqual([404, "Prompt not found"]);
	const { json } = await server.get(`/v1/prompts/${copy.json.data.prompt_id}`);
	expect(json.data).toMatchObject({ name: `${name}-copy`, source_prompt_id: null });
});

test("a version is added with its tags, which leave the version they were on", async () => {
	const first = await create();
	await server.call("POST", `/v1/prompt_versions/${first.id}/tags`, { name: "production" });
	const body = { version: version(), tags: [{ name: "production", description: "live" }, { name: "staging" }] };
	const { status, json } = await server.call("POST", `/v1/prompts/${name}/versions`, body);
	expect([status, json.data.tags]).toEqual([201, ["production", "staging"]]);
	expect((await server.get(`/v1/prompt_versions/${first.id}`)).json.data.tags).toEqual([]);
	expect((await server.get(`/v1/prompts/${name}/tags/production`)).json.data.id).toBe(json.data.id);
	expect((await server.get(`/v1/prompts/${name}/tags/nothing`)).status).toBe(404);
	const tags = `/v1/prompt_versions/${json.data.id}/tags`;
	const newest = await server.get(`${tags}?limit=1`);
	expect(newest.json.data).toEqual([{ id: expect.any(String), name: "staging" }]);
	const rest = await server.get(`${tags}?limit=1&cursor=${newest.json.next_cursor}`);
	expect(rest.json.data).toEqual([{ id: expect.any(String), name: "production", description: "live" }]);
	expect(rest.json.next_cursor).toBeNull();
});

test("a tag is removed only from the version that has it", async () => {
	const [first, second] = [await create(), await create()];
	await server.call("POST", `/v1/prompt_versions/${second.id}/tags`, { name: "production" });
	expect((await server.call("DELETE", `/v1/prompt_versions/${first.id}/tags/production`)).status).toBe(204);
	expect((await server.get(`/v1/prompts/${name}/tags/production`)).json.data.id).toBe(second.id);
	expect((await server.call("DELETE", `/v1/prompt_versions/${second.id}/tags/production`)).status).toBe(204);
	expect((await server.get(`/v1/prompts/${name}/tags/production`)).status).toBe(404);
	expect((await server.call("POST", `/v1/prompt_versions/${first.id}/tags`, { name: "Not One" })).status).toBe(422);
});

test("versions and tags that are written at once are all stored, with the tag on one version", async () => {
	const answers = await Promise.all(Array.from({ length: 6 }, () => post()));
	expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
	const ids = answers.map(({ json }) => json.data.id);
	expect(new Set(answers.map(({ json }) => json.data.prompt_id)).size).toBe(1);
	await Promise.all(ids.map((id) => server.call("POST", `/v1/prompt_versions/${id}/tags`, { name: "production" })));
	const { json } = await server.get(`/v1/prompts/${name}/versions`);
	const tagged = json.data.filter(({ tags }: { tags: string[] }) => tags.includes("production"));
	expect([json.data.length, tagged.length]).toEqual([6, 1]);
});

test("versions page newest first", async () => {
	const ids = [(await create()).id, (await create()).id, (await create()).id];
	const first = await server.get(`/v1/prompts/${name}/versions?limit=2`);
	const second = await server.get(`/v1/prompts/${name}/versions?limit=2&cursor=${first.json.next_cursor}`);
	const seen = [...first.json.data, ...second.json.data].map(({ id }) => id);
	expect([seen, second.json.next_cursor]).toEqual([ids.toReversed(), null]);
});

test.each([
	["GET", "/v1/prompts/no-such-prompt", 404],
	["GET", "/v1/prompts/no-such-prompt/versions", 404],
	["GET", "/v1/prompts/no-such-prompt/latest", 404],
	["GET", "/v1/prompts/Not%20One/latest", 422],
	["GET", "/v1/prompt_versions/x", 422],
	["GET", `/v1/prompt_versions/${Buffer.from("PromptVersion:9999").toString("base64")}`, 404],
])("%s %s is %d", async (_method, url, status) => {
	expect((await server.get(url)).status).toBe(status);
});

test("spans that name a version are found in one project and in all", async () => {
	const { id } = await create();
	const other = await create();
	const span = (n: number, key: string, value: string) => ({
		traceId: String(n).repeat(32),
		spanId: String(n).repeat(16),
		name: `span ${n}`,
		attributes: { [key]: text(value) },
	});
	await server.send([span(1, "llm.prompt_template.version", id), span(2, "prompt.version.id", id)], "one");
	await server.send([span(3, "spanward.prompt_version.id", id), span(4, "prompt.id", other.id)], "two");
	await server.send([span(5, "note", id), span(6, "prompt.id", id)], "three");
	const list = async (query: string) => {
		const { status, json, text } = await server.get(`/v1/prompt_versions/${id}/spans?${query}`);
		expect(status, text).toBe(200);
		return { names: json.data.map((item: { name: string }) => item.name), cursor: json.next_cursor };
	};
	expect((await list("project=one")).names).toEqual(["span 2", "span 1"]);
	expect((await list("")).names).toEqual(["span 6", "span 3", "span 2", "span 1"]);
	const seen: string[] = [];
	let cursor: string | null = "";
	for (let pages = 0; cursor !== null && pages < 50; pages++) {
		const page: Awaited<ReturnType<typeof list>> = await list(`limit=1&cursor=${encodeURIComponent(cursor)}`);
		seen.push(...page.names);
		cursor = page.cursor;
	}
	expect([seen, cursor]).toEqual([["span 6", "span 3", "span 2", "span 1"], null]);
	expect((await server.get(`/v1/prompt_versions/${id}/spans?cursor=x`)).status).toBe(422);
	expect((await server.get(`/v1/prompt_versions/${id}/spans?project=none`)).status).toBe(404);
});

test("members make versions, which name their author; viewers read them and change nothing", async () => {
	await using secured = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	const [member, viewer] = [await secured.signedIn("MEMBER", "key"), await secured.signedIn("VIEWER")];
	const body = { prompt: { name }, version: version() };
	const { data } = (await secured.call("POST", "/v1/prompts", body, member.headers)).json;
	expect(data.user_id).toBe(Buffer.from(`User:${member.userId}`).toString("base64"));
	const url = `/v1/prompts/${name}`;
	for (const refused of [
		await secured.call("POST", "/v1/prompts", body, viewer.headers),
		await secured.call("POST", `${url}/versions`, { version: version() }, viewer.headers),
		await secured.call("POST", `/v1/prompt_versions/${data.id}/tags`, { name: "production" }, viewer.headers),
		await secured.call("PATCH", url, { description: "x" }, viewer.headers),
		await secured.call("DELETE", url, undefined, viewer.headers),
	]) {
		expect(refused.status).toBe(403);
	}
	expect((await secured.get(`${url}/latest`, viewer.headers)).json.data.id).toBe(data.id);
});
