import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const PACE_MS = 20;

/** Answers every call as OpenAI's chat completions do, in a stream of pieces that say when each was sent. */
export class StreamSource implements AsyncDisposable {
	readonly url: string;
	readonly #server: Server;

	private constructor(server: Server, port: number) {
		this.#server = server;
		this.url = `http://127.0.0.1:${port}/v1`;
	}

	static async start(pieces: number): Promise<StreamSource> {
		const server = createServer((request, response) => {
			request.resume().once("end", () => {
				void answer(response, pieces);
			});
		}).listen(0, "127.0.0.1");
		await once(server, "listening");
		const address = server.address();
		if (address === null || typeof address === "string") throw new Error("it listens to no port");
		return new StreamSource(server, address.port);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		const closed = once(this.#server, "close");
		this.#server.close();
		this.#server.closeAllConnections();
		await closed;
	}
}

async function answer(response: ServerResponse, pieces: number): Promise<void> {
	response.writeHead(200, { "content-type": "text/event-stream" });
	for (let piece = 0; piece < pieces; piece++) {
		send(response, { delta: { content: `@${performance.now()};` }, finish_reason: null });
		await sleep(PACE_MS);
	}
	send(response, { delta: {}, finish_reason: "stop" });
	response.end("data: [DONE]\n\n");
}

function send(response: ServerResponse, choice: object): void {
	const chunk = {
		id: "1",
		object: "chat.completion.chunk",
		created: 1,
		model: "m",
		choices: [{ index: 0, ...choice }],
	};
	response.write(`data: ${JSON.stringify(chunk)}\n\n`);
}

/** Reads a stream of the playground to its end. @returns for each piece the milliseconds since it was sent */
export async function readDelays(response: Response): Promise<number[]> {
	const delays: number[] = [];
	const decoder = new TextDecoder();
	let rest = "";
	for await (const bytes of response.body ?? []) {
		const now = performance.now();
		const events = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
		rest = events.pop() ?? "";
		const pieces = events.filter((event) => event.startsWith("event: delta")).join("");
		for (const [, sent] of pieces.matchAll(/@([\d.]+);/g)) delays.push(now - Number(sent));
	}
	return delays;
}
