import { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { App } from "./app-type.ts";

/** Shorter bodies have arrived with their headers, more or less; the connection goes on. */
const SHORT_BYTES = 65_536;
/** How long the caller has to read the answer before its connection ends. */
const LINGER_MS = 1_000;

/**
 * Answers a request that is refused because of its sender, or that no route takes, without taking its body off the
 * wire, and ends the connection. A sender that asks first (`Expect: 100-continue`) is told to go on only when it may.
 */
export function refuseUploads(app: App): void {
	app.server.on("checkContinue", (request, response) => app.server.emit("request", request, response));
	app.addHook("preParsing", async ({ headers }, reply) => {
		if (headers.expect?.toLowerCase() === "100-continue") reply.raw.writeContinue();
	});
	app.addHook("onSend", async (request, reply) => {
		const { statusCode } = reply;
		const isRefused = request.is404 || statusCode === 401 || statusCode === 403;
		if (!isRefused || !sendsMuch(request)) return;
		endConnection(request, reply);
	});
}

/**
 * Ends the connection of a request whose body nobody reads, with the answer that is about to go out. The caller has a
 * moment to read it.
 */
export function endConnection(request: FastifyRequest, reply: FastifyReply): void {
	void reply.header("connection", "close");
	leaveUnread(request);
}

function sendsMuch({ headers, raw }: FastifyRequest): boolean {
	if (raw.complete) return false;
	return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > SHORT_BYTES;
}

/**
 * Node reads and drops a body that nobody reads, as fast as it comes, and resets the connection with the answer on its
 * way. A request that somebody began to read is left alone: TCP then stops the sender.
 */
function leaveUnread({ raw }: FastifyRequest): void {
	const { socket } = raw;
	if (!(socket instanceof Socket)) return;
	raw.read(0);
	socket.destroySoon = () => {
		socket.end();
		setTimeout(() => socket.destroy(), LINGER_MS).unref();
	};
}
