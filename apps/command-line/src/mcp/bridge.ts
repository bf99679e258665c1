import {
	isJSONRPCErrorResponse,
	isJSONRPCNotification,
	isJSONRPCRequest,
	isJSONRPCResultResponse,
	type JSONRPCMessage,
	type JSONRPCRequest,
	ProtocolErrorCode,
	type RequestId,
	SdkHttpError,
	StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { ConnectionError } from "@spanward/client";
import { printable } from "@spanward/server/src/command-line/printable.ts";
import { fetchAs, type Target } from "../connection.ts";
import { CommandFailure, EXIT } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { toFailure } from "../to-failure.ts";

/**
 * `spanward mcp`: the MCP endpoint of a server for clients that start a program and talk over its standard input and output.
 * Messages go on as they are. What keeps one from being answered is said on standard error, and as an error of the protocol;
 * a client may ask again, as when the server is there again or somebody has logged in.
 */
export async function bridgeMcp(invocation: Invocation): Promise<number> {
	return await new Bridge(invocation).run();
}

class Bridge {
	readonly #invocation: Invocation;
	readonly #stdio: StdioServerTransport;
	#http: { readonly target: Target; readonly transport: StreamableHTTPClientTransport } | undefined;
	/** Revisions before 2026-07-28 say it in a header of each request after the first. */
	#protocolVersion: string | undefined;
	/** Requests that are not answered yet. */
	readonly #running = new Map<RequestId, { readonly method: string; readonly controller: AbortController }>();

	constructor(invocation: Invocation) {
		this.#invocation = invocation;
		this.#stdio = new StdioServerTransport(invocation.io.stdin, invocation.io.stdout);
	}

	/** @returns the exit code, once the client has gone */
	async run(): Promise<number> {
		const { signal, terminal } = this.#invocation;
		const gone = new Promise<void>((resolve) => {
			this.#stdio.onclose = resolve;
		});
		const onAbort = () => void this.#stdio.close();
		signal.addEventListener("abort", onAbort, { once: true });
		this.#stdio.onerror = ({ message }) => terminal.note(`Standard input is not understood: ${printable(message)}`);
		this.#stdio.onmessage = (message) => void this.#pass(message);
		await this.#stdio.start();
		await gone;
		signal.removeEventListener("abort", onAbort);
		for (const { controller } of this.#running.values()) controller.abort();
		await this.#http?.transport.close();
		return signal.aborted ? EXIT.interrupted : EXIT.success;
	}

	async #pass(message: JSONRPCMessage): Promise<void> {
		// Over HTTP a request is cancelled by giving up its answer.
		if (isJSONRPCNotification(message) && message.method === "notifications/cancelled") {
			const id = message.params?.["requestId"];
			if (typeof id === "string" || typeof id === "number") this.#take(id)?.controller.abort();
			return;
		}
		const request = isJSONRPCRequest(message) ? message : undefined;
		const controller = new AbortController();
		if (request !== undefined) this.#running.set(request.id, { method: request.method, controller });
		try {
			const { transport } = await this.#connect();
			await transport.send(message, {
				requestSignal: controller.signal,
				onRequestStreamEnd: () => void this.#refuse(request, new CommandFailure(EXIT.server, CUT_OFF)),
			});
		} catch (error) {
			if (!controller.signal.aborted) await this.#refuse(request, this.#toFailure(error));
		}
	}

	/** Looks for the server again until there is one that can be asked. */
	async #connect() {
		if (this.#http !== undefined) return this.#http;
		const { io } = this.#invocation;
		const target = await this.#invocation.target();
		if (target.tokens?.api !== undefined && target.tokens.mcp === undefined)
			throw new CommandFailure(
				EXIT.notAllowed,
				`The log-in at ${target.url} is not for MCP: run spanward login --mcp ${target.url}.`,
			);
		const transport = new StreamableHTTPClientTransport(new URL(`${target.url}/mcp`), {
			fetch: fetchAs(target, "mcp", io),
			requestInit: { headers: { "user-agent": "spanward-cli" } },
			...(this.#protocolVersion !== undefined && { protocolVersion: this.#protocolVersion }),
		});
		transport.onmessage = (message) => void this.#answer(message);
		await transport.start();
		this.#http ??= { target, transport };
		return this.#http;
	}

	async #answer(message: JSONRPCMessage): Promise<void> {
		if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) {
			const asked = message.id === undefined ? undefined : this.#take(message.id);
			if (asked === undefined) return;
			const version = "result" in message ? message.result["protocolVersion"] : undefined;
			if (asked.method === "initialize" && typeof version === "string") {
				this.#protocolVersion = version;
				this.#http?.transport.setProtocolVersion(version);
			}
		}
		await this.#stdio.send(message);
	}

	async #refuse(request: JSONRPCRequest | undefined, { message }: CommandFailure): Promise<void> {
		if (request !== undefined && this.#take(request.id) === undefined) return;
		this.#invocation.terminal.note(message);
		if (request === undefined) return;
		const error = { code: ProtocolErrorCode.InternalError, message };
		await this.#stdio.send({ jsonrpc: "2.0", id: request.id, error });
	}

	/** @returns undefined when it was answered, or cancelled */
	#take(id: RequestId) {
		const running = this.#running.get(id);
		this.#running.delete(id);
		return running;
	}

	#toFailure(error: unknown): CommandFailure {
		const url = this.#http?.target.url ?? "";
		if (error instanceof SdkHttpError) {
			// Somebody may log in.
			if (error.status === 401) this.#http = undefined;
			return refusalOf(error, url);
		}
		// What fetch throws when there is no answer.
		if (error instanceof TypeError) return toFailure(new ConnectionError(url, error), this.#invocation.io);
		return toFailure(error, this.#invocation.io);
	}
}

const CUT_OFF = "The connection was lost before the answer came. Ask again.";

function refusalOf({ status, data }: SdkHttpError, url: string): CommandFailure {
	if (status === 401)
		return new CommandFailure(
			EXIT.notAllowed,
			`${url} does not accept the credentials: run spanward login --mcp ${url}, or set SERVICE_API_KEY.`,
		);
	if (status === 404)
		return new CommandFailure(
			EXIT.notFound,
			`${url} has no MCP endpoint: SERVICE_ENABLE_MCP=false switches it off there.`,
		);
	const said = typeof data["text"] === "string" ? data["text"].slice(0, 1_000) : "";
	return new CommandFailure(EXIT.server, printable(`${url} answered ${status}: ${said}`));
}
