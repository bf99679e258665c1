import { z } from "zod";
import { UserError } from "#base/errors.ts";
import { present } from "#base/present.ts";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import type { App } from "#http/app-type.ts";
import { askerOf } from "#http/asker.ts";
import { cursorForm, decodeIdCursor, decodeKeyset, nextId, nextKeyset } from "#http/cursors.ts";
import { parseFilter, warningsOf } from "#http/filter-param.ts";
import { decodeGlobalId, encodeGlobalId } from "#http/global-ids.ts";
import { textParam } from "#http/query-params.ts";
import { formatTime } from "#http/wire-times.ts";
import type {
	Keyset,
	SessionQuery,
	SessionSummary,
	SessionPage as SessionsOfPage,
	TraceReader,
	TraceWithoutTexts,
} from "#storage/traces/trace-store.ts";
import { includeAnnotations } from "../annotations/shown-annotations.ts";
import { getProject } from "../projects/queries.ts";
import { latencyMs } from "../spans/narrow-views.ts";
import { type Clock, stateOf } from "../spans/run-state.ts";
import { includeParam } from "../spans/schemas.ts";
import { findSession, getSession } from "./queries.ts";
import { DeleteSessionsBody, Session, SessionListQuery, SessionPage } from "./schemas.ts";
import { toSessionFilter } from "./session-filter.ts";

/** Total traces of all sessions of one page. */
const MAX_INCLUDED_TRACES = 20_000;

type SessionListParams = z.output<typeof SessionListQuery>;

const oneSession = {
	params: z.object({ session_identifier: z.string() }),
	querystring: z.object({ project: textParam.optional() }),
};

export function sessionRoutes(app: App, context: Context): void {
	const { db } = context;
	async function projectIdOf(actor: Actor, project: string | undefined): Promise<number | undefined> {
		return project === undefined ? undefined : (await getProject(db.read, actor, project)).id;
	}

	app.get(
		"/v1/projects/:project_identifier/sessions",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "listProjectSessions",
				tags: ["sessions"],
				summary: "Page through the sessions of a project",
				params: z.object({ project_identifier: z.string() }),
				querystring: SessionListQuery,
				response: { 200: SessionPage },
			},
		},
		async (request, reply) => {
			const { actor, params, query } = request;
			const parsed = parseFilter("session", query.filter);
			const project = await getProject(db.read, actor, params.project_identifier);
			const from = fromCursor(query);
			const sessionQuery: SessionQuery = {
				caller: askerOf(request, reply),
				projectId: project.id,
				sort: query.sort,
				order: query.order,
				limit: query.limit,
				...toSessionFilter(query, parsed),
				...(from === undefined ? {} : { from }),
			};
			const page = await listSessionsWithin(actor.traces, sessionQuery, query.include_traces);
			const rowIds = page.items.map((session) => session.id);
			const shown = await includeAnnotations(db.read, query.include, "session", rowIds);
			const items = await toSessions(actor.traces, context, page.items, query.include_traces, page.traces);
			return {
				data: items.map((item, index) => ({
					...item,
					...shown(present(rowIds[index], "the row number of a session")),
				})),
				next_cursor: query.sort === "id" ? nextId("ProjectSession", page) : nextKeyset(cursorForm(query.sort), page),
				...warningsOf(parsed),
			};
		},
	);

	app.get(
		"/v1/sessions/:session_identifier",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "getSession",
				tags: ["sessions"],
				summary: "Fetch a session with its traces",
				params: oneSession.params,
				querystring: oneSession.querystring.extend({ include: includeParam(["annotations"]) }),
				response: { 200: z.object({ data: Session }) },
			},
		},
		async ({ actor, params, query }, reply) => {
			const rowId = decodeGlobalId(params.session_identifier, "ProjectSession");
			const projectId = await projectIdOf(actor, query.project);
			const [session, members] = await Promise.all([
				getSession(actor.traces, params.session_identifier, projectId),
				rowId === undefined ? undefined : actor.traces.listSessionTraces([rowId]),
			]);
			const [data] = await toSessions(actor.traces, context, [session], true, members);
			if (data === undefined) return reply.callNotFound();
			const shown = await includeAnnotations(db.read, query.include, "session", [session.id]);
			return { data: { ...data, ...shown(session.id) } };
		},
	);

	app.delete(
		"/v1/sessions/:session_identifier",
		{
			config: { access: "write", home: "project" },
			schema: {
				operationId: "deleteSession",
				tags: ["sessions"],
				summary: "Delete a session with its traces",
				...oneSession,
				response: { 204: z.null() },
			},
		},
		async ({ actor, params, query }, reply) => {
			const session = await getSession(
				actor.traces,
				params.session_identifier,
				await projectIdOf(actor, query.project),
			);
			actor.enter(session.projectId);
			await actor.changeTraces((changed) => changed.deleteSession(session.id));
			return reply.code(204).send(null);
		},
	);

	app.post(
		"/v1/sessions/delete",
		{
			config: { access: "write", home: "project", whenFull: "allowed" },
			schema: {
				operationId: "deleteSessions",
				tags: ["sessions"],
				summary: "Delete several sessions; unknown ones are skipped",
				querystring: z.object({ project: textParam.optional() }),
				body: DeleteSessionsBody,
				response: { 204: z.null() },
			},
		},
		async ({ actor, body, query }, reply) => {
			checkIdentifiers(body.session_identifiers);
			const projectId = await projectIdOf(actor, query.project);
			// Every id is resolved before the first is deleted, so that an ambiguous one changes nothing.
			const found = await Promise.all(
				[...new Set(body.session_identifiers)].map((identifier) => findSession(actor.traces, identifier, projectId)),
			);
			for (const session of found) if (session !== undefined) actor.enter(session.projectId);
			for (const session of found)
				if (session !== undefined) await actor.changeTraces((changed) => changed.deleteSession(session.id));
			return reply.code(204).send(null);
		},
	);
}

function checkIdentifiers(identifiers: readonly string[]): void {
	if (identifiers.length === 0) {
		throw new UserError(422, "no_sessions", "Session identifier list must not be empty.");
	}
	const ids = identifiers.filter((identifier) => decodeGlobalId(identifier, "ProjectSession") !== undefined);
	if (ids.length > 0 && ids.length < identifiers.length) {
		throw new UserError(422, "mixed_identifiers", "Session identifiers must be all global ids or all session ids.");
	}
}

function fromCursor({ sort, cursor }: SessionListParams): Keyset | undefined {
	if (sort !== "id") return decodeKeyset(cursorForm(sort), cursor);
	const id = decodeIdCursor("ProjectSession", cursor);
	return id === undefined ? undefined : { id, value: id };
}

/** A page that shows traces ends early rather than hold more than {@link MAX_INCLUDED_TRACES}. */
async function listSessionsWithin(
	traces: TraceReader,
	query: SessionQuery,
	includeTraces: boolean,
): Promise<SessionsOfPage> {
	if (!includeTraces) return await traces.listSessions(query);
	const page = await traces.listSessions({ ...query, mostTraces: MAX_INCLUDED_TRACES });
	let count = 0;
	const firstBeyond = page.items.findIndex((session, index) => {
		count += session.traceCount;
		return index > 0 && count > MAX_INCLUDED_TRACES;
	});
	return firstBeyond === -1 ? page : await traces.listSessions({ ...query, limit: firstBeyond });
}

async function toSessions(
	traces: TraceReader,
	clock: Clock,
	sessions: readonly SessionSummary[],
	includeTraces: boolean,
	known?: readonly TraceWithoutTexts[],
): Promise<z.output<typeof Session>[]> {
	const members = includeTraces
		? (known ?? (await traces.listSessionTraces(sessions.map((session) => session.id))))
		: [];
	const bySession = Map.groupBy(members, (trace) => trace.sessionRowId);
	return sessions.map((session) => toSession(session, bySession.get(session.id) ?? [], clock));
}

function toSession(
	session: SessionSummary,
	members: readonly TraceWithoutTexts[],
	clock: Clock,
): z.output<typeof Session> {
	return {
		id: encodeGlobalId("ProjectSession", session.id),
		session_id: session.sessionId,
		project_id: encodeGlobalId("Project", session.projectId),
		user_id: session.userId,
		start_time: formatTime(session.start.micros),
		end_time: formatTime(session.end.micros),
		state: stateOf(session, clock),
		latency_ms: latencyMs(session),
		traces: members.map((trace) => ({
			id: encodeGlobalId("Trace", trace.id),
			trace_id: trace.traceId,
			start_time: formatTime(trace.start.micros),
			end_time: formatTime(trace.end.micros),
		})),
		trace_count: session.traceCount,
		span_count: session.spanCount,
		running_count: session.runningCount,
		error_count: session.errorCount,
		token_count_prompt: session.tokens.prompt,
		token_count_completion: session.tokens.completion,
		token_count_total: session.tokens.total,
		total_cost: session.totalCost,
		first_input: session.firstInput,
		last_output: session.lastOutput,
	};
}
