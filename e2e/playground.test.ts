import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type ModelProvider, startModelProvider } from "./peers/model-provider.ts";
import { startServer, type TestServer } from "./server.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const SCHEMA = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

let provider: ModelProvider;
let server: TestServer;
let connection_id: string;

beforeAll(async () => {
	provider = await startModelProvider();
	server = await startServer({ inProcess: true });
	const connection = { name: "stand-in", kind: "openai_compatible", base_url: provider.openai };
	connection_id = (await ask("POST", "/v1/model_connections", connection)).data.id;
});
afterAll(async () => {
	await server[Symbol.asyncDispose]();
	await provider[Symbol.asyncDispose]();
});
beforeEach(() => provider.reset());

// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it
async function ask(method: "GET" | "POST", path: string, body?: unknown): Promise<any> {
	const response = await fetch(`${server.url}${path}`, {
		...{ method, headers: { "content-type": "application/json" } },
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
	});
	expect(response.status, path).toBeLessThan(300);
	return await response.json();
}

const says = (model: string) => ({ connection_id, model, messages: [{ role: "user", content: "hello" }] });

async function runStreamed(model: string, signal?: AbortSignal): Promise<Response> {
	return await fetch(`${server.url}/v1/playground/runs`, {
		...{ method: "POST", headers: { "content-type": "application/json" } },
		body: JSON.stringify({ variants: [says(model)], stream: true }),
		...(signal === undefined ? {} : { signal }),
	});
}

/** Reads until some text of the answer is there. */
async function readSome(response: Response): Promise<void> {
	const reader = response.body?.getReader();
	const decoder = new TextDecoder();
	let read = "";
	while (!read.includes("word2")) read += decoder.decode((await reader?.read())?.value, { stream: true });
}

/** The span of the newest call of a model, once it is there. */
async function spanOf(model: string) {
	for (;;) {
		const { data } = await ask("GET", `/v1/projects/playground/spans?view=full&include=semantic&limit=100`);
		const found = data.find((span: { model: string }) => span.model === model);
		if (found !== undefined) return found;
		await sleep(20);
	}
}

it("E23 a recorded call with a tool and an image reaches the provider as it was", async () => {
	const attributes = {
		"llm.provider": "stand-in",
		"llm.input_messages": [
			{
				"message.role": "user",
				"message.contents": [
					{ "message_content.type": "text", "message_content.text": "Which city?" },
					{ "message_content.type": "image", "message_content.image": { "image.url": `data:image/png;base64,${PNG}` } },
				],
			},
			{
				"message.role": "assistant",
				"message.tool_calls": [
					{
						"tool_call.id": "call_9",
						"tool_call.function.name": "look_up",
						"tool_call.function.arguments": '{"city":"Oslo"}',
					},
				],
			},
			{ "message.role": "tool", "message.tool_call_id": "call_9", "message.content": "A city" },
		],
		"llm.tools": [
			{ "tool.json_schema": JSON.stringify({ type: "function", function: { name: "look_up", parameters: SCHEMA } }) },
		],
		"llm.invocation_parameters": JSON.stringify({ model: "gpt-5-mini", temperature: 0.5, tool_choice: "auto" }),
	};
	const times = { start_time: "2026-01-02T03:00:00Z", end_time: "2026-01-02T03:00:01Z" };
	const context = { trace_id: "a".repeat(32), span_id: "b".repeat(16) };
	const span = { name: "call", context, span_kind: "LLM", status_code: "OK", ...times, attributes };
	await ask("POST", "/v1/projects/default/spans", { data: [span] });
	const { variant, project_id, not_captured } = (
		await ask("GET", `/v1/playground/sources?span_id=${context.span_id}&project=default`)
	).data;
	expect(not_captured).toEqual([]);
	const { label: _, response_format: __, ...sent } = variant;
	const run = await ask("POST", "/v1/playground/runs", { variants: [{ ...sent, connection_id }], source: project_id });
	expect(run.data[0]).toMatchObject({ output: { text: expect.any(String), finish_reason: "stop" } });
	expect((await provider.lastRequest()).json).toMatchObject({
		model: "gpt-5-mini",
		temperature: 0.5,
		messages: [
			{
				role: "user",
				content: [
					{ type: "text", text: "Which city?" },
					{ type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
				],
			},
			{
				role: "assistant",
				tool_calls: [{ id: "call_9", type: "function", function: { name: "look_up", arguments: '{"city":"Oslo"}' } }],
			},
			{ role: "tool", tool_call_id: "call_9", content: "A city" },
		],
		tools: [{ type: "function", function: { name: "look_up", parameters: SCHEMA } }],
		tool_choice: "auto",
	});
	// What was answered is a trace, which opens again.
	const [result] = run.data;
	const again = await ask("GET", `/v1/playground/sources?span_id=${result.span_id}&project=playground`);
	expect(again.data.variant).toEqual({ ...variant, connection_id: again.data.variant.connection_id });
});

it("E25 a closed connection ends the provider's request, and the span has what had come", async () => {
	const model = "closed+words-5000+pace-20";
	const abort = new AbortController();
	await readSome(await runStreamed(model, abort.signal));
	abort.abort();
	await provider.waitForRequest((request) => request.model === model && request.wasCancelled);
	const span = await spanOf(model);
	expect(span).toMatchObject({
		status_code: "ERROR",
		semantic: { output_text: expect.stringContaining("word1 word2") },
	});
	expect(span.semantic.error.message).toMatch(/cancelled/i);
});

it("E25 so does the stop of the server", async () => {
	const model = "stopped+words-5000+pace-20";
	const response = await runStreamed(model);
	const text = response.text();
	await provider.waitForRequest((request) => request.model === model);
	await server.stop();
	expect(await text).toContain('event: done\ndata: {"reason":"stopping"}');
	await provider.waitForRequest((request) => request.model === model && request.wasCancelled);
	await server.start();
	expect((await spanOf(model)).status_code).toBe("ERROR");
});
