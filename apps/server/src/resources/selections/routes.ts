import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { askerOf } from "#http/asker.ts";
import { attachment } from "#http/attachment.ts";
import { streamOf } from "#http/stream-array.ts";
import { streamedText } from "#http/streamed-text.ts";
import { givingWay } from "#ingest/give-way.ts";
import { understandSpan } from "#storage/traces/decode-span.ts";
import type { StoredSpan, TraceReader } from "#storage/traces/trace-store.ts";
import { getProject } from "../projects/queries.ts";
import { toSpan } from "../spans/span-views.ts";
import { otlpJson } from "./otlp-json.ts";
import { DownloadQuery, SelectionQuery, SelectionSummary } from "./schemas.ts";
import { readSelectedSpans } from "./selected-spans.ts";
import { toSelection } from "./selection.ts";
import { spansCsv } from "./spans-csv.ts";
import { summarize } from "./summary.ts";

const params = z.object({ project_identifier: z.string() });
const tags = ["selections"];

const FORMATS = {
	otlp: { type: "application/json; charset=utf-8", extension: "otlp.json" },
	ndjson: { type: "application/x-ndjson; charset=utf-8", extension: "ndjson" },
	csv: { type: "text/csv; charset=utf-8", extension: "csv" },
} as const;

/** What is selected in a list of spans, traces or sessions: how much it is, and its spans as a file. */
export function selectionRoutes(app: App, { db, ingest }: Context): void {
	app.get(
		"/v1/projects/:project_identifier/selection",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "getSelection",
				tags,
				summary: "Count what is selected, and what would be deleted with it",
				params,
				querystring: SelectionQuery,
				response: { 200: z.object({ data: SelectionSummary }) },
			},
		},
		async (request, reply) => {
			const { actor } = request;
			const { kind, id: ids, ...filters } = request.query;
			const project = await getProject(db.read, actor, request.params.project_identifier);
			const selection = await toSelection(actor.traces, project.id, kind, { ids, filters });
			const sum = await summarize(actor.traces, selection, askerOf(request, reply));
			return {
				data: {
					kind,
					item_count: sum.items,
					trace_count: kind === "span" ? null : sum.traces,
					span_count: sum.spans,
					annotation_count: sum.annotations,
					log_record_count: sum.logRecords,
					is_complete: sum.isComplete,
				},
			};
		},
	);

	app.get(
		"/v1/projects/:project_identifier/selection/download",
		{
			config: { access: "read", home: "project" },
			exposeHeadRoute: false,
			schema: {
				operationId: "downloadSelection",
				tags,
				summary: "Download the spans of a selection: of traces and sessions, all their spans",
				description: "A stream. If it cannot be completed, the connection is closed before the end of the body.",
				params,
				querystring: DownloadQuery,
				response: {
					200: {
						content: {
							"application/json": { schema: streamedText },
							"application/x-ndjson": { schema: streamedText },
							"text/csv": { schema: streamedText },
						},
					},
				},
			},
		},
		async (request, reply) => {
			const { actor } = request;
			const { kind, id: ids, format, escape_formulas: escapeFormulas, ...filters } = request.query;
			const project = await getProject(db.read, actor, request.params.project_identifier);
			const selection = await toSelection(actor.traces, project.id, kind, { ids, filters });
			const mayContinue = () => actor.assertStillAllowed();
			const spans = readSelectedSpans(actor.traces, selection, askerOf(request, reply), mayContinue);
			const texts = {
				otlp: () => otlpJson(spans),
				ndjson: () => lines(actor.traces, spans),
				csv: () => spansCsv(spans, { escapeFormulas }),
			};
			const { type, extension } = FORMATS[format];
			return reply
				.header("content-disposition", attachment(`${project.name} ${kind}s.${extension}`))
				.type(type)
				.send(streamOf(givingWay(texts[format](), ingest)));
		},
	);
}

async function* lines(traces: TraceReader, chunks: AsyncIterable<readonly StoredSpan[]>): AsyncGenerator<string> {
	for await (const stored of chunks) {
		const cumulative = await traces.findCumulative(stored.map(({ summary }) => summary));
		yield stored
			.map((span) => `${JSON.stringify(toSpan(understandSpan(span), cumulative.get(span.summary.id)))}\n`)
			.join("");
	}
}
