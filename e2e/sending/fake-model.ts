import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** What every model of {@link FakeModel} answers, and counts. */
export const ANSWER = "One step of a trace.";
export const TOKENS = { prompt: 12, completion: 7 };

/** A model that speaks the wire of OpenAI (chat completions, responses) and of Anthropic (messages), on a free port. */
export interface FakeModel extends AsyncDisposable {
	/** With the variables by which the libraries of both find it. */
	readonly env: Readonly<Record<string, string>>;
}

export async function startFakeModel(): Promise<FakeModel> {
	const server = createServer((request, response) => void answer(request, response));
	await once(server.listen(0, "127.0.0.1"), "listening");
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("expected a TCP address");
	const url = `http://127.0.0.1:${address.port}`;
	return {
		env: {
			OPENAI_BASE_URL: `${url}/v1`,
			// LlamaIndex has the older name.
			OPENAI_API_BASE: `${url}/v1`,
			OPENAI_API_KEY: "a-key",
			ANTHROPIC_BASE_URL: url,
			ANTHROPIC_API_KEY: "a-key",
		},
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			server.close();
			await once(server, "close");
		},
	};
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
	const body = await readJson(request);
	const make = ANSWERS.get(new URL(request.url ?? "/", "http://model").pathname);
	if (make === undefined || ("stream" in body && body.stream === true)) {
		response.writeHead(404, JSON_TYPE).end(JSON.stringify({ error: { message: `no model at ${request.url}` } }));
		return;
	}
	response.writeHead(200, JSON_TYPE).end(JSON.stringify(make(String(body.model))));
}

const JSON_TYPE = { "content-type": "application/json" };

async function readJson(request: IncomingMessage): Promise<{ readonly model?: unknown; readonly stream?: unknown }> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk);
	return JSON.parse(Buffer.concat(chunks).toString("utf8") || "{}");
}

const { prompt, completion } = TOKENS;

const ANSWERS = new Map<string, (model: string) => object>([
	[
		"/v1/chat/completions",
		(model: string) => ({
			id: "chatcmpl-1",
			object: "chat.completion",
			created: 1_700_000_000,
			model,
			choices: [{ index: 0, message: { role: "assistant", content: ANSWER }, finish_reason: "stop" }],
			usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
		}),
	],
	[
		"/v1/responses",
		(model: string) => ({
			id: "resp-1",
			object: "response",
			created_at: 1_700_000_000,
			status: "completed",
			model,
			output: [
				{
					id: "msg-1",
					type: "message",
					status: "completed",
					role: "assistant",
					content: [{ type: "output_text", text: ANSWER, annotations: [] }],
				},
			],
			parallel_tool_calls: true,
			tools: [],
			usage: {
				input_tokens: prompt,
				input_tokens_details: { cached_tokens: 0 },
				output_tokens: completion,
				output_tokens_details: { reasoning_tokens: 0 },
				total_tokens: prompt + completion,
			},
		}),
	],
	[
		"/v1/messages",
		(model: string) => ({
			id: "msg-1",
			type: "message",
			role: "assistant",
			model,
			content: [{ type: "text", text: ANSWER }],
			stop_reason: "end_turn",
			stop_sequence: null,
			usage: { input_tokens: prompt, output_tokens: completion },
		}),
	],
]);
