import type { Readable } from "node:stream";
import type { FastifyReply } from "fastify";

/** How often a stream says that it is alive: proxies close connections that are silent for a minute. */
export const HEARTBEAT_MS = 15_000;

/** A server-sent event with JSON as its data (HTML Living Standard, 9.2). */
export function eventText(event: string, data: object): string {
	return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Answers with server-sent events, which nothing on the way may keep or collect. */
export function sendEvents(reply: FastifyReply, events: Readable) {
	return reply
		.headers({
			"content-type": "text/event-stream; charset=utf-8",
			"cache-control": "no-cache",
			"x-accel-buffering": "no",
		})
		.send(events);
}
