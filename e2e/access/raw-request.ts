import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import type { TestServer } from "../server.ts";

/** A connection on which a request is written by hand. */
export class RawConnection implements Disposable {
	readonly socket: Socket;
	#received = "";

	private constructor(socket: Socket) {
		this.socket = socket;
		// Whoever refuses a body may end the connection while it is being sent.
		socket.on("error", () => {});
		socket.setEncoding("latin1").on("data", (text: string) => {
			this.#received += text;
		});
	}

	static async open(server: TestServer): Promise<RawConnection> {
		// Goes on sending when the server has ended its half, as a careless client does.
		const socket = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
		await once(socket, "connect");
		return new RawConnection(socket);
	}

	get received(): string {
		return this.#received;
	}

	/** Writes a request line and headers, and the empty line after them. */
	send(line: string, headers: readonly string[] = []): void {
		this.socket.write([`${line} HTTP/1.1`, "host: 127.0.0.1", ...headers, "", ""].join("\r\n"));
	}

	/** The status of the first answer. @throws when the connection ends before it, or after 100 s */
	async status(): Promise<number> {
		const deadline = Date.now() + 100_000;
		while (!/^HTTP\/1\.1 \d{3} .*\r\n\r\n/s.test(this.#received)) {
			if (this.socket.closed || Date.now() > deadline) throw new Error(`no answer, but: ${this.#received}`);
			await new Promise((resolve) => setTimeout(resolve, 5));
		}
		return Number(this.#received.slice(9, 12));
	}

	[Symbol.dispose](): void {
		this.socket.destroy();
	}
}

/** The status of a request without a body, its address sent as it is written. */
export async function rawStatus(server: TestServer, line: string, headers: readonly string[] = []): Promise<number> {
	using connection = await RawConnection.open(server);
	connection.send(line, [...headers, "connection: close"]);
	return await connection.status();
}

/** The `grpc-status` of a call with one message, whose metadata is sent as given, also twice. */
export async function grpcStatus(
	server: TestServer,
	path: string,
	metadata: readonly (readonly [name: string, value: string])[],
	message: Uint8Array = new Uint8Array(0),
): Promise<number> {
	// The types do not know yet that a client may send a header twice.
	const options: object = { strictSingleValueFields: false };
	const session = connectHttp2(`http://${server.grpcAddress}`, options);
	const headers = [":method", "POST", ":path", path, "content-type", "application/grpc", "te", "trailers"];
	const frame = Buffer.alloc(5 + message.byteLength);
	frame.writeUInt32BE(message.byteLength, 1);
	frame.set(message, 5);
	try {
		return await new Promise<number>((resolve, reject) => {
			const stream = session.request([...headers, ...metadata.flat()]);
			const read = (received: Record<string, unknown>) => {
				if (received["grpc-status"] !== undefined) resolve(Number(received["grpc-status"]));
			};
			stream.on("response", read).on("trailers", read).on("error", reject).resume();
			stream.end(frame);
		});
	} finally {
		session.close();
	}
}
