import { z } from "zod";
import { mayWiden } from "#access/rights/wider-access.ts";
import { notFound, UserError } from "#base/errors.ts";
import { present } from "#base/present.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { askerOf } from "#http/asker.ts";
import { cursorForm, decodeKeyset, nextKeyset } from "#http/cursors.ts";
import { parseFilter, warningsOf } from "#http/filter-param.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { textParam } from "#http/query-params.ts";
import { timeParam } from "#http/wire-times.ts";
import type { Page, TraceQuery, TraceReader, TraceSummary } from "#storage/traces/trace-store.ts";
import { includeTraceAnnotations } from "../annotations/shown-annotations.ts";
import { getProject } from "../projects/queries.ts";
import { toTraceSpan } from "../spans/narrow-views.ts";
import type { Clock } from "../spans/run-state.ts";
import { getTrace, listAllTraceSpans } from "./queries.ts";
import { TraceListQuery, TracePage, TransferTracesAnswer, TransferTracesBody } from "./schemas.ts";
import { toTraceFilter } from "./trace-filter.ts";
import { toTraceItem } from "./trace-views.ts";

/** Total spans of all traces of one page. */
const MAX_INCLUDED_SPANS = 50_000;

export function traceRoutes(app: App, context: Context): void {
	const { db } = context;
	app.get(
		"/v1/projects/:project_identifier/traces",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "listProjectTraces",
				tags: ["traces"],
				summary: "Page through the traces of a project",
				params: z.object({ project_identifier: z.string() }),
				querystring: TraceListQuery,
				response: { 200: TracePage },
			},
		},
		async (request, reply) => {
			const { actor, params, query } = request;
			const parsed = parseFilter("trace", query.filter);
			const project = await getProject(db.read, actor, params.project_identifier);
			const form = cursorForm(query.sort);
			const after = decodeKeyset(form, query.cursor);
			const filter = await toTraceFilter(actor.traces, project.id, query, parsed);
			if (filter === undefined) return { data: [], next_cursor: null, ...warningsOf(parsed) };
			const traceQuery: TraceQuery = {
				...filter,
				caller: askerOf(request, reply),
				projectId: project.id,
				sort: query.sort,
				order: query.order,
				limit: query.limit,
				...(after === undefined ? {} : { after }),
			};
			const page = await listTracesWithin(actor.traces, traceQuery, query.include_spans);
			const shown = await includeTraceAnnotations(db.read, query.include, page.items);
			const items = await toTraceItems(actor.traces, context, page.items, query.include_spans);
			return {
				data: items.map((item, index) => ({
					...item,
					...shown(present(page.items[index], "the trace of an item").id),
				})),
				next_cursor: nextKeyset(form, page),
				...warningsOf(parsed),
			};
		},
	);

	app.delete(
		"/v1/projects/:project_identifier/traces",
		{
			config: { access: "write", home: "project" },
			schema: {
				operationId: "deleteProjectTraces",
				tags: ["traces"],
				summary: "Delete the traces that start in a time window",
				params: z.object({ project_identifier: z.string() }),
				querystring: z.object({ start_time: timeParam, end_time: timeParam }),
				response: { 204: z.null() },
			},
		},
		async ({ actor, params, query }, reply) => {
			if (query.start_time >= query.end_time) {
				throw new UserError(422, "invalid_range", "`start_time` must be strictly earlier than `end_time`.");
			}
			const project = await getProject(db.read, actor, params.project_identifier);
			const { start_time: from, end_time: to } = query;
			await actor.changeTraces((changed) => changed.deleteTracesBetween(project.id, from, to));
			return reply.code(204).send(null);
		},
	);

	app.delete(
		"/v1/traces/:trace_identifier",
		{
			config: { access: "write", home: "project" },
			schema: {
				operationId: "deleteTrace",
				tags: ["traces"],
				summary: "Delete one trace with its spans",
				params: z.object({ trace_identifier: z.string() }),
				querystring: z.object({ project: textParam.optional() }),
				response: { 204: z.null() },
			},
		},
		async ({ actor, params, query }, reply) => {
			const projectId = query.project === undefined ? undefined : (await getProject(db.read, actor, query.project)).id;
			const trace = await getTrace(actor.traces, params.trace_identifier, projectId);
			actor.enter(trace.projectId);
			await actor.changeTraces((changed) => changed.deleteTrace(trace.id));
			return reply.code(204).send(null);
		},
	);

	app.post(
		"/v1/traces/transfer",
		{
			config: { access: "write", home: "project" },
			schema: {
				operationId: "transferTraces",
				tags: ["traces"],
				summary: "Move traces to another project",
				body: TransferTracesBody,
				querystring: z.object({ project: textParam.optional() }),
				response: { 200: TransferTracesAnswer },
			},
		},
		async (request) => {
			const { actor, body, query } = request;
			const destination = await getProject(db.read, actor, body.destination_project_identifier);
			const projectId = query.project === undefined ? undefined : (await getProject(db.read, actor, query.project)).id;
			const found = await Promise.all(
				[...new Set(body.trace_identifiers)].map((identifier) => getTransferred(actor.traces, identifier, projectId)),
			);
			if (new Set(found.map((trace) => trace.projectId)).size > 1) {
				throw new UserError(422, "several_projects", "Cannot transfer traces from multiple projects");
			}
			for (const trace of found) actor.enter(trace.projectId);
			const rowIds = [...new Set(found.map((trace) => trace.id))];
			const source = present(found[0], "a trace to move").projectId;
			const leaving = { from: source, to: destination.id, isAllowed: body.allow_wider_access };
			const { isWider, moved } = await actor.changeTraces(async (changed) => ({
				isWider: await mayWiden(context, db.read, leaving),
				moved: await changed.transferTraces(rowIds, destination.id),
			}));
			if (isWider)
				await context.auth.audit.record({
					...{ action: "access.widened", outcome: "success", principal: actor.principal, request },
					target: { type: "project", id: source },
					details: { to: encodeGlobalId("Project", destination.id), traces: moved },
				});
			return {
				data: { transferred_trace_count: moved, destination_project_id: encodeGlobalId("Project", destination.id) },
			};
		},
	);
}

async function getTransferred(traces: TraceReader, identifier: string, projectId?: number): Promise<TraceSummary> {
	try {
		return await getTrace(traces, identifier, projectId);
	} catch (error) {
		if (!(error instanceof UserError) || error.status !== 404) throw error;
		throw notFound("trace_not_found", `One or more traces not found: ${identifier.slice(0, 100)}`);
	}
}

/** A page with spans ends early rather than exceed {@link MAX_INCLUDED_SPANS}. */
async function listTracesWithin(
	traces: TraceReader,
	query: TraceQuery,
	includeSpans: boolean,
): Promise<Page<TraceSummary>> {
	const page = await traces.listTraces(query);
	if (!includeSpans) return page;
	let spans = 0;
	const firstBeyond = page.items.findIndex((trace) => {
		spans += trace.spanCount;
		return spans > MAX_INCLUDED_SPANS;
	});
	return firstBeyond === -1 ? page : await traces.listTraces({ ...query, limit: Math.max(1, firstBeyond) });
}

async function toTraceItems(traces: TraceReader, clock: Clock, items: readonly TraceSummary[], includeSpans: boolean) {
	if (!includeSpans) return items.map((trace) => toTraceItem(trace, null, clock));
	return await Promise.all(
		items.map(async (trace) => toTraceItem(trace, (await listAllTraceSpans(traces, trace.id)).map(toTraceSpan), clock)),
	);
}
