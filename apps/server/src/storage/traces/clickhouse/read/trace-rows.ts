import type { ShardReader } from "#storage/clickhouse/shard.ts";
import type { ShownTexts } from "#storage/traces/content/shown-texts.ts";
import { toTraceSummary } from "#storage/traces/rows/trace-summaries.ts";
import type { TraceSummary } from "#storage/traces/trace-store.ts";
import { TRACES, type TraceRow } from "../tables.ts";
import { inParts } from "./bounds.ts";
import { Conditions } from "./conditions.ts";
import { joinRanges } from "./join-ranges.ts";
import { type Asked, findRows, selectByKey, selectFinal, type Where } from "./query.ts";

export function toSummary(row: TraceRow, withTexts = true): TraceSummary {
	return toTraceSummary(row, withTexts ? textsOf(row) : new Map());
}

/** The texts of a row, by the spans that they come from. */
export function textsOf(row: {
	readonly input_span: number | null;
	readonly output_span: number | null;
	readonly first_input: string | null;
	readonly last_output: string | null;
}): ReadonlyMap<number, ShownTexts> {
	const { input_span, output_span, first_input: input, last_output: output } = row;
	return new Map([
		...(input_span === null ? [] : [[input_span, { input, output }] as const]),
		...(output_span === null ? [] : [[output_span, { input, output }] as const]),
	]);
}

const TEXTS = new Set(["first_input", "last_output"]);
const WITH_TEXTS = Object.keys(TRACES.columns).join(", ");
const WITHOUT_TEXTS = Object.keys(TRACES.columns)
	.map((column) => (TEXTS.has(column) ? `cast(null as Nullable(String)) as ${column}` : column))
	.join(", ");

interface FindOptions<Key> {
	/** `without` leaves them null, which are most of a row. */
	readonly texts?: "with" | "without" | undefined;
	readonly asked?: (part: readonly Key[]) => Asked;
}

/**
 * Traces with some keys, by start.
 * @param condition of those with one of these keys
 */
export async function findTraceRows<Key extends string | number | object>(
	shard: ShardReader,
	keys: readonly Key[],
	condition: (part: readonly Key[]) => Where,
	{ texts = "with", asked }: FindOptions<Key> = {},
): Promise<TraceRow[]> {
	const rows = await inParts(keys, async (part) => {
		const { sql, params } = condition(part);
		if (texts === "with") return await findRows(shard, TRACES, { sql, params }, "", asked?.(part));
		const statement = `select ${WITHOUT_TEXTS} from traces where ${sql}`;
		return await selectFinal(shard, statement, TRACES.columns, params, asked?.(part));
	});
	return rows.toSorted(byStart);
}

export function byStart(a: TraceRow, b: TraceRow): number {
	return a.start_micros - b.start_micros || a.start_nanos - b.start_nanos || a.id - b.id;
}

/** Traces by start. */
export function findTraceRowsById(
	shard: ShardReader,
	rowIds: readonly number[],
	texts?: "without",
): Promise<TraceRow[]> {
	return findTraceRows(shard, rowIds, (part) => new Conditions().addIn("id", "Int64", part), {
		texts,
		asked: (part) => ({ most: new Set(part).size }),
	});
}

/**
 * The traces of sessions, by start; where they lie is looked for first.
 * @param most where there are more, some of them, more than these; all when absent
 */
export async function findTracesOfSessions(
	shard: ShardReader,
	sessionRowIds: readonly number[],
	{ most, texts = "without" }: { readonly most?: number; readonly texts?: "with" | "without" } = {},
): Promise<TraceRow[]> {
	const limit = most === undefined ? "" : `limit ${most + 1}`;
	const rows = await inParts(sessionRowIds, async (part) => {
		const where = new Conditions().addIn("session_row_id", "Int64", part);
		return await selectByKey(
			shard,
			`select ${texts === "with" ? WITH_TEXTS : WITHOUT_TEXTS} from traces final
			prewhere (project_id, anchor_micros) in (select project_id, anchor_micros from traces where ${where.sql})
			where ${where.sql} ${limit}`,
			TRACES.columns,
			where.params,
		);
	});
	return rows.toSorted(byStart);
}

/** What finds the spans of a trace. */
export type SpansPlace = Pick<TraceRow, "id" | "trace_id" | "project_id" | "start_micros" | "last_start_micros">;

/** Traces by whose ids granules are left out; those of many traces have nearly all of them. */
const FEW_TRACES = 100;

/** The condition of being a span of one of these traces: project, time and trace. */
export function inTraces(traces: readonly SpansPlace[]): Conditions {
	const where = new Conditions().addIn(
		"project_id",
		"Int64",
		traces.map(({ project_id }) => project_id),
	);
	where.addBetweenAny(
		"start_micros",
		joinRanges(
			traces.map((row) => [row.start_micros, row.last_start_micros]),
			MOST_RANGES,
			NEAR,
		),
	);
	if (traces.length <= FEW_TRACES)
		where.addInHex(
			"trace_id",
			16,
			traces.map(({ trace_id }) => trace_id.toString("hex")),
		);
	return where.addIn(
		"trace_row_id",
		"Int64",
		traces.map(({ id }) => id),
	);
}

/** Of one condition. */
const MOST_RANGES = 50;
/**
 * Microseconds between two ranges that are read as one: the engine takes half a millisecond of CPU to plan with each
 * range, and what lies in a minute between them is mostly in granules that are read anyway.
 */
export const NEAR = 60_000_000;

/** The condition of being a trace with one of these ids, in one of these projects: their places are looked up first. */
export function tracesByPlaces(projectIds: readonly number[] | undefined, traceIds: readonly string[]): Conditions {
	const where = new Conditions().addInHex("trace_id", 16, traceIds).addIn("project_id", "Int64", projectIds);
	const ofPlaces = where.sql;
	return where.add(
		`(project_id, anchor_micros, trace_id) in (select project_id, anchor_micros, trace_id from trace_places where ${ofPlaces})`,
	);
}
