import type { Agent, Dispatcher } from "undici";
import { AddressRules, forbidden, targetOf } from "./address-rules.ts";
import { AllowedHosts } from "./allowed-hosts.ts";
import { Connections, type Route } from "./connections.ts";
import { createConnector } from "./connector.ts";
import { Exchange } from "./exchange.ts";
import { OutgoingFault } from "./outgoing-fault.ts";
import { type ProbeStep, probe } from "./probe.ts";

/** `fetch`, by the rules of {@link OutgoingGuard}. */
export type GuardedFetch = typeof fetch;

export interface OutgoingOptions extends Route {
	/** Entries of `SERVICE_OUTGOING_ALLOWED_HOSTS`. */
	readonly allowedHosts: readonly string[];
	/** Whether this machine may be called without being listed. */
	readonly allowsLoopback: boolean;
	/** Ports of this service, which are never called. */
	readonly ownPorts: readonly number[];
	/** Other times than those of {@link TIMES}. */
	readonly times?: Partial<typeof TIMES>;
}

export interface FetchOptions {
	/** Milliseconds until the first byte of an answer. */
	readonly timeoutMs: number;
}

const TIMES = { gapMs: 60_000, totalMs: 30 * 60_000 };
const OF_THE_CONNECTION = [
	"host",
	"connection",
	"content-length",
	"expect",
	"keep-alive",
	"te",
	"transfer-encoding",
	"upgrade",
];

/**
 * Sends requests to addresses that users chose: to public ones over https, to others only where the operator lists
 * them, and never to those of metadata services or of this service itself. Answers are bounded in time and size,
 * redirects are not followed, and nothing of the environment changes where a request goes.
 * docs/decisions/0014-addresses-are-checked-in-the-lookup-that-connects.md
 */
export class OutgoingGuard implements AsyncDisposable {
	readonly #rules: AddressRules;
	readonly #connections: Connections;
	readonly #times: typeof TIMES;
	#agent: Promise<Agent> | undefined;

	constructor(options: OutgoingOptions) {
		this.#rules = new AddressRules(new AllowedHosts(options.allowedHosts), options.allowsLoopback);
		this.#connections = new Connections(this.#rules, options);
		this.#times = { ...TIMES, ...options.times };
		for (const port of options.ownPorts) this.addOwnPort(port);
	}

	/** From now on no request goes to this port of this machine. */
	addOwnPort(port: number): void {
		this.#rules.addOwnPort(port);
	}

	/**
	 * A `fetch` that rejects with an {@link OutgoingFault}, as the stream of its answer does, or with the reason of the
	 * signal that it was given.
	 */
	fetch({ timeoutMs }: FetchOptions): GuardedFetch {
		return async (input, init) => {
			checkedUrl(input instanceof Request ? input.url : String(input));
			const request = new Request(input, { ...init, signal: null });
			const body = request.body === null ? null : Buffer.from(await request.arrayBuffer());
			const given = input instanceof Request ? input.signal : null;
			const exchange = new Exchange(init?.signal ?? given, { ...this.#times, firstByteMs: timeoutMs });
			return await exchange.run(async (signal) => {
				const { request: send } = await import("undici");
				this.#agent ??= this.#createAgent();
				return await send(request.url, {
					dispatcher: await this.#agent,
					method: request.method as Dispatcher.HttpMethod,
					headers: sentHeaders(request.headers),
					body,
					signal,
				});
			});
		};
	}

	/** Why no request would be sent to an address, as far as that is known without looking its host up. */
	refusal(address: string): OutgoingFault | undefined {
		try {
			return this.#connections.earlyRefusal(targetOf(checkedUrl(address)));
		} catch (error) {
			if (error instanceof OutgoingFault) return error;
			throw error;
		}
	}

	/** Goes the way to the host of an address step by step, and sends it nothing. */
	async probe(address: string): Promise<readonly ProbeStep[]> {
		try {
			return await probe(this.#connections, targetOf(checkedUrl(address)));
		} catch (error) {
			if (!(error instanceof OutgoingFault)) throw error;
			return [{ name: "address", seen: error.message, fault: error, milliseconds: 0 }];
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await (await this.#agent)?.destroy();
	}

	async #createAgent(): Promise<Agent> {
		const { Agent } = await import("undici");
		const connect = await createConnector(this.#connections);
		// An exchange has its own times.
		return new Agent({ connect, headersTimeout: 0, bodyTimeout: 0 });
	}
}

/** @throws OutgoingFault for an address that cannot be called, whatever its host resolves to */
function checkedUrl(address: string): URL {
	const url = URL.parse(address);
	if (url === null || !/^https?:$/.test(url.protocol)) throw forbidden("The address is not an http or https address.");
	if (url.username !== "" || url.password !== "") throw forbidden("The address has a user or password in it.");
	return url;
}

/** Those that are about the connection and not about the request are undici's. */
function sentHeaders(headers: Headers): Record<string, string> {
	const sent = Object.fromEntries(headers);
	for (const name of OF_THE_CONNECTION) delete sent[name];
	// Compression saves little, and holds pieces of an answer back.
	return { "user-agent": "spanward", ...sent, "accept-encoding": "identity" };
}
