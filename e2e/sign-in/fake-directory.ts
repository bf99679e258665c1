import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";

/** Of the requests that a directory gets (RFC 4511), as far as tests look at them. */
export interface LdapRequest {
	readonly id: number;
	readonly operation: "bind" | "search" | "extended" | "unbind" | "other";
	/** The DN of a bind, the base of a search. */
	readonly name: string;
	/** Of a bind. */
	readonly password: string;
	/** The attributes that a search asks for. */
	readonly attributes: readonly string[];
}

const OPERATIONS: Readonly<Record<number, LdapRequest["operation"]>> = {
	96: "bind",
	99: "search",
	119: "extended",
	66: "unbind",
};

/** What a directory says to a request; nothing at all when it says undefined. */
export type Answer = (request: LdapRequest, socket: Socket) => readonly Buffer[] | undefined;

/** A server that speaks LDAP and says whatever a test wants, on a port of its own. */
export class FakeDirectory implements AsyncDisposable {
	readonly port: number;
	readonly requests: LdapRequest[] = [];
	/** How many connections there have been. */
	connections = 0;
	readonly #server: Server;
	readonly #sockets = new Set<Socket>();

	private constructor(server: Server, port: number, answer: Answer) {
		this.port = port;
		this.#server = server;
		server.on("connection", (socket) => {
			this.connections++;
			this.#sockets.add(socket);
			socket.on("error", () => undefined).on("close", () => this.#sockets.delete(socket));
			socket.on("data", (data: Buffer) => {
				for (const request of readRequests(data)) {
					this.requests.push(request);
					const parts = answer(request, socket);
					if (parts !== undefined) socket.write(Buffer.concat(parts));
				}
			});
		});
	}

	static async start(answer: Answer, host = "127.0.0.1", port = 0): Promise<FakeDirectory> {
		const server = createServer().listen(port, host);
		await once(server, "listening");
		const address = server.address();
		if (address === null || typeof address === "string") throw new Error("expected a TCP address");
		return new FakeDirectory(server, address.port, answer);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		const closed = once(this.#server, "close");
		this.#server.close();
		for (const socket of this.#sockets) socket.destroy();
		await closed;
	}
}

/** What a server of ours needs to know to ask a fake directory, without encryption and service account. */
export function personSettings(port: number): Readonly<Record<string, string>> {
	return {
		SERVICE_LDAP_HOST: "127.0.0.1",
		SERVICE_LDAP_PORT: String(port),
		SERVICE_LDAP_TLS_MODE: "none",
		SERVICE_LDAP_USER_SEARCH_BASE_DNS: JSON.stringify(["ou=users,dc=example,dc=com"]),
		SERVICE_LDAP_USER_SEARCH_FILTER: "(uid=%s)",
		SERVICE_LDAP_ATTR_EMAIL: "mail",
		SERVICE_LDAP_GROUP_ROLE_MAPPINGS: JSON.stringify([
			{ group_dn: "cn=admins,ou=groups,dc=example,dc=com", role: "ADMIN" },
			{ group_dn: "*", role: "VIEWER" },
		]),
	};
}

/** An element of BER: tag, length, content. */
export function element(tag: number, ...parts: readonly (Buffer | string)[]): Buffer {
	const content = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
	const length = Buffer.alloc(5);
	length[0] = 0x84;
	length.writeUInt32BE(content.length, 1);
	return Buffer.concat([Buffer.from([tag]), length, content]);
}

function message(id: number, ...parts: readonly Buffer[]): Buffer {
	return element(0x30, element(0x02, Buffer.from([id])), ...parts);
}

const RESULTS = { bind: 0x61, search: 0x65, extended: 0x78 } as const;

/** The result of an operation. */
export function result(request: LdapRequest, code: number, diagnostic = ""): Buffer {
	const tag = RESULTS[request.operation as keyof typeof RESULTS] ?? 0x65;
	return message(
		request.id,
		element(tag, element(0x0a, Buffer.from([code])), element(0x04), element(0x04, diagnostic)),
	);
}

/** The end of a page of a search; there is another one where `cookie` is not empty (RFC 2696). */
export function endOfPage(request: LdapRequest, cookie: string): Buffer {
	const value = element(0x30, element(0x02, Buffer.from([0])), element(0x04, cookie));
	const control = element(0x30, element(0x04, "1.2.840.113556.1.4.319"), element(0x04, value));
	const success = element(RESULTS.search, element(0x0a, Buffer.from([0])), element(0x04), element(0x04));
	return message(request.id, success, element(0xa0, control));
}

export function entry(
	request: LdapRequest,
	dn: string,
	attributes: Readonly<Record<string, readonly (string | Buffer)[]>>,
): Buffer {
	const list = Object.entries(attributes).map(([type, values]) =>
		element(0x30, element(0x04, type), element(0x31, ...values.map((value) => element(0x04, value)))),
	);
	return message(request.id, element(0x64, element(0x04, dn), element(0x30, ...list)));
}

/** Says yes to every bind and finds this entry in every search for users. */
export function personDirectory(
	dn: string,
	attributes: Readonly<Record<string, readonly (string | Buffer)[]>>,
): Answer {
	return (request) => {
		if (request.operation === "bind") return [result(request, 0)];
		return request.operation === "search" ? [entry(request, dn, attributes), result(request, 0)] : undefined;
	};
}

interface Element {
	readonly tag: number;
	readonly content: Buffer;
	readonly end: number;
}

function readElement(bytes: Buffer, offset = 0): Element {
	const first = bytes.readUInt8(offset + 1);
	const size = first < 0x80 ? 0 : first & 0x7f;
	const length = size === 0 ? first : bytes.readUIntBE(offset + 2, size);
	const start = offset + 2 + size;
	return { tag: bytes.readUInt8(offset), content: bytes.subarray(start, start + length), end: start + length };
}

function children(content: Buffer): Element[] {
	const found: Element[] = [];
	for (let offset = 0; offset < content.length; ) {
		const child = readElement(content, offset);
		found.push(child);
		offset = child.end;
	}
	return found;
}

/** Requests are small and come whole; what is no LDAP is none. */
function readRequests(data: Buffer): LdapRequest[] {
	if (data[0] !== 0x30) return [];
	return children(data).map(({ content }) => {
		const [id, body] = children(content);
		const operation = OPERATIONS[body?.tag ?? 0] ?? "other";
		const parts = operation === "unbind" ? [] : children(body?.content ?? Buffer.alloc(0));
		const text = (index: number) => parts[index]?.content.toString() ?? "";
		return {
			id: id?.content.readUIntBE(0, id.content.length) ?? 0,
			operation,
			name: operation === "bind" ? text(1) : text(0),
			password: operation === "bind" ? text(2) : "",
			attributes:
				operation === "search"
					? children(parts[7]?.content ?? Buffer.alloc(0)).map((part) => part.content.toString())
					: [],
		};
	});
}
