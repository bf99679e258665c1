import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { STATUS_CODES } from "#base/node-http.ts";
import { sendError } from "./error-wire.ts";
import type { ResponseHeaders } from "./response-headers.ts";

/** Statuses for errors of Node's parser; any other error is 400. */
const STATUS_BY_CODE: Readonly<Record<string, number>> = {
	ERR_HTTP_REQUEST_TIMEOUT: 408,
	HPE_HEADER_OVERFLOW: 431,
};

/** Answers a request whose address does not decode: no route is looked up for it, so no hook runs. */
export function refuseAddress(headers: ResponseHeaders) {
	return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
		void sendError(error, request, reply.headers(headers));
	};
}

/** Answers what is not an HTTP request, and ends its connection. */
export function refuseConnection(headers: ResponseHeaders) {
	return (error: Error & { readonly code?: string }, socket: Socket): void => {
		if (error.code === "ECONNRESET" || !socket.writable) {
			socket.destroy();
			return;
		}
		const status = STATUS_BY_CODE[error.code ?? ""] ?? 400;
		const message = STATUS_CODES[status] ?? "Error";
		const all = {
			...headers,
			"content-type": "text/plain; charset=utf-8",
			"content-length": String(Buffer.byteLength(message)),
			connection: "close",
		};
		const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
		socket.end([`HTTP/1.1 ${status} ${message}`, ...lines, "", message].join("\r\n"));
	};
}
