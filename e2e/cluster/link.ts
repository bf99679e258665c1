import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A way over TCP from a server to its database that can be slow, or cut as a firewall cuts it: silently, nobody is told. */
export class Link implements AsyncDisposable {
	readonly port: number;
	readonly #server: Server;
	readonly #target: number;
	readonly #sockets = new Set<Socket>();
	#isCut = false;
	#delayMs = 0;

	private constructor(server: Server, target: number, port: number) {
		this.#server = server;
		this.#target = target;
		this.port = port;
		server.on("connection", (socket) => this.#forward(socket));
	}

	/** @param port of its near end; a free one when absent */
	static async open(target: number, port = 0): Promise<Link> {
		const server = createServer().listen(port, "127.0.0.1");
		await once(server, "listening");
		const address = server.address();
		if (address === null || typeof address === "string") throw new Error("expected a TCP address");
		return new Link(server, target, address.port);
	}

	/** The same address of a database, by this way. */
	through(url: string): string {
		const other = new URL(url);
		other.port = String(this.port);
		return other.href;
	}

	/** Everything takes so long from now on, in each direction. */
	slow(milliseconds: number): void {
		this.#delayMs = milliseconds;
	}

	/** Nothing passes any more, in either direction; connections stay open and new ones get no answer. */
	cut(): void {
		this.#isCut = true;
		for (const socket of this.#sockets) socket.pause();
	}

	/** New connections pass; those from before the cut are gone, as a firewall forgets them. */
	mend(): void {
		this.#isCut = false;
		for (const socket of this.#sockets) socket.destroy();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#server.close();
		for (const socket of this.#sockets) socket.destroy();
	}

	#forward(near: Socket): void {
		const far = connect(this.#target, "127.0.0.1");
		for (const [from, to] of [
			[near, far],
			[far, near],
		] as const) {
			this.#sockets.add(from);
			from.on("error", () => undefined);
			let before = Promise.resolve();
			from.on("data", (data) => {
				const due = performance.now() + this.#delayMs;
				before = before.then(async () => {
					if (due > performance.now()) await sleep(due - performance.now());
					to.write(data);
				});
			});
			from.on("close", () => {
				this.#sockets.delete(from);
				if (!this.#isCut) to.destroy();
			});
			if (this.#isCut) from.pause();
		}
	}
}
