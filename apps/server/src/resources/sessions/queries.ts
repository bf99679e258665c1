import { notFound } from "#base/errors.ts";
import { ambiguous } from "#http/ambiguous-id.ts";
import { decodeGlobalId, encodeGlobalId } from "#http/global-ids.ts";
import type { SessionSummary, TraceReader } from "#storage/traces/trace-store.ts";

/**
 * The session with this global id or application's session id, in one project if given; undefined if there is none.
 * @throws UserError 409 naming the global ids when the session id is in several projects
 */
export async function findSession(
	traces: TraceReader,
	identifier: string,
	projectId?: number,
): Promise<SessionSummary | undefined> {
	const rowId = decodeGlobalId(identifier, "ProjectSession");
	if (rowId !== undefined) {
		const session = await traces.findSession(rowId);
		return projectId === undefined || session?.projectId === projectId ? session : undefined;
	}
	const found = await traces.findSessionsBySessionId(identifier, projectId);
	if (found.length > 1)
		throw ambiguous(
			"session",
			found.map((item) => encodeGlobalId("ProjectSession", item.id)),
		);
	return found[0];
}

/** As {@link findSession}. @throws UserError 404 when there is none */
export async function getSession(traces: TraceReader, identifier: string, projectId?: number): Promise<SessionSummary> {
	const session = await findSession(traces, identifier, projectId);
	if (session !== undefined) return session;
	throw notFound("session_not_found", `Session with session_id ${identifier.slice(0, 300)} not found`);
}

/** Row numbers of the given sessions that exist in the project. */
export async function findSessionRowIds(
	traces: TraceReader,
	projectId: number,
	identifiers: readonly string[],
): Promise<number[]> {
	const found = await Promise.all(identifiers.map((identifier) => findSession(traces, identifier, projectId)));
	return [...new Set(found.flatMap((session) => (session === undefined ? [] : [session.id])))];
}
