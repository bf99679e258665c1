import { type Column, type Columns, type RowOf, types } from "#storage/clickhouse/row-binary.ts";

/** A table of traces: its columns as they travel, and what ClickHouse is told about them. */
export interface Table<Of extends Columns = Columns> {
	readonly name: string;
	readonly columns: Of;
	/** Types and codecs where they differ from those of the column. */
	readonly stored: Partial<Readonly<Record<keyof Of, string>>>;
	readonly orderBy: readonly (keyof Of & string)[];
	/** Its partitions are the days of this time. */
	readonly partitionBy?: keyof Of & string;
	readonly indexes?: readonly string[];
	/** Rows that are read and decompressed together, at least. */
	readonly granularity: number;
	/** The version of the schema that brought it; the first when absent. */
	readonly since?: number;
	/** The versions that brought columns of it. */
	readonly added?: Partial<Readonly<Record<keyof Of, number>>>;
}

export type TableRow<Of extends Table> = RowOf<Of["columns"]>;

/**
 * Of rows with the same key the one with the highest number is the row, unless it says that the row is deleted. Numbers
 * come from the metadata database, taken while nobody else changes the trace.
 */
const VERSION = { version: types.Count, is_deleted: types.UInt8 } as const;

const TRACE_ID = types.FixedString(16);
const SPAN_ID = types.FixedString(8);
const OptionalText = types.Nullable(types.Text);
const OptionalNumber = types.Nullable(types.Float64);

const SMALL = "LowCardinality(Nullable(String))";
/** A third smaller than without a codec, and merged no slower. */
const AMOUNT = "Nullable(Float64) CODEC(ZSTD(1))";
const ASCENDING = "Int64 CODEC(Delta, ZSTD(1))";

/** The reading of rows that do not say which: of former versions of the schema, and of copies of other databases. */
export const FIRST_READING = 1;
const READ_BY = `UInt8 DEFAULT ${FIRST_READING}`;
/** Since version 3 of the schema. */
export const READINGS = "index readings reading type minmax granularity 1";

/** As many as days of ten years, whatever times a sender invents. */
const DAYS = 3_650;
export const DAY_MICROS = 86_400_000_000;

/** The partition of a time. */
export function partitionSql(column: string): string {
	return `toUInt16(intDiv(${column}, ${DAY_MICROS}) % ${DAYS})`;
}

/** As {@link partitionSql}. */
export function partitionOf(micros: number): number {
	return dayOf(micros) % DAYS;
}

/** Days since 1970. */
export function dayOf(micros: number): number {
	return Math.floor(micros / DAY_MICROS);
}

/** The sums of `traces/totals`; sums of what senders sent, so larger than whole numbers can be. */
const SUMS = {
	span_count: types.Integer,
	running_count: types.Integer,
	error_count: types.Integer,
	tokens_prompt: types.Float64,
	tokens_completion: types.Float64,
	tokens_total: types.Float64,
	cost_micro: types.Float64,
	cost_pico: types.Float64,
} as const;
const TOTALS = { ...SUMS, costed_spans: types.Integer } as const;

/** What lists, filters and totals need of spans. */
export const SPANS = table({
	name: "spans",
	columns: {
		project_id: types.Integer,
		start_micros: types.Integer,
		start_nanos: types.UInt16,
		trace_id: TRACE_ID,
		span_id: SPAN_ID,
		id: types.Integer,
		trace_row_id: types.Integer,
		/** The export with which it came. */
		batch: types.Integer,
		parent_span_id: types.Nullable(SPAN_ID),
		end_micros: types.Integer,
		end_nanos: types.UInt16,
		kind: types.UInt8,
		otel_kind: types.UInt8,
		status_code: types.UInt8,
		flags: types.UInt8,
		/** Whether it has texts that lists show; see `texts.ts`. */
		texts: types.UInt8,
		/** Whether log records are part of its content. */
		has_logs: types.UInt8,
		/** Of its content, without log records. */
		content_bytes: types.UInt32,
		name: types.Text,
		model: OptionalText,
		provider: OptionalText,
		tokens_prompt: OptionalNumber,
		tokens_completion: OptionalNumber,
		tokens_total: OptionalNumber,
		tokens_cache_read: OptionalNumber,
		tokens_cache_write: OptionalNumber,
		tokens_reasoning: OptionalNumber,
		cost_source: types.UInt8,
		cost_total: OptionalNumber,
		cost_prompt: OptionalNumber,
		cost_completion: OptionalNumber,
		cost_cache_read: OptionalNumber,
		cost_cache_write: OptionalNumber,
		cost_reasoning: OptionalNumber,
		session_id: OptionalText,
		user_id: OptionalText,
		status_message: OptionalText,
		...VERSION,
		/** The version of the reading of attributes that the row was made by. */
		reading: types.UInt8,
		release: OptionalText,
		environment: OptionalText,
		api_key_id: types.Nullable(types.Integer),
	},
	stored: {
		project_id: "Int64 CODEC(ZSTD(1))",
		start_micros: ASCENDING,
		end_micros: ASCENDING,
		id: ASCENDING,
		trace_row_id: ASCENDING,
		batch: ASCENDING,
		content_bytes: "UInt32 CODEC(ZSTD(1))",
		name: "LowCardinality(String)",
		model: SMALL,
		provider: SMALL,
		tokens_prompt: AMOUNT,
		tokens_completion: AMOUNT,
		tokens_total: AMOUNT,
		cost_total: AMOUNT,
		cost_prompt: AMOUNT,
		cost_completion: AMOUNT,
		version: "UInt64 CODEC(Delta, ZSTD(1))",
		reading: READ_BY,
		release: SMALL,
		environment: SMALL,
	},
	orderBy: ["project_id", "start_micros", "start_nanos", "trace_id", "span_id"],
	partitionBy: "start_micros",
	indexes: [
		"index row_numbers id type minmax granularity 1",
		"index batches batch type minmax granularity 1",
		"index span_ids span_id type bloom_filter(0.01) granularity 1",
		"index trace_ids trace_id type bloom_filter(0.01) granularity 1",
		READINGS,
	],
	granularity: 8_192,
	added: { reading: 3, release: 4, environment: 4, api_key_id: 5 },
});

/** Since version 2 of the schema. */
export const CONTENT_VERSIONS = "index versions version type minmax granularity 1";

/** The content of spans as it was sent, by row number of the span. */
export const CONTENTS = table({
	name: "span_contents",
	columns: {
		project_id: types.Integer,
		start_micros: types.Integer,
		id: types.Integer,
		batch: types.Integer,
		span: types.String,
		scope: types.String,
		scope_schema_url: types.Text,
		resource: types.String,
		resource_schema_url: types.Text,
		...VERSION,
	},
	stored: {
		project_id: "Int64 CODEC(ZSTD(1))",
		start_micros: ASCENDING,
		id: ASCENDING,
		batch: ASCENDING,
		span: "String CODEC(ZSTD(3))",
		scope: "LowCardinality(String)",
		scope_schema_url: "LowCardinality(String)",
		resource: "LowCardinality(String)",
		resource_schema_url: "LowCardinality(String)",
		version: "UInt64 CODEC(Delta, ZSTD(1))",
	},
	orderBy: ["project_id", "start_micros", "id"],
	partitionBy: "start_micros",
	indexes: [
		"index row_numbers id type minmax granularity 1",
		"index batches batch type minmax granularity 1",
		CONTENT_VERSIONS,
	],
	// Of 2 KB each: a page of a list reads single ones.
	granularity: 128,
});

/**
 * The text index: signatures of runs of contents (`traces/text/text-signature.ts`). Rows of no project say of each shard
 * up to which version its contents are in runs (`text/progress.ts`).
 */
export const SIGNATURES = table({
	name: "text_signatures",
	columns: {
		project_id: types.Integer,
		/** Between which starts its contents are, on one day, and between which row numbers; all ends included. */
		from_micros: types.Integer,
		to_micros: types.Integer,
		first_id: types.Integer,
		last_id: types.Integer,
		/** The highest version of contents that were signed together, and the number of the run among them. */
		until: types.Integer,
		number: types.UInt32,
		signature: types.String,
		...VERSION,
	},
	stored: {
		project_id: "Int64 CODEC(ZSTD(1))",
		from_micros: ASCENDING,
		to_micros: ASCENDING,
		first_id: ASCENDING,
		last_id: ASCENDING,
		signature: "String CODEC(ZSTD(1))",
	},
	orderBy: ["project_id", "from_micros", "until", "number"],
	partitionBy: "from_micros",
	// Of 8 KiB at most.
	granularity: 64,
	since: 2,
});

/** Log records, whether or not their span has come. */
export const LOG_RECORDS = table({
	name: "log_records",
	columns: {
		trace_id: TRACE_ID,
		span_id: SPAN_ID,
		time_micros: types.Integer,
		time_nanos: types.UInt16,
		hash: TRACE_ID,
		received_at: types.Integer,
		data: types.String,
		project_id: types.Integer,
		...VERSION,
	},
	stored: { data: "String CODEC(ZSTD(3))" },
	// The hash is that of the message in its project.
	orderBy: ["trace_id", "span_id", "hash"],
	granularity: 256,
	added: { project_id: 3 },
});

/** Where the row of a trace is: by its id, which says nothing of its time. */
export const TRACE_PLACES = table({
	name: "trace_places",
	columns: {
		trace_id: TRACE_ID,
		project_id: types.Integer,
		id: types.Integer,
		anchor_micros: types.Integer,
		...VERSION,
	},
	stored: {},
	orderBy: ["trace_id", "project_id"],
	indexes: ["index row_numbers id type minmax granularity 1"],
	// Traces of a batch are looked up one by one.
	granularity: 256,
});

/** Finds what an export has written. */
export const TRACE_BATCHES = "index batches batch type minmax granularity 1";

/** Totals of traces, and what lists show of them. */
export const TRACES = table({
	name: "traces",
	columns: {
		project_id: types.Integer,
		/** A start of the trace; its first span may have come later and start earlier. */
		anchor_micros: types.Integer,
		trace_id: TRACE_ID,
		id: types.Integer,
		session_row_id: types.Nullable(types.Integer),
		session_id: OptionalText,
		session_span: types.Nullable(types.Integer),
		start_micros: types.Integer,
		start_nanos: types.UInt16,
		/** The start of the span that starts last. */
		last_start_micros: types.Integer,
		end_micros: types.Integer,
		end_nanos: types.UInt16,
		...TOTALS,
		root_span: types.Integer,
		root_span_id: SPAN_ID,
		root_name: types.Text,
		root_kind: types.UInt8,
		root_status: types.UInt8,
		root_model: OptionalText,
		user_span: types.Nullable(types.Integer),
		user_id: OptionalText,
		input_span: types.Nullable(types.Integer),
		output_span: types.Nullable(types.Integer),
		first_input: OptionalText,
		last_output: OptionalText,
		/** The export that has written the row. */
		batch: types.Integer,
		...VERSION,
		/** The lowest reading of its spans. */
		reading: types.UInt8,
		release_span: types.Nullable(types.Integer),
		release: OptionalText,
		environment_span: types.Nullable(types.Integer),
		environment: OptionalText,
	},
	stored: {
		project_id: "Int64 CODEC(ZSTD(1))",
		anchor_micros: ASCENDING,
		start_micros: ASCENDING,
		end_micros: ASCENDING,
		id: ASCENDING,
		root_name: "LowCardinality(String)",
		root_model: SMALL,
		first_input: "Nullable(String) CODEC(ZSTD(3))",
		last_output: "Nullable(String) CODEC(ZSTD(3))",
		batch: ASCENDING,
		version: "UInt64 CODEC(Delta, ZSTD(1))",
		reading: READ_BY,
		release: SMALL,
		environment: SMALL,
	},
	orderBy: ["project_id", "anchor_micros", "trace_id"],
	partitionBy: "anchor_micros",
	indexes: [
		"index row_numbers id type minmax granularity 1",
		"index starts start_micros type minmax granularity 1",
		TRACE_BATCHES,
		"index sessions session_row_id type bloom_filter(0.01) granularity 1",
		"index session_numbers session_row_id type minmax granularity 1",
		READINGS,
	],
	granularity: 1_024,
	added: { batch: 2, reading: 3, release_span: 4, release: 4, environment_span: 4, environment: 4 },
});

/** Sessions; their totals are those of their traces. */
export const SESSIONS = table({
	name: "sessions",
	columns: {
		project_id: types.Integer,
		session_id: types.Text,
		id: types.Integer,
		/** The export with which it came. */
		batch: types.Integer,
		/** What a session shows that has no trace any more. */
		start_micros: types.Integer,
		start_nanos: types.UInt16,
		end_micros: types.Integer,
		end_nanos: types.UInt16,
		...VERSION,
	},
	stored: {},
	orderBy: ["project_id", "session_id"],
	indexes: ["index row_numbers id type minmax granularity 1", "index batches batch type minmax granularity 1"],
	granularity: 256,
});

/**
 * Changes of the totals by hour, one row a batch. They are added up by whoever reads them, and folded into one row
 * behind the commit.
 */
export const HOURS = table({
	name: "hours",
	columns: {
		project_id: types.Integer,
		hour: types.Integer,
		kind: types.UInt8,
		model: types.Text,
		/** The batch. */
		number: types.Integer,
		trace_count: types.Integer,
		...SUMS,
		latency_buckets: types.Array(types.UInt16),
		latency_counts: types.Array(types.Integer),
		...VERSION,
	},
	stored: { model: "LowCardinality(String)" },
	orderBy: ["project_id", "hour", "kind", "model", "number"],
	granularity: 1_024,
});

/** Ids and names of projects, so that a metadata database that was restored can be made to fit. */
export const PROJECTS = table({
	name: "projects",
	columns: { id: types.Integer, name: types.Text, ...VERSION },
	stored: {},
	orderBy: ["id"],
	granularity: 1_024,
});

/** What is to know of the tables themselves, by name: the version of the schema, and the id of the installation. */
export const FACTS = table({
	name: "facts",
	columns: { name: types.Text, value: types.Text, ...VERSION },
	stored: {},
	orderBy: ["name"],
	granularity: 1_024,
});

export type SpanRow = TableRow<typeof SPANS>;
export type LogRow = TableRow<typeof LOG_RECORDS>;
export type TracePlace = TableRow<typeof TRACE_PLACES>;
export type TraceRow = TableRow<typeof TRACES>;
export type SessionRow = TableRow<typeof SESSIONS>;
export type HourRow = TableRow<typeof HOURS>;

export const TABLES: readonly Table[] = [
	FACTS,
	SPANS,
	CONTENTS,
	LOG_RECORDS,
	TRACE_PLACES,
	TRACES,
	SESSIONS,
	HOURS,
	PROJECTS,
	SIGNATURES,
];

function table<const Of extends Columns>(definition: Table<Of>): Table<Of> {
	return definition;
}

/** What `create table` says of the columns. */
export function columnDefinitions({ columns, stored }: Table): string[] {
	return Object.entries(columns).map(
		([name, column]: [string, Column<unknown>]) => `${name} ${stored[name] ?? column.type}`,
	);
}
