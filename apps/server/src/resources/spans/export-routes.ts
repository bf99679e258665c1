import { Readable } from "node:stream";
import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { askerOf } from "#http/asker.ts";
import { sendWarnings } from "#http/filter-param.ts";
import { streamedText } from "#http/streamed-text.ts";
import type { Caller, Keyset, Page, SpanFilter, StoredSpan, TraceReader } from "#storage/traces/trace-store.ts";
import { getProject } from "../projects/queries.ts";
import { decodeStoredSpan, understandSpan } from "./decode-span.ts";
import { toOtlpSpan } from "./otlp-views.ts";
import { type Clock, stateAt } from "./run-state.ts";
import { SpanExportQuery } from "./schemas.ts";
import { toSpanFilter } from "./span-filter.ts";
import { toSemantic, toSpan } from "./span-views.ts";

type SpanExportParams = z.output<typeof SpanExportQuery>;

/** Spans read at a time, which an export holds in memory. */
const CHUNK = 200;
const CHUNK_BYTES = 4 * 1_024 * 1_024;

export function spanExportRoutes(app: App, context: Context): void {
	const { db } = context;
	app.get(
		"/v1/projects/:project_identifier/spans.ndjson",
		{
			config: { access: "read" },
			exposeHeadRoute: false,
			schema: {
				operationId: "exportSpans",
				tags: ["spans"],
				summary: "All spans that match, one JSON object a line",
				params: z.object({ project_identifier: z.string() }),
				querystring: SpanExportQuery,
				response: { 200: { content: { "application/x-ndjson": { schema: streamedText } } } },
			},
		},
		async (request, reply) => {
			const { params, query, actor } = request;
			const project = await getProject(db.read, params.project_identifier);
			const { filter: asked, warnings } = toSpanFilter(query);
			const filter = { ...asked, caller: askerOf(request, reply) };
			sendWarnings(reply, warnings);
			const mayContinue = () => actor.assertStillAllowed();
			const lines = exportLines(context, project.id, filter, query, mayContinue);
			return reply
				.type("application/x-ndjson; charset=utf-8")
				.send(Readable.from(lines, { objectMode: false, highWaterMark: 65_536 }));
		},
	);
}

/**
 * Reads the next chunk only when the client has taken the previous one and still has access; else the answer breaks off.
 */
async function* exportLines(
	{ traces, ...clock }: Pick<Context, "traces"> & Clock,
	projectId: number,
	filter: SpanFilter & { readonly caller: Caller },
	query: SpanExportParams,
	mayContinue: () => Promise<unknown>,
): AsyncGenerator<string> {
	const toLine = lineWriter(traces, query, clock);
	let left = query.limit ?? Number.POSITIVE_INFINITY;
	let from: Keyset | undefined;
	do {
		const page: Page<StoredSpan> = await traces.listStoredSpans({
			...filter,
			caller: { ...filter.caller, isPatient: from !== undefined },
			projectId,
			sort: "id",
			order: query.order,
			limit: Math.min(CHUNK, left),
			maxContentBytes: CHUNK_BYTES,
			...(from === undefined ? {} : { from }),
		});
		if (page.items.length > 0) yield await toLine(page.items);
		left -= page.items.length;
		from = page.next;
		if (from !== undefined) await mayContinue();
	} while (from !== undefined && left > 0);
}

function lineWriter(traces: TraceReader, query: SpanExportParams, clock: Clock) {
	return async (items: readonly StoredSpan[]): Promise<string> => {
		if (query.format === "otlp") return toLines(items.map((stored) => toOtlpSpan(decodeStoredSpan(stored))));
		const cumulative = await traces.findCumulative(items.map((item) => item.summary));
		return toLines(
			items.map((stored) => {
				const decoded = understandSpan(stored);
				const span = toSpan(decoded, cumulative.get(stored.summary.id));
				const state = stateAt(clock, stored.summary.heardMicros);
				return { ...span, state, ...(query.include?.includes("semantic") && { semantic: toSemantic(decoded) }) };
			}),
		);
	};
}

function toLines(items: readonly object[]): string {
	return items.map((item) => `${JSON.stringify(item)}\n`).join("");
}
