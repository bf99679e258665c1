import { Readable } from "node:stream";
import { z } from "zod";
import { chunksOf } from "#base/chunks.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { askerOf } from "#http/asker.ts";
import { sendWarnings } from "#http/filter-param.ts";
import { streamedText } from "#http/streamed-text.ts";
import { decodeStoredSpan, understandSpan } from "#storage/traces/decode-span.ts";
import type { Caller, Keyset, SpanFilter, SpanPage, StoredSpan, TraceReader } from "#storage/traces/trace-store.ts";
import { getProject } from "../projects/queries.ts";
import { toOtlpSpan } from "./otlp-views.ts";
import { type Clock, stateAt } from "./run-state.ts";
import { SpanExportQuery } from "./schemas.ts";
import { toSpanFilter } from "./span-filter.ts";
import { toSemantic, toSpan } from "./span-views.ts";

type SpanExportParams = z.output<typeof SpanExportQuery>;

/** Spans read at a time, of which an export holds those that are sent and the next ones in memory. */
const CHUNK = 2_000;
const CHUNK_BYTES = 4 * 1_024 * 1_024;
/** Spans of a piece of the answer. */
const PIECE = 200;

export function spanExportRoutes(app: App, context: Context): void {
	const { db } = context;
	app.get(
		"/v1/projects/:project_identifier/spans.ndjson",
		{
			config: { access: "read", home: "project" },
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
			const project = await getProject(db.read, actor, params.project_identifier);
			const { filter: asked, warnings } = toSpanFilter(query);
			const filter = { ...asked, caller: askerOf(request, reply) };
			sendWarnings(reply, warnings);
			const mayContinue = () => actor.assertStillAllowed();
			const lines = exportLines(actor.traces, context, project.id, filter, query, mayContinue);
			return reply
				.type("application/x-ndjson; charset=utf-8")
				.send(Readable.from(lines, { objectMode: false, highWaterMark: 65_536 }));
		},
	);
}

/**
 * Reads the next chunk while the client takes the former one, and none beyond it; the answer breaks off when the client
 * has no access any more.
 */
async function* exportLines(
	traces: TraceReader,
	clock: Clock,
	projectId: number,
	filter: SpanFilter & { readonly caller: Caller },
	query: SpanExportParams,
	mayContinue: () => Promise<unknown>,
): AsyncGenerator<string> {
	const toPieces = pieceWriter(traces, query, clock);
	let left = query.limit ?? Number.POSITIVE_INFINITY;
	const read = (from: Keyset | undefined) =>
		traces.listStoredSpans({
			...filter,
			caller: { ...filter.caller, isPatient: from !== undefined },
			projectId,
			sort: "id",
			order: query.order,
			limit: Math.min(CHUNK, left),
			maxContentBytes: CHUNK_BYTES,
			cumulative: query.format !== "otlp",
			...(from === undefined ? {} : { from }),
		});
	let next: Promise<SpanPage<StoredSpan>> | undefined = read(undefined);
	while (next !== undefined) {
		const page: SpanPage<StoredSpan> = await next;
		left -= page.items.length;
		next = page.next !== undefined && left > 0 ? read(page.next) : undefined;
		// Who waits for it hears of its failure.
		next?.catch(() => undefined);
		yield* toPieces(page);
		if (next !== undefined) await mayContinue();
	}
}

function pieceWriter(traces: TraceReader, query: SpanExportParams, clock: Clock) {
	return async function* (page: SpanPage<StoredSpan>): AsyncGenerator<string> {
		const { items } = page;
		if (query.format === "otlp") {
			for (const piece of chunksOf(items, PIECE))
				yield toLines(piece.map((stored) => toOtlpSpan(decodeStoredSpan(stored))));
			return;
		}
		const cumulative = page.cumulative ?? (await traces.findCumulative(items.map((item) => item.summary)));
		for (const piece of chunksOf(items, PIECE))
			yield toLines(
				piece.map((stored) => {
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
