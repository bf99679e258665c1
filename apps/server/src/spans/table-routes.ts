import { randomBytes } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Context } from "../context.ts";
import { notFound, UserError, ValidationError } from "../errors.ts";
import type { App } from "../http/app-type.ts";
import { parseExactJson } from "../http/exact-json.ts";
import { textParam } from "../http/query-params.ts";
import { parsePart } from "../http/validation.ts";
import { findProjectByName } from "../projects/queries.ts";
import type { Keyset, Page, SpanFilter, SpanSummary, StoredSpan, TraceReader } from "../storage/traces/trace-store.ts";
import { understandSpan } from "./decode-span.ts";
import { MAX_PAGE_BYTES } from "./page-bytes.ts";
import { toTable } from "./span-table.ts";
import { toSpan } from "./span-views.ts";
import { type SpanTable, SpanTablesBody } from "./table-schemas.ts";

const DEFAULT_ROWS = 1_000;
const CHUNK = 500;
/** Of spans that were read for a table, which is built in memory. */
const MAX_TABLE_BYTES = 128 * 1_024 * 1_024;

const querystring = z.object({ project_name: textParam.optional(), "project-name": textParam.optional() });

/** Tables of spans, as `get_spans_dataframe` of released Python clients reads them. */
export function spanTableRoutes(app: App, { db, traces, config }: Context): void {
	app.post(
		"/v1/spans",
		{
			// It only reads, but viewers may not POST on /v1.
			config: { access: "write" },
			schema: {
				operationId: "querySpans",
				tags: ["spans"],
				summary: "Spans as tables in pandas' table schema, one part a query",
				querystring,
				body: SpanTablesBody,
				response: { 200: { content: { "multipart/mixed": { schema: z.string() } } } },
			},
		},
		async (request, reply) => answer(request, reply, request.query, request.body),
	);

	app.get(
		"/v1/spans",
		{ config: { access: "read" }, exposeHeadRoute: false, schema: { querystring, hide: true } },
		async (request, reply) => {
			const parsed = parsePart(SpanTablesBody, "body", await readJson(request, config.SERVICE_MAX_JSON_BODY_BYTES));
			if (parsed.error !== undefined) throw parsed.error;
			return answer(request, reply, request.query, parsed.value);
		},
	);

	async function answer(
		request: FastifyRequest,
		reply: FastifyReply,
		query: z.output<typeof querystring>,
		body: SpanTablesBody,
	): Promise<FastifyReply> {
		if (body.queries.length === 0) throw notFound("no_queries", "Not Found");
		for (const table of body.queries) checkSupported(table);
		const header = request.headers["project-name"];
		const name =
			query.project_name ??
			query["project-name"] ??
			(typeof header === "string" ? header : undefined) ??
			body.project_name ??
			config.SERVICE_PROJECT_NAME;
		const project = await findProjectByName(db.read, name);
		const spans = project === undefined ? [] : await listTableSpans(traces, project.id, body);
		const cumulative = await traces.findCumulative(spans.map((span) => span.summary));
		const wire = spans.map((span) => toSpan(understandSpan(span), cumulative.get(span.summary.id)));
		const boundary = randomBytes(16).toString("hex");
		const parts = body.queries.map(
			(table) => `--${boundary}\r\nContent-Type: application/json\r\n\r\n${toTable(table, wire)}\r\n`,
		);
		return reply.type(`multipart/mixed; boundary=${boundary}`).send(`${parts.join("")}--${boundary}--\r\n`);
	}
}

function checkSupported(table: SpanTable): void {
	const refuse = (why: string) => new UserError(422, "query_unsupported", `Invalid query: ${why}`);
	if ((table.filter?.condition ?? "").trim() !== "")
		throw refuse("filter conditions are not supported yet; leave it blank");
	if (table.explode !== undefined && table.explode !== null) throw refuse("explode is not supported yet");
	if (table.concat !== undefined && table.concat !== null) throw refuse("concat is not supported yet");
}

/** The newest spans of the window that the query wants. */
async function listTableSpans(traces: TraceReader, projectId: number, body: SpanTablesBody): Promise<StoredSpan[]> {
	const limit = body.limit ?? DEFAULT_ROWS;
	const end = body.end_time ?? body.stop_time;
	const rootsOnly = body.root_spans_only === true;
	const orphansToo = rootsOnly && body.orphan_span_as_root_span !== false;
	const filter: SpanFilter = {
		...(typeof body.start_time === "number" ? { startMicros: body.start_time } : {}),
		...(typeof end === "number" ? { endMicros: end } : {}),
		...(rootsOnly && !orphansToo ? { parentSpanId: null } : {}),
	};
	const spans: StoredSpan[] = [];
	let from: Keyset | undefined;
	let bytes = 0;
	do {
		const page: Page<StoredSpan> = await traces.listStoredSpans({
			...filter,
			projectId,
			sort: "start_time",
			order: "desc",
			limit: CHUNK,
			maxContentBytes: MAX_PAGE_BYTES,
			...(from === undefined ? {} : { from }),
		});
		const summaries = page.items.map((item) => item.summary);
		const roots = orphansToo ? await findRoots(traces, projectId, summaries) : undefined;
		spans.push(...page.items.filter((item) => roots === undefined || roots.has(item.summary.id)));
		for (const { content } of page.items) bytes += content.span.length;
		if (bytes > MAX_TABLE_BYTES) {
			throw new UserError(
				422,
				"table_too_large",
				"Invalid query: the spans are too large for one table; ask for a smaller limit or time range",
			);
		}
		from = page.next;
	} while (from !== undefined && spans.length < limit);
	return spans.slice(0, limit);
}

/** Spans without a parent id, and those whose parent was never stored. */
async function findRoots(
	traces: TraceReader,
	projectId: number,
	spans: readonly SpanSummary[],
): Promise<ReadonlySet<number>> {
	const parents = spans.flatMap(({ traceId, parentSpanId }) =>
		parentSpanId === null ? [] : [{ traceId, spanId: parentSpanId }],
	);
	const stored = new Set(
		(await traces.findExistingSpans(projectId, parents)).map(({ traceId, spanId }) => `${traceId}:${spanId}`),
	);
	const roots = spans.filter(
		({ traceId, parentSpanId }) => parentSpanId === null || !stored.has(`${traceId}:${parentSpanId}`),
	);
	return new Set(roots.map((span) => span.id));
}

/** GET requests with a body, which the framework does not parse. */
async function readJson(request: FastifyRequest, maxBytes: number): Promise<unknown> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of request.raw as AsyncIterable<Buffer>) {
		size += chunk.length;
		if (size > maxBytes) {
			throw new UserError(413, "body_too_large", "The request is larger than SERVICE_MAX_JSON_BODY_BYTES allows.");
		}
		chunks.push(chunk);
	}
	try {
		return parseExactJson(Buffer.concat(chunks).toString("utf8"));
	} catch (error) {
		if (!(error instanceof SyntaxError)) throw error;
		throw new ValidationError([{ type: "json_invalid", loc: ["body", 0], msg: `JSON decode error: ${error.message}` }]);
	}
}
