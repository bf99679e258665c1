import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "#storage/traces/trace-store.ts";
import { callerOf } from "./principal.ts";

/** Who asks for a list: a user with all sessions and keys, a key of the system, or an address without authentication. */
export function askerOf(
	{ principal, ip }: Pick<FastifyRequest, "principal" | "ip">,
	{ raw }: Pick<FastifyReply, "raw">,
): Caller {
	const connection = new AbortController();
	// Of a complete answer, too.
	if (raw.destroyed) connection.abort();
	else raw.once("close", () => connection.abort());
	return {
		name: principal.kind === "anonymous" ? `address ${ip}` : callerOf(principal),
		gone: connection.signal,
	};
}
