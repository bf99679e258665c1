import type { X509Certificate } from "node:crypto";
import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { connect, getCACertificates, TLSSocket } from "node:tls";
import { type ConnectionFailure, codeOf, connectionFailure } from "#base/connection-failures.ts";
import { isLoopback } from "#base/loopback.ts";

const TIMEOUT_MS = 10_000;
const MAX_BODY_BYTES = 1_048_576;

export interface Answer {
	readonly status: number;
	readonly headers: IncomingHttpHeaders;
	readonly body: string;
	/** The server's certificate, with https. */
	readonly certificate: X509Certificate | undefined;
}

interface Question {
	readonly method?: "GET" | "POST";
	readonly headers?: Readonly<Record<string, string>>;
	/** Accepts any certificate: only for requests to this machine without confidential data. */
	readonly trustsAll?: boolean;
	/** PEM: whom to trust in place of those whom browsers trust, and a certificate to show. */
	readonly tls?: { readonly ca?: string | string[]; readonly cert?: string; readonly key?: string };
}

/** Sends one request, with bounded time and size; follows no redirect. @throws the system's error, with its `code` */
export async function ask(
	url: string,
	{ method = "GET", headers = {}, trustsAll = false, tls = { ca: trusted() } }: Question = {},
): Promise<Answer> {
	const options = { method, headers, agent: false, signal: AbortSignal.timeout(TIMEOUT_MS) };
	const response = await new Promise<IncomingMessage>((resolve, reject) => {
		const request = url.startsWith("https:")
			? requestHttps(url, { ...options, ...tls, rejectUnauthorized: !trustsAll })
			: requestHttp(url, options);
		request.on("response", resolve).on("error", reject).end();
	});
	const { socket } = response;
	const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
	const body = await readBody(response);
	return { status: response.statusCode ?? 0, headers: response.headers, body, certificate };
}

/** A server's certificate, whether trusted or not; undefined if it has none. Sends no request. */
export async function peerCertificate(url: string): Promise<X509Certificate | undefined> {
	const host = hostOf(url);
	const { port } = new URL(url);
	return await new Promise((resolve) => {
		const socket = connect({
			host,
			port: Number(port || 443),
			...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
			rejectUnauthorized: false,
			timeout: TIMEOUT_MS,
		});
		const end = (certificate: X509Certificate | undefined) => {
			socket.destroy();
			resolve(certificate);
		};
		socket
			.on("secureConnect", () => end(socket.getPeerX509Certificate()))
			.on("timeout", () => end(undefined))
			.on("error", () => end(undefined));
	});
}

export function hostOf(url: string): string {
	return new URL(url).hostname.replace(/^\[|\]$/g, "");
}

export function isLoopbackUrl(url: string): boolean {
	return isLoopback(hostOf(url));
}

/** Node's own root certificates and those of the system, which browsers trust. */
function trusted(): string[] {
	return [...new Set([...getCACertificates("default"), ...getCACertificates("system")])];
}

async function readBody(response: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of response) {
		const buffer = Buffer.from(chunk);
		bytes += buffer.length;
		if (bytes > MAX_BODY_BYTES) break;
		chunks.push(buffer);
	}
	return Buffer.concat(chunks).toString("utf8");
}

const REASONS: Readonly<Record<ConnectionFailure, string>> = {
	unknown_host: "its name cannot be resolved",
	refused: "nothing listens there",
	unreachable: "there is no route to it",
	hung_up: "it hung up",
	timeout: `it did not answer within ${TIMEOUT_MS / 1_000} seconds`,
	self_signed_certificate: "its certificate is self-signed, which no browser trusts",
	untrusted_certificate:
		"its certificate is from an authority that this machine does not trust, or the intermediate certificates are missing",
	expired_certificate: "its certificate has expired",
	early_certificate: "its certificate is not valid yet",
	certificate_of_another: "its certificate is for another name",
	no_tls: "it does not speak TLS there",
};

/** Why {@link ask} failed, as the end of "because …", and whether the certificate was the reason. */
export function failureOf(error: unknown): { readonly reason: string; readonly isCertificate: boolean } {
	const failure = connectionFailure(error);
	if (failure !== undefined) return { reason: REASONS[failure], isCertificate: failure.includes("certificate") };
	const code = codeOf(error);
	if (code.startsWith("ERR_SSL_"))
		return { reason: "it supports no TLS version or cipher that this machine supports", isCertificate: false };
	return { reason: `the connection failed (${code})`, isCertificate: false };
}
