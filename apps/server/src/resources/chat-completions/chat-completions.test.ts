import type { AddressInfo } from "node:net";
import { type ModelProvider, startModelProvider } from "@spanward/e2e/peers/model-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { App } from "#http/app-type.ts";
import { openTestApp, type TestApp } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";

const PATH = "/v1/chat/completions";
const KEY = "sk-planted-0123456789";
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const HELLO = [{ role: "user", content: "hello there" }];
const WEATHER = { type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } };

let provider: ModelProvider;
let server: TestApp;
let app: App;
let member: TestPrincipal;

beforeAll(async () => {
	provider = await startModelProvider();
	server = await openTestApp({ SERVICE_ENABLE_AUTH: "true", SERVICE_OUTGOING_ALLOWED_HOSTS: "127.0.0.1" });
	({ app } = server);
	await app.listen({ port: 0, host: "127.0.0.1" });
	const compatible = { kind: "openai_compatible", base_url: provider.openai };
	const { headers } = await server.signedIn("ADMIN");
	for (const connection of [
		{ ...compatible, name: "stand-in", credentials: { api_key: { value: KEY } } },
		{ ...compatible, name: "few", models: ["gpt-5-mini"], default_model: "gpt-5-mini" },
		{ ...compatible, name: "off", enabled: false },
		{ ...compatible, name: "admins only", use_by: "admins" },
		{ ...compatible, name: "poor", monthly_budget_usd: 0.000_001 },
		{
			kind: "anthropic",
			name: "by messages",
			base_url: `${provider.url}/v1`,
			credentials: { api_key: { value: KEY } },
		},
		{ ...compatible, name: "llama", base_url: "http://127.0.0.1:11434/v1" },
	]) {
		const { status, text } = await server.call("POST", "/v1/model_connections", connection, headers);
		expect([status, text]).toEqual([201, expect.anything()]);
	}
});
afterAll(async () => {
	await server[Symbol.asyncDispose]();
	await provider[Symbol.asyncDispose]();
});
/** Each its own, as the number of calls is limited for each. */
beforeEach(async () => {
	member = await server.signedIn("MEMBER", "key");
});

async function ask(body: object, headers: Readonly<Record<string, string>> = member.headers) {
	const response = await app.inject({ method: "POST", url: PATH, headers, payload: { messages: HELLO, ...body } });
	const isJson = String(response.headers["content-type"]).includes("json");
	return {
		status: response.statusCode,
		headers: response.headers,
		text: response.body,
		json: isJson ? response.json() : undefined,
	};
}

/** What every chunk of a stream says, but for the last line. */
function chunksOf(text: string): readonly { readonly [member: string]: unknown }[] {
	const events = text.split("\n\n").filter((event) => event.startsWith("data: {"));
	return events.map((event) => JSON.parse(event.slice("data: ".length)));
}

async function lastSpan(project: string) {
	const { json } = await server.get(`/v1/projects/${project}/spans`, member.headers);
	return json.data[0];
}

describe("E31 /v1/chat/completions", () => {
	it("answers as OpenAI does, and the call is a trace of the playground", async () => {
		const { status, json } = await ask({
			model: "stand-in:gpt-5-mini+reasoning+cache-read-2",
			temperature: 0.5,
			stop: "x",
		});
		expect([status, json]).toEqual([
			200,
			{
				id: expect.stringMatching(/^chatcmpl-[0-9a-f]{24}$/),
				object: "chat.completion",
				created: expect.any(Number),
				model: "gpt-5-mini+reasoning+cache-read-2",
				choices: [
					{
						index: 0,
						message: {
							role: "assistant",
							content: "You said: hello there",
							reasoning_content: expect.any(String),
							refusal: null,
						},
						logprobs: null,
						finish_reason: "stop",
					},
				],
				usage: {
					prompt_tokens: 3,
					completion_tokens: 13,
					total_tokens: 16,
					prompt_tokens_details: { cached_tokens: 2 },
					completion_tokens_details: { reasoning_tokens: 9 },
				},
			},
		]);
		expect((await provider.lastRequest()).json).toMatchObject({ temperature: 0.5, stop: ["x"], messages: HELLO });
		const span = await lastSpan("playground");
		expect(span.attributes["llm.model_name"]).toBe("gpt-5-mini+reasoning+cache-read-2");
		expect(span.attributes["llm.token_count.total"]).toBe(16);
	});

	it("streams chunks, usage where it was asked for, and [DONE]", async () => {
		const { headers, text } = await ask({
			model: "stand-in:words-3",
			stream: true,
			stream_options: { include_usage: true },
		});
		expect(headers["content-type"]).toContain("text/event-stream");
		const chunks = chunksOf(text);
		const said = chunks.flatMap(({ choices }) =>
			(choices as { delta: { content?: string } }[]).map((one) => one.delta),
		);
		expect(said.map(({ content }) => content ?? "").join("")).toBe("word1 word2 word3");
		expect(chunks.at(-2)).toMatchObject({ choices: [{ finish_reason: "stop" }], usage: null });
		expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 3 } });
		expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
		expect((await ask({ model: "stand-in:words-3", stream: true })).text).not.toContain('"usage"');
	});

	it("passes tools, their results, images and schemas on", async () => {
		const tools = [WEATHER];
		const called = await ask({ model: "stand-in:tools-2", tools, tool_choice: "required", parallel_tool_calls: true });
		const { message, finish_reason } = called.json.choices[0];
		expect([message.content, finish_reason]).toEqual([null, "tool_calls"]);
		expect(message.tool_calls).toHaveLength(2);
		const streamed = await ask({ model: "stand-in:tools-2", tools, stream: true });
		const calls = chunksOf(streamed.text).flatMap(
			({ choices }) => (choices as { delta: { tool_calls?: object[] } }[])[0]?.delta.tool_calls ?? [],
		);
		expect(calls).toMatchObject([
			{ index: 0, type: "function", function: { name: "weather" } },
			{ index: 1, type: "function", function: { name: "weather" } },
		]);
		const url = `data:image/png;base64,${PIXEL}`;
		const conversation = [
			{ role: "developer", content: "be brief" },
			{
				role: "user",
				content: [
					{ type: "text", text: "look" },
					{ type: "image_url", image_url: { url } },
				],
			},
			{ role: "assistant", content: null, tool_calls: message.tool_calls },
			...message.tool_calls.map(({ id }: { id: string }) => ({ role: "tool", tool_call_id: id, content: "sunny" })),
		];
		const next = await ask({
			model: "stand-in:gpt-5-mini",
			messages: conversation,
			tools,
			response_format: { type: "json_schema", json_schema: { name: "v", schema: { type: "object", properties: {} } } },
		});
		expect(next.status).toBe(200);
		const sent = (await provider.lastRequest()).json as { messages: object[] };
		expect(sent.messages.slice(1)).toMatchObject([
			{ content: [{ text: "look" }, { image_url: { url } }] },
			{ tool_calls: message.tool_calls },
			{ role: "tool", content: "sunny" },
			{ role: "tool", content: "sunny" },
		]);
		expect(sent).toMatchObject({ tools, response_format: { type: "json_schema" } });
	});

	it("finds the model by connection, provider or id", async () => {
		const { json: listed } = await server.get("/v1/custom_model_providers", member.headers);
		const { id } = listed.data.find(({ name }: { name: string }) => name === "stand-in");
		expect((await ask({ model: `custom:${id}:llama3.2:latest` })).json.model).toBe("llama3.2:latest");
		expect((await ask({ model: "few:gpt-5-mini" })).status).toBe(200);
		expect((await ask({ model: "anthropic:claude-next" })).json.choices[0].message.content).toBe(
			"You said: hello there",
		);
		expect((await provider.lastRequest()).path).toBe("/v1/messages");
		// Nobody listens there.
		const { error } = (await ask({ model: "ollama:llama3.2:latest" })).json;
		expect(error.code).toBe("unreachable");
		expect(error.message).not.toContain("11434");
		for (const model of ["gpt-5-mini", "nowhere:gpt-5", "custom:abc:gpt-5", "stand-in:", ":"]) {
			const unknown = await ask({ model });
			expect([unknown.status, unknown.json.error.code, unknown.json.error.type]).toEqual([
				404,
				"model_not_found",
				"invalid_request_error",
			]);
		}
		const { status, json: none } = await ask({ model: "google:gemini-2.5-flash" });
		expect([status, none.error.code]).toEqual([400, "no_model_connection"]);
	});

	it("keeps to what the connection allows", async () => {
		const codeOf = async (model: string, headers = member.headers) => {
			const { status, json } = await ask({ model }, headers);
			return [status, json.error?.code];
		};
		const before = await provider.counters();
		expect(await codeOf("few:another")).toEqual([404, "model_not_found"]);
		expect(await codeOf("off:gpt-5")).toEqual([403, "connection_off"]);
		expect(await codeOf("admins only:gpt-5")).toEqual([403, "connection_off"]);
		expect(await codeOf("poor:gpt-5-mini")).toEqual([402, "budget_exhausted"]);
		expect(await provider.counters()).toEqual(before);
		const admin = await server.signedIn("ADMIN", "key");
		expect(await codeOf("admins only:gpt-5", admin.headers)).toEqual([200, undefined]);
	});

	it("fails as the provider fails, with an error object", async () => {
		const failed = async (word: string, more: object = {}) => {
			const { status, json, headers } = await ask({ model: `stand-in:${word}`, ...more });
			return { status, ...json.error, retryAfter: headers["retry-after"] };
		};
		expect(await failed("status-429-retry-7")).toMatchObject({ status: 429, code: "rate_limited", retryAfter: "7" });
		expect(await failed("unknown-model", { stream: true })).toMatchObject({ status: 404, code: "model_not_found" });
		expect(await failed("status-500")).toMatchObject({ status: 500, type: "api_error", param: null });
		expect(await failed("html")).toMatchObject({ status: 502, code: "bad_response" });
		expect(await failed("reset")).toMatchObject({ status: 502 });
		const echo = await failed("status-401-echo");
		expect(echo).toMatchObject({ status: 401, code: "authentication" });
		expect(JSON.stringify(echo)).not.toContain(KEY);
		const refused = await failed("refuses-temperature", { temperature: 0 });
		expect(refused).toMatchObject({ status: 400, code: "unsupported_parameter" });
	});

	it("ends a stream that breaks off with an error, what came before it, and no [DONE]", async () => {
		for (const word of ["cut", "no-end", "bad-event", "error-event"]) {
			const { status, text } = await ask({ model: `stand-in:words-4+${word}`, stream: true });
			expect(status).toBe(200);
			expect(text).toContain("word1");
			expect(text).not.toContain("[DONE]");
			expect(text).not.toContain('"finish_reason":"stop"');
			expect(chunksOf(text).at(-1)).toMatchObject({ error: { code: expect.any(String), type: "api_error" } });
		}
	});

	it("refuses what it cannot pass on, and who may not call models, with error objects", async () => {
		const errorOf = async (body: object, headers = member.headers) => {
			const { status, json } = await ask({ model: "stand-in:gpt-5", ...body }, headers);
			return { status, ...json.error };
		};
		expect(await errorOf({ n: 2 })).toMatchObject({ status: 400, message: expect.stringContaining("`n`") });
		expect(await errorOf({ logprobs: true })).toMatchObject({
			status: 422,
			message: expect.stringContaining("logprobs"),
		});
		expect(await errorOf({ messages: [] })).toMatchObject({ status: 422, type: "invalid_request_error" });
		const image = (url: string) => [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }];
		for (const url of ["http://169.254.169.254/x.png", "data:image/png;base64,////", "data:image/png;base64,é"])
			expect(await errorOf({ messages: image(url) })).toMatchObject({ status: 400, code: "bad_request" });
		const viewer = await server.signedIn("VIEWER", "key");
		expect(await errorOf({}, viewer.headers)).toMatchObject({ status: 403, code: "permission_denied" });
		expect(await errorOf({}, { authorization: "Bearer wrong" })).toMatchObject({
			status: 401,
			code: "invalid_api_key",
		});
		const broken = await app.inject({
			...{ method: "POST", url: PATH, payload: "{" },
			headers: { ...member.headers, "content-type": "application/json" },
		});
		expect([broken.statusCode, broken.json()]).toMatchObject([422, { error: { type: "invalid_request_error" } }]);
	});

	it("traces into the project that the header names", async () => {
		await server.call("POST", "/v1/projects", { name: "Größe" }, member.headers);
		const headers = { ...member.headers, "x-spanward-project": Buffer.from("Größe").toString("latin1") };
		expect((await ask({ model: "stand-in:gpt-5" }, headers)).status).toBe(200);
		expect((await lastSpan(encodeURIComponent("Größe"))).name).toBe("gpt-5");
		const missing = await ask({ model: "stand-in:gpt-5" }, { ...headers, "x-spanward-project": "not there" });
		expect([missing.status, missing.json.error.type]).toEqual([404, "invalid_request_error"]);
	});

	it("ends a stream when its sender may not call models any more", async () => {
		const streaming = ask({ model: "stand-in:words-4+silent-after-first+text", stream: true });
		await provider.waitForRequest(({ model }) => model === "words-4+silent-after-first+text");
		await server.context.db.write((transaction) =>
			transaction.updateTable("users").set({ role: "VIEWER" }).where("id", "=", member.userId).execute(),
		);
		const { text } = await streaming;
		expect(chunksOf(text).at(-1)).toMatchObject({ error: { code: "access_ended" } });
		await provider.waitForRequest(({ model, wasCancelled }) => model?.endsWith("+text") === true && wasCancelled);
	});

	it("ends the provider's request when the client goes away", async () => {
		const { port } = app.server.address() as AddressInfo;
		const leaving = new AbortController();
		const response = await fetch(`http://127.0.0.1:${port}${PATH}`, {
			method: "POST",
			headers: { ...member.headers, "content-type": "application/json" },
			body: JSON.stringify({ model: "stand-in:words-4+silent-after-first", messages: HELLO, stream: true }),
			signal: leaving.signal,
		});
		expect(response.status).toBe(200);
		leaving.abort();
		const request = await provider.waitForRequest(
			({ model, wasCancelled }) => model?.endsWith("silent-after-first") === true && wasCancelled,
		);
		expect(request.wasCancelled).toBe(true);
	});
});

it("lists providers and connections for released clients", async () => {
	const get = async (url: string) => (await server.get(url, member.headers)).json;
	expect(await get("/v1/model_providers")).toEqual({
		data: [
			{ provider: "ANTHROPIC", name: "Anthropic" },
			{ provider: "OLLAMA", name: "Ollama" },
		],
	});
	const first = await get("/v1/custom_model_providers?limit=3");
	expect(first.data.map(({ name, provider: of, sdk }: Record<string, string>) => [name, of, sdk])).toEqual([
		["llama", "OLLAMA", "openai"],
		["by messages", "ANTHROPIC", "anthropic"],
		["poor", "OPENAI", "openai"],
	]);
	const rest = await get(`/v1/custom_model_providers?cursor=${first.next_cursor}`);
	expect(rest.data.map(({ name }: { name: string }) => name)).toEqual(["admins only", "off", "few", "stand-in"]);
	expect(JSON.stringify([first, rest])).not.toContain("127.0.0.1");
});
