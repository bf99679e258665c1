import type { FastifyReply, FastifyRequest } from "fastify";
import { Abandoned } from "#base/fair-turns.ts";
import { readersGone } from "#base/readers-gone.ts";
import type { Caller } from "#storage/traces/trace-store.ts";
import type { App } from "./app-type.ts";
import { callerOf } from "./principal.ts";

/** Who asks for a list: a user with all sessions and keys, a key of the system, or an address without authentication. */
export function askerOf(
	{ principal, ip }: Pick<FastifyRequest, "principal" | "ip">,
	reply: Pick<FastifyReply, "raw">,
): Caller {
	return { name: principal.kind === "anonymous" ? `address ${ip}` : callerOf(principal), gone: goneOf(reply) };
}

const READS: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/** Ends what the handlers of requests read, of those that only read, when their caller hangs up. */
export function endReadsOfGone(app: App): void {
	app.addHook("preHandler", (request, reply, done) => {
		if (READS.has(request.method)) readersGone.run(goneOf(reply), done);
		else done();
	});
}

/** Aborted when a connection ends without the whole answer. */
function goneOf({ raw }: Pick<FastifyReply, "raw">): AbortSignal {
	const connection = new AbortController();
	const end = () => {
		if (!raw.writableEnded) connection.abort(new Abandoned());
	};
	if (raw.destroyed) end();
	else raw.once("close", end);
	return connection.signal;
}
