import type { Kysely } from "kysely";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import { listed } from "#storage/listed.ts";
import type { AnnotationTarget, Tables } from "#storage/schema.ts";
import { SpanAttributes, toSqlValue } from "#storage/traces/content/attribute-values.ts";
import { cumulativeOfRows } from "#storage/traces/totals/cumulative.ts";
import type { Cumulative, SpanContent } from "#storage/traces/trace-store.ts";
import { inParts } from "../read/bounds.ts";
import { Conditions } from "../read/conditions.ts";
import { readContents, type SelectedContents } from "../read/contents.ts";
import type { HighestNumbers } from "../read/edges.ts";
import { findRows } from "../read/query.ts";
import type { RecentPlaces } from "../read/recent-places.ts";
import type { ScatteredRows } from "../read/scattered-rows.ts";
import type { SessionWithTotals } from "../read/session-totals.ts";
import { findSpansOf } from "../read/span-rows.ts";
import { findTraceRows, findTraceRowsById, inTraces } from "../read/trace-rows.ts";
import type { KnownReadings } from "../readings/known-readings.ts";
import { renewSpans } from "../readings/renew-spans.ts";
import { renewTraces } from "../readings/renew-traces.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import { SPANS, type SpanRow, type TraceRow } from "../tables.ts";
import { LogsBySpan, traceOfLog } from "../write/logs-by-span.ts";
import { readLogs } from "../write/stored-traces.ts";
import type { AnyRow, SessionItem, SpanItem, TraceItem } from "./fields.ts";
import type { Needed } from "./needed.ts";

export type SessionRow = SessionWithTotals;

export interface AnnotationRow {
	readonly target_row_id: number;
	readonly name: string;
	readonly label: string | null;
	readonly score: number | null;
	readonly explanation: string | null;
	readonly identifier: string;
	readonly annotator_kind: string;
}

export interface Sources {
	/** All shards, with the limits of who asks. */
	readonly shard: ShardReader;
	readonly shards: TraceShards;
	/** Of the metadata tables, where annotations are. */
	readonly db: Kysely<Tables>;
	readonly highest: HighestNumbers;
	readonly scattered: ScatteredRows;
	readonly recent: RecentPlaces;
	/** Whether searches ask the text index, as far as it is filled. */
	readonly hasTextIndex: boolean;
	/** Whether there may be rows that say what a former reading of attributes found. */
	readonly readings: Pick<KnownReadings, "hasOlder">;
	/** Gets what a filter has read of the spans that it selects; absent where nobody reads it again. */
	readonly selected?: SelectedContents;
}

type Target = SpanItem | TraceItem | SessionItem;

/** What a condition needs besides the rows that it is about. */
export class World {
	readonly #spansByTrace: ReadonlyMap<number, readonly SpanItem[]>;
	readonly #traces: ReadonlyMap<number, TraceItem>;
	readonly #tracesBySession: ReadonlyMap<number, readonly TraceItem[]>;
	readonly #contents: ReadonlyMap<number, SpanContent>;
	readonly #annotations: ReadonlyMap<string, readonly AnnotationRow[]>;
	readonly #failures: ReadonlyMap<number, Failure>;
	readonly #attributes = new Map<number, SpanAttributes>();
	readonly #cumulative = new Map<number, (id: number) => Cumulative | undefined>();

	private constructor(loaded: Loaded) {
		this.#spansByTrace = Map.groupBy(
			loaded.spans.map((row) => ({ kind: "span" as const, row })),
			({ row }) => row.trace_row_id,
		);
		const traces = loaded.traces.map((row) => ({ kind: "trace" as const, row }));
		this.#traces = new Map(traces.map((trace) => [trace.row.id, trace]));
		this.#tracesBySession = Map.groupBy(traces, ({ row }) => row.session_row_id ?? 0);
		this.#contents = loaded.contents;
		this.#annotations = loaded.annotations;
		this.#failures = loaded.failures;
	}

	/** Reads what the condition needs for these rows, all of one kind and of the current reading. */
	static async load(sources: Sources, items: readonly Target[], needed: Needed): Promise<World> {
		const { shard } = sources;
		const sessions = items.filter((item) => item.kind === "session");
		const own = items.filter((item) => item.kind === "trace").map(({ row }) => row);
		const traces =
			needed.traces && sessions.length > 0
				? await renewTraces(sources, await tracesOfSessions(shard, sessions, needed))
				: own;
		const ownSpans = items.filter((item) => item.kind === "span").map(({ row }) => row);
		const stored = needed.spans || needed.owners ? await tracesOfSpans(shard, ownSpans) : [];
		const owners = needed.owners ? await renewTraces(sources, stored) : [];
		const spans = needed.spans
			? await renewSpans(sources, await spansOf(shard, ownSpans.length === 0 ? traces : stored))
			: [];
		const contents = await contentsOf(shard, { needed, ownSpans, traces, spans });
		const annotations = needed.annotations
			? await annotationsOf(sources.db, [
					["span", [...ownSpans, ...spans].map(({ id }) => id)],
					["trace", traces.map(({ id }) => id)],
					["session", sessions.map(({ row }) => row.id)],
				])
			: new Map<string, AnnotationRow[]>();
		const failures = needed.failures
			? await failuresOf(
					sources.db,
					[...ownSpans, ...spans].map(({ id }) => id),
				)
			: new Map<number, Failure>();
		return new World({ spans, traces: [...traces, ...owners], contents, annotations, failures });
	}

	/** Of a span, of a trace's root span, or of the root span of a session's first trace. */
	attributesOf(item: AnyRow): SpanAttributes | undefined {
		if (item.kind === "span") return this.#attributesOf(item.row.id);
		if (item.kind === "trace") return this.#attributesOf(item.row.root_span);
		const first = item.kind === "session" ? this.tracesOf(item)[0] : undefined;
		return first && this.#attributesOf(first.row.root_span);
	}

	/** Undefined where it is not needed, and while the span is of no trace. */
	traceOf({ row }: SpanItem): TraceItem | undefined {
		return this.#traces.get(row.trace_row_id);
	}

	/** Undefined where it is not needed, and for a span that did not fail by itself. */
	failureOf({ row }: SpanItem): Failure | undefined {
		return this.#failures.get(row.id);
	}

	/** By start, then trace id. */
	tracesOf({ row }: SessionItem): readonly TraceItem[] {
		return this.#tracesBySession.get(row.id) ?? [];
	}

	spansOf(item: TraceItem | SessionItem): readonly SpanItem[] {
		if (item.kind === "trace") return this.#spansByTrace.get(item.row.id) ?? [];
		return this.tracesOf(item).flatMap((trace) => this.spansOf(trace));
	}

	/** The earliest span with the id that is the parent's. */
	parentOf({ row }: SpanItem): SpanItem | undefined {
		const parent = row.parent_span_id;
		if (parent === null || parent.equals(row.span_id)) return undefined;
		return this.#neighbours(row).find((other) => other.row.span_id.equals(parent));
	}

	childrenOf({ row }: SpanItem): readonly SpanItem[] {
		return this.#neighbours(row).filter(
			(other) => other.row.parent_span_id?.equals(row.span_id) === true && !other.row.span_id.equals(row.span_id),
		);
	}

	siblingsOf({ row }: SpanItem): readonly SpanItem[] {
		const parent = row.parent_span_id;
		if (parent === null) return [];
		return this.#neighbours(row).filter(
			(other) => other.row.id !== row.id && other.row.parent_span_id?.equals(parent) === true,
		);
	}

	annotationsOf(item: AnyRow): readonly AnnotationRow[] {
		if (item.kind === "annotation" || item.kind === "cost_detail")
			throw new Error(`a filter asks for annotations of a ${item.kind}`);
		return this.#annotations.get(`${item.kind} ${item.row.id}`) ?? [];
	}

	cumulativeOf({ row }: SpanItem): Cumulative | undefined {
		let cumulative = this.#cumulative.get(row.trace_row_id);
		if (cumulative === undefined) {
			cumulative = cumulativeOfRows(this.#neighbours(row).map((span) => span.row));
			this.#cumulative.set(row.trace_row_id, cumulative);
		}
		return cumulative(row.id);
	}

	/** Input or output of the root span, else the text that lists show. */
	textOf(trace: TraceItem, side: "input" | "output"): string | null {
		const own = toSqlValue(this.attributesOf(trace)?.find([side, "value"]), "searched");
		if (typeof own === "string") return own;
		return side === "input" ? trace.row.first_input : trace.row.last_output;
	}

	contentOf(spanRowId: number): SpanContent | undefined {
		return this.#contents.get(spanRowId);
	}

	#neighbours(row: SpanRow): readonly SpanItem[] {
		return this.#spansByTrace.get(row.trace_row_id) ?? [];
	}

	#attributesOf(spanRowId: number): SpanAttributes | undefined {
		const known = this.#attributes.get(spanRowId);
		const content = this.#contents.get(spanRowId);
		if (known !== undefined || content === undefined) return known;
		const attributes = new SpanAttributes(content.span, () => content);
		this.#attributes.set(spanRowId, attributes);
		return attributes;
	}
}

interface Loaded {
	readonly spans: readonly SpanRow[];
	readonly traces: readonly TraceRow[];
	readonly contents: ReadonlyMap<number, SpanContent>;
	readonly annotations: ReadonlyMap<string, readonly AnnotationRow[]>;
	readonly failures: ReadonlyMap<number, Failure>;
}

interface Failure {
	readonly kind: string;
	readonly tool: string | null;
	/** The fingerprint of its group. */
	readonly group: string;
}

async function tracesOfSessions(
	shard: ShardReader,
	sessions: readonly SessionItem[],
	{ roots }: Needed,
): Promise<TraceRow[]> {
	const ofSessions = (part: readonly SessionItem[]) =>
		new Conditions()
			.addIn(
				"project_id",
				"Int64",
				part.map(({ row }) => row.project_id),
			)
			.addIn(
				"session_row_id",
				"Int64",
				part.map(({ row }) => row.id),
			);
	const rows = await findTraceRows(shard, sessions, ofSessions, { texts: roots ? "with" : "without" });
	return rows.toSorted(
		(a, b) =>
			a.start_micros - b.start_micros || a.start_nanos - b.start_nanos || Buffer.compare(a.trace_id, b.trace_id),
	);
}

async function tracesOfSpans(shard: ShardReader, spans: readonly SpanRow[]): Promise<readonly TraceRow[]> {
	return await findTraceRowsById(shard, [...new Set(spans.map((row) => row.trace_row_id))], "without");
}

/** All spans of these traces, by start. */
async function spansOf(shard: ShardReader, traces: readonly TraceRow[]): Promise<readonly SpanRow[]> {
	const found = await findSpansOf(shard, traces);
	return found.toSorted((a, b) => a.start_micros - b.start_micros || a.start_nanos - b.start_nanos);
}

interface WithContents {
	readonly needed: Needed;
	readonly ownSpans: readonly SpanRow[];
	readonly traces: readonly TraceRow[];
	readonly spans: readonly SpanRow[];
}

async function contentsOf(
	shard: ShardReader,
	{ needed, ownSpans, traces, spans }: WithContents,
): Promise<Map<number, SpanContent>> {
	const wanted = new Map<number, SpanRow>();
	if (needed.contents !== "none") for (const row of ownSpans) wanted.set(row.id, row);
	if (needed.contents === "all") for (const row of spans) wanted.set(row.id, row);
	if (needed.roots && needed.contents !== "all")
		for (const row of await rootsOf(shard, traces, spans)) wanted.set(row.id, row);
	const rows = [...wanted.values()];
	if (rows.length === 0) return new Map();
	const [contents, logs] = await Promise.all([
		readContents(shard, rows),
		readLogs(shard, [
			...new Set(rows.filter(({ has_logs }) => has_logs === 1).map(({ trace_id }) => trace_id.toString("hex"))),
		]),
	]);
	const logsBySpan = new LogsBySpan(logs);
	return new Map(
		rows.flatMap((row) => {
			const content = contents.get(row.id);
			if (content === undefined) return [];
			return [[row.id, { ...content, logs: logsBySpan.find(traceOfLog(row), row.span_id.toString("hex")) }] as const];
		}),
	);
}

async function rootsOf(
	shard: ShardReader,
	traces: readonly TraceRow[],
	spans: readonly SpanRow[],
): Promise<readonly SpanRow[]> {
	const wanted = new Set(traces.map(({ root_span }) => root_span));
	const known = spans.filter(({ id }) => wanted.has(id));
	if (known.length === wanted.size) return known;
	return await inParts(traces, (part) =>
		findRows(
			shard,
			SPANS,
			inTraces(part).addIn(
				"id",
				"Int64",
				part.map(({ root_span }) => root_span),
			),
			"",
			{ traceIds: () => part.map(({ trace_id }) => trace_id.toString("hex")) },
		),
	);
}

async function annotationsOf(
	db: Kysely<Tables>,
	wanted: readonly (readonly [target: AnnotationTarget, rowIds: readonly number[]])[],
): Promise<Map<string, AnnotationRow[]>> {
	const found = new Map<string, AnnotationRow[]>();
	for (const [target, rowIds] of wanted) {
		if (rowIds.length === 0) continue;
		const rows = await db
			.selectFrom("annotations")
			.select(["target_row_id", "name", "label", "score", "explanation", "identifier", "annotator_kind"])
			.where("target", "=", target)
			.where("document_position", "=", -1)
			.where("target_row_id", "in", listed([...new Set(rowIds)]))
			.orderBy("id")
			.execute();
		for (const [rowId, own] of Map.groupBy(rows, (row) => row.target_row_id)) found.set(`${target} ${rowId}`, own);
	}
	return found;
}

async function failuresOf(db: Kysely<Tables>, spanRowIds: readonly number[]): Promise<ReadonlyMap<number, Failure>> {
	const rows = await db
		.selectFrom("error_occurrences as failed")
		.innerJoin("error_groups as own", "own.id", "failed.group_id")
		.select(["failed.span_row_id as id", "failed.kind", "failed.tool", "own.fingerprint as group"])
		.where("failed.span_row_id", "in", listed([...new Set(spanRowIds)]))
		.execute();
	return new Map(rows.map(({ id, ...failure }) => [id, failure]));
}
