import { createSign, generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { request as requestOf } from "node:http";
import { request } from "node:https";
import type { Socket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock";
import Anthropic from "@anthropic-ai/sdk";
import { FunctionCallingConfigMode, GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FORMS } from "./peers/model-provider/behaviours.ts";
import { type ModelProvider, PROVIDER_AUTHORITY, startModelProvider } from "./peers/model-provider.ts";

const WEATHER = {
	type: "object",
	properties: { city: { type: "string" }, days: { type: "integer", minimum: 2 } },
	required: ["city", "days"],
	additionalProperties: false,
} as const;
const VERDICT = {
	type: "object",
	properties: { label: { enum: ["correct", "incorrect"] }, why: { type: "string" } },
	required: ["label", "why"],
	additionalProperties: false,
} as const;
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const FIRST_VERDICT = { label: "correct", why: "text" };
const FIRST_WEATHER = { city: "text", days: 2 };

let provider: ModelProvider;

beforeAll(async () => {
	provider = await startModelProvider();
});
afterAll(async () => provider[Symbol.asyncDispose]());

describe("openai, Chat Completions", () => {
	const messages = [{ role: "user", content: "hello there" }] as const;
	const tools = [{ type: "function", function: { name: "weather", parameters: WEATHER, strict: true } }] as const;
	let client: OpenAI;

	beforeAll(() => {
		client = new OpenAI({ apiKey: "key-of-chat", baseURL: provider.openai, maxRetries: 0, logLevel: "off" });
	});

	it("answers, and counts tokens", async () => {
		const answer = await client.chat.completions.create({ model: "gpt-5-mini+cache-read-2", messages: [...messages] });
		expect(answer.choices[0]).toMatchObject({ message: { content: "You said: hello there" }, finish_reason: "stop" });
		expect(answer.usage).toMatchObject({
			prompt_tokens: 3,
			completion_tokens: 4,
			total_tokens: 7,
			prompt_tokens_details: { cached_tokens: 2 },
		});
		expect((await provider.lastRequest()).headers["authorization"]).toBe("Bearer key-of-chat");
	});

	it("streams with usage", async () => {
		const stream = await client.chat.completions.create({
			model: "gpt-5-mini+reasoning+split",
			messages: [...messages],
			stream: true,
			stream_options: { include_usage: true },
		});
		let text = "";
		let tokens = 0;
		for await (const chunk of stream) {
			text += chunk.choices[0]?.delta.content ?? "";
			tokens = chunk.usage?.completion_tokens_details?.reasoning_tokens ?? tokens;
		}
		expect(text).toBe("You said: hello there");
		expect(tokens).toBe(9);
	});

	it("calls a tool, two at once, and reads their results", async () => {
		const request = { model: "gpt-5-mini+tools-2", messages: [...messages], tools: [...tools] };
		const whole = await client.chat.completions.create(request);
		const calls = whole.choices[0]?.message.tool_calls ?? [];
		expect(calls.map((call) => call.type === "function" && JSON.parse(call.function.arguments))).toEqual([
			FIRST_WEATHER,
			FIRST_WEATHER,
		]);
		const streamed = await client.chat.completions.stream(request).finalChatCompletion();
		expect(streamed.choices[0]?.message.tool_calls).toMatchObject(
			calls.map(() => ({ function: { name: "weather", arguments: JSON.stringify(FIRST_WEATHER) } })),
		);
		const assistant = { role: "assistant", tool_calls: calls } as const;
		const results = calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "sunny" }) as const);
		const next = await client.chat.completions.create({
			model: "gpt-5-mini",
			messages: [...messages, assistant, ...results],
			tools: [...tools],
		});
		expect(next.choices[0]?.message.content).toBe("You said: sunny Tools answered 1 times.");
		const without = client.chat.completions.create({ model: "gpt-5-mini", messages: [...messages, assistant] });
		await expect(without).rejects.toMatchObject({ status: 400, message: expect.stringContaining("tool_call_id") });
	});

	it("fits a schema, sees images, and refuses schemas that are not strict", async () => {
		const image = { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } } as const;
		const seen = await client.chat.completions.create({
			model: "gpt-5-mini",
			messages: [{ role: "user", content: [{ type: "text", text: "look" }, image] }],
		});
		expect(seen.choices[0]?.message.content).toBe("You said: look I see an image of image/png, 70 bytes.");
		const ask = (schema: Record<string, unknown>) =>
			client.chat.completions.create({
				model: "gpt-5-mini",
				messages: [...messages],
				response_format: { type: "json_schema", json_schema: { name: "verdict", schema, strict: true } },
			});
		expect(JSON.parse((await ask(VERDICT)).choices[0]?.message.content ?? "")).toEqual(FIRST_VERDICT);
		const { additionalProperties: _none, ...loose } = VERDICT;
		await expect(ask(loose)).rejects.toMatchObject({ status: 400, message: expect.stringContaining("additionalProp") });
	});

	it("fails as the name of the model says", async () => {
		const call = (model: string, more: object = {}) =>
			client.chat.completions.create({ model, messages: [...messages], ...more });
		await expect(call("status-401-echo")).rejects.toMatchObject({
			status: 401,
			code: "invalid_api_key",
			message: expect.stringContaining("key-of-chat"),
		});
		const limited = await call("status-429-retry-3").catch((error: unknown) => error);
		expect(limited).toBeInstanceOf(OpenAI.RateLimitError);
		expect((limited as InstanceType<typeof OpenAI.RateLimitError>).headers?.get("retry-after")).toBe("3");
		await expect(call("quota")).rejects.toMatchObject({ status: 429, code: "insufficient_quota" });
		await expect(call("unknown-model")).rejects.toMatchObject({ status: 404, code: "model_not_found" });
		await expect(call("context")).rejects.toMatchObject({ status: 400, code: "context_length_exceeded" });
		await expect(call("status-402")).rejects.toMatchObject({ status: 402 });
		await expect(call("refuses-temperature", { temperature: 0 })).rejects.toMatchObject({ param: "temperature" });
		expect((await call("refuses-temperature")).choices).toHaveLength(1);
		expect((await call("filter")).choices[0]?.finish_reason).toBe("content_filter");
		await expect(call("reset")).rejects.toBeInstanceOf(OpenAI.APIConnectionError);
		await expect(call("html")).resolves.toMatch(/log in/);
		await expect(call("redirect")).rejects.toMatchObject({ status: 404 });
	});

	it("breaks streams off as the name of the model says", async () => {
		const read = async (model: string): Promise<{ readonly text: string; readonly finish: unknown }> => {
			let text = "";
			let finish: unknown;
			const stream = await client.chat.completions.create({ model, messages: [...messages], stream: true });
			try {
				for await (const { choices } of stream) {
					text += choices[0]?.delta.content ?? "";
					finish = choices[0]?.finish_reason ?? finish;
				}
			} catch (error) {
				finish = error;
			}
			return { text, finish };
		};
		expect(await read("words-4")).toEqual({ text: "word1 word2 word3 word4", finish: "stop" });
		expect(await read("words-4+cut")).toMatchObject({ text: "word1 word2 word3", finish: expect.any(Error) });
		expect(await read("words-4+no-end")).toEqual({ text: "word1 word2 word3 word4", finish: undefined });
		expect(await read("words-4+bad-event")).toMatchObject({
			text: "word1 word2 word3",
			finish: expect.any(SyntaxError),
		});
		expect(await read("words-4+error-event")).toMatchObject({ finish: expect.any(OpenAI.APIError) });
	});
});

describe("openai, Responses", () => {
	let client: OpenAI;

	beforeAll(() => {
		client = new OpenAI({ apiKey: "key-of-responses", baseURL: provider.openai, maxRetries: 0, logLevel: "off" });
	});

	it("answers with reasoning, streamed and not", async () => {
		const request = { model: "o4-mini", input: "hello there", reasoning: { effort: "low", summary: "auto" } } as const;
		const whole = await client.responses.create(request);
		expect(whole.output_text).toBe("You said: hello there");
		expect(whole.output.map(({ type }) => type)).toEqual(["reasoning", "message"]);
		expect(whole.usage?.output_tokens_details.reasoning_tokens).toBe(9);
		const streamed = await client.responses.stream(request).finalResponse();
		expect(streamed.output_text).toBe("You said: hello there");
		expect(streamed.output.map(({ type }) => type)).toEqual(["reasoning", "message"]);
		expect(streamed.usage).toEqual(whole.usage);
	});

	it("calls two tools at once, reads their results, and fits a schema", async () => {
		const tools = [{ type: "function", name: "weather", parameters: WEATHER, strict: true } as const];
		const input = [{ role: "user", content: "hello" }] as const;
		const { output } = await client.responses.stream({ model: "tools-2", input: [...input], tools }).finalResponse();
		const calls = output.filter((item) => item.type === "function_call");
		expect(calls.map((call) => JSON.parse(call.arguments))).toEqual([FIRST_WEATHER, FIRST_WEATHER]);
		const results = calls.map(({ call_id }) => ({ type: "function_call_output", call_id, output: "sunny" }) as const);
		const next = await client.responses.create({ model: "gpt-5", input: [...input, ...calls, ...results], tools });
		expect(next.output_text).toBe("You said: sunny Tools answered 1 times.");
		const missing = client.responses.create({ model: "gpt-5", input: [...input, ...calls], tools });
		await expect(missing).rejects.toMatchObject({ status: 400, message: expect.stringContaining("No tool output") });
		const format = { type: "json_schema", name: "verdict", schema: VERDICT, strict: true } as const;
		const verdict = await client.responses.create({ model: "gpt-5", input: "judge", text: { format } });
		expect(JSON.parse(verdict.output_text)).toEqual(FIRST_VERDICT);
	});

	it("ends early as the name of the model says", async () => {
		const { status, incomplete_details } = await client.responses.create({ model: "length", input: "hello" });
		expect({ status, incomplete_details }).toEqual({
			status: "incomplete",
			incomplete_details: { reason: "max_output_tokens" },
		});
		const stream = client.responses.stream({ model: "words-4+error-event", input: "hello" });
		await expect(stream.finalResponse()).rejects.toThrow("overloaded");
		const old = client.responses.create({ model: "gpt-5", input: "hello", max_tokens: 8 } as never);
		await expect(old).rejects.toMatchObject({ status: 400, param: "max_tokens" });
	});
});

describe("@anthropic-ai/sdk", () => {
	const messages = [{ role: "user", content: "hello there" }] as const;
	let client: Anthropic;

	beforeAll(() => {
		client = new Anthropic({ apiKey: "key-of-messages", baseURL: provider.anthropic, maxRetries: 0, logLevel: "off" });
	});

	it("answers with thinking and caches, streamed and not", async () => {
		const request = {
			model: "claude-next+cache-read-1+cache-write-1",
			max_tokens: 2_000,
			messages: [...messages],
			thinking: { type: "enabled" as const, budget_tokens: 1_024 },
		};
		const whole = await client.messages.create(request);
		expect(whole.content.map(({ type }) => type)).toEqual(["thinking", "text"]);
		expect(whole.content[1]).toMatchObject({ text: "You said: hello there" });
		expect(whole.stop_reason).toBe("end_turn");
		expect(whole.usage).toMatchObject({
			input_tokens: 1,
			cache_read_input_tokens: 1,
			cache_creation_input_tokens: 1,
			output_tokens: 13,
		});
		const streamed = await client.messages.stream(request).finalMessage();
		expect(streamed.content).toEqual(whole.content);
		expect(streamed.usage).toMatchObject(whole.usage);
		expect((await provider.lastRequest()).headers["authorization"]).toBe("Bearer key-of-messages");
	});

	it("calls two tools at once, reads their results, sees images and fits a schema", async () => {
		const tools = [{ name: "weather", input_schema: { ...WEATHER, required: [...WEATHER.required] } }];
		const ask = { max_tokens: 100, tools, messages: [...messages] };
		const { content } = await client.messages.stream({ ...ask, model: "tools-2" }).finalMessage();
		expect(content).toMatchObject([
			{ type: "tool_use", name: "weather", input: FIRST_WEATHER },
			{ type: "tool_use", name: "weather", input: FIRST_WEATHER },
		]);
		const results = content.flatMap((block) =>
			block.type === "tool_use" ? [{ type: "tool_result", tool_use_id: block.id, content: "sunny" } as const] : [],
		);
		const image = { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } } as const;
		const next = await client.messages.create({
			...ask,
			model: "claude-next",
			messages: [...messages, { role: "assistant", content }, { role: "user", content: [...results, image] }],
		});
		expect(next.content).toMatchObject([
			{ text: "You said: sunnysunny Tools answered 2 times. I see an image of image/png, 70 bytes." },
		]);
		const open = [...messages, { role: "assistant", content } as const];
		const missing = client.messages.create({ ...ask, model: "claude-next", messages: open });
		await expect(missing).rejects.toThrow("`tool_use` ids were found without");
		const verdict = await client.messages.create({
			max_tokens: 100,
			messages: [...messages],
			model: "claude-next",
			output_config: { format: { type: "json_schema", schema: VERDICT } },
		});
		expect(verdict.content).toMatchObject([{ text: JSON.stringify(FIRST_VERDICT) }]);
	});

	it("fails as the name of the model says", async () => {
		const call = (model: string, more: object = {}) =>
			client.messages.create({ model, max_tokens: 100, messages: [...messages], ...more });
		await expect(call("overloaded")).rejects.toMatchObject({
			status: 529,
			error: { error: { type: "overloaded_error" } },
		});
		await expect(call("status-401-echo")).rejects.toThrow("key-of-messages");
		await expect(call("context")).rejects.toThrow("prompt is too long");
		await expect(call("refuses-temperature", { temperature: 0 })).rejects.toThrow("`temperature` is not supported");
		expect((await call("filter")).stop_reason).toBe("refusal");
		expect((await call("gzip+words-2")).content).toMatchObject([{ text: "word1 word2" }]);
		const stream = client.messages.stream({ model: "words-4+cut", max_tokens: 100, messages: [...messages] });
		await expect(stream.finalMessage()).rejects.toThrow();
	});

	it("lists models", async () => {
		const { data } = await client.models.list();
		expect(data.map(({ id }) => id)).toContain("claude-sonnet-4-5-20250929");
	});
});

describe("@google/genai", () => {
	let client: GoogleGenAI;

	beforeAll(() => {
		client = new GoogleGenAI({ apiKey: "key-of-gemini", httpOptions: { baseUrl: provider.url } });
	});

	it("answers with thoughts, streamed and not", async () => {
		const config = { thinkingConfig: { includeThoughts: true } };
		const request = { model: "gemini-2.5-flash+cache-read-1", contents: "hello there", config };
		const whole = await client.models.generateContent(request);
		expect(whole.text).toBe("You said: hello there");
		expect(whole.usageMetadata).toMatchObject({
			promptTokenCount: 3,
			candidatesTokenCount: 4,
			thoughtsTokenCount: 9,
			cachedContentTokenCount: 1,
		});
		let text = "";
		let finish: unknown;
		for await (const chunk of await client.models.generateContentStream(request)) {
			text += chunk.text ?? "";
			finish = chunk.candidates?.[0]?.finishReason ?? finish;
		}
		expect({ text, finish }).toEqual({ text: "You said: hello there", finish: "STOP" });
		const sent = await provider.lastRequest();
		expect(sent.headers["x-goog-api-key"]).toBe("key-of-gemini");
		expect(sent.path).toBe("/v1/models/gemini-2.5-flash+cache-read-1:streamGenerateContent?alt=sse");
	});

	it("calls two tools at once, fits a schema, and sees images", async () => {
		const tools = [{ functionDeclarations: [{ name: "weather", parametersJsonSchema: WEATHER }] }];
		const called = await client.models.generateContent({ model: "tools-2", contents: "hello", config: { tools } });
		expect(called.functionCalls).toMatchObject([
			{ name: "weather", args: FIRST_WEATHER },
			{ name: "weather", args: FIRST_WEATHER },
		]);
		const none = { functionCallingConfig: { mode: FunctionCallingConfigMode.NONE } };
		const silent = await client.models.generateContent({
			model: "gemini-2.5-flash",
			contents: [{ role: "user", parts: [{ text: "look" }, { inlineData: { mimeType: "image/png", data: PIXEL } }] }],
			config: { tools, toolConfig: none },
		});
		expect(silent.text).toBe("You said: look I see an image of image/png, 70 bytes.");
		const verdict = await client.models.generateContent({
			model: "gemini-2.5-flash",
			contents: "judge",
			config: { responseMimeType: "application/json", responseJsonSchema: VERDICT },
		});
		expect(JSON.parse(verdict.text ?? "")).toEqual(FIRST_VERDICT);
	});

	it("fails as the name of the model says, and lists models", async () => {
		const call = (model: string) => client.models.generateContent({ model, contents: "hello" });
		await expect(call("status-429-limit-reset-7")).rejects.toThrow('"retryDelay":"7s"');
		await expect(call("status-401")).rejects.toMatchObject({ status: 401 });
		expect((await call("filter")).candidates?.[0]?.finishReason).toBe("SAFETY");
		expect((await call("filter-prompt")).promptFeedback?.blockReason).toBe("SAFETY");
		const models = await client.models.list();
		expect(models.page.map(({ name }) => name)).toContain("models/gemini-2.5-flash");
	});
});

describe("@ai-sdk/amazon-bedrock", () => {
	const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "hello there" }] }];
	const credentials = { region: "us-east-1", accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret/of+the=test" };

	it("checks the signature, and answers streamed and not", async () => {
		const signed = createAmazonBedrock({ ...credentials, baseURL: provider.url, apiKey: "" });
		await provider.control({ keys: ["AKIDEXAMPLE:secret/of+the=test"] });
		const model = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
		const whole = await signed(model).doGenerate({ prompt });
		expect(whole.content).toMatchObject([{ type: "text", text: "You said: hello there" }]);
		expect(whole.usage).toMatchObject({ inputTokens: { total: 3 }, outputTokens: { total: 4 } });
		await provider.control({ keys: ["AKIDEXAMPLE:another secret"] });
		await expect(signed(model).doGenerate({ prompt })).rejects.toMatchObject({ statusCode: 403 });
		await provider.control({ keys: null });
	});

	it("streams messages whose checksums are right, with a bearer token too", async () => {
		const bedrock = createAmazonBedrock({ region: "us-east-1", apiKey: "key-of-bedrock", baseURL: provider.url });
		const read = async (model: string) => {
			const parts = [];
			const tools = [
				{ type: "function" as const, name: "weather", inputSchema: { ...WEATHER, required: [...WEATHER.required] } },
			];
			const { stream } = await bedrock(model).doStream({ prompt, tools });
			for await (const part of stream) parts.push(part);
			return parts;
		};
		const pieces = await read("words-3+text+split");
		expect(pieces.flatMap((part) => (part.type === "text-delta" ? part.delta : [])).join("")).toBe("word1 word2 word3");
		expect(pieces.at(-1)).toMatchObject({ type: "finish", finishReason: { unified: "stop" } });
		const calls = (await read("tools-2")).filter((part) => part.type === "tool-call");
		expect(calls.map((call) => JSON.parse(call.input))).toEqual([FIRST_WEATHER, FIRST_WEATHER]);
		expect((await read("words-4+text+bad-event")).filter((part) => part.type === "error")).toHaveLength(1);
		expect((await read("words-4+text+error-event")).filter((part) => part.type === "error")).toHaveLength(1);
		expect((await provider.lastRequest()).headers["authorization"]).toBe("Bearer key-of-bedrock");
	});
});

describe("the stand-in", () => {
	it("answers with what a test gave it, in order or by what the prompt says", async () => {
		const client = new OpenAI({ apiKey: "key", baseURL: provider.openai, maxRetries: 0, logLevel: "off" });
		await provider.setModel("judge", {
			when: [{ contains: "Paris", answer: { json: { label: "correct" } } }],
			answers: [{ text: "first" }, { text: "second", behaviours: ["status-500"] }, { text: "last" }],
		});
		const ask = async (content: string) => {
			const answer = await client.chat.completions.create({ model: "judge", messages: [{ role: "user", content }] });
			return answer.choices[0]?.message.content;
		};
		expect(await ask("one")).toBe("first");
		await expect(ask("two")).rejects.toMatchObject({ status: 500 });
		expect(await ask("three")).toBe("last");
		expect(await ask("is it Paris?")).toBe('{"label":"correct"}');
		expect(await ask("four")).toBe("last");
		await provider.setModel("busy", { behaviours: ["status-503", "times-2"] });
		const busy = () => client.chat.completions.create({ model: "busy", messages: [{ role: "user", content: "hi" }] });
		for (let n = 0; n < 2; n++) await expect(busy()).rejects.toMatchObject({ status: 503 });
		expect((await busy()).choices).toHaveLength(1);
		await expect(provider.setModel("busy", { behaviours: ["statsu-503"] })).rejects.toThrow("no behaviour");
	});

	it("records requests byte for byte, how many ran at once, and those who went away", async () => {
		const body = '{"model":"slow-1500", "messages":[{"role":"user","content":"é"}]}';
		const post = (model: string, init: RequestInit = {}) =>
			fetch(`${provider.openai}/chat/completions?x=1`, {
				method: "POST",
				body: body.replace("slow-1500", model),
				...init,
			});
		await Promise.all([post("slow-1500"), post("slow-1500"), post("slow-1500")]);
		expect(await provider.counters("slow-1500")).toEqual({ requests: 3, running: 0, most: 3, cancelled: 0 });
		const request = await provider.lastRequest({ model: "slow-1500" });
		expect(request).toMatchObject({
			method: "POST",
			path: "/v1/chat/completions?x=1",
			status: 200,
			wasCancelled: false,
		});
		expect(request.bytes.toString()).toBe(body);
		const leaving = new AbortController();
		const silent = post("silent", { signal: leaving.signal });
		await provider.waitForRequest(({ model }) => model === "silent");
		leaving.abort();
		await expect(silent).rejects.toThrow("aborted");
		await provider.waitForRequest(({ model, wasCancelled }) => model === "silent" && wasCancelled);
		expect(await provider.counters("silent")).toMatchObject({ running: 0, cancelled: 1 });
	});

	it("gives tokens to service accounts and clients that it knows", async () => {
		const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
		const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
		const now = Math.floor(Date.now() / 1_000);
		const claims = {
			iss: "robot@example.iam.gserviceaccount.com",
			scope: "https://www.googleapis.com/auth/cloud-platform",
			aud: "https://oauth2.googleapis.com/token",
			iat: now,
			exp: now + 3_600,
		};
		const unsigned = `${encode({ alg: "RS256", typ: "JWT" })}.${encode(claims)}`;
		const signature = createSign("RSA-SHA256").update(unsigned).sign(privateKey).toString("base64url");
		const ask = (assertion: string) =>
			fetch(`${provider.url}/token`, {
				method: "POST",
				body: new URLSearchParams({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion }),
			});
		const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
		await provider.control({
			keys: [],
			tokens: { serviceAccounts: { [claims.iss]: pem }, clients: { "t/app": "s3" } },
		});
		expect((await ask(`${unsigned}.${Buffer.from("no").toString("base64url")}`)).status).toBe(400);
		const { access_token } = (await (await ask(`${unsigned}.${signature}`)).json()) as { access_token: string };
		const path = "/v1/projects/p/locations/l/publishers/google/models/gemini-2.5-flash:generateContent";
		const call = (token: string) =>
			fetch(provider.url + path, {
				method: "POST",
				headers: { authorization: `Bearer ${token}` },
				body: JSON.stringify({ contents: [{ role: "user", parts: [{ text: "hi" }] }] }),
			});
		expect((await call(access_token)).status).toBe(200);
		expect((await call("made-up")).status).toBe(401);
		const client = { grant_type: "client_credentials", client_id: "app", client_secret: "s3" };
		const form = new URLSearchParams({ ...client, scope: "https://cognitiveservices.azure.com/.default" });
		const entra = await fetch(`${provider.url}/t/oauth2/v2.0/token`, { method: "POST", body: form });
		expect(await entra.json()).toMatchObject({ token_type: "Bearer", access_token: expect.any(String) });
		await provider.control({ reset: true });
	});

	it("serves TLS with certificates of all kinds", async () => {
		const ca = readFileSync(PROVIDER_AUTHORITY);
		const codeOf = (certificate: Parameters<ModelProvider["tlsUrl"]>[0]) =>
			new Promise((resolve) => {
				request(`${provider.tlsUrl(certificate)}/v1/models`, { ca, agent: false }, (response) => {
					response.resume();
					resolve(response.statusCode);
				})
					.on("error", (error: NodeJS.ErrnoException) => resolve(error.code))
					.end();
			});
		expect(await codeOf("server")).toBe(200);
		expect(await codeOf("untrusted")).toBe("UNABLE_TO_VERIFY_LEAF_SIGNATURE");
		expect(await codeOf("wrong-host")).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
		expect(await codeOf("expired")).toBe("CERT_HAS_EXPIRED");
	});

	it("has a proxy with credentials that leads providers' hosts to it", async () => {
		const ca = readFileSync(PROVIDER_AUTHORITY);
		const path = "api.openai.com:443";
		const connectThrough = (authorization: string) =>
			new Promise<{ readonly status: number | undefined; readonly socket: Socket }>((resolve, reject) => {
				const headers = { "proxy-authorization": authorization };
				requestOf({ host: "127.0.0.1", port: provider.ports.proxy, method: "CONNECT", path, headers })
					.on("connect", ({ statusCode }, socket) => resolve({ status: statusCode, socket }))
					.on("error", reject)
					.end();
			});
		await provider.control({ proxy: { credentials: { user: "user", password: "p@ss" } } });
		expect((await connectThrough("Basic bm8=")).status).toBe(407);
		const { socket } = await connectThrough(`Basic ${Buffer.from("user:p@ss").toString("base64")}`);
		const secured = connectTls({ socket, servername: "api.openai.com", ca });
		secured.write("GET /v1/models HTTP/1.1\r\nhost: api.openai.com\r\nconnection: close\r\n\r\n");
		expect(await text(secured)).toContain("gpt-4o-mini");
		expect(await provider.lastRequest()).toMatchObject({ listener: "server", serverName: "api.openai.com" });
		expect((await provider.connects()).map(({ target, status }) => ({ target, status }))).toEqual([
			{ target: "api.openai.com:443", status: 407 },
			{ target: "api.openai.com:443", status: 200 },
		]);
	});

	it.each([
		["flood-20", true, 20],
		["flood-20", false, 20],
		["gzip-bomb", true, 20],
		["big-event", true, 5],
	])("sends much: %s, streamed: %s", async (model, stream, mebibytes) => {
		const leaving = new AbortController();
		const body = JSON.stringify({ model, stream, messages: [{ role: "user", content: "hi" }] });
		const { signal } = leaving;
		const response = await fetch(`${provider.openai}/chat/completions`, { method: "POST", body, signal });
		let bytes = 0;
		for await (const chunk of response.body ?? []) {
			bytes += chunk.length;
			if (bytes >= mebibytes * 1_048_576) break;
		}
		leaving.abort();
		expect(bytes).toBeGreaterThanOrEqual(mebibytes * 1_048_576);
	});

	it("has each of its words in README.md", () => {
		const readme = readFileSync(join(import.meta.dirname, "peers/model-provider/README.md"), "utf8");
		const rows = Array.from(readme.matchAll(/^\| `([^`]+)` \| /gm), ([, word]) => word);
		expect(rows.filter((row) => !(row?.includes("/") ?? false))).toEqual(FORMS.map(({ form }) => form));
	});
});
