import { once } from "node:events";
import { createServer, request, type Server } from "node:http";

export interface ProxyOptions {
	/** Port of the server behind the proxy. */
	readonly target: number;
	/** Path below which the proxy serves it, such as /traces; anything else is answered with 404. */
	readonly prefix: string;
	/** Whether the path is passed on without the prefix, as `location /traces/ { proxy_pass http://…/; }` of nginx does. */
	readonly strip: boolean;
	/** Where it listens; any port when absent. */
	readonly port?: number;
}

/** A reverse proxy for HTTP, as small as can be. */
export class SubPathProxy implements AsyncDisposable {
	readonly #server: Server;
	readonly url: string;

	private constructor(server: Server, url: string) {
		this.#server = server;
		this.url = url;
	}

	static async start({ target, prefix, strip, port = 0 }: ProxyOptions): Promise<SubPathProxy> {
		const server = createServer((incoming, outgoing) => {
			const path = incoming.url ?? "/";
			if (path !== prefix && !path.startsWith(`${prefix}/`) && !path.startsWith(`${prefix}?`)) {
				outgoing.writeHead(404).end("not below the prefix");
				return;
			}
			const stripped = path.slice(prefix.length);
			const forwarded = request(
				{
					port: target,
					host: "127.0.0.1",
					method: incoming.method,
					path: strip ? (stripped.startsWith("/") ? stripped : `/${stripped}`) : path,
					headers: { ...incoming.headers, "x-forwarded-proto": "http", "x-forwarded-host": incoming.headers.host },
				},
				(answer) => {
					outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
					answer.pipe(outgoing);
				},
			);
			forwarded.on("error", () => outgoing.destroy());
			outgoing.on("close", () => forwarded.destroy());
			incoming.pipe(forwarded);
		});
		server.listen(port, "127.0.0.1");
		await once(server, "listening");
		const address = server.address();
		if (address === null || typeof address === "string") throw new Error("expected a TCP address");
		return new SubPathProxy(server, `http://127.0.0.1:${address.port}${prefix}`);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#server.close();
		this.#server.closeAllConnections();
	}
}
