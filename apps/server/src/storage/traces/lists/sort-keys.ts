import type { SessionSummaryRow } from "../rows/session-summaries.ts";
import { toDollars } from "../totals/cost-pico.ts";
import { isRunning, runningSql } from "../totals/span-node.ts";
import type { TotalsColumns } from "../totals/totals-columns.ts";
import type { Order, ScoreSort, SessionSort, SpanSort, TraceSort } from "../trace-store.ts";

/** What a list is sorted by: as SQL, and from a row that was read; both give the same number. */
export interface SortKey<Row> {
	readonly sql: string;
	readonly of: (row: Row) => number | null;
	/** Whether some rows have none; they come last in either order. */
	readonly isOptional?: boolean;
	/** Whether the SQL is an integer, to which PostgreSQL compares no fraction. */
	readonly isInteger?: boolean;
	/** Whether an index has the order; otherwise a page reads all rows that fit, and keeps the first ones. */
	readonly isIndexed?: boolean;
}

/** What a sort by score begins with; the name follows. */
export const SCORE_PREFIX = "score.";

export function isByScore(sort: string): sort is ScoreSort {
	return sort.startsWith(SCORE_PREFIX);
}

/** Beyond every key. */
const BEYOND = Number.MAX_SAFE_INTEGER;

function lastValue(order: Order): number {
	return order === "asc" ? BEYOND : -BEYOND;
}

/** The key as SQL that is never null. */
export function sortSql<Row>({ sql, isOptional }: SortKey<Row>, order: Order): string {
	return isOptional ? `coalesce(${sql}, ${lastValue(order)})` : sql;
}

/** The key of a row, equal to what {@link sortSql} selects. */
export function sortValue<Row>(key: SortKey<Row>, row: Row, order: Order): number {
	return key.of(row) ?? lastValue(order);
}

/** The position of a cursor in the type of the key's column; a client may write any number there. */
export function storableValue<Row>({ isInteger }: SortKey<Row>, value: number): number {
	return isInteger ? Math.max(-BEYOND, Math.min(Math.round(value), BEYOND)) : value;
}

function ofTotals(table: "traces" | "sessions") {
	// The same as `toDollars`.
	const dollars = `case when ${table}.costed_spans = 0 then null
		when abs(${table}.cost_micro * 1e6 + ${table}.cost_pico) < 9007199254740992
		then (${table}.cost_micro * 1e6 + ${table}.cost_pico) / 1e12
		else ${table}.cost_micro / 1e6 + ${table}.cost_pico / 1e12 end`;
	return {
		total_cost: {
			sql: `(${dollars})`,
			of: (row: TotalsColumns) =>
				row.costed_spans === 0 ? null : toDollars({ micro: row.cost_micro, pico: row.cost_pico }),
			isOptional: true,
		},
		token_count_total: { sql: `${table}.tokens_total`, of: (row: TotalsColumns) => row.tokens_total },
		error_count: { sql: `${table}.error_count`, of: (row: TotalsColumns) => row.error_count, isInteger: true },
		span_count: { sql: `${table}.span_count`, of: (row: TotalsColumns) => row.span_count, isInteger: true },
	};
}

interface Timed {
	readonly start_micros: number;
	readonly end_micros: number;
}

export const TRACE_SORTS: Readonly<Record<TraceSort, SortKey<Timed & TotalsColumns>>> = {
	start_time: { sql: "traces.start_micros", of: (row) => row.start_micros, isInteger: true, isIndexed: true },
	latency_ms: {
		sql: "(traces.end_micros - traces.start_micros)",
		of: (row) => row.end_micros - row.start_micros,
		isInteger: true,
		isIndexed: true,
	},
	...ofTotals("traces"),
};

/** The columns of spans that the keys need; lists by start read no others before they have found their rows. */
export interface SortableSpan {
	readonly start_micros: number;
	readonly end_micros?: number;
	readonly flags?: number;
	readonly tokens_total?: number | null;
	readonly cost_total?: number | null;
	readonly status_code?: number;
	/** In lists by score. */
	readonly mean_score?: number;
}

export const SPAN_SORTS: Readonly<Record<Exclude<SpanSort, "id">, SortKey<SortableSpan>>> = {
	start_time: { sql: "spans.start_micros", of: (row) => row.start_micros, isInteger: true, isIndexed: true },
	latency_ms: {
		sql: `(case when not ${runningSql("spans")} then spans.end_micros - spans.start_micros end)`,
		of: ({ start_micros, end_micros = start_micros, flags = 0 }) =>
			isRunning(flags) || end_micros === 0 ? null : end_micros - start_micros,
		isOptional: true,
		isInteger: true,
	},
	total_cost: { sql: "spans.cost_total", of: (row) => row.cost_total ?? null, isOptional: true },
	token_count_total: {
		sql: "spans.tokens_total",
		of: (row) => row.tokens_total ?? null,
		isOptional: true,
		isInteger: true,
	},
	// OTLP's numbers: unset, ok, error.
	status_code: { sql: "spans.status_code", of: ({ status_code = 0 }) => status_code, isInteger: true },
};

export const SESSION_SORTS: Readonly<Record<Exclude<SessionSort, "id">, SortKey<SessionSummaryRow>>> = {
	start_time: { sql: "sessions.start_micros", of: (row) => row.start_micros, isInteger: true, isIndexed: true },
	end_time: { sql: "sessions.end_micros", of: (row) => row.end_micros, isInteger: true },
	trace_count: { sql: "sessions.trace_count", of: (row) => row.trace_count, isInteger: true },
	...ofTotals("sessions"),
};
