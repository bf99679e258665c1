import { CLIENT_INFO_META_KEY, type ServerContext } from "@modelcontextprotocol/server";
import type { FastifyRequest } from "fastify";
import { clientOfSessionId, type NamedClient, toNamedClient } from "./session-ids.ts";

const UNKNOWN: NamedClient = { name: null, version: null };

/**
 * Who called: since revision 2026-07-28 each request says it; before, only the first one does, so that its answer gives
 * the client a session id that holds it. Nothing is believed of it: it is a name that programs give themselves.
 */
export function namedClient({ headers }: FastifyRequest, { mcpReq }: ServerContext): NamedClient {
	const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
	const { "mcp-session-id": id } = headers;
	const ofSession = typeof id === "string" ? clientOfSessionId(id) : undefined;
	return toNamedClient(envelope[CLIENT_INFO_META_KEY]) ?? ofSession ?? UNKNOWN;
}
