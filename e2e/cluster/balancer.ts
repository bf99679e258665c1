import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { TestServer } from "../server.ts";

const ASKS_EVERY_MS = 250;

/**
 * A load balancer that sends nothing twice: it passes requests in turn to the servers whose `/readyz` last answered 200,
 * on connections that it keeps, and answers 502 for what a server did not answer.
 */
export class Balancer implements AsyncDisposable {
	readonly url: string;
	readonly #http: Server;
	readonly #agent = new Agent({ keepAlive: true });
	readonly #servers: readonly TestServer[];
	readonly #asking: NodeJS.Timeout;
	#ready: readonly TestServer[] = [];
	#turn = 0;

	private constructor(http: Server, url: string, servers: readonly TestServer[]) {
		this.#http = http;
		this.url = url;
		this.#servers = servers;
		this.#asking = setInterval(() => void this.#ask(), ASKS_EVERY_MS);
		http.on("request", (incoming, outgoing) => this.#pass(incoming, outgoing));
	}

	static async start(servers: readonly TestServer[]): Promise<Balancer> {
		const http = createServer().listen(0, "127.0.0.1");
		await once(http, "listening");
		const address = http.address();
		if (address === null || typeof address === "string") throw new Error("expected a TCP address");
		const balancer = new Balancer(http, `http://127.0.0.1:${address.port}`, servers);
		await balancer.#ask();
		return balancer;
	}

	get ready(): number {
		return this.#ready.length;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		clearInterval(this.#asking);
		this.#http.close();
		this.#http.closeAllConnections();
		this.#agent.destroy();
	}

	async #ask(): Promise<void> {
		const asked = await Promise.all(
			this.#servers.map(async (server) => {
				const answer = await fetch(`${server.url}/readyz`).catch(() => undefined);
				return answer?.status === 200 ? [server] : [];
			}),
		);
		this.#ready = asked.flat();
	}

	#pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
		const server = this.#ready[this.#turn++ % Math.max(1, this.#ready.length)];
		if (server === undefined) {
			outgoing.writeHead(502).end("no server is ready");
			return;
		}
		const { method, url: path, headers } = incoming;
		const passed = request({ host: "127.0.0.1", port: server.port, agent: this.#agent, method, path, headers });
		passed.on("response", (answer) => {
			outgoing.writeHead(answer.statusCode ?? 502, { "content-type": answer.headers["content-type"] ?? "" });
			answer.pipe(outgoing);
		});
		passed.on("error", (error) => outgoing.writeHead(502).end(error.message));
		incoming.pipe(passed);
	}
}
