import { isIP } from "node:net";
import { getCACertificates } from "node:tls";
import type { Agent } from "undici";
import { type ConnectionFailure, codeOf, connectionFailure } from "#base/connection-failures.ts";
import { isLoopback } from "#base/loopback.ts";
import { checkedLookup } from "#base/outgoing/checked-lookup.ts";
import { AllowedAddresses } from "./allowed-addresses.ts";

/** Why nothing came back. */
export type OutgoingReason =
	| "bad_address"
	| "insecure"
	| "forbidden_address"
	| "unknown_host"
	| "refused"
	| "timeout"
	| "untrusted_certificate"
	| "expired_certificate"
	| "certificate_of_another"
	| "no_tls"
	| "redirected"
	| "too_large"
	| "broken";

export class OutgoingError extends Error {
	override readonly name = "OutgoingError";
	readonly reason: OutgoingReason;

	constructor(reason: OutgoingReason, options?: ErrorOptions) {
		super(reason, options);
		this.reason = reason;
	}
}

export interface OutgoingRequest {
	readonly method?: "GET" | "POST";
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: string;
	/** A redirect is returned as an answer; it is never followed. */
	readonly keepsRedirects?: boolean;
}

export interface OutgoingAnswer {
	readonly status: number;
	readonly headers: Headers;
	readonly text: string;
}

const CONNECT_MS = 5_000;
const TOTAL_MS = 10_000;
const MAX_BYTES = 1_048_576;
const MAX_CONNECTIONS = 64;

/**
 * Requests to a provider. The addresses in its metadata are trusted no further than the address of the setting: https
 * unless on this machine, no redirects, bounded in time and size, and no address further inside than that of the
 * setting. Addresses are checked when connecting, so that a name cannot resolve to another one in between.
 */
export class Outgoing implements AsyncDisposable {
	readonly #allowed: AllowedAddresses;
	readonly #ca: string | undefined;
	#agent: Promise<Agent> | undefined;

	/** @param ca PEM of authorities to trust besides those of the system */
	constructor(configUrl: string, ca: string | undefined) {
		this.#allowed = new AllowedAddresses(bareHost(new URL(configUrl).hostname));
		this.#ca = ca;
	}

	/** @throws OutgoingError for an address to which no request is sent, whatever it resolves to */
	checkAddress(address: string): URL {
		const url = URL.parse(address);
		if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
			throw new OutgoingError("bad_address");
		}
		const host = bareHost(url.hostname);
		if (url.protocol === "http:" && !isLoopback(host)) throw new OutgoingError("insecure");
		if (isIP(host) !== 0) {
			this.#allowed.learn(host, [host]);
			if (!this.#allowed.allows(host, host)) throw new OutgoingError("forbidden_address");
		}
		return url;
	}

	/** @throws OutgoingError when there was no answer, or one that may not be read */
	async send(
		address: string,
		{ method = "GET", headers = {}, body, keepsRedirects = false }: OutgoingRequest = {},
	): Promise<OutgoingAnswer> {
		const url = this.checkAddress(address);
		try {
			const { request } = await import("undici");
			this.#agent ??= this.#createAgent();
			const answer = await request(url, {
				dispatcher: await this.#agent,
				method,
				headers: { ...headers, "user-agent": "spanward" },
				signal: AbortSignal.timeout(TOTAL_MS),
				...(body === undefined ? {} : { body }),
			});
			const text = await answer.body.text();
			const isRedirect = answer.statusCode >= 300 && answer.statusCode < 400;
			if (isRedirect && !keepsRedirects) throw new OutgoingError("redirected");
			return { status: answer.statusCode, headers: toHeaders(answer.headers), text };
		} catch (error) {
			throw toOutgoingError(error);
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await (await this.#agent)?.destroy();
	}

	async #createAgent(): Promise<Agent> {
		const { Agent, buildConnector } = await import("undici");
		const connect = buildConnector({
			timeout: CONNECT_MS,
			allowH2: false,
			lookup: this.#lookUp,
			// Without it NODE_TLS_REJECT_UNAUTHORIZED decides.
			rejectUnauthorized: true,
			...(this.#ca === undefined ? {} : { ca: [...getCACertificates("default"), this.#ca] }),
		});
		return new Agent({
			connect,
			connections: MAX_CONNECTIONS,
			maxResponseSize: MAX_BYTES,
			headersTimeout: TOTAL_MS,
			bodyTimeout: TOTAL_MS,
		});
	}

	readonly #lookUp = checkedLookup((host, found) => {
		this.#allowed.learn(
			host,
			found.map(({ address }) => address),
		);
		const allowed = found.filter(({ address }) => this.#allowed.allows(host, address));
		if (allowed.length === 0) throw new OutgoingError("forbidden_address");
		return allowed;
	});
}

function bareHost(hostname: string): string {
	return hostname.replace(/^\[|\]$/g, "");
}

function toHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Headers {
	return new Headers(
		Object.entries(headers).flatMap(([name, value]) =>
			value === undefined ? [] : [[name, [value].flat().join(", ")]],
		),
	);
}

const OF_UNDICI: Readonly<Record<string, OutgoingReason>> = {
	UND_ERR_CONNECT_TIMEOUT: "timeout",
	UND_ERR_HEADERS_TIMEOUT: "timeout",
	UND_ERR_BODY_TIMEOUT: "timeout",
	UND_ERR_RES_EXCEEDED_MAX_SIZE: "too_large",
};

const OF_CONNECTION: Readonly<Record<ConnectionFailure, OutgoingReason>> = {
	unknown_host: "unknown_host",
	refused: "refused",
	unreachable: "refused",
	hung_up: "broken",
	timeout: "timeout",
	self_signed_certificate: "untrusted_certificate",
	untrusted_certificate: "untrusted_certificate",
	expired_certificate: "expired_certificate",
	early_certificate: "expired_certificate",
	certificate_of_another: "certificate_of_another",
	no_tls: "no_tls",
};

function reasonOf(error: Error): OutgoingReason | undefined {
	const failure = connectionFailure(error);
	return failure === undefined ? OF_UNDICI[codeOf(error)] : OF_CONNECTION[failure];
}

function toOutgoingError(error: unknown): OutgoingError {
	for (let at = error; at instanceof Error; at = at.cause) {
		if (at instanceof OutgoingError) return at;
		if (at.name === "TimeoutError") return new OutgoingError("timeout", { cause: error });
		if (at instanceof AggregateError && at.errors.length > 0) return toOutgoingError(at.errors[0]);
		const reason = reasonOf(at);
		if (reason !== undefined) return new OutgoingError(reason, { cause: error });
	}
	return new OutgoingError("broken", { cause: error });
}
