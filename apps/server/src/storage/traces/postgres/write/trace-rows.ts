import type { ClientBase } from "pg";
import { present } from "#base/present.ts";
import {
	flagsOf,
	NODE_COLUMNS,
	type NodeRow,
	nodeOfRow,
	type SpanNode,
	USAGE_BELOW,
	USAGE_FLAGS,
} from "#storage/traces/totals/span-node.ts";
import { SPAN_COLUMNS } from "#storage/traces/totals/span-row.ts";
import type { StoredNodes } from "#storage/traces/totals/trace-nodes.ts";
import { TRACE_COLUMNS, type TraceRow, traceValues } from "#storage/traces/totals/trace-row.ts";
import type { SpanInBlock } from "../mutate/blocks.ts";
import { type ColumnType, type CopyTarget, copyRows } from "./copy-rows.ts";
import { type Insert, insertRows, type Value } from "./insert-rows.ts";

const ALL = `traces.id, ${TRACE_COLUMNS.map((column) => `traces.${column}`).join(", ")}`;

/** Locks traces until the transaction ends, always in the same order. Missing ones are not in the result. */
export async function lockTracesToUpdate(client: ClientBase, rowIds: readonly number[]): Promise<TraceRow[]> {
	if (rowIds.length === 0) return [];
	const { rows } = await client.query<TraceRow>(
		`select ${ALL} from traces where id = any ($1) order by trace_id, project_id for no key update`,
		[rowIds],
	);
	return rows;
}

/** The share of the database's table of locks that all connections for ingest may take: a half, by 16 of them. */
const LOCK_SHARE = 1 / 32;

/**
 * Makes writers of the same trace wait for each other, also while it has no row yet: otherwise the second one would
 * insert a whole batch in vain and run again. Of very many traces only some are locked, for there is limited room.
 */
export async function lockTraceIds(client: ClientBase, traceIds: readonly string[]): Promise<void> {
	if (traceIds.length === 0) return;
	await client.query({
		name: "lock trace ids",
		text: `select pg_advisory_xact_lock(hashtext('traces of ' || current_schema()), key) from (
				select distinct hashtext(id) as key from unnest($1::text[]) as id order by key
				limit current_setting('max_locks_per_transaction')::int * current_setting('max_connections')::int * ${LOCK_SHARE}
			) as keys`,
		values: [traceIds],
	});
}

/** As `lockTracesToUpdate`, by project and trace id. */
export async function lockTracesByKey(
	client: ClientBase,
	keys: readonly { readonly projectId: number; readonly traceId: string }[],
): Promise<TraceRow[]> {
	if (keys.length === 0) return [];
	const { rows } = await client.query<TraceRow>({
		name: "lock traces by key",
		text: `select ${ALL} from unnest($1::bytea[], $2::bigint[]) as wanted (trace_id, project_id)
			join traces on traces.trace_id = wanted.trace_id and traces.project_id = wanted.project_id
			order by traces.trace_id, traces.project_id for no key update of traces`,
		values: [keys.map((key) => Buffer.from(key.traceId, "hex")), keys.map((key) => key.projectId)],
	});
	return rows;
}

const TRACE_TYPES: Readonly<Record<(typeof TRACE_COLUMNS)[number], ColumnType>> = {
	project_id: "bigint",
	trace_id: "bytea",
	session_row_id: "bigint",
	session_span: "bigint",
	start_micros: "bigint",
	start_nanos: "integer",
	end_micros: "bigint",
	end_nanos: "integer",
	span_count: "bigint",
	running_count: "bigint",
	error_count: "bigint",
	tokens_prompt: "double precision",
	tokens_completion: "double precision",
	tokens_total: "double precision",
	cost_micro: "double precision",
	cost_pico: "double precision",
	costed_spans: "bigint",
	root_span: "bigint",
	root_span_id: "bytea",
	root_name: "text",
	root_kind: "integer",
	root_status: "integer",
	root_model: "text",
	user_span: "bigint",
	user_id: "text",
	input_span: "bigint",
	output_span: "bigint",
	release_span: "bigint",
	release: "text",
	environment_span: "bigint",
	environment: "text",
};

const TRACES: CopyTarget = {
	table: "traces",
	columns: [...TRACE_COLUMNS.map((column) => [column, TRACE_TYPES[column]] as const), ["id", "bigint"]],
};

/** @throws DatabaseError of a unique index when another transaction inserted one of them; a retry may succeed */
export async function insertTraces(client: ClientBase, traces: readonly TraceRow[]): Promise<void> {
	const sorted = traces.toSorted((a, b) => Buffer.compare(a.trace_id, b.trace_id) || a.project_id - b.project_id);
	await copyRows(client, TRACES, sorted.map(traceValues));
}

const UPDATE_TRACES: Insert = {
	name: "update traces",
	table: "traces",
	columns: [...TRACE_COLUMNS, "id"],
	suffix: `on conflict (id) do update set ${TRACE_COLUMNS.map((column) => `${column} = excluded.${column}`).join(", ")}`,
};

/** Writes rows of traces that this transaction has locked. */
export async function updateTraces(client: ClientBase, traces: readonly TraceRow[]): Promise<void> {
	await insertRows(client, UPDATE_TRACES, traces.map(traceValues));
}

const SPAN_TYPES: Readonly<Record<(typeof SPAN_COLUMNS)[number], ColumnType>> = {
	id: "bigint",
	project_id: "bigint",
	trace_row_id: "bigint",
	span_id: "bytea",
	parent_span_id: "bytea",
	start_micros: "bigint",
	start_nanos: "integer",
	end_micros: "bigint",
	end_nanos: "integer",
	kind: "integer",
	otel_kind: "integer",
	status_code: "integer",
	flags: "integer",
	block_id: "bigint",
	ordinal: "integer",
	name: "text",
	model: "text",
	provider: "text",
	tokens_prompt: "bigint",
	tokens_completion: "bigint",
	tokens_total: "bigint",
	tokens_cache_read: "bigint",
	tokens_cache_write: "bigint",
	tokens_reasoning: "bigint",
	cost_source: "integer",
	cost_total: "double precision",
	cost_prompt: "double precision",
	cost_completion: "double precision",
	cost_cache_read: "double precision",
	cost_cache_write: "double precision",
	cost_reasoning: "double precision",
	session_id: "text",
	user_id: "text",
	status_message: "text",
	release: "text",
	environment: "text",
	api_key_id: "bigint",
};

const SPANS: CopyTarget = {
	table: "spans",
	columns: [["trace_id", "bytea"], ...SPAN_COLUMNS.map((column) => [column, SPAN_TYPES[column]] as const)],
};

/** @param rows trace ids, followed by the values of `SPAN_COLUMNS` */
export async function insertSpans(client: ClientBase, rows: Iterable<readonly Value[]>): Promise<void> {
	await copyRows(client, SPANS, rows);
}

/** Writes rows of spans that are stored, in place of their former values. @param rows as for `insertSpans` */
export async function updateSpans(client: ClientBase, rows: readonly (readonly Value[])[]): Promise<void> {
	if (rows.length === 0) return;
	const values = SPANS.columns.map((_, column) => rows.map((row) => row[column]));
	const starts = present(values[UPDATED_STARTS], "the starts of spans") as number[];
	await client.query({ name: "update spans", text: UPDATE_SPANS, values: [...values, ...boundsOf(starts)] });
}

const UPDATED_STARTS = SPANS.columns.findIndex(([column]) => column === "start_micros");
/** The key of a span, which stays, leads to its row; the bounds say in which months it may be. */
const UPDATE_SPANS = `update spans
	set ${SPAN_COLUMNS.filter((column) => !["id", "span_id", "start_micros", "start_nanos"].includes(column))
		.map((column) => `${column} = changed.${column}`)
		.join(", ")}
	from unnest(${SPANS.columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(", ")})
		as changed (${SPANS.columns.map(([column]) => column).join(", ")})
	where spans.id = changed.id and spans.start_micros = changed.start_micros
		and spans.start_micros between $${SPANS.columns.length + 1} and $${SPANS.columns.length + 2}`;

/** The blocks of stored spans. */
export async function placesOfSpans(
	client: ClientBase,
	nodes: readonly Pick<SpanNode, "id" | "startMicros">[],
): Promise<SpanInBlock[]> {
	const starts = nodes.map((node) => node.startMicros);
	const { rows } = await client.query<SpanInBlock>({
		name: "places of spans",
		text: `select id, block_id, start_micros from spans
			where id = any ($1) and start_micros = any ($2) and start_micros between $3 and $4`,
		values: [nodes.map((node) => node.id), starts, ...boundsOf(starts)],
	});
	return rows;
}

/** Writes the flags of stored spans. */
export async function writeFlags(client: ClientBase, nodes: readonly SpanNode[]): Promise<void> {
	if (nodes.length === 0) return;
	const starts = nodes.map((node) => node.startMicros);
	const [first, last] = boundsOf(starts);
	await client.query({
		name: "write flags",
		text: `update spans set flags = changed.flags
			from unnest($1::bigint[], $2::bigint[], $3::int[]) as changed (id, start_micros, flags)
			where spans.id = changed.id and spans.start_micros = changed.start_micros
				and spans.start_micros between $4 and $5`,
		values: [nodes.map((node) => node.id), starts, nodes.map(flagsOf), first, last],
	});
}

function boundsOf(numbers: readonly number[]): [number, number] {
	return [
		numbers.reduce((a, b) => Math.min(a, b), Number.MAX_SAFE_INTEGER),
		numbers.reduce((a, b) => Math.max(a, b), Number.MIN_SAFE_INTEGER),
	];
}

/** All spans of traces, by row number of the trace. @param traces none of whose spans starts earlier */
export async function nodesOfTraces(
	client: ClientBase,
	traces: readonly Pick<TraceRow, "id" | "start_micros">[],
): Promise<Map<number, SpanNode[]>> {
	const found = new Map<number, SpanNode[]>(traces.map(({ id }) => [id, []]));
	if (traces.length === 0) return found;
	const { rows } = await client.query<NodeRow & { trace_row_id: number }>({
		name: "nodes of traces",
		text: `select trace_row_id, ${NODE_COLUMNS} from spans where trace_row_id = any ($1) and start_micros >= $2`,
		values: [[...found.keys()], boundsOf(traces.map((trace) => trace.start_micros))[0]],
	});
	for (const row of rows) found.get(row.trace_row_id)?.push(nodeOfRow(row));
	return found;
}

export async function nodesById(client: ClientBase, ids: readonly number[]): Promise<SpanNode[]> {
	if (ids.length === 0) return [];
	const { rows } = await client.query<NodeRow>({
		name: "nodes by id",
		text: `select ${NODE_COLUMNS} from spans where id = any ($1)`,
		values: [ids],
	});
	return rows.map(nodeOfRow);
}

export async function llmNodes(client: ClientBase, traceRowId: number, kind: number): Promise<SpanNode[]> {
	const { rows } = await client.query<NodeRow>({
		name: "nodes of a kind",
		text: `select ${NODE_COLUMNS} from spans where trace_row_id = $1 and kind = $2`,
		values: [traceRowId, kind],
	});
	return rows.map(nodeOfRow);
}

/**
 * The spans that adding spans may need of a trace too large to be read completely: those with the same ids, their
 * ancestors up to the first marked one, and whether spans below them have usage.
 */
export async function nodesAround(
	client: ClientBase,
	trace: Pick<TraceRow, "id" | "trace_id">,
	spans: readonly { readonly spanId: string; readonly parentSpanId: string | null }[],
): Promise<StoredNodes> {
	const ids = [...new Set(spans.flatMap(({ spanId, parentSpanId }) => [spanId, parentSpanId ?? spanId]))];
	const own = [...new Set(spans.map(({ spanId }) => spanId))];
	const { rows } = await client.query<NodeRow>({
		name: "nodes around",
		text: `with recursive wanted (span_id) as (
				select unnest($3::bytea[])
				union
				select spans.parent_span_id from wanted join spans on spans.span_id = wanted.span_id
				where spans.trace_id = $2 and spans.trace_row_id = $1 and spans.parent_span_id is not null
					and spans.flags & ${USAGE_BELOW} = 0)
			select ${NODE_COLUMNS} from spans
			where trace_id = $2 and trace_row_id = $1 and span_id in (select span_id from wanted)`,
		values: [trace.id, trace.trace_id, ids.map(toBytes)],
	});
	const { rows: above } = await client.query<{ parent_span_id: Buffer }>({
		name: "parents with usage",
		text: `select distinct parent_span_id from spans where trace_row_id = $1 and parent_span_id = any ($2)
				and span_id <> parent_span_id and flags & ${USAGE_FLAGS} <> 0`,
		values: [trace.id, own.map(toBytes)],
	});
	const nodes = Map.groupBy(rows.map(nodeOfRow), (node) => node.spanId);
	const withUsageBelow = new Set(above.map((row) => row.parent_span_id.toString("hex")));
	return {
		bySpanId: (spanId) => nodes.get(spanId) ?? [],
		hasUsageBelow: (spanId) => withUsageBelow.has(spanId),
	};
}

function toBytes(hex: string): Buffer {
	return Buffer.from(hex, "hex");
}
