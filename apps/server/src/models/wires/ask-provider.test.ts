import type { ModelControl } from "@spanward/e2e/peers/model-provider/control.ts";
import { ModelProvider, type ProviderRequest } from "@spanward/e2e/peers/model-provider.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { OutgoingGuard } from "#base/outgoing/outgoing-guard.ts";
import type { OpenConnection } from "../connection.ts";
import { ModelError } from "../model-error.ts";
import type { ModelAnswer, ModelDelta, ModelRequest } from "../model-request.ts";
import { askProvider } from "./ask-provider.ts";
import { objectAt } from "./json-object.ts";
import { CONVERSATION, WIRE_BODIES } from "./test-conversation.ts";
import { TEST_WIRES, type TestWire, testWire } from "./test-wires.ts";

let provider: ModelProvider;
const outgoing = new OutgoingGuard({ allowedHosts: [], allowsLoopback: true, ownPorts: [] });

beforeAll(async () => {
	provider = await ModelProvider.start();
});
afterAll(async () => {
	await outgoing[Symbol.asyncDispose]();
	await provider[Symbol.asyncDispose]();
});

const HELLO: Omit<ModelRequest, "model"> = {
	messages: [{ role: "user", content: "Hello" }],
	invocation_parameters: { type: "openai", openai: { max_tokens: 4_096 } },
};
const stream = () => undefined;

function ask(connection: OpenConnection, request: ModelRequest, onDelta?: (delta: ModelDelta) => void) {
	const { signal } = new AbortController();
	return askProvider(connection, request, {
		fetch: outgoing.fetch(connection),
		signal,
		...(onDelta === undefined ? {} : { onDelta }),
	});
}

/** A call of a model that behaves as these words say. */
function askFor(
	wire: TestWire,
	words: string,
	onDelta?: (delta: ModelDelta) => void,
	more: Partial<ModelRequest> = {},
) {
	return ask(wire.connection(provider), { ...HELLO, model: `${wire.model}+${words}`, ...more }, onDelta);
}

async function failureOf(asked: Promise<ModelAnswer>): Promise<ModelError> {
	const error: unknown = await asked.then(
		() => undefined,
		(reason: unknown) => reason,
	);
	if (error instanceof ModelError) return error;
	throw new Error("It should have failed with a ModelError", { cause: error });
}

const WAYS = [
	["streamed", true],
	["whole", false],
] as const;
const CALL = { name: "get_weather", arguments: { city: "Paris" } };
const ANSWER: ModelControl = {
	answers: [
		{
			...{
				text: "It is really sunny, I believe.",
				reasoning: "Hm, let me see.",
				toolCalls: [CALL],
				finish: "tool_calls",
			},
			usage: { input: 100, output: 30, cacheRead: 40, cacheWrite: 7, reasoning: 10 },
			answeredBy: "m-2026",
		},
	],
};

const SCHEMA = {
	type: "object",
	properties: { ok: { type: "boolean" } },
	required: ["ok"],
	additionalProperties: false,
};
const VERDICT = { type: "json_schema", json_schema: { name: "verdict", schema: SCHEMA, strict: true } } as const;

const OF_OPENAI = { none: ["none", false], zero_or_more: ["auto", false], one_or_more: ["required", false] };
const OF_GEMINI = { none: [{ mode: "NONE" }], zero_or_more: [{ mode: "AUTO" }], one_or_more: [{ mode: "ANY" }] };

/** What each wire has to receive for none, zero or more, and one or more calls, one at a time. */
const TOOL_CHOICES: Readonly<Record<string, object>> = {
	"openai, Chat Completions": OF_OPENAI,
	openai_compatible: OF_OPENAI,
	azure_openai: OF_OPENAI,
	"openai, Responses": OF_OPENAI,
	anthropic: {
		none: [{ type: "none" }],
		zero_or_more: [{ type: "auto", disable_parallel_tool_use: true }],
		one_or_more: [{ type: "any", disable_parallel_tool_use: true }],
	},
	google: OF_GEMINI,
	google_vertex: OF_GEMINI,
	// It has no word for none: no tools are sent.
	aws_bedrock: { none: [], zero_or_more: [{ auto: {} }], one_or_more: [{ any: {} }] },
};

function toolChoiceIn(body: unknown, name: string): readonly unknown[] {
	const { tool_choice: choice, parallel_tool_calls: parallel } = objectAt(body);
	if (name.startsWith("google")) return [objectAt(body, "toolConfig")["functionCallingConfig"]];
	const found = name === "aws_bedrock" ? objectAt(body, "toolConfig")["toolChoice"] : choice;
	return [found, parallel].filter((value) => value !== undefined);
}

describe.each(TEST_WIRES)("$name", (wire) => {
	const { name, model, paths } = wire;

	it.each(WAYS)("E15 says all of a conversation, and reads all of an answer: %s", async (way, isStreamed) => {
		await provider.setModel(model, ANSWER);
		const deltas: ModelDelta[] = [];
		const connection = wire.connection(provider);
		const answer = await ask(
			connection,
			{ ...CONVERSATION, model },
			isStreamed ? (delta) => deltas.push(delta) : undefined,
		);
		await provider.setModel(model, null);
		const { counts } = wire;
		expect(answer).toEqual({
			text: "It is really sunny, I believe.",
			reasoning: wire.tellsReasoning ? "Hm, let me see." : "",
			tool_calls: [{ id: expect.stringMatching(/./), name: "get_weather", arguments: '{"city":"Paris"}' }],
			...(/anthropic|google|bedrock/.test(name)
				? { signed_reasoning: [expect.objectContaining({ signature: "c2lnbmF0dXJl" })] }
				: {}),
			finish_reason: "tool_calls",
			usage: {
				...{ input: 100, output: 30, cache_read: 40 },
				...(counts.cacheWrite ? { cache_write: 7 } : {}),
				...(counts.reasoning ? { reasoning: 10 } : {}),
			},
			// Bedrock does not say which.
			model: name === "aws_bedrock" ? model : "m-2026",
			warnings: name.startsWith("google")
				? ["Calls of tools are sent without the signatures that Gemini gave them: the messages have none."]
				: [],
		});
		const request = await provider.lastRequest();
		expect(request.path).toBe(paths[way]);
		expect(request.json).toMatchObject(WIRE_BODIES[name] ?? {});
		if (!isStreamed) return;
		const said = (type: "text" | "reasoning") =>
			deltas.flatMap((delta) => (delta.type === type ? [delta.text] : [])).join("");
		expect([said("reasoning"), said("text")]).toEqual([answer.reasoning, answer.text]);
		expect(deltas.filter(({ type }) => type === "text").length).toBeGreaterThan(3);
		expect(deltas.at(-1)).toEqual({ type: "tool_call", tool_call: answer.tool_calls[0] });
	});

	it("E15 gets structured output by the schema, streamed in the smallest pieces and whole", async () => {
		const asTool = "The response format is sent as a tool that the model has to call: this model has no other way.";
		for (const onDelta of [stream, undefined]) {
			const answer = await askFor(wire, "split", onDelta, { response_format: VERDICT });
			expect(Object.keys(JSON.parse(answer.text) as object)).toEqual(["ok"]);
			const { finish_reason, tool_calls, warnings } = answer;
			expect({ finish_reason, tool_calls }).toEqual({ finish_reason: "stop", tool_calls: [] });
			expect(warnings).toEqual(["anthropic", "aws_bedrock"].includes(name) ? [asTool] : []);
		}
	});

	it("says which tools the model may call", async () => {
		const tools = [{ type: "function" as const, function: { name: "get_weather" } }];
		const seen: Record<string, unknown> = {};
		for (const type of ["none", "zero_or_more", "one_or_more"] as const) {
			const asked = { type: "tools", tools, tool_choice: { type }, disable_parallel_tool_calls: true } as const;
			await askFor(wire, "text", undefined, { tools: asked });
			seen[type] = toolChoiceIn((await provider.lastRequest()).json, name);
		}
		expect(seen).toEqual(TOOL_CHOICES[name]);
	});

	it.each(["cut", "no-end", "no-done", "bad-event", "error-event"])(
		"E16 takes no stream for whole that is not: %s",
		async (words) => {
			// Nothing comes behind the last chunk of Gemini, and the last event of Responses; compatible servers may leave it out.
			if (words === "no-done" && /google|Responses|compatible/.test(name)) return;
			let text = "";
			const note = (delta: ModelDelta) => {
				if (delta.type === "text") text += delta.text;
			};
			const error = await failureOf(askFor(wire, `words-20+${words}`, note));
			expect(error.code).toBe(words === "bad-event" ? "bad_response" : "interrupted");
			expect(error.isPassing).toBe(true);
			expect(text).toMatch(/^word1 word2/);
			expect(error.partial?.text).toBe(text);
			expect(
				"word1 word2 word3 word4 word5 word6 word7 word8 word9 word10 word11 word12 word13 word14 word15 word16 word17 word18 word19 word20",
			).toContain(text);
		},
	);

	it.each(["cut", "not-json", "empty", "html"])("takes no answer for whole that is not: %s", async (words) => {
		const error = await failureOf(askFor(wire, words));
		expect(error).toMatchObject({ code: words === "cut" ? "interrupted" : "bad_response", isPassing: true });
		if (words === "cut") return;
		expect(await failureOf(askFor(wire, words, stream))).toMatchObject({ code: "bad_response", isPassing: true });
	});

	it("E18 names the parameter that the model refuses as it was given", async () => {
		const openai = { temperature: 0.2, top_p: 0.5, max_completion_tokens: 64 };
		const invocation_parameters = { type: "openai", openai } as const;
		for (const [words, parameter] of [
			["refuses-temperature", "temperature"],
			["refuses-top_p", "top_p"],
			[
				name.includes("Responses") ? "refuses-max_output_tokens" : "refuses-max_completion_tokens",
				"max_completion_tokens",
			],
		] as const) {
			const takes = words === "refuses-max_completion_tokens" && !/openai/.test(name);
			if (takes) continue;
			const error = await failureOf(askFor(wire, words, undefined, { invocation_parameters }));
			expect(error).toMatchObject({ code: "unsupported_parameter", parameter, isPassing: false, status: 400 });
		}
	});

	it("E20 repeats no credential that the provider repeats", async () => {
		const connection = wire.connection(provider);
		const keys = Object.values(connection.credentials);
		const error = await failureOf(askFor(wire, "status-401-echo"));
		expect(error).toMatchObject({ code: "authentication", status: 401, isPassing: false });
		for (const key of keys) expect(error.message).not.toContain(key);
	});

	it.each([
		["status-429-retry-3", { code: "rate_limited", retryAfterMs: 3_000, isPassing: true }],
		["status-429-retry-ms-70", { code: "rate_limited", retryAfterMs: 70, isPassing: true }],
		["status-503-retry-9999", { code: "rate_limited", retryAfterMs: 3_600_000, isPassing: true }],
		["status-429-limit-reset-20", { code: "rate_limited", retryAfterMs: expect.closeTo(20_000, -3), isPassing: true }],
		["overloaded", { code: "rate_limited", isPassing: true }],
		["status-402", { code: "quota", isPassing: false }],
		["status-403", { code: "authentication", isPassing: false }],
		["status-500", { code: "bad_response", isPassing: true }],
		["unknown-model", { code: "model_not_found", isPassing: false }],
		["context", { code: "context_too_long", isPassing: false }],
		["quota", { code: "quota", isPassing: false }],
		["redirect", { code: "bad_response", isPassing: false }],
		["reset", { code: "interrupted", isPassing: true }],
	])("tells what went wrong: %s", async (words, expected) => {
		expect(await failureOf(askFor(wire, words))).toMatchObject(expected);
		expect(await failureOf(askFor(wire, words, stream))).toMatchObject(expected);
	});

	it("tells that a prompt or an answer was filtered", async () => {
		const filtered = (asked: Promise<ModelAnswer>) =>
			asked.then(
				({ finish_reason }) => finish_reason,
				(error: unknown) => (error instanceof ModelError ? error.code : error),
			);
		for (const onDelta of [stream, undefined]) {
			expect(await filtered(askFor(wire, "filter-prompt", onDelta))).toMatch(/^content_filter(ed)?$/);
			expect(await filtered(askFor(wire, "filter", onDelta))).toBe("content_filter");
		}
	});
});

it("E15 asks for structured output in each wire's own way", async () => {
	const ofChat = {
		response_format: { type: "json_schema", json_schema: { name: "verdict", schema: SCHEMA, strict: true } },
	};
	const format = { type: "json_schema", schema: SCHEMA };
	for (const [name, model, expected] of [
		["openai, Chat Completions", "m", ofChat],
		["openai_compatible", "m", ofChat],
		["openai, Responses", "m", { text: { format: { ...format, name: "verdict", strict: true } } }],
		["anthropic", "claude-sonnet-4-5", { output_config: { format } }],
		["google", "gemini-m", { generationConfig: { responseMimeType: "application/json", responseJsonSchema: SCHEMA } }],
		[
			"aws_bedrock",
			"eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
			{ additionalModelRequestFields: { output_config: { format } } },
		],
	] as const) {
		const connection = testWire(name).connection(provider);
		const answer = await ask(connection, { ...HELLO, model, response_format: VERDICT });
		expect((await provider.lastRequest()).json).toMatchObject(expected);
		expect(answer.warnings).toEqual([]);
	}
});

it("says that a provider gets less than the whole schema of a response format", async () => {
	const schema = { ...SCHEMA, properties: { ok: { type: "string", minLength: 2 } } };
	const response_format = { type: "json_schema", json_schema: { name: "verdict", schema } } as const;
	const connection = testWire("anthropic").connection(provider);
	const { warnings } = await ask(connection, { ...HELLO, model: "claude-sonnet-4-5", response_format });
	expect(warnings).toEqual([
		"The schema of the response format is sent as far as the provider takes it: the answer may not fit all of it.",
	]);
});

it("E02 sends no credential and follows no address of the server's environment", async () => {
	const planted = {
		OPENAI_API_KEY: "planted-openai",
		OPENAI_BASE_URL: "http://127.0.0.1:9/planted",
		ANTHROPIC_API_KEY: "planted-anthropic",
		ANTHROPIC_AUTH_TOKEN: "planted-anthropic-token",
		ANTHROPIC_BASE_URL: "http://127.0.0.1:9/planted",
		GOOGLE_GENERATIVE_AI_API_KEY: "planted-google",
		GEMINI_API_KEY: "planted-gemini",
		AWS_ACCESS_KEY_ID: "planted-aws",
		AWS_SECRET_ACCESS_KEY: "planted-aws-secret",
		AWS_SESSION_TOKEN: "planted-aws-session",
		AWS_BEARER_TOKEN_BEDROCK: "planted-aws-bearer",
		AWS_REGION: "planted-region",
		AWS_ENDPOINT_URL: "http://127.0.0.1:9/planted",
		AWS_ENDPOINT_URL_BEDROCK_RUNTIME: "http://127.0.0.1:9/planted",
		AZURE_API_KEY: "planted-azure",
		HTTPS_PROXY: "http://127.0.0.1:9",
	};
	for (const [variable, value] of Object.entries(planted)) vi.stubEnv(variable, value);
	try {
		for (const wire of TEST_WIRES) {
			const connection = wire.connection(provider);
			for (const credentials of [connection.credentials, {}]) {
				await ask({ ...connection, credentials }, { ...HELLO, model: wire.model }, stream);
				const { rawHeaders, path, bytes, headers } = await provider.lastRequest();
				const all = JSON.stringify([rawHeaders, path, bytes.toString()]);
				expect(all).not.toMatch(/planted|bearer none|"none"/i);
				if (Object.keys(credentials).length === 0) expect(credentialsIn(headers)).toEqual([]);
			}
		}
	} finally {
		vi.unstubAllEnvs();
	}
});

function credentialsIn(headers: ProviderRequest["headers"]): readonly string[] {
	return Object.keys(headers)
		.filter((header) => /authorization|key|token|x-amz/.test(header))
		.sort();
}

it("puts the key where the kind has it, never into the address, and adds the connection's own headers", async () => {
	await provider.control({
		keys: [
			"sk-open/1234567890",
			"azure+1234567890",
			"sk-ant-1234567890",
			"AIza1234567890",
			"AKIAEXAMPLE:aws/secret+1234567890",
		],
	});
	const seen: Record<string, readonly string[]> = {};
	for (const wire of TEST_WIRES.filter(({ name }) => name !== "openai_compatible" && name !== "google_vertex")) {
		const headers = { "x-team": "blue", host: "evil.example", cookie: "a=b", "content-length": "1" };
		await ask({ ...wire.connection(provider), headers }, { ...HELLO, model: wire.model });
		const request = await provider.lastRequest();
		expect(request.headers).toMatchObject({ "x-team": "blue", host: new URL(provider.url).host });
		expect(request.headers["cookie"]).toBeUndefined();
		expect(request.path).not.toContain("1234567890");
		seen[wire.name] = credentialsIn(request.headers);
	}
	await provider.control({ keys: null });
	expect(seen).toEqual({
		"openai, Chat Completions": ["authorization"],
		azure_openai: ["api-key"],
		"openai, Responses": ["authorization"],
		anthropic: ["x-api-key"],
		google: ["x-goog-api-key"],
		aws_bedrock: ["authorization", "x-amz-date"],
	});
});

it("calls deployments of Azure by the paths of its version, or by those that need none", async () => {
	const azure = testWire("azure_openai").connection(provider);
	for (const [api, settings, path] of [
		["chat_completions", {}, "/openai/v1/chat/completions"],
		["responses", {}, "/openai/v1/responses"],
		["responses", { api_version: "2025-04-01-preview" }, "/openai/responses?api-version=2025-04-01-preview"],
	] as const) {
		for (const root of ["", "/openai", "/openai/v1"]) {
			const connection = { ...azure, api, settings, baseUrl: `${provider.url}${root}` };
			expect((await ask(connection, { ...HELLO, model: "m" })).text).toBe("You said: Hello");
			expect((await provider.lastRequest()).path).toBe(path);
		}
	}
});

it("adds to the features in beta that the library asks Anthropic for", async () => {
	const connection = { ...testWire("anthropic").connection(provider), headers: { "anthropic-beta": "context-1m" } };
	const tools = [{ type: "function", function: { name: "get_weather", strict: true } }] as const;
	await ask(connection, { ...HELLO, model: "claude-sonnet-4-5+text", tools: { type: "tools", tools: [...tools] } });
	expect((await provider.lastRequest()).headers["anthropic-beta"]).toMatch(/^structured-outputs-.*, context-1m$/);
});

describe.each(["anthropic", "google", "google_vertex", "aws_bedrock"])("thoughts of %s", (name) => {
	const wire = testWire(name);
	const tools = { type: "tools", tools: [{ type: "function", function: { name: "get_weather" } }] } as const;
	const asked: Partial<ModelRequest> = { tools: { ...tools, tools: [...tools.tools] } };
	const goOn = (answer: ModelAnswer) => {
		const [call] = answer.tool_calls;
		if (call === undefined) throw new Error("no tool was called");
		const { id: tool_call_id, name, arguments: given } = call;
		return {
			...asked,
			messages: [
				...HELLO.messages,
				{
					role: "assistant",
					content: [
						...(answer.signed_reasoning ?? []),
						{ type: "tool_call", tool_call_id, tool_call: { type: "function", name, arguments: given } },
					],
				},
				{ role: "tool", content: [{ type: "tool_result", tool_call_id, tool_result: "Rain" }] },
			],
		} satisfies Partial<ModelRequest>;
	};

	it.each(WAYS)("are sent back, signed, when a conversation goes on: %s", async (_way, isStreamed) => {
		const thinking = { type: "enabled", budget_tokens: 2_000 } as const;
		const invocation_parameters = { type: "anthropic", anthropic: { max_tokens: 4_096, thinking } } as const;
		const first = await askFor(wire, "reasoning+tools", isStreamed ? stream : undefined, {
			...{ ...asked, invocation_parameters },
		});
		const provider_name = name.replace("google_vertex", "google");
		expect(first.signed_reasoning).toEqual([
			expect.objectContaining({ type: "reasoning", provider: provider_name, signature: "c2lnbmF0dXJl" }),
		]);
		const second = await askFor(wire, "reasoning", undefined, { ...goOn(first), invocation_parameters });
		expect(JSON.stringify((await provider.lastRequest()).json)).toContain("c2lnbmF0dXJl");
		expect(second.warnings.filter((warning) => /signature|reasoning/i.test(warning))).toEqual([]);
	});

	it("are not sent to another provider", async () => {
		const first = await askFor(wire, "reasoning+tools", stream, asked);
		const other = testWire(name === "anthropic" ? "google" : "anthropic");
		const { warnings } = await askFor(other, "text", undefined, goOn(first));
		expect(JSON.stringify((await provider.lastRequest()).json)).not.toContain("c2lnbmF0dXJl");
		expect(warnings).toContain("Reasoning of another provider is not sent: only that one can read it.");
	});
});

it("takes a stream of a compatible server without [DONE] for whole, once it has said why it finished", async () => {
	const wire = testWire("openai_compatible");
	expect(await askFor(wire, "no-done", stream)).toMatchObject({ text: "You said: Hello", finish_reason: "stop" });
	expect(await failureOf(askFor(wire, "no-end", stream))).toMatchObject({
		code: "interrupted",
		message: expect.stringContaining("The stream ended before the answer did"),
		partial: { text: "You said: Hello" },
	});
});

it("asks a server that does not know how to count tokens of streams without it", async () => {
	const answer = await askFor(testWire("openai_compatible"), "refuses-stream_options", stream);
	expect(answer).toMatchObject({ text: "You said: Hello", finish_reason: "stop" });
	expect(answer.usage).toBeUndefined();
});

it("says in words what a wire does not have, and sends the rest", async () => {
	const openai = { seed: 7, stop: ["."], frequency_penalty: 0.5, temperature: 0.3 };
	const invocation_parameters = { type: "openai", openai } as const;
	const { warnings } = await askFor(testWire("openai, Responses"), "x", undefined, { invocation_parameters });
	expect(warnings).toEqual([
		"`seed` is not sent: the Responses API does not have it.",
		"`stop` is not sent: the Responses API does not have it.",
		"`frequency_penalty` is not sent: the Responses API does not have it.",
	]);
	expect((await provider.lastRequest()).json).toMatchObject({ temperature: 0.3 });
	const anthropic = await askFor(testWire("anthropic"), "x", undefined, { invocation_parameters });
	expect(anthropic.warnings).toContain("`seed` is not sent: Anthropic's Messages API does not have it.");
	expect(anthropic.warnings).toContain("`max_tokens` was not given; 4096 is sent, as this model needs one.");
	expect((await provider.lastRequest()).json).toMatchObject({ stop_sequences: ["."], temperature: 0.3 });
});

it("sends tools in the provider's own words at their place among the others, and each role as it is", async () => {
	const raw = { type: "function", function: { name: "raw_tool", parameters: { type: "object" }, extra: true } };
	const tool = { type: "function" as const, function: { name: "get_weather" } };
	await askFor(testWire("openai_compatible"), "text", undefined, {
		tools: { type: "tools", tools: [{ type: "raw", raw }, tool], disable_parallel_tool_calls: true },
		messages: [
			{ role: "developer", content: "One" },
			{ role: "system", content: "Two" },
			{ role: "user", content: "Hello" },
		],
	});
	expect((await provider.lastRequest()).json).toMatchObject({
		tools: [raw, { function: { name: "get_weather" } }],
		messages: [{ role: "developer" }, { role: "system" }, { role: "user" }],
		parallel_tool_calls: false,
	});
});

it("ends the request when the call is cancelled, and tells what came before", async () => {
	for (const wire of TEST_WIRES) {
		const controller = new AbortController();
		const model = `${wire.model}+words-20+silent-after-first`;
		const connection = wire.connection(provider);
		const asked = askProvider(
			connection,
			{ ...HELLO, model },
			{
				fetch: outgoing.fetch(connection),
				signal: controller.signal,
				onDelta: () => controller.abort(),
			},
		);
		expect(await failureOf(asked)).toMatchObject({ code: "cancelled", isPassing: false, partial: { text: "word1" } });
		await provider.waitForRequest((request) => request.model === model && request.wasCancelled);
	}
});

it("gives up when there is no first byte within the connection's timeout", async () => {
	const connection = { ...testWire("openai_compatible").connection(provider), timeoutMs: 50 };
	for (const onDelta of [undefined, stream]) {
		const error = await failureOf(ask(connection, { ...HELLO, model: "m+silent" }, onDelta));
		expect(error).toMatchObject({ code: "timeout", isPassing: true });
	}
});

it("tells that nothing listens at the address", async () => {
	const connection = { ...testWire("openai_compatible").connection(provider), baseUrl: "http://127.0.0.1:9/v1" };
	const error = await failureOf(ask(connection, { ...HELLO, model: "m" }));
	expect(error).toMatchObject({ code: "unreachable", isPassing: true });
});

it("refuses one event of more than 4 MiB on each wire", async () => {
	for (const wire of TEST_WIRES) {
		const error = await failureOf(askFor(wire, "words-20+big-event", stream));
		expect(error.code).toBe("bad_response");
		// Of Bedrock's messages the length is known before they come.
		if (wire.name !== "aws_bedrock") expect(error.partial?.text).toBe("word1");
		expect(error.message.length).toBeLessThan(700);
	}
});

it("keeps names of models within the paths of the provider", async () => {
	const google = testWire("google").connection(provider);
	const { length } = await provider.requests();
	for (const model of ["../../admin", "a/../b", "a//b", ""]) {
		expect(await failureOf(ask(google, { ...HELLO, model }))).toMatchObject({ code: "model_not_found" });
	}
	expect(await provider.requests()).toHaveLength(length);
	await failureOf(ask(google, { ...HELLO, model: "tunedModels/x?key=1#:y" }));
	expect((await provider.lastRequest()).path).toBe("/v1beta/tunedModels/x%3Fkey%3D1%23%3Ay:generateContent");
});
