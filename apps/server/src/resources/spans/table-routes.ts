import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { constants } from "node:zlib";
import type { FilterProblem } from "@spanward/filter-language";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { notFound, UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { askerOf } from "#http/asker.ts";
import { bodyTooLarge } from "#http/body-size.ts";
import { enterSeen } from "#http/enter-seen.ts";
import { MAX_WARNINGS, type ParsedFilterParam, parseFilter, sendWarnings } from "#http/filter-param.ts";
import { parseBody } from "#http/json-body.ts";
import { textParam } from "#http/query-params.ts";
import { streamedText } from "#http/streamed-text.ts";
import { parsePart } from "#http/validation.ts";
import type { Keyset } from "#storage/traces/trace-store.ts";
import { findProjectByName, getProject } from "../projects/queries.ts";
import { toSpanFilter } from "./span-filter.ts";
import { selectTable, type Table, toTable } from "./span-table.ts";
import { toJsonTable } from "./table-json.ts";
import { type RowChunk, readRows, type TableSpans } from "./table-rows.ts";
import { SpanFrameQuery, type SpanTable, SpanTablesBody } from "./table-schemas.ts";

const DEFAULT_LIMIT = 1_000;
/** Flushes the compressed rows at once, as the next ones of a slow search may take long. */
const AT_ONCE = { zlibOptions: { level: 4, flush: constants.Z_SYNC_FLUSH } };

const querystring = z.object({ project_name: textParam.optional(), "project-name": textParam.optional() });

/** Tables of spans, as `get_spans_dataframe` of released Python clients reads them. */
export function spanTableRoutes(app: App, { db, config }: Context): void {
	app.post(
		"/v1/spans",
		{
			// It only reads, but viewers may not POST to /v1.
			config: { access: "write", home: "project", role: "viewer", whenFull: "allowed" },
			compress: AT_ONCE,
			schema: {
				operationId: "querySpans",
				tags: ["spans"],
				summary: "Spans as tables, one a query",
				description:
					"`Accept: application/json` answers tables in pandas' table schema, else each is an Arrow IPC stream.",
				querystring,
				body: SpanTablesBody,
				response: {
					200: {
						content: {
							"multipart/mixed": { schema: streamedText },
							"application/x-pandas-arrow": { schema: streamedText },
						},
					},
				},
			},
		},
		async (request, reply) => answer(request, reply, request.query, request.body),
	);

	app.get(
		"/v1/spans",
		{
			config: { access: "read", home: "project" },
			compress: AT_ONCE,
			exposeHeadRoute: false,
			schema: { querystring, hide: true },
		},
		async (request, reply) => {
			const parsed = parsePart(SpanTablesBody, "body", await readJson(request, request.routeOptions.bodyLimit));
			if (parsed.error !== undefined) throw parsed.error;
			return answer(request, reply, request.query, parsed.value);
		},
	);

	app.get(
		"/v1/projects/:project_identifier/spans.arrow",
		{
			config: { access: "read", home: "project" },
			exposeHeadRoute: false,
			schema: {
				operationId: "exportSpanFrame",
				tags: ["spans"],
				summary: "All spans that match, the newest first, as a data frame in an Arrow IPC stream",
				params: z.object({ project_identifier: z.string() }),
				querystring: SpanFrameQuery,
				response: { 200: { content: { "application/vnd.apache.arrow.stream": { schema: streamedText } } } },
			},
		},
		async (request, reply) => {
			const { params, query, actor } = request;
			const project = await getProject(db.read, actor, params.project_identifier);
			const table = selectTable(query.select);
			const { filter, warnings } = toSpanFilter(query);
			sendWarnings(reply, warnings);
			const spans: TableSpans = {
				projectId: project.id,
				filter,
				caller: askerOf(request, reply),
				limit: query.limit ?? Number.POSITIVE_INFINITY,
				rootsAndOrphans: query.root_spans_only,
				mayContinue: () => actor.assertStillAllowed(),
			};
			const tables = [{ table, read: (from?: Keyset) => readRows(actor.traces, table, { ...spans, from }) }];
			return reply.type("application/vnd.apache.arrow.stream").send(toReadable(arrowStreams(tables)));
		},
	);

	async function answer(
		request: FastifyRequest,
		reply: FastifyReply,
		query: z.output<typeof querystring>,
		body: SpanTablesBody,
	): Promise<FastifyReply> {
		if (body.queries.length === 0) throw notFound("no_queries", "Not Found");
		const header = request.headers["project-name"];
		const name =
			query.project_name ??
			query["project-name"] ??
			(typeof header === "string" ? header : undefined) ??
			body.project_name ??
			config.SERVICE_PROJECT_NAME;
		const { actor } = request;
		const named = await findProjectByName(db.read, name);
		const project = named !== undefined && enterSeen(actor, named.id) ? named : undefined;
		const mayContinue = () => actor.assertStillAllowed();
		const warned: FilterProblem[] = [];
		const tables = body.queries.map((each) => {
			const table = toTable(each);
			const { warnings, ...asked } = toTableSpans(body, each);
			warned.push(...warnings);
			const spans = { ...asked, caller: askerOf(request, reply), projectId: project?.id, mayContinue };
			return { table, read: (from?: Keyset) => readRows(actor.traces, table, { ...spans, from }) };
		});
		sendWarnings(reply, warned.slice(0, MAX_WARNINGS));
		if (!request.headers.accept?.includes("application/json")) {
			return reply.type("application/x-pandas-arrow").send(toReadable(arrowStreams(tables)));
		}
		const boundary = randomBytes(16).toString("hex");
		return reply.type(`multipart/mixed; boundary=${boundary}`).send(toReadable(jsonParts(tables, boundary)));
	}
}

interface ReadableTable {
	readonly table: Table;
	readonly read: (from?: Keyset) => AsyncIterable<RowChunk>;
}

/** Arrow is loaded on first use: it takes several megabytes. */
async function* arrowStreams(tables: readonly ReadableTable[]): AsyncGenerator<Uint8Array> {
	const { toArrowTable } = await import("./table-arrow.ts");
	for (const { table, read } of tables) yield* toArrowTable(table, read);
}

async function* jsonParts(tables: readonly ReadableTable[], boundary: string): AsyncGenerator<string> {
	for (const { table, read } of tables) {
		yield `--${boundary}\r\nContent-Type: application/json\r\n\r\n`;
		yield* toJsonTable(table, read());
		yield "\r\n";
	}
	yield `--${boundary}--\r\n`;
}

function toReadable(chunks: AsyncIterable<string | Uint8Array>): Readable {
	return Readable.from(chunks, { objectMode: false, highWaterMark: 65_536 });
}

/** Which spans a query selects. @throws UserError 422 for a condition that cannot be parsed */
function toTableSpans(
	body: SpanTablesBody,
	{ filter }: SpanTable,
): Omit<TableSpans, "projectId" | "caller" | "mayContinue"> & Pick<ParsedFilterParam, "warnings"> {
	const refusal = { status: 422, prefix: "Invalid query: " };
	const { warnings, ...selected } = parseFilter("span", filter?.condition ?? undefined, refusal);
	const end = body.end_time ?? body.stop_time;
	const rootsOnly = body.root_spans_only === true;
	const rootsAndOrphans = rootsOnly && body.orphan_span_as_root_span !== false;
	return {
		filter: {
			...(typeof body.start_time === "number" ? { startMicros: body.start_time } : {}),
			...(typeof end === "number" ? { endMicros: end } : {}),
			...(rootsOnly && !rootsAndOrphans ? { parentSpanId: null } : {}),
			...selected,
		},
		limit: body.limit ?? DEFAULT_LIMIT,
		rootsAndOrphans,
		warnings,
	};
}

/** GET requests with a body, which the framework does not parse. */
async function readJson(request: FastifyRequest, maxBytes: number): Promise<unknown> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of request.raw as AsyncIterable<Buffer>) {
		size += chunk.length;
		if (size > maxBytes) {
			throw new UserError(413, "body_too_large", bodyTooLarge(request));
		}
		chunks.push(chunk);
	}
	return parseBody(Buffer.concat(chunks).toString("utf8"));
}
