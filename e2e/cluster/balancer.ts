import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { connect, createServer as createTcpServer, type Socket, type Server as TcpServer } from "node:net";
import type { TestServer } from "../server.ts";

const ASKS_EVERY_MS = 250;

interface BalancerOptions {
	/** Whether each request is said to come from another address, as those of many users do; servers have to trust it. */
	readonly asMany?: boolean;
}

/**
 * A load balancer that sends nothing twice: it passes requests in turn to the servers whose `/readyz` last answered 200,
 * on connections that it keeps, and answers 502 for what a server did not answer. Of gRPC it passes whole connections.
 */
export class Balancer implements AsyncDisposable {
	readonly url: string;
	readonly grpcAddress: string;
	readonly #http: Server;
	readonly #tcp: TcpServer;
	readonly #sockets = new Set<Socket>();
	readonly #agent = new Agent({ keepAlive: true });
	readonly #asMany: boolean;
	readonly #asking: NodeJS.Timeout;
	#ready: readonly TestServer[] = [];
	#turn = 0;
	/** The last answer of each. One is asked after the other: what is known is what was answered last. */
	#asked: readonly Promise<void>[];

	private constructor(
		http: Server,
		tcp: TcpServer,
		servers: readonly TestServer[],
		{ asMany = false }: BalancerOptions,
	) {
		this.#asMany = asMany;
		this.#http = http;
		this.#tcp = tcp;
		this.url = `http://127.0.0.1:${portOf(http)}`;
		this.grpcAddress = `127.0.0.1:${portOf(tcp)}`;
		this.#asked = servers.map((server) => this.#ask(server));
		this.#asking = setInterval(() => {
			this.#asked = this.#asked.map((asked, at) => asked.then(() => this.#ask(servers[at])));
		}, ASKS_EVERY_MS);
		http.on("request", (incoming, outgoing) => this.#pass(incoming, outgoing));
		tcp.on("connection", (socket) => this.#connect(socket));
	}

	static async start(servers: readonly TestServer[], options: BalancerOptions = {}): Promise<Balancer> {
		const http = createServer().listen(0, "127.0.0.1");
		const tcp = createTcpServer().listen(0, "127.0.0.1");
		await Promise.all([once(http, "listening"), once(tcp, "listening")]);
		const balancer = new Balancer(http, tcp, servers, options);
		await Promise.all(balancer.#asked);
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
		this.#tcp.close();
		for (const socket of this.#sockets) socket.destroy();
	}

	async #ask(server: TestServer | undefined): Promise<void> {
		if (server === undefined) return;
		const answer = await fetch(`${server.url}/readyz`).catch(() => undefined);
		const others = this.#ready.filter((each) => each !== server);
		this.#ready = answer?.status === 200 ? [...others, server] : others;
	}

	#next(): TestServer | undefined {
		return this.#ready[this.#turn++ % Math.max(1, this.#ready.length)];
	}

	#connect(near: Socket): void {
		const server = this.#next();
		if (server === undefined) {
			near.destroy();
			return;
		}
		const far = connect(server.grpcPort, "127.0.0.1");
		for (const [from, to] of [
			[near, far],
			[far, near],
		] as const) {
			this.#sockets.add(from);
			from.on("error", () => to.destroy());
			from.on("close", () => this.#sockets.delete(from));
			from.pipe(to);
		}
	}

	#pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
		const server = this.#next();
		if (server === undefined) {
			outgoing.writeHead(502).end("no server is ready");
			return;
		}
		const { method, url: path } = incoming;
		const turn = this.#turn;
		const from = this.#asMany ? { "x-forwarded-for": `10.${turn >> 16}.${(turn >> 8) & 255}.${turn & 255}` } : {};
		const headers = { ...incoming.headers, ...from };
		const passed = request({ host: "127.0.0.1", port: server.port, agent: this.#agent, method, path, headers });
		passed.on("response", (answer) => {
			outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
			answer.pipe(outgoing);
		});
		passed.on("error", (error) => {
			if (outgoing.headersSent) outgoing.destroy();
			else outgoing.writeHead(502).end(error.message);
		});
		outgoing.on("close", () => passed.destroy());
		incoming.pipe(passed);
	}
}

function portOf(server: TcpServer): number {
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("expected a TCP address");
	return address.port;
}
