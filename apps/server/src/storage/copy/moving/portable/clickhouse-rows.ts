import { present } from "#base/present.ts";
import { type Columns, type RowOf, types } from "#storage/clickhouse/row-binary.ts";
import { firstOf } from "#storage/traces/clickhouse/read/first-of.ts";
import { LATENCIES } from "#storage/traces/clickhouse/read/metrics.ts";
import { findRows, selectFinal } from "#storage/traces/clickhouse/read/query.ts";
import type { TraceShards } from "#storage/traces/clickhouse/shards/trace-shards.ts";
import {
	CONTENTS,
	HOURS,
	SESSIONS,
	type SessionRow,
	SPANS,
	type SpanRow,
	TRACES,
} from "#storage/traces/clickhouse/tables.ts";
import { SUMS } from "#storage/traces/clickhouse/write/hour-rows.ts";
import { DAY_MICROS } from "#storage/traces/postgres/periods.ts";
import { toBlob } from "#storage/traces/totals/latency-histogram.ts";
import { TOTALS_COLUMNS } from "#storage/traces/totals/totals-columns.ts";
import type { LastNumbers, Page } from "../side.ts";
import type { CopiedTable, Row, Value } from "../tables.ts";
import { LogRecordWalk } from "./log-record-walk.ts";
import { lastNumber, RowNumberWalk } from "./row-number-walk.ts";
import { isSpent } from "./rows.ts";
import { CONTENT } from "./tables.ts";

/** Content of one step; more for a single span that is larger. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Hours of a project that are read at a time. */
const HOURS_AT_ONCE = 24;

type Key = readonly Value[] | null;

const NO_CONTENT = Object.fromEntries(CONTENT.map((column) => [column, null]));

const { start_micros, start_nanos, end_micros, end_nanos } = SESSIONS.columns;
const SESSION_SUMS = {
	...{ id: types.Integer, trace_count: types.Integer, ...pick(TRACES.columns, TOTALS_COLUMNS) },
	...{ start_micros, start_nanos, end_micros, end_nanos },
} as const;
const NO_TOTALS = Object.fromEntries(["trace_count", ...TOTALS_COLUMNS].map((column) => [column, 0]));
const HOUR_SUMS = {
	...pick(HOURS.columns, ["project_id", "hour", "kind", "model", ...SUMS]),
	latencies: LATENCIES,
} as const;

/** Reads traces of ClickHouse in the portable form. */
export class PortableClickHouseRows {
	readonly #shards: TraceShards;
	readonly #walks: ReturnType<typeof walksOf>;

	constructor(shards: TraceShards) {
		this.#shards = shards;
		this.#walks = walksOf(shards);
	}

	/** As `Side.read`, of a table in the portable form. @throws ClickHouseOpenError */
	async read(table: CopiedTable, after: Key): Promise<Page> {
		switch (table.name) {
			case "spans":
				return await this.#spans(table, after);
			case "traces":
				return await this.#traces(table, after);
			case "sessions":
				return await this.#sessions(table, after);
			case "log_records":
				return await this.#walks.logs.read(after, table.step);
			default:
				return await this.#hours(after);
		}
	}

	/** Rows of a table, or of hours, about. @throws ClickHouseOpenError */
	async count({ name }: CopiedTable): Promise<number> {
		const rows = name === "hours" ? "(select distinct project_id, hour, kind, model from hours)" : name;
		const counts = await selectFinal(this.#shards, `select count() as count from ${rows}`, { count: types.Count });
		return counts.reduce((sum, { count }) => sum + count, 0);
	}

	/** The days, as times in microseconds, on which a span began. @throws ClickHouseOpenError */
	async days(): Promise<readonly number[]> {
		const rows = await selectFinal(
			this.#shards,
			`select distinct intDiv(start_micros, ${DAY_MICROS}) as day from spans`,
			{ day: types.Integer },
		);
		return [...new Set(rows.map(({ day }) => day * DAY_MICROS))];
	}

	/** The highest row numbers, of spans and of traces and sessions. @throws ClickHouseOpenError */
	async lastNumbers(): Promise<Pick<LastNumbers, "spans" | "traces">> {
		const last = (table: string) => lastNumber(this.#shards, table);
		const traces = Math.max(await last("traces"), await last("trace_places"), await last("sessions"));
		return { spans: await last("spans"), traces };
	}

	async #spans(table: CopiedTable, after: Key): Promise<Page> {
		const { rows, next } = await this.#walks.spans.read(numberOf(after), table.step);
		const hasContent = table.columns.includes("span");
		const spans = hasContent ? firstWithin(rows, ({ content_bytes }) => content_bytes) : rows;
		const contents = await this.#contents(hasContent ? spans : []);
		const last = spans.at(-1);
		return {
			rows: spans.map((row) => ({
				...row,
				cost_source: row.cost_source === 0 ? null : row.cost_source,
				...(contents.get(contentKey(row)) ?? NO_CONTENT),
			})),
			next: last === undefined || spans.length === rows.length ? asKey(next) : [last.id],
		};
	}

	/** Content by row number and project, as it may be left of the project in which a span was. */
	async #contents(spans: readonly SpanRow[]): Promise<ReadonlyMap<string, Row>> {
		if (spans.length === 0) return new Map();
		const starts = spans.map(({ start_micros }) => start_micros);
		const rows = await findRows(this.#shards, CONTENTS, {
			sql: `project_id in {projects:Array(Int64)} and start_micros between {first:Int64} and {last:Int64}
				and id between {from:Int64} and {to:Int64}`,
			params: {
				projects: [...new Set(spans.map(({ project_id }) => project_id))],
				first: starts.reduce((a, b) => Math.min(a, b)),
				last: starts.reduce((a, b) => Math.max(a, b)),
				from: present(spans[0], "the first span").id,
				to: present(spans.at(-1), "the last span").id,
			},
		});
		return new Map(
			rows.map((row) => {
				const { span, scope, scope_schema_url, resource, resource_schema_url } = row;
				return [contentKey(row), { span, scope, scope_schema_url, resource, resource_schema_url }];
			}),
		);
	}

	async #traces(table: CopiedTable, after: Key): Promise<Page> {
		const { rows, next } = await this.#walks.traces.read(numberOf(after), table.step);
		return { rows, next: asKey(next) };
	}

	async #sessions(table: CopiedTable, after: Key): Promise<Page> {
		const { rows, next } = await this.#walks.sessions.read(numberOf(after), table.step);
		const [first, last] = [rows[0], rows.at(-1)];
		if (first === undefined || last === undefined) return { rows: [], next: asKey(next) };
		const sums = await this.#sumsOfSessions(first.id, last.id);
		return { rows: rows.map((row) => sessionRow(row, sums.get(row.id))), next: asKey(next) };
	}

	async #sumsOfSessions(from: number, to: number) {
		const first = "min((traces.start_micros, traces.start_nanos))";
		const last = "max((traces.end_micros, traces.end_nanos))";
		const rows = await selectFinal(
			this.#shards,
			`select assumeNotNull(session_row_id) as id, toInt64(count()) as trace_count, ${sumsOf("traces", TOTALS_COLUMNS)},
				${first}.1 as start_micros, ${first}.2 as start_nanos, ${last}.1 as end_micros, ${last}.2 as end_nanos
			from traces where session_row_id between {from:Int64} and {to:Int64} group by session_row_id`,
			SESSION_SUMS,
			{ from, to },
		);
		return new Map([...Map.groupBy(rows, ({ id }) => id)].map(([id, parts]) => [id, parts.reduce(plusSession)]));
	}

	/** By hours of one project, in which all their kinds and models are. */
	async #hours(after: Key): Promise<Page> {
		const [project, hour] = after === null ? [await this.#nextProject(0), null] : [Number(after[0]), after[1] ?? null];
		if (project === undefined) return { rows: [], next: null };
		const found = await selectFinal(
			this.#shards,
			`select distinct hour from hours where project_id = {project:Int64} and hour > {after:Int64}
			order by hour limit ${HOURS_AT_ONCE}`,
			{ hour: types.Integer },
			{ project, after: hour === null ? Number.MIN_SAFE_INTEGER : Number(hour) },
		);
		const distinct = [...new Map(found.map((row) => [row.hour, row])).values()];
		const hours = firstOf(distinct, HOURS_AT_ONCE, (a, b) => a.hour - b.hour);
		const [first, last] = [hours[0], hours.at(-1)];
		const isLast = hours.length < HOURS_AT_ONCE;
		const following = isLast ? await this.#nextProject(project) : project;
		const next = following === undefined ? null : [following, isLast ? null : (last?.hour ?? null)];
		if (first === undefined || last === undefined) return { rows: [], next };
		const rows = await this.#sumsOfHours({ project, first: first.hour, last: last.hour });
		return { rows: rows.filter((row) => !isSpent(row)), next };
	}

	async #nextProject(after: number): Promise<number | undefined> {
		const rows = await selectFinal(
			this.#shards,
			"select project_id from hours where project_id > {after:Int64} order by project_id limit 1",
			{ project_id: types.Integer },
			{ after },
		);
		return rows.map(({ project_id }) => project_id).toSorted((a, b) => a - b)[0];
	}

	async #sumsOfHours(params: { readonly project: number; readonly first: number; readonly last: number }) {
		const rows = await selectFinal(
			this.#shards,
			`select project_id, hour, kind, model, ${sumsOf("hours", SUMS)},
				sumMap(latency_buckets, latency_counts) as latencies
			from hours where project_id = {project:Int64} and hour between {first:Int64} and {last:Int64}
			group by project_id, hour, kind, model order by project_id, hour, kind, model`,
			HOUR_SUMS,
			params,
		);
		const groups = Map.groupBy(rows, ({ hour, kind, model }) => JSON.stringify([hour, kind, model]));
		const sums = [...groups.values()].map((parts) => parts.reduce(plusHour));
		return sums.toSorted(byHour).map(({ latencies, ...row }): Row => {
			const latency = new Map([...latencies].filter(([, count]) => count !== 0));
			return { ...row, latency: toBlob(latency) };
		});
	}
}

function sumsOf(table: string, columns: readonly string[]): string {
	return columns.map((column) => `sum(${table}.${column}) as ${column}`).join(", ");
}

function pick<Of extends Columns, Name extends keyof Of>(columns: Of, names: readonly Name[]): Pick<Of, Name> {
	return Object.fromEntries(names.map((name) => [name, columns[name]])) as Pick<Of, Name>;
}

type SessionSums = RowOf<typeof SESSION_SUMS>;

/** What two shards have of a session. */
function plusSession(a: SessionSums, b: SessionSums): SessionSums {
	const first = a.start_micros - b.start_micros || a.start_nanos - b.start_nanos;
	const last = a.end_micros - b.end_micros || a.end_nanos - b.end_nanos;
	const { start_micros, start_nanos } = first <= 0 ? a : b;
	const { end_micros, end_nanos } = last >= 0 ? a : b;
	const sums = (["trace_count", ...TOTALS_COLUMNS] as const).map((column) => [column, a[column] + b[column]]);
	return { ...a, ...Object.fromEntries(sums), start_micros, start_nanos, end_micros, end_nanos };
}

type HourSums = RowOf<typeof HOUR_SUMS>;

/** What two shards have of an hour. */
function plusHour(a: HourSums, b: HourSums): HourSums {
	const latencies = new Map(a.latencies);
	for (const [bucket, count] of b.latencies) latencies.set(bucket, (latencies.get(bucket) ?? 0) + count);
	return { ...a, ...Object.fromEntries(SUMS.map((column) => [column, a[column] + b[column]])), latencies };
}

function byHour(a: HourSums, b: HourSums): number {
	return a.hour - b.hour || a.kind - b.kind || Buffer.compare(Buffer.from(a.model), Buffer.from(b.model));
}

function walksOf(shards: TraceShards) {
	return {
		spans: new RowNumberWalk(shards, SPANS),
		traces: new RowNumberWalk(shards, TRACES),
		sessions: new RowNumberWalk(shards, SESSIONS),
		logs: new LogRecordWalk(shards),
	};
}

function sessionRow(row: SessionRow, sums: RowOf<typeof SESSION_SUMS> | undefined): Row {
	const { id, project_id, session_id, start_micros, start_nanos, end_micros, end_nanos } = row;
	const own = { start_micros, start_nanos, end_micros, end_nanos };
	return { ...NO_TOTALS, ...own, ...sums, ...{ id, project_id, session_id } };
}

function contentKey({ project_id, id }: { readonly project_id: number; readonly id: number }): string {
	return `${project_id} ${id}`;
}

/** The first rows that have so many bytes in all; at least one. */
function firstWithin<Item>(rows: readonly Item[], bytesOf: (row: Item) => number): readonly Item[] {
	let bytes = 0;
	const end = rows.findIndex((row, index) => {
		bytes += bytesOf(row);
		return index > 0 && bytes > MOST_BYTES;
	});
	return end === -1 ? rows : rows.slice(0, end);
}

function numberOf(after: Key): number {
	return after === null ? 0 : Number(after[0]);
}

function asKey(number: number | null): Key {
	return number === null ? null : [number];
}
