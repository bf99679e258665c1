import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { askerOf } from "#http/asker.ts";
import { cursorForm, decodeIdCursor, decodeKeyset, nextId, nextKeyset } from "#http/cursors.ts";
import { warningsOf } from "#http/filter-param.ts";
import { MAX_PAGE_BYTES } from "#http/page-size.ts";
import { textParam } from "#http/query-params.ts";
import { decodeStoredSpan, understandSpan } from "#storage/traces/decode-span.ts";
import type { Keyset, Page, SpanFilter, SpanQuery, SpanSummary } from "#storage/traces/trace-store.ts";
import { includeAnnotations } from "../annotations/shown-annotations.ts";
import { getProject } from "../projects/queries.ts";
import { OtlpSpanPage } from "./otlp-schemas.ts";
import { toOtlpSpan } from "./otlp-views.ts";
import { getSpan } from "./queries.ts";
import { stateAt } from "./run-state.ts";
import { OtlpSpanListQuery, SpanListQuery, SpanPage } from "./schemas.ts";
import { toSpanFilter } from "./span-filter.ts";
import { toSemantic, toSpan, toSpanWithoutContent } from "./span-views.ts";

type Sort = SpanQuery["sort"];

export function spanRoutes(app: App, context: Context): void {
	const { db } = context;
	app.get(
		"/v1/projects/:project_identifier/spans",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "getSpans",
				tags: ["spans"],
				summary: "Page through spans with simple filters",
				params: z.object({ project_identifier: z.string() }),
				querystring: SpanListQuery,
				response: { 200: SpanPage },
			},
		},
		async (request, reply) => {
			const { actor, params, query } = request;
			const project = await getProject(db.read, actor, params.project_identifier);
			const asked = toSpanFilter(query);
			const spanQuery = {
				...toPageQuery(query, project.id, asked.filter),
				...{ cumulative: true, caller: askerOf(request, reply) },
			};
			const annotationsOf = (spans: readonly SpanSummary[]) => {
				const rowIds = spans.map((span) => span.id);
				return includeAnnotations(db.read, query.include, "span", rowIds);
			};
			if (query.view === "summary" && query.include?.includes("semantic") !== true) {
				const page = await actor.traces.listSpans(spanQuery);
				const cumulative = page.cumulative ?? (await actor.traces.findCumulative(page.items));
				const shown = await annotationsOf(page.items);
				const data = page.items.map((span) => ({
					...toSpanWithoutContent(span, cumulative.get(span.id)),
					state: stateAt(context, span.heardMicros),
					...shown(span.id),
				}));
				return { data, next_cursor: nextCursor(query.sort, page), ...warningsOf(asked) };
			}
			const page = await actor.traces.listStoredSpans(spanQuery);
			const summaries = page.items.map((item) => item.summary);
			const cumulative = page.cumulative ?? (await actor.traces.findCumulative(summaries));
			const shown = await annotationsOf(summaries);
			const data = page.items.map((stored) => {
				const decoded = understandSpan(stored);
				const totals = cumulative.get(stored.summary.id);
				const span = query.view === "full" ? toSpan(decoded, totals) : toSpanWithoutContent(stored.summary, totals);
				return {
					...span,
					state: stateAt(context, stored.summary.heardMicros),
					...(query.include?.includes("semantic") ? { semantic: toSemantic(decoded) } : {}),
					...shown(stored.summary.id),
				};
			});
			return { data, next_cursor: nextCursor(query.sort, page), ...warningsOf(asked) };
		},
	);

	app.get(
		"/v1/projects/:project_identifier/spans/otlpv1",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "spanSearch",
				tags: ["spans"],
				summary: "Page through spans exactly as they were sent",
				params: z.object({ project_identifier: z.string() }),
				querystring: OtlpSpanListQuery,
				response: { 200: OtlpSpanPage },
			},
		},
		async (request, reply) => {
			const { actor, params, query } = request;
			const project = await getProject(db.read, actor, params.project_identifier);
			const asked = toSpanFilter(query);
			const spanQuery = toPageQuery({ ...query, sort: "id", order: "desc" }, project.id, asked.filter);
			const page = await actor.traces.listStoredSpans({ ...spanQuery, caller: askerOf(request, reply) });
			return {
				data: page.items.map((stored) => toOtlpSpan(decodeStoredSpan(stored))),
				next_cursor: nextCursor("id", page),
				...warningsOf(asked),
			};
		},
	);

	app.delete(
		"/v1/spans/:span_identifier",
		{
			config: { access: "write", home: "project" },
			schema: {
				operationId: "deleteSpan",
				tags: ["spans"],
				summary: "Delete one span, keeping its children",
				params: z.object({ span_identifier: z.string() }),
				querystring: z.object({ project: textParam.optional() }),
				response: { 204: z.null() },
			},
		},
		async ({ actor, params, query }, reply) => {
			const projectId = query.project === undefined ? undefined : (await getProject(db.read, actor, query.project)).id;
			const span = await getSpan(actor.traces, params.span_identifier, projectId);
			actor.enter(span.summary.projectId);
			await actor.changeTraces((changed) => changed.deleteSpan(span.summary.id));
			return reply.code(204).send(null);
		},
	);
}

interface PageParams {
	readonly sort: Sort;
	readonly order: SpanQuery["order"];
	readonly limit: number;
	readonly cursor?: string | undefined;
}

function toPageQuery(page: PageParams, projectId: number, filter: SpanFilter): SpanQuery {
	const from = fromCursor(page);
	return {
		...filter,
		projectId,
		sort: page.sort,
		order: page.order,
		limit: page.limit,
		maxContentBytes: MAX_PAGE_BYTES,
		...(from === undefined ? {} : { from }),
	};
}

function fromCursor({ sort, cursor }: PageParams): Keyset | undefined {
	if (sort !== "id") return decodeKeyset(cursorForm(sort), cursor);
	const id = decodeIdCursor("Span", cursor);
	return id === undefined ? undefined : { id, value: id };
}

function nextCursor(sort: Sort, page: Page<unknown>): string | null {
	return sort === "id" ? nextId("Span", page) : nextKeyset(cursorForm(sort), page);
}
