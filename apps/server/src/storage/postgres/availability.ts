import { Socket } from "node:net";

/**
 * Whether the database can be reached, as last seen by the probe of `PostgresCluster`. While it cannot, nothing waits
 * for it: open connections are closed, so that pending statements fail, and new connections fail at once.
 */
export class Availability {
	readonly #sockets = new Set<Socket>();
	readonly #listeners = new Set<(isReachable: boolean) => void>();
	#isReachable = true;

	get isReachable(): boolean {
		return this.#isReachable;
	}

	/** Makes sockets for `pg` that are closed when the database becomes unreachable. */
	readonly openSocket = (): Socket => {
		if (!this.#isReachable) return new RefusedSocket();
		const socket = new Socket();
		this.#sockets.add(socket);
		socket.once("close", () => this.#sockets.delete(socket));
		return socket;
	};

	set(isReachable: boolean): void {
		if (isReachable === this.#isReachable) return;
		this.#isReachable = isReachable;
		if (!isReachable) for (const socket of this.#sockets) socket.destroy(unreachable());
		for (const listener of this.#listeners) listener(isReachable);
	}

	/** Called with each change. Returns the function that unsubscribes. */
	onChange(listener: (isReachable: boolean) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}
}

/** A socket that fails instead of connecting. */
class RefusedSocket extends Socket {
	override connect(): this {
		return this.destroy(unreachable());
	}
}

function unreachable(): Error {
	return Object.assign(new Error("the connection ended: the database cannot be reached"), { code: "ECONNRESET" });
}
