import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { asAdmin, createUserKey, logInAs, startWithAuth } from "./access/accounts.ts";
import { type ModelProvider, startModelProvider } from "./peers/model-provider.ts";
import type { TestServer } from "./server.ts";

describe("E31 the openai SDK at /v1/chat/completions", () => {
	let provider: ModelProvider;
	let server: TestServer;
	let client: OpenAI;

	beforeAll(async () => {
		provider = await startModelProvider();
		server = await startWithAuth({ SERVICE_OUTGOING_ALLOWED_HOSTS: "127.0.0.1" });
		await asAdmin(server).data("POST", "/v1/model_connections", {
			...{ name: "our models", kind: "openai_compatible", base_url: provider.openai },
			credentials: { api_key: { value: "key-of-the-provider" } },
		});
		client = await clientOf("MEMBER");
	});
	afterAll(async () => {
		await server[Symbol.asyncDispose]();
		await provider[Symbol.asyncDispose]();
	});

	async function clientOf(role: "MEMBER" | "VIEWER"): Promise<OpenAI> {
		const key = await createUserKey(await logInAs(server, role));
		return new OpenAI({ apiKey: key, baseURL: `${server.url}/v1`, maxRetries: 0, logLevel: "off" });
	}

	const messages = [{ role: "user", content: "hello there" } as const];

	it("answers with the provider's answer, and the call is a trace", async () => {
		const answer = await client.chat.completions.create({ model: "our models:gpt-5-mini", messages });
		expect(answer.choices[0]?.message.content).toBe("You said: hello there");
		expect(answer.usage?.total_tokens).toBe(7);
		const sent = await provider.lastRequest();
		expect(sent.headers["authorization"]).toBe("Bearer key-of-the-provider");
		const traces = await asAdmin(server).data("GET", "/v1/projects/playground/traces");
		expect(traces).toHaveLength(1);
	});

	it("streams with usage, and calls tools", async () => {
		const stream = client.chat.completions.stream({
			model: "our models:gpt-5-mini+tools-2",
			messages,
			tools: [{ type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } }],
			stream_options: { include_usage: true },
		});
		const { choices, usage } = await stream.finalChatCompletion();
		expect(choices[0]).toMatchObject({ finish_reason: "tool_calls", message: { tool_calls: [{}, {}] } });
		expect(usage?.completion_tokens).toBeGreaterThan(0);
	});

	it("raises the SDK's own errors", async () => {
		const call = (model: string, of = client) => of.chat.completions.create({ model, messages });
		await expect(call("our models:unknown-model")).rejects.toBeInstanceOf(OpenAI.NotFoundError);
		const unknown = await call("nowhere:gpt-5").catch((error: unknown) => error);
		expect(unknown).toBeInstanceOf(OpenAI.NotFoundError);
		expect(unknown).toMatchObject({ status: 404, code: "model_not_found", type: "invalid_request_error" });
		await expect(call("our models:status-429-retry-3")).rejects.toBeInstanceOf(OpenAI.RateLimitError);
		await expect(call("our models:gpt-5", await clientOf("VIEWER"))).rejects.toBeInstanceOf(
			OpenAI.PermissionDeniedError,
		);
		const stream = await client.chat.completions.create({ model: "our models:words-4+cut", messages, stream: true });
		const reading = (async () => {
			for await (const chunk of stream) expect(chunk.object).toBe("chat.completion.chunk");
		})();
		await expect(reading).rejects.toBeInstanceOf(OpenAI.APIError);
	});
});
