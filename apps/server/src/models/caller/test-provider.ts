import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { CallOptions } from "../call-model.ts";
import type { OpenConnection } from "../connection.ts";
import { ModelError } from "../model-error.ts";
import type { ModelAnswer, ModelDelta, ModelRequest, PartialAnswer } from "../model-request.ts";
import type { Provider } from "./provider.ts";

export interface Received {
	readonly request: ModelRequest;
	/** By `performance.now()`. */
	readonly at: number;
}

/** Answers requests, each a {@link ModelRequest} as JSON. */
export type Answerer = (request: ModelRequest, response: ServerResponse, count: number) => void | Promise<void>;

export interface TestProvider extends Provider, AsyncDisposable {
	readonly received: Received[];
	/** Requests whose answer had not ended when their connection did. */
	readonly aborted: Promise<void>;
	/** Requests that are being answered at the moment, at most. */
	readonly most: () => number;
}

/** A server of its own, spoken to over HTTP in a form of its own: an answer, an error, or lines of deltas and an answer. */
export async function startTestProvider(answer: Answerer): Promise<TestProvider> {
	const received: Received[] = [];
	const { promise: aborted, resolve: onAborted } = Promise.withResolvers<void>();
	let running = 0;
	let most = 0;
	const serve = async (message: IncomingMessage, response: ServerResponse) => {
		running += 1;
		most = Math.max(most, running);
		response.on("close", () => {
			running -= 1;
			if (!response.writableFinished) onAborted();
		});
		const request = JSON.parse(await text(message)) as ModelRequest;
		received.push({ request, at: performance.now() });
		await answer(request, response, received.length);
	};
	const server = createServer((message, response) => void serve(message, response));
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const { port } = server.address() as AddressInfo;
	return {
		received,
		aborted,
		most: () => most,
		async open() {
			return {
				...{ kind: "openai_compatible", baseUrl: `http://127.0.0.1:${port}`, api: "chat_completions", settings: {} },
				...{ credentials: {}, headers: {}, timeoutMs: 5_000 },
			} satisfies OpenConnection;
		},
		async ask({ baseUrl }, request, options) {
			const came = { text: "" };
			try {
				return await readAnswer(await fetch(baseUrl, requestOf(request, options)), options, came);
			} catch (error) {
				if (!options.signal.aborted) throw error;
				throw new ModelError("cancelled", "The call was cancelled.", { partial: partialOf(came) });
			}
		},
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			server.close();
			await once(server, "close");
		},
	};
}

function requestOf(request: ModelRequest, { signal }: CallOptions): RequestInit {
	return { method: "POST", body: JSON.stringify(request), signal };
}

async function readAnswer(response: Response, { onDelta }: CallOptions, came: { text: string }): Promise<ModelAnswer> {
	if (!response.ok) throw await toError(response);
	let last: ModelAnswer | undefined;
	let rest = "";
	for await (const piece of response.body ?? []) {
		const lines = `${rest}${Buffer.from(piece).toString()}`.split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) {
			const event = JSON.parse(line) as ModelDelta | { readonly type: "end"; readonly answer: ModelAnswer };
			if (event.type === "end") last = event.answer;
			else {
				if (event.type === "text") came.text += event.text;
				onDelta?.(event);
			}
		}
	}
	if (last !== undefined) return last;
	throw new ModelError("interrupted", "The answer was cut off.", { isPassing: true, partial: partialOf(came) });
}

function partialOf({ text }: { readonly text: string }): PartialAnswer {
	return { text, reasoning: "", tool_calls: [] };
}

async function toError(response: Response): Promise<ModelError> {
	const { code, parameter, isPassing } = (await response.json()) as {
		readonly code: ModelError["code"];
		readonly parameter?: string;
		readonly isPassing?: boolean;
	};
	const after = response.headers.get("retry-after");
	return new ModelError(code, `The provider answered ${response.status}.`, {
		status: response.status,
		isPassing: isPassing ?? false,
		...(parameter === undefined ? {} : { parameter }),
		...(after === null ? {} : { retryAfterMs: Number(after) * 1_000 }),
	});
}

export function refuse(response: ServerResponse, status: number, error: object, headers: object = {}): void {
	response.writeHead(status, { ...headers }).end(JSON.stringify(error));
}

export function end(response: ServerResponse, answer: Partial<ModelAnswer> = {}): void {
	const whole: ModelAnswer = {
		...{ text: "4", reasoning: "", tool_calls: [], finish_reason: "stop", warnings: [], model: "priced" },
		usage: { input: 10, output: 20 },
		...answer,
	};
	response.end(`${JSON.stringify({ type: "end", answer: whole })}\n`);
}

export function delta(response: ServerResponse, text: string): void {
	response.write(`${JSON.stringify({ type: "text", text })}\n`);
}
