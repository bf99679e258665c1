import type { FastifyRequest } from "fastify";
import type { Caller } from "#storage/traces/trace-store.ts";
import { callerOf } from "./principal.ts";

/** Who asks for a list: a user with all sessions and keys, a key of the system, or an address without authentication. */
export function askerOf({ principal, ip }: Pick<FastifyRequest, "principal" | "ip">): Caller {
	return { name: principal.kind === "anonymous" ? `address ${ip}` : callerOf(principal) };
}
