import { Socket } from "node:net";

/**
 * Whether the database can be reached, as the probe of `PostgresCluster` last saw it. While it cannot, nothing waits for
 * it: open connections are cut, so that what waits for an answer fails, and new ones fail at once.
 */
export class Availability {
	readonly #sockets = new Set<Socket>();
	readonly #listeners = new Set<(isReachable: boolean) => void>();
	#isReachable = true;

	get isReachable(): boolean {
		return this.#isReachable;
	}

	/** For `pg`: the socket of a connection that ends when the database is away. */
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

	/** Called with each change. Returns the unsubscribe. */
	onChange(listener: (isReachable: boolean) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}
}

/** Fails where another would connect. */
class RefusedSocket extends Socket {
	override connect(): this {
		return this.destroy(unreachable());
	}
}

function unreachable(): Error {
	return Object.assign(new Error("the connection ended: the database cannot be reached"), { code: "ECONNRESET" });
}
