import type { X509Certificate } from "node:crypto";
import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { connect, getCACertificates, TLSSocket } from "node:tls";
import { isLoopback } from "../http/loopback.ts";

const TIMEOUT_MS = 10_000;
const MAX_BODY_BYTES = 1_048_576;

export interface Answer {
	readonly status: number;
	readonly headers: IncomingHttpHeaders;
	readonly body: string;
	/** Of the server, when it was asked by https. */
	readonly certificate: X509Certificate | undefined;
}

interface Question {
	readonly method?: "GET" | "POST";
	readonly headers?: Readonly<Record<string, string>>;
	/** For what tells nothing, on this machine: any certificate will do. */
	readonly trustsAll?: boolean;
}

/** Asks a server once, following no redirect, in bounded time and size. @throws the error of the system, with its `code` */
export async function ask(
	url: string,
	{ method = "GET", headers = {}, trustsAll = false }: Question = {},
): Promise<Answer> {
	const options = { method, headers, agent: false, signal: AbortSignal.timeout(TIMEOUT_MS) };
	const response = await new Promise<IncomingMessage>((resolve, reject) => {
		const request = url.startsWith("https:")
			? requestHttps(url, { ...options, ca: trusted(), rejectUnauthorized: !trustsAll })
			: requestHttp(url, options);
		request.on("response", resolve).on("error", reject).end();
	});
	const { socket } = response;
	const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
	const body = await readBody(response);
	return { status: response.statusCode ?? 0, headers: response.headers, body, certificate };
}

/** The certificate that a server shows, whoever issued it; undefined when it shows none. Nothing is sent to it. */
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

/** What browsers of this machine trust is with its system; Node has a list of its own. */
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

const CERTIFICATE_CODES: Readonly<Record<string, string>> = {
	CERT_HAS_EXPIRED: "its certificate has expired",
	CERT_NOT_YET_VALID: "its certificate is not valid yet",
	ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
	DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is signed by itself, which no browser trusts",
	SELF_SIGNED_CERT_IN_CHAIN: "its certificate is of an authority that this machine does not trust",
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate is of an authority that this machine does not trust",
	UNABLE_TO_VERIFY_LEAF_SIGNATURE:
		"its certificate is of an authority that this machine does not trust, or the certificates in between are missing",
};

const CONNECTION_CODES: Readonly<Record<string, string>> = {
	ENOTFOUND: "this machine does not know its name",
	EAI_AGAIN: "this machine cannot look up its name now",
	ECONNREFUSED: "nothing listens there",
	ECONNRESET: "it hung up",
	EHOSTUNREACH: "there is no way to it",
	ENETUNREACH: "there is no way to it",
	ETIMEDOUT: `it did not answer within ${TIMEOUT_MS / 1_000} seconds`,
	ABORT_ERR: `it did not answer within ${TIMEOUT_MS / 1_000} seconds`,
	EPROTO: "it does not speak TLS there",
};

/** Why {@link ask} failed, as the end of "because …", and whether the certificate was the reason. */
export function failureOf(error: unknown): { readonly reason: string; readonly isCertificate: boolean } {
	const code = error instanceof Error && "code" in error ? String(error.code) : "";
	const certificate = CERTIFICATE_CODES[code];
	if (certificate !== undefined) return { reason: certificate, isCertificate: true };
	if (code.startsWith("ERR_SSL_")) return { reason: "it does not speak TLS as we do", isCertificate: false };
	return { reason: CONNECTION_CODES[code] ?? `the connection failed (${code})`, isCertificate: false };
}
