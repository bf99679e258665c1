import { allEnded } from "#base/all-ended.ts";
import { present } from "#base/present.ts";
import type { Columns } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import type { LogRecordOfProject } from "#storage/traces/content/log-record.ts";
import type { WhenEmpty } from "#storage/traces/mutate/batches.ts";
import type { ReadTexts } from "#storage/traces/span-batch.ts";
import { HourChanges } from "#storage/traces/totals/hour-changes.ts";
import { rebuildRollup } from "#storage/traces/totals/rebuild.ts";
import { type Rollup, userOf } from "#storage/traces/totals/rollup.ts";
import { flagsOf, nodeOfRow, type SpanNode } from "#storage/traces/totals/span-node.ts";
import type { TraceKey } from "#storage/traces/totals/trace-row.ts";
import type { Turn } from "../metadata/turns.ts";
import { lowestReading } from "../readings/older.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import {
	HOURS,
	SPANS,
	type SpanRow,
	type Table,
	type TableRow,
	TRACE_PLACES,
	TRACES,
	type TraceRow,
} from "../tables.ts";
import { UNKNOWN_TEXTS } from "../texts.ts";
import { hourRow, isEmpty } from "./hour-rows.ts";
import { insertRows } from "./insert-rows.ts";
import { type LogsBySpan, traceOfLog } from "./logs-by-span.ts";
import type { SessionNumbers } from "./session-numbers.ts";
import { spanRow } from "./span-rows.ts";
import { keyOf, readTracesOfIds, type StoredSpanRow, type StoredTrace } from "./stored-traces.ts";
import { TextChooser } from "./text-chooser.ts";
import { sessionOf, traceRow } from "./trace-row.ts";

/** A trace that a batch or a mutation changes. */
export interface ChangedTrace {
	/** Where it is, or is put. */
	readonly shard: Shard;
	readonly place: StoredTrace["place"];
	readonly isNew: boolean;
	/** The former row. */
	readonly before: TraceRow | undefined;
	readonly stored: readonly StoredSpanRow[];
	/** Spans of a batch that are new, with their row numbers. */
	readonly added: readonly SpanNode[];
	/** By row number, spans of a batch that take the place of stored ones. */
	readonly ended: ReadonlyMap<number, SpanNode>;
	/** Row numbers of stored spans that go. Without any span left, so does the trace. */
	readonly removed?: ReadonlySet<number>;
	/** By row number, rows that take the place of those of stored spans. */
	readonly replaced?: ReadonlyMap<number, SpanRow>;
	/** Rows of spans that come from another trace, with the numbers that they have now. */
	readonly adopted?: readonly SpanRow[];
}

interface Sources {
	readonly logs: LogsBySpan;
	readonly readTexts: ReadTexts;
	/** What happens to sessions that lose their last trace; `drop_unannotated` when absent. */
	readonly whenEmpty?: WhenEmpty;
	readonly sessions: SessionNumbers;
}

interface Computed {
	readonly trace: ChangedTrace;
	/** Absent when no span is left. */
	readonly rollup: Rollup | undefined;
	readonly nodes: readonly SpanNode[];
	/** Stored spans whose row changes, besides those that ended. */
	readonly flagged: ReadonlySet<number>;
}

/** Computes the totals of traces from all their spans, and writes what changed. */
export class TraceChanges {
	readonly #shards: TraceShards;
	readonly #turn: Turn;
	readonly #hours = new Map<Shard, HourChanges>();
	readonly #logs: LogsBySpan;
	readonly #texts: TextChooser;
	readonly #sessions: SessionNumbers;
	readonly #whenEmpty: WhenEmpty;
	#computed: readonly Computed[] = [];

	constructor(shards: TraceShards, turn: Turn, { logs, readTexts, sessions, whenEmpty = "drop_unannotated" }: Sources) {
		this.#shards = shards;
		this.#turn = turn;
		this.#logs = logs;
		this.#texts = new TextChooser(shards, { logs, readTexts });
		this.#sessions = sessions;
		this.#whenEmpty = whenEmpty;
	}

	/** The traces to whose spans log records came, other than these. */
	async tracesOfLogs(
		newLogs: readonly LogRecordOfProject[],
		opened: readonly ChangedTrace[],
	): Promise<readonly ChangedTrace[]> {
		if (newLogs.length === 0) return [];
		for (const log of newLogs) this.#texts.outdate(log, log.spanId);
		const known = new Set(opened.map(({ place }) => place.id));
		const traces = new Set(newLogs.map(keyOf));
		const traceIds = new Set(newLogs.map(({ traceId }) => traceId));
		const found = await readTracesOfIds(this.#shards, [...traceIds], this.#turn.oldestOther);
		return found
			.filter(({ place, spans }) => !known.has(place.id) && spans.length > 0 && traces.has(keyOf(traceOfLog(place))))
			.map(({ shard, place, row, spans }) => ({
				...{ shard, place, isNew: false, before: row, stored: spans, added: [], ended: new Map() },
			}));
	}

	/** Computes everything. Call it once, before the others. */
	async prepare(traces: readonly ChangedTrace[]): Promise<void> {
		this.#computed = traces.map((trace) => this.#compute(trace));
		const left = this.#computed.flatMap(({ trace, rollup, nodes }) =>
			rollup === undefined ? [] : [{ trace, rollup, nodes }],
		);
		await this.#sessions.find(
			left.flatMap(({ trace: { place }, rollup }) => {
				const sessionId = sessionOf(rollup);
				return sessionId === null ? [] : [{ projectId: place.project_id, sessionId, bounds: rollup }];
			}),
		);
		await this.#texts.choose(
			left.map(({ trace, rollup, nodes }) => ({
				key: traceOfLog(trace.place),
				root: rollup.root,
				nodes,
				rows: new Map([...trace.stored.map(({ row }) => row), ...(trace.adopted ?? [])].map((row) => [row.id, row])),
				before: trace.before,
			})),
		);
	}

	/** Writes where new traces are, those that lie elsewhere now, and that some are gone. */
	async insertPlaces(token: string): Promise<void> {
		const { version } = this.#turn;
		await this.#insert(TRACE_PLACES, token, (computed) => {
			const { place, isNew } = computed.trace;
			const anchor = anchorOf(computed);
			if (anchor === undefined) return [{ ...place, version, is_deleted: 1 }];
			if (!isNew && anchor === place.anchor_micros) return [];
			return [{ ...place, anchor_micros: anchor, version, is_deleted: 0 }];
		});
	}

	async insertSessions(token: string): Promise<void> {
		await this.#sessions.insert(token);
	}

	/**
	 * Writes the rows of spans and of their traces at the same time, then the hours, and the sessions that have become
	 * empty.
	 * @returns the row numbers of sessions that are gone
	 */
	async insertSpans(token: string): Promise<readonly number[]> {
		const rows = new Map(this.#computed.map((computed) => [computed, this.#traceRows(computed)]));
		// A repair must not come before the rows of a batch that failed.
		await allEnded([
			this.#insertSpansAndHours(token),
			this.#insert(TRACES, token, (computed) => rows.get(computed) ?? []),
		]);
		const sessionOfTrace = new Map(
			[...rows.values()].flatMap((own) =>
				own.filter((row) => row.is_deleted === 0).map((row) => [row.id, row.session_row_id] as const),
			),
		);
		const left = this.#computed.flatMap(({ trace: { before } }) =>
			before !== undefined && before.session_row_id !== null && before.session_row_id !== sessionOfTrace.get(before.id)
				? [before]
				: [],
		);
		return left.length === 0 ? [] : await this.#sessions.leave(left, this.#whenEmpty, token);
	}

	/** An hour is added up by its rows, of which no later one would take out a span that could not be stored. */
	async #insertSpansAndHours(token: string): Promise<void> {
		await this.#insert(SPANS, token, (computed) => this.#spanRows(computed));
		await allEnded(
			[...this.#hours].map(async ([shard, changed]) => {
				const changes = changed.list().map((change) => hourRow(change, this.#turn));
				const hours = changes.filter((row) => !isEmpty(row));
				await insertRows(shard, HOURS, hours, token);
			}),
		);
	}

	/** After `prepare`: the session that a trace has now. */
	sessionOf(traceRowId: number): { readonly rowId: number; readonly sessionId: string } | undefined {
		const computed = this.#computed.find(({ trace }) => trace.place.id === traceRowId);
		const sessionId = computed?.rollup && sessionOf(computed.rollup);
		if (computed === undefined || sessionId === undefined || sessionId === null) return undefined;
		return { rowId: this.#sessions.numberOf(computed.trace.place.project_id, sessionId), sessionId };
	}

	/** Writes rows of each trace where it is. */
	async #insert<Of extends Columns>(
		table: Table<Of>,
		token: string,
		rowsOf: (computed: Computed) => readonly TableRow<Table<Of>>[],
	): Promise<void> {
		const byShard = Map.groupBy(this.#computed, ({ trace }) => trace.shard);
		await allEnded([...byShard].map(([shard, computed]) => insertRows(shard, table, computed.flatMap(rowsOf), token)));
	}

	#hoursOf({ shard }: ChangedTrace): HourChanges {
		const hours = this.#hours.get(shard) ?? new HourChanges();
		this.#hours.set(shard, hours);
		return hours;
	}

	#compute(trace: ChangedTrace): Computed {
		const hours = this.#hoursOf(trace);
		const { place, before, stored, added, ended, removed, replaced, adopted = [] } = trace;
		const { spend } = this.#turn;
		for (const { node } of stored) {
			hours.addSpan(place.project_id, node, -1);
			spend.addSpan(place.project_id, node, before?.user_id ?? null, -1);
		}
		const nodes = [
			...stored.flatMap(({ node }) => {
				if (removed?.has(node.id)) return [];
				const row = replaced?.get(node.id);
				return row === undefined ? (ended.get(node.id) ?? node) : nodeOfRow(row);
			}),
			...adopted.map((row) => nodeOfRow(row)),
			...added,
		];
		if (before !== undefined) {
			const root = { kind: before.root_kind, model: before.root_model };
			hours.addTrace(place.project_id, before.start_micros, root, -1);
		}
		if (nodes.length === 0) return { trace, rollup: undefined, nodes, flagged: new Set() };
		const { rollup, changed } = rebuildRollup(nodes);
		const user = userOf(rollup);
		for (const node of nodes) {
			hours.addSpan(place.project_id, node, 1);
			spend.addSpan(place.project_id, node, user, 1);
		}
		hours.addTrace(place.project_id, rollup.startMicros, rollup.root, 1);
		return { trace, rollup, nodes, flagged: new Set(changed.map(({ id }) => id)) };
	}

	#spanRows({ trace, nodes, flagged }: Computed): SpanRow[] {
		const { version, batch } = this.#turn;
		const stored = new Map(trace.stored.map(({ row }) => [row.id, row]));
		const adopted = new Map(trace.adopted?.map((row) => [row.id, row]));
		const key = traceOfLog(trace.place);
		const gone = [...stored.values()].filter(({ id }) => trace.removed?.has(id));
		return [
			...gone.map((row) => ({ ...row, batch, version, is_deleted: 1 })),
			...nodes.flatMap((node) => {
				const has_logs = this.#hasLogs(key, node);
				if (node.source !== undefined) {
					const texts = this.#texts.bitsOf(node) ?? UNKNOWN_TEXTS;
					return [spanRow(node, trace.place, { texts, has_logs }, this.#turn)];
				}
				const other = adopted.get(node.id) ?? trace.replaced?.get(node.id);
				const row = present(other ?? stored.get(node.id), "the row of a stored span");
				const texts = this.#texts.bitsOf(node) ?? row.texts;
				const isSame = other === undefined && !flagged.has(node.id) && texts === row.texts && has_logs === row.has_logs;
				return isSame ? [] : [{ ...row, flags: flagsOf(node), texts, has_logs, batch, version }];
			}),
		];
	}

	#hasLogs(key: TraceKey, { spanId }: SpanNode): 0 | 1 {
		return this.#logs.find(key, spanId).length > 0 ? 1 : 0;
	}

	/** The row of the trace; with one that says that the former is gone, where it lies elsewhere. */
	#traceRows(computed: Computed): TraceRow[] {
		const { before } = computed.trace;
		const anchor = anchorOf(computed);
		const { batch, version } = this.#turn;
		const gone = before && { ...before, batch, version, is_deleted: 1 };
		if (computed.rollup === undefined || anchor === undefined) return gone === undefined ? [] : [gone];
		const row = this.#traceRow(computed, computed.rollup, anchor);
		return gone === undefined || before?.anchor_micros === anchor ? [row] : [gone, row];
	}

	#traceRow({ trace, nodes }: Computed, rollup: Rollup, anchor: number): TraceRow {
		const { place } = trace;
		const sessionId = sessionOf(rollup);
		return traceRow({
			...{ place, anchor, rollup, nodes },
			texts: this.#texts.of(rollup.root),
			sessionRowId: sessionId === null ? null : this.#sessions.numberOf(place.project_id, sessionId),
			written: { ...this.#turn, reading: readingOf(trace, nodes) },
		});
	}
}

/** The lowest reading of the spans that a trace has now. */
function readingOf({ stored, adopted = [], replaced }: ChangedTrace, nodes: readonly SpanNode[]): number {
	const rows = new Map(
		[...stored.map(({ row }) => row), ...adopted, ...(replaced?.values() ?? [])].map((row) => [row.id, row]),
	);
	return lowestReading(nodes.flatMap(({ id, source }) => (source === undefined ? (rows.get(id) ?? []) : [])));
}

/**
 * Where the row of a trace lies: where it lay, unless the trace starts later since spans were deleted. Undefined when no
 * span is left.
 */
function anchorOf({ trace: { place }, rollup }: Computed): number | undefined {
	return rollup && Math.max(place.anchor_micros, rollup.startMicros);
}
