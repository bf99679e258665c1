import type { Socket } from "node:net";
import type { Filter, Message } from "ldapts";
import { BerError, readHeader } from "./ber.ts";
import { CODE, ResultError, ServerFailure } from "./failures.ts";
import { type Entry, type Response, type Result, readResponse } from "./responses.ts";
import type { LdapServer } from "./transport.ts";

type Ldapts = typeof import("ldapts");

/** For one request, as another server may have to be asked. */
const OPERATION_MS = 5_000;
/** For all answers on one connection. */
const MAX_BYTES = 8 * 1_048_576;
/** RFC 4511, 4.4.1: the server is about to hang up. */
const NOTICE_ID = 0;
const SUCCESS = 0;

export interface SearchOptions {
	readonly scope: "base" | "sub";
	readonly filter: Filter;
	/** Of each entry; "1.1" for none. */
	readonly attributes: readonly string[];
	/** Entries that are wanted; all when absent. */
	readonly sizeLimit?: number;
	readonly page?: { readonly size: number; readonly cookie: Buffer | undefined };
}

export interface Found {
	readonly entries: readonly Entry[];
	/** There are more entries than `sizeLimit`, or the server's own limit, allows. */
	readonly isCut: boolean;
	/** Where the next page begins. */
	readonly cookie: Buffer | undefined;
}

interface Pending {
	readonly id: number;
	readonly entries: Entry[];
	readonly resolve: (result: Result) => void;
	readonly reject: (error: Error) => void;
	readonly operation: "bind" | "search";
}

/**
 * A connection to one server, with one request at a time. Requests are written by ldapts; answers are read here
 * (docs/decisions/0019-answers-of-a-directory-are-read-here.md).
 */
export class Connection implements AsyncDisposable {
	readonly #ldapts: Ldapts;
	readonly #socket: Socket;
	readonly #server: LdapServer;
	readonly #signal: AbortSignal;
	readonly #describeBreak: (error: Error, hasAnswered: boolean) => ServerFailure;
	#pending: Pending | undefined;
	#lastId = 0;
	/** Bytes that arrived and are not parsed yet, with their number and the number needed to parse on. */
	#chunks: Buffer[] = [];
	#waiting = 0;
	#needed = 1;
	#bytes = 0;
	#closed: Error | undefined;

	/** @param describe the failure to report when the socket breaks */
	constructor(
		ldapts: Ldapts,
		socket: Socket,
		server: LdapServer,
		signal: AbortSignal,
		describe: (error: Error, hasAnswered: boolean) => ServerFailure,
	) {
		this.#ldapts = ldapts;
		this.#socket = socket;
		this.#server = server;
		this.#signal = signal;
		this.#describeBreak = describe;
		socket.on("data", (chunk: Buffer) => this.#receive(chunk));
		socket.on("error", (error) => this.#close(error));
		socket.on("close", () => this.#close(new Error("closed")));
	}

	/**
	 * @throws ResultError when the server refuses
	 * @throws ServerFailure when it does not answer
	 */
	async bind(dn: string, password: string): Promise<void> {
		// RFC 4513, 5.1.2: with an empty password or name many servers say yes to anybody.
		if (dn === "" || password === "") throw new TypeError("a bind has a name and a password");
		const messageId = this.#nextId();
		await this.#request("bind", new this.#ldapts.BindRequest({ messageId, dn, password }));
	}

	/** Referrals and continuation references are left where they are. @throws as {@link bind} */
	async search(base: string, options: SearchOptions): Promise<Found> {
		const { scope, filter, attributes, sizeLimit = 0, page } = options;
		const controls =
			page === undefined
				? []
				: [
						new this.#ldapts.PagedResultsControl({
							value: { size: page.size, ...(page.cookie === undefined ? {} : { cookie: page.cookie }) },
						}),
					];
		const request = new this.#ldapts.SearchRequest({
			messageId: this.#nextId(),
			baseDN: base,
			scope,
			derefAliases: "never",
			filter,
			attributes: [...attributes],
			sizeLimit,
			timeLimit: OPERATION_MS / 1_000,
			controls,
		});
		const { entries, result } = await this.#request("search", request);
		return { entries, isCut: result.code === CODE.sizeLimitExceeded, cookie: result.cookie };
	}

	#nextId(): number {
		this.#lastId += 1;
		return this.#lastId;
	}

	async #request(
		operation: Pending["operation"],
		message: Message,
	): Promise<{ readonly entries: readonly Entry[]; readonly result: Result }> {
		if (this.#pending !== undefined) throw new Error("a connection has one request at a time");
		const entries: Entry[] = [];
		const limit = AbortSignal.any([this.#signal, AbortSignal.timeout(OPERATION_MS)]);
		const onTimeout = () =>
			this.#close(new ServerFailure("connect", `${this.#server.address} does not answer in time.`));
		try {
			const result = await new Promise<Result>((resolve, reject) => {
				this.#pending = { id: message.messageId, operation, entries, resolve, reject };
				if (limit.aborted) onTimeout();
				else if (this.#closed !== undefined) reject(this.#closed);
				else {
					limit.addEventListener("abort", onTimeout);
					this.#socket.write(message.write());
				}
			});
			const isCut = operation === "search" && result.code === CODE.sizeLimitExceeded;
			if (result.code !== SUCCESS && !isCut) throw new ResultError(result.code, result.diagnostic);
			return { entries, result };
		} finally {
			limit.removeEventListener("abort", onTimeout);
			this.#pending = undefined;
		}
	}

	#receive(chunk: Buffer): void {
		if (this.#closed !== undefined) return;
		this.#bytes += chunk.length;
		this.#chunks.push(chunk);
		this.#waiting += chunk.length;
		if (this.#waiting < this.#needed) return;
		try {
			this.#readMessages(Buffer.concat(this.#chunks));
		} catch (error) {
			if (!(error instanceof BerError)) throw error;
			this.#close(error);
		}
	}

	/** @throws BerError */
	#readMessages(bytes: Buffer): void {
		let offset = 0;
		let header = readHeader(bytes);
		while (header !== undefined && header.end <= bytes.length) {
			this.#take(readResponse(bytes.subarray(offset, header.end)));
			offset = header.end;
			header = readHeader(bytes, offset);
		}
		this.#chunks = [bytes.subarray(offset)];
		this.#waiting = bytes.length - offset;
		// A long message is put together once, not with each packet of it.
		this.#needed = header === undefined ? this.#waiting + 1 : header.end - offset;
		if (this.#bytes - this.#waiting + this.#needed > MAX_BYTES) throw new BerError("more than anybody needs");
	}

	#take(response: Response): void {
		const pending = this.#pending;
		if (response.id === NOTICE_ID) {
			this.#close(new Error("the server ended the connection"));
			return;
		}
		// It must not be taken for the answer to another request.
		if (pending === undefined || response.id !== pending.id) throw new BerError("an answer to no request");
		if (response.kind === "result") {
			if (response.operation !== pending.operation) throw new BerError("an answer to another request");
			pending.resolve(response.result);
		} else if (pending.operation !== "search") throw new BerError("an entry in the answer to a bind");
		else if (response.kind === "entry") pending.entries.push(response.entry);
	}

	#close(cause: Error): void {
		this.#closed ??= this.#describe(cause);
		this.#socket.destroy();
		this.#pending?.reject(this.#closed);
	}

	#describe(cause: Error): ServerFailure {
		if (cause instanceof ServerFailure) return cause;
		const settings = ["SERVICE_LDAP_HOST", "SERVICE_LDAP_PORT"];
		if (cause instanceof BerError) {
			return new ServerFailure("connect", `${this.#server.address} does not speak LDAP correctly.`, {
				settings,
				cause,
			});
		}
		return this.#describeBreak(cause, this.#bytes > 0);
	}

	/** Sends the unbind request and does not wait. */
	async [Symbol.asyncDispose](): Promise<void> {
		if (this.#closed !== undefined) return;
		this.#closed = new ServerFailure("connect", "The connection is closed.");
		this.#socket.write(new this.#ldapts.UnbindRequest({ messageId: this.#nextId() }).write());
		this.#socket.destroySoon();
	}
}
