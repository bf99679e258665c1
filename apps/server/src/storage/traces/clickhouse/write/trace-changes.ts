import { present } from "#base/present.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import type { PackedLogRecord } from "#storage/traces/content/log-record.ts";
import type { ReadTexts } from "#storage/traces/span-batch.ts";
import type { HourChanges } from "#storage/traces/totals/hour-changes.ts";
import { rebuildRollup } from "#storage/traces/totals/rebuild.ts";
import { type Rollup, userOf } from "#storage/traces/totals/rollup.ts";
import type { SpanNode } from "#storage/traces/totals/span-node.ts";
import { flagsOf } from "#storage/traces/totals/span-node.ts";
import { totalsColumns } from "#storage/traces/totals/totals-columns.ts";
import { HOURS, SESSIONS, SPANS, TRACES } from "../tables.ts";
import { UNKNOWN_TEXTS } from "../texts.ts";
import { hourRow } from "./hour-rows.ts";
import { insertRows } from "./insert-rows.ts";
import type { LogsBySpan } from "./logs-by-span.ts";
import { SessionNumbers } from "./session-numbers.ts";
import { spanRow } from "./span-rows.ts";
import { readTracesOfIds, type SpanRow, type StoredSpanRow, type StoredTrace, type TraceRow } from "./stored-traces.ts";
import { type ChosenTexts, TextChooser } from "./text-chooser.ts";
import type { Turn } from "./turns.ts";

/** A trace that a batch changes. */
export interface ChangedTrace {
	readonly place: StoredTrace["place"];
	readonly isNew: boolean;
	/** The former row. */
	readonly before: TraceRow | undefined;
	readonly stored: readonly StoredSpanRow[];
	/** Spans that are new, with their row numbers. */
	readonly added: readonly SpanNode[];
	/** By row number, what takes the place of stored spans. */
	readonly ended: ReadonlyMap<number, SpanNode>;
}

interface Sources {
	readonly logs: LogsBySpan;
	readonly readTexts: ReadTexts;
	readonly hours: HourChanges;
}

interface Computed {
	readonly trace: ChangedTrace;
	readonly rollup: Rollup;
	readonly nodes: readonly SpanNode[];
	/** Stored spans whose row changes, besides those that ended. */
	readonly flagged: ReadonlySet<number>;
}

/** Computes the totals of traces from all their spans, and writes what changed. */
export class TraceChanges {
	readonly #shard: Shard;
	readonly #turn: Turn;
	readonly #hours: HourChanges;
	readonly #texts: TextChooser;
	readonly #sessions: SessionNumbers;
	#computed: readonly Computed[] = [];

	constructor(shard: Shard, turn: Turn, { logs, readTexts, hours }: Sources) {
		this.#shard = shard;
		this.#turn = turn;
		this.#hours = hours;
		this.#texts = new TextChooser(shard, { logs, readTexts });
		this.#sessions = new SessionNumbers(shard, turn);
	}

	/** The traces, in any project, to whose spans log records came, other than these. */
	async tracesOfLogs(
		newLogs: readonly PackedLogRecord[],
		opened: readonly ChangedTrace[],
	): Promise<readonly ChangedTrace[]> {
		if (newLogs.length === 0) return [];
		for (const log of newLogs) this.#texts.outdate(log.traceId, log.spanId);
		const known = new Set(opened.map(({ place }) => place.id));
		const found = await readTracesOfIds(this.#shard, [...new Set(newLogs.map(({ traceId }) => traceId))]);
		return found
			.filter(({ place, spans }) => !known.has(place.id) && spans.length > 0)
			.map(({ place, row, spans }) => ({
				...{ place, isNew: false, before: row, stored: spans, added: [], ended: new Map() },
			}));
	}

	/** Computes everything. Call it once, before the others. */
	async prepare(traces: readonly ChangedTrace[]): Promise<void> {
		this.#computed = traces.map((trace) => this.#compute(trace));
		await this.#sessions.find(
			this.#computed.flatMap(({ trace, rollup }) =>
				rollup.session === undefined
					? []
					: [{ projectId: trace.place.project_id, sessionId: sessionOf(rollup) ?? "", bounds: rollup }],
			),
		);
		await this.#texts.choose(
			this.#computed.map(({ trace, rollup, nodes }) => ({
				traceId: trace.place.trace_id.toString("hex"),
				root: rollup.root,
				nodes,
				rows: new Map(trace.stored.map(({ row }) => [row.id, row])),
				before: trace.before,
			})),
		);
	}

	async insertSessions(token: string): Promise<void> {
		await insertRows(this.#shard, SESSIONS, this.#sessions.added, token);
	}

	async insertSpans(token: string): Promise<void> {
		await insertRows(
			this.#shard,
			SPANS,
			this.#computed.flatMap((computed) => this.#spanRows(computed)),
			token,
		);
	}

	/** Writes the rows of the traces, the hours, and the sessions that have become empty. */
	async insertTotals(token: string): Promise<void> {
		const rows = this.#computed.map((computed) => this.#traceRow(computed));
		const hours = this.#hours.list().map((change) => hourRow(change, this.#turn));
		await Promise.all([insertRows(this.#shard, TRACES, rows, token), insertRows(this.#shard, HOURS, hours, token)]);
		const left = this.#computed.flatMap(({ trace: { before } }, index) =>
			before !== undefined && before.session_row_id !== null && before.session_row_id !== rows[index]?.session_row_id
				? [{ projectId: before.project_id, rowId: before.session_row_id, sessionId: before.session_id ?? "" }]
				: [],
		);
		if (left.length > 0) await this.#sessions.dropEmpty(left, token);
	}

	#compute(trace: ChangedTrace): Computed {
		const { place, stored, added, ended } = trace;
		for (const { node } of stored) this.#hours.addSpan(place.project_id, node, -1);
		const nodes = [...stored.map(({ node }) => ended.get(node.id) ?? node), ...added];
		const { rollup, changed } = rebuildRollup(nodes);
		for (const node of nodes) this.#hours.addSpan(place.project_id, node, 1);
		const { before } = trace;
		if (before !== undefined) {
			const root = { kind: before.root_kind, model: before.root_model };
			this.#hours.addTrace(place.project_id, before.start_micros, root, -1);
		}
		this.#hours.addTrace(place.project_id, rollup.startMicros, rollup.root, 1);
		return { trace, rollup, nodes, flagged: new Set(changed.map(({ id }) => id)) };
	}

	#spanRows({ trace, nodes, flagged }: Computed): SpanRow[] {
		const stored = new Map(trace.stored.map(({ row }) => [row.id, row]));
		return nodes.flatMap((node) => {
			if (node.source !== undefined) {
				return [spanRow(node, trace.place, this.#texts.bitsOf(node) ?? UNKNOWN_TEXTS, this.#turn)];
			}
			const row = present(stored.get(node.id), "the row of a stored span");
			const texts = this.#texts.bitsOf(node) ?? row.texts;
			if (!flagged.has(node.id) && texts === row.texts) return [];
			return [{ ...row, flags: flagsOf(node), texts, version: this.#turn.version }];
		});
	}

	#traceRow({ trace: { place }, rollup, nodes }: Computed): TraceRow {
		const { root } = rollup;
		const sessionId = sessionOf(rollup);
		const texts: ChosenTexts = this.#texts.of(root);
		return {
			project_id: place.project_id,
			anchor_micros: place.anchor_micros,
			trace_id: place.trace_id,
			id: place.id,
			session_row_id: sessionId === null ? null : this.#sessions.numberOf(place.project_id, sessionId),
			session_id: sessionId,
			session_span: rollup.session?.id ?? null,
			start_micros: rollup.startMicros,
			start_nanos: rollup.startNanos,
			last_start_micros: nodes.reduce((last, node) => Math.max(last, node.startMicros), 0),
			end_micros: rollup.endMicros,
			end_nanos: rollup.endNanos,
			...totalsColumns(rollup),
			root_span: root.id,
			root_span_id: Buffer.from(root.spanId, "hex"),
			root_name: root.name,
			root_kind: root.kind,
			root_status: root.statusCode,
			root_model: root.model,
			user_span: rollup.user?.id ?? null,
			user_id: userOf(rollup),
			input_span: texts.inputSpan,
			output_span: texts.outputSpan,
			first_input: texts.firstInput,
			last_output: texts.lastOutput,
			version: this.#turn.version,
			is_deleted: 0,
		};
	}
}

function sessionOf(rollup: Rollup): string | null {
	return rollup.session?.sessionId ?? null;
}
