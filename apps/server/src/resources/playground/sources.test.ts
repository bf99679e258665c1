import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CallFailure, ModelCaller } from "#models/call-model.ts";
import { ModelError } from "#models/model-error.ts";
import type { ModelRequest } from "#models/model-request.ts";
import { renderMessages } from "#models/render-template.ts";
import { buildAppWithModels, openTestApp, text } from "#test-app.ts";
import { insertConnection } from "./test-connections.ts";

/** Keeps what would be sent. */
class Recorder implements ModelCaller {
	readonly requests: ModelRequest[] = [];

	async call(_connection: number, request: ModelRequest): Promise<CallFailure> {
		this.requests.push(request);
		const error = new ModelError("calls_off", "Nothing is called here.");
		return { error, partial: undefined, costUsd: undefined, latencyMs: 0, trace: undefined, attempts: 0 };
	}
}

const FIXTURES = join(import.meta.dirname, "../../../../../fixtures");
const SOURCES = readdirSync(FIXTURES, { withFileTypes: true })
	.filter((entry) => entry.isDirectory() && entry.name !== "agents")
	.map(({ name }) => name);

interface ExpectedMessage {
	readonly role: string;
	readonly text?: string;
	readonly toolCalls?: readonly { readonly id?: string; readonly name: string; readonly arguments?: unknown }[];
	readonly toolCallId?: string;
	readonly images?: number;
}

interface ExpectedSpan {
	readonly traceId: string;
	readonly spanId: string;
	readonly name: string;
	readonly kind: string;
	readonly model?: string;
	readonly requestModel?: string;
	readonly inputMessages?: readonly ExpectedMessage[];
	readonly toolDefinitions?: readonly string[];
	readonly contentNotCaptured?: boolean;
	readonly promptTemplate?: object;
	readonly modelRequest?: {
		readonly model?: string;
		readonly parameters?: object;
		readonly toolChoice?: string;
		readonly isWhole?: true;
	};
}

const server = await openTestApp();
const models = new Recorder();
const app = await buildAppWithModels(server, models);
afterAll(async () => {
	await app.close();
	await server[Symbol.asyncDispose]();
});

async function source(query: Record<string, string>) {
	const { status, json, text } = await server.get(`/v1/playground/sources?${new URLSearchParams(query)}`);
	return { status, data: json?.data, json, text };
}

// biome-ignore lint/suspicious/noExplicitAny: wire JSON
type Wire = any;

/** A message of a variant as `expect.json` has it. */
function toExpected({ role, content }: Wire): ExpectedMessage {
	const parts: Wire[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
	const texts = parts.flatMap((part) => {
		if (part.type === "tool_result") return part.tool_result === "" ? [] : [part.tool_result];
		return part.type === "text" ? [part.text] : [];
	});
	const calls = parts.filter(({ type }) => type === "tool_call");
	const result = parts.find(({ type }) => type === "tool_result");
	const images = parts.filter(({ type }) => type === "image").length;
	return {
		role,
		...(texts.length === 0 ? {} : { text: texts.join("\n") }),
		...(calls.length === 0
			? {}
			: {
					toolCalls: calls.map(({ tool_call_id: id, tool_call: { name, arguments: json } }) => ({
						...{ id, name, arguments: parsed(json) },
					})),
				}),
		...(result === undefined ? {} : { toolCallId: result.tool_call_id }),
		...(images === 0 ? {} : { images }),
	};
}

function parametersOf({ invocation_parameters: parameters }: Wire): object {
	if (parameters === null) return {};
	const { extra_body, ...members } = parameters[parameters.type];
	return { ...members, ...extra_body };
}

function parsed(json: string): unknown {
	try {
		return JSON.parse(json);
	} catch {
		return json;
	}
}

describe("E22 each recorded call of a model opens", () => {
	beforeAll(async () => {
		for (const name of SOURCES) await server.replay(name, name);
	});

	const calls = SOURCES.flatMap((name) => {
		const { spans } = JSON.parse(readFileSync(join(FIXTURES, name, "expect.json"), "utf8"));
		return (spans as ExpectedSpan[])
			.filter(({ kind }) => kind === "LLM")
			.map((span) => [name, span.name, span] as const);
	});

	test.each(calls)("%s: %s", async (project, _name, expected) => {
		const { status, data, text } = await source({ span_id: expected.spanId, trace_id: expected.traceId, project });
		expect(status, text).toBe(200);
		const { variant: opened, variables, not_captured: notes } = data as Wire;
		const rendered = renderMessages(opened, variables);
		if ("missing" in rendered) throw new Error(`there is no value for ${rendered.missing.join()}`);
		const variant: Wire = { ...opened, messages: rendered.messages };
		expect(variant.template_format === "NONE").toBe(expected.promptTemplate === undefined);
		// Messages in log records do not count as recorded in `expect.json`.
		const messages = expected.inputMessages ?? (expected.contentNotCaptured ? variant.messages.map(toExpected) : []);
		const lost = messages.some(
			({ images = 0 }: ExpectedMessage, at: number) => images > (toExpected(variant.messages[at]).images ?? 0),
		);
		expect(notes.some((note: string) => /^An image in message/.test(note))).toBe(lost);
		expect(variant.messages.map(toExpected)).toEqual(messages.map(asSendable(variant.messages)));
		expect(notes.some((note: string) => note.startsWith("The messages were not recorded"))).toBe(messages.length === 0);
		const names = (variant.tools?.tools ?? []).map(
			(tool: Wire) => tool.function?.name ?? tool.raw.name ?? tool.raw.type,
		);
		expect(names).toEqual(expected.toolDefinitions ?? []);
		const { model, parameters = {}, toolChoice, isWhole } = expected.modelRequest ?? {};
		expect(variant.model).toBe(model ?? expected.requestModel ?? expected.model ?? null);
		expect(parametersOf(variant)).toEqual(parameters);
		expect(variant.tools?.tool_choice?.type).toBe(toolChoice === "auto" && variant.tools ? "zero_or_more" : undefined);
		const absent = ["temperature", "top_p", "max_tokens"].filter((name) => !Object.hasOwn(parameters, name));
		const said = notes.find((note: string) => note.startsWith("Not recorded, so the model's own defaults"));
		expect(said?.split(": ")[1]).toBe(isWhole || absent.length === 0 ? undefined : `${absent.join(", ")}.`);
	});
});

/** What `expect.json` has and variants say otherwise: images that were not recorded, ids that were made up, names. */
function asSendable(sent: readonly Wire[]) {
	return ({ role, text, toolCalls, toolCallId, images }: ExpectedMessage, at: number): ExpectedMessage => {
		const own = toExpected(sent[at]);
		return {
			role,
			...(text === undefined ? {} : { text }),
			...(toolCalls === undefined
				? {}
				: {
						toolCalls: toolCalls.map((call, index) => ({
							id: call.id ?? own.toolCalls?.[index]?.id ?? "",
							name: call.name,
							arguments: call.arguments ?? {},
						})),
					}),
			...(role === "tool" ? { toolCallId: toolCallId ?? own.toolCallId ?? "" } : {}),
			...(images === undefined || own.images === undefined ? {} : { images: own.images }),
		};
	};
}

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const WEATHER = { type: "object", properties: { city: { type: "string", maxLength: 90 } }, required: ["city"] };

/** Stores a call of a model with these attributes. @returns its id */
let stored = 0;
async function storeCall(attributes: Record<string, string>, kind = "LLM", project = "calls"): Promise<string> {
	stored += 1;
	const spanId = stored.toString(16).padStart(16, "0");
	const all = { "openinference.span.kind": kind, ...attributes };
	const sent = Object.fromEntries(Object.entries(all).map(([key, value]) => [key, text(value)]));
	await server.send([{ traceId: "c".repeat(32), spanId, attributes: sent }], project);
	return spanId;
}

test("E23 a call with tools and an image goes out as it was sent", async () => {
	const connection_id = await insertConnection(server, "for all");
	const spanId = await storeCall({
		"llm.provider": "openai",
		"llm.input_messages.0.message.role": "user",
		"llm.input_messages.0.message.contents.0.message_content.type": "image",
		"llm.input_messages.0.message.contents.0.message_content.image.image.url": `data:image/jpeg;base64,${PNG}`,
		"llm.input_messages.0.message.contents.1.message_content.type": "text",
		"llm.input_messages.0.message.contents.1.message_content.text": "Which city is {{this}}?",
		"llm.input_messages.0.message.contents.2.message_content.type": "text",
		"llm.input_messages.0.message.contents.2.message_content.text": "And its weather?",
		"llm.input_messages.1.message.role": "assistant",
		"llm.input_messages.1.message.tool_calls.0.tool_call.id": "c1",
		"llm.input_messages.1.message.tool_calls.0.tool_call.function.name": "weather",
		"llm.input_messages.1.message.tool_calls.0.tool_call.function.arguments": '{"city":"Oslo"}',
		"llm.input_messages.2.message.role": "tool",
		"llm.input_messages.2.message.tool_call_id": "c1",
		"llm.input_messages.2.message.content": "4 degrees",
		"llm.tools.0.tool.json_schema": JSON.stringify({
			...{ type: "function", function: { name: "weather", description: "Now", parameters: WEATHER, strict: true } },
		}),
		"llm.invocation_parameters": JSON.stringify({
			...{
				model: "gpt-4o",
				temperature: 0,
				max_completion_tokens: 99,
				seed: 7,
				stop: ["END"],
				logit_bias: { 50256: -100 },
			},
			...{ tool_choice: { type: "function", function: { name: "weather" } }, parallel_tool_calls: false, stream: true },
			response_format: { type: "json_schema", json_schema: { name: "w", schema: WEATHER, strict: true } },
		}),
	});
	const { data, text: answer } = await source({ span_id: spanId });
	expect(data?.not_captured, answer).toEqual([]);
	const { variant } = data;
	expect(variant.connection_id).toBe(connection_id);
	const { label: _, connection_id: __, ...content } = variant;
	const payload = { variants: [{ ...content, connection_id }], source: data.project_id };
	const response = await app.inject({ method: "POST", url: "/v1/playground/runs", payload });
	expect(response.statusCode, response.body).toBe(200);
	expect(models.requests).toEqual([
		{
			model: "gpt-4o",
			messages: [
				{
					role: "user",
					content: [
						// What the bytes are, not what the address says.
						{ type: "image", media_type: "image/png", data: PNG },
						{ type: "text", text: "Which city is {{this}}?" },
						{ type: "text", text: "And its weather?" },
					],
				},
				{
					role: "assistant",
					content: [
						{
							type: "tool_call",
							tool_call_id: "c1",
							tool_call: { type: "function", name: "weather", arguments: '{"city":"Oslo"}' },
						},
					],
				},
				{ role: "tool", content: [{ type: "tool_result", tool_call_id: "c1", tool_result: "4 degrees" }] },
			],
			invocation_parameters: {
				type: "openai",
				openai: {
					...{ temperature: 0, max_completion_tokens: 99, seed: 7, stop: ["END"] },
					extra_body: { logit_bias: { 50256: -100 } },
				},
			},
			tools: {
				type: "tools",
				tools: [
					{ type: "function", function: { name: "weather", description: "Now", parameters: WEATHER, strict: true } },
				],
				...{ tool_choice: { type: "specific_function", function_name: "weather" }, disable_parallel_tool_calls: true },
			},
			response_format: { type: "json_schema", json_schema: { name: "w", schema: WEATHER, strict: true } },
		},
	]);
});

test("what cannot be sent again is said", async () => {
	const messages = [
		{ role: "critic", content: "Hm\0" },
		{
			role: "user",
			content: [
				{ type: "image_url", image_url: { url: "https://example.com/a.png" } },
				{ type: "text", text: "?" },
			],
		},
		{
			role: "user",
			content: [
				{ type: "image_url", image_url: { url: "data:image/svg+xml;base64,PHN2Zy8+" } },
				{ type: "text", text: "!" },
			],
		},
		{
			role: "user",
			name: "Ann",
			content: [{ type: "input_audio", input_audio: { data: "AAAAAAAAAAAAAAAAAAAA", format: "wav" } }],
		},
		{
			role: "assistant",
			reasoning_content: "so",
			tool_calls: [{ function: { name: "f", arguments: "{" } }, { function: { name: "g" } }],
		},
		{ role: "tool", content: "first" },
		{ role: "tool", content: "second" },
	];
	const spanId = await storeCall({
		"input.value": "x",
		"llm.input_messages": JSON.stringify(messages),
		"llm.prompt_template.template": "Say {word}",
		"llm.prompt_template.variables": '{"word": "x"}',
	});
	const { data } = await source({ span_id: spanId, project: "calls" });
	expect(data.not_captured).toEqual([
		"The model was not recorded.",
		"The provider was not recorded.",
		"Characters of message 1 that are no text are left out.",
		"The role critic of message 1 is not known to models: taken as user.",
		"An image in message 2 was not recorded, only its address, which the server does not fetch.",
		"An image in message 3 is no PNG, JPEG, WebP or GIF.",
		"The name of who speaks in message 4 is left out.",
		"The audio in message 4 is left out.",
		"Nothing of message 4 can be sent again.",
		"The reasoning in message 5 is left out.",
		"Ids of tool calls in messages 5, 6 and 7 were not recorded: made up.",
		"A template was recorded, but no message is what it becomes with the recorded variables: they are as sent.",
		"The tools were not recorded, though messages call some.",
		"Not recorded, so the model's own defaults: temperature, top_p, max_tokens.",
	]);
	const [first, , , calls, ...results] = data.variant.messages;
	expect(first).toEqual({ role: "user", content: "Hm" });
	const idsOf = (message: Wire) => message.content.map((part: Wire) => part.tool_call_id);
	expect([calls, ...results].flatMap(idsOf)).toEqual(["call_1", "call_2", "call_1", "call_2"]);
	expect(calls.content[0].tool_call.arguments).toBe("{");
	expect([data.variant.connection_id, data.variables]).toEqual([null, { word: "x" }]);
});

test("a template takes the place of the message that it becomes; braces elsewhere stay braces", async () => {
	const spanId = await storeCall({
		"llm.input_messages": JSON.stringify([
			{ role: "system", content: 'Answer as {"city": …}' },
			{ role: "user", content: "Weather in Oslo, {now}?" },
		]),
		"llm.prompt_template.template": "Weather in {city}, {{now}}?",
		"llm.prompt_template.variables": '{"city": "Oslo"}',
	});
	const { variant, variables } = (await source({ span_id: spanId })).data;
	expect([variant.template_format, variables]).toEqual(["F_STRING", { city: "Oslo" }]);
	expect(variant.messages.map(({ content }: Wire) => content)).toEqual([
		'Answer as {{"city": …}}',
		"Weather in {city}, {{now}}?",
	]);
	expect(renderMessages(variant, variables)).toEqual({
		messages: [
			{ role: "system", content: 'Answer as {"city": …}' },
			{ role: "user", content: "Weather in Oslo, {now}?" },
		],
	});
});

test.each([
	[
		"anthropic",
		{ max_tokens: 9, temperature: 1, stop_sequences: ["x"], top_k: 3 },
		{
			type: "anthropic",
			anthropic: { max_tokens: 9, temperature: 1, stop_sequences: ["x"], extra_body: { top_k: 3 } },
		},
	],
	[
		"google",
		{ generation_config: { maxOutputTokens: 9, topK: 3, topP: 0.5 } },
		{ type: "google", google: { max_output_tokens: 9, top_k: 3, top_p: 0.5 } },
	],
	[
		"aws",
		{ inferenceConfig: { maxTokens: 9, stopSequences: ["x"] } },
		{ type: "aws", aws: { max_tokens: 9, stop_sequences: ["x"] } },
	],
	[
		"openai",
		{ max_output_tokens: 9, reasoning: { effort: "low" } },
		{ type: "openai", openai: { max_tokens: 9, reasoning_effort: "low" } },
	],
])("parameters of %s keep their form", async (provider, recorded, parameters) => {
	const attributes = { "llm.provider": provider, "llm.invocation_parameters": JSON.stringify(recorded) };
	const { data } = await source({ span_id: await storeCall(attributes) });
	expect(data.variant.invocation_parameters).toEqual(parameters);
});

test("a parameter that the provider does not have, or a value that it cannot have, is said", async () => {
	const recorded = { max_tokens: 9, thinking: { type: "enabled", budget_tokens: 5 }, seed: 1, mirostat: 2 };
	const attributes = { "llm.provider": "anthropic", "llm.invocation_parameters": JSON.stringify(recorded) };
	const { data } = await source({ span_id: await storeCall(attributes) });
	expect(data.variant.invocation_parameters).toEqual({ type: "anthropic", anthropic: { max_tokens: 9 } });
	expect(data.not_captured).toEqual(
		expect.arrayContaining([
			"Recorded, but not known as parameters, and left out: mirostat.",
			"Recorded, but not among the parameters of this provider: seed.",
			"Recorded with values that cannot be sent, and left out: thinking.",
		]),
	);
});

describe("a connection that has the model is chosen", () => {
	const opened = async (provider: string | undefined, model: string) => {
		const named = provider === undefined ? {} : { "llm.provider": provider };
		const spanId = await storeCall({ ...named, "llm.model_name": model, "input.value": "x" });
		return (await source({ span_id: spanId })).data.variant.connection_id;
	};
	const ids: Record<string, string> = {};
	beforeAll(async () => {
		ids["claude"] = await insertConnection(server, "claude", { kind: "anthropic", models: '["claude-9"]' });
		ids["off"] = await insertConnection(server, "off", { kind: "anthropic", is_enabled: 0 });
		ids["groq"] = await insertConnection(server, "at Groq", {
			kind: "openai_compatible",
			base_url: "https://api.groq.com",
		});
		ids["own"] = await insertConnection(server, "own", { kind: "openai_compatible", default_model: "my-model" });
	});

	test.each([
		["anthropic", "claude-9", "claude"],
		["anthropic", "claude-8", undefined],
		[undefined, "claude-9", "claude"],
		["groq", "llama-x", "groq"],
		["ollama", "llama-x", undefined],
		["ollama", "my-model", "own"],
		[undefined, "my-model", "own"],
		["bedrock", "claude-7", undefined],
	])("%s %s: %s", async (provider, model, name) => {
		expect(await opened(provider, model)).toBe(name === undefined ? null : ids[name]);
	});
});

test("a prompt version opens with what is stored of it", async () => {
	const version = {
		...{ model_provider: "ANTHROPIC", model_name: "claude-9", template_type: "CHAT", template_format: "MUSTACHE" },
		template: { type: "chat", messages: [{ role: "user", content: "Hi {{name}}" }] },
		invocation_parameters: { type: "anthropic", anthropic: { max_tokens: 5 } },
	};
	const made = await server.call("POST", "/v1/prompts", { prompt: { name: "opened" }, version });
	const { data } = await source({ prompt_version_id: made.json.data.id });
	expect(data).toMatchObject({
		variant: {
			...{ model: "claude-9", template_format: "MUSTACHE", tools: null, response_format: null },
			messages: [{ role: "user", content: [{ type: "text", text: "Hi {{name}}" }] }],
			invocation_parameters: version.invocation_parameters,
		},
		...{ provider: "ANTHROPIC", prompt_version_id: made.json.data.id, project_id: null, not_captured: [] },
	});
});

test("an experiment opens if the server ran it", async () => {
	const dataset = await server.call("POST", "/v1/datasets/upload?sync=true", { name: "d", inputs: [{ a: 1 }] });
	const url = `/v1/datasets/${dataset.json.data.dataset_id}/experiments`;
	const experiment_id: string = (await server.call("POST", url, {})).json.data.id;
	const headers = { accept: "application/problem+json" };
	const query = new URLSearchParams({ experiment_id });
	const refused = await server.get(`/v1/playground/sources?${query}`, headers);
	expect([refused.status, refused.json.code]).toEqual([422, "experiment_without_task"]);
	const connection_id = await insertConnection(server, "of the job");
	const variant = { connection_id, model: "m", messages: [{ role: "user", content: "{{a}}" }] };
	await server.context.db.write((transaction) =>
		transaction
			.updateTable("experiments")
			.set({ task: JSON.stringify({ variant }) })
			.execute(),
	);
	const { data } = await source({ experiment_id });
	expect(data.variant).toMatchObject({ ...variant, template_format: "MUSTACHE" });
});

test("what is no model call, is not there, or is asked for in two ways is refused", async () => {
	const tool = await storeCall({}, "TOOL");
	const twice = await storeCall({}, "LLM", "one");
	stored -= 1;
	await storeCall({}, "LLM", "other");
	const codes = [];
	const queries = [
		{ span_id: tool },
		{ span_id: "f".repeat(16) },
		{ span_id: twice },
		{ span_id: twice, trace_id: "c".repeat(32) },
		{ span_id: twice, trace_id: "d".repeat(32) },
		{ span_id: tool, project: "never" },
		{ prompt_version_id: "nonsense" },
		{ span_id: tool, prompt_version_id: "x" },
		{},
	];
	for (const query of queries) {
		const headers = { accept: "application/problem+json" };
		const { status, json } = await server.get(`/v1/playground/sources?${new URLSearchParams(query)}`, headers);
		codes.push([status, json.code]);
	}
	expect(codes).toEqual([
		[422, "not_a_model_call"],
		[404, "span_not_found"],
		[409, "ambiguous_span"],
		[409, "ambiguous_span"],
		[404, "span_not_found"],
		[404, "project_not_found"],
		[422, "invalid_prompt_version_id"],
		[422, "validation_failed"],
		[422, "validation_failed"],
	]);
	expect((await source({ span_id: twice, project: "one" })).status).toBe(200);
});
