import type { Kysely } from "kysely";
import { allEnded } from "#base/all-ended.ts";
import { chunksOf } from "#base/chunks.ts";
import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard, ShardReader } from "#storage/clickhouse/shard.ts";
import type { Tables } from "#storage/schema.ts";
import { HOUR_MICROS } from "#storage/traces/totals/hour-changes.ts";
import { listReferredSpans, listReviewed, listTargets, type NumberRange } from "../metadata/listed-references.ts";
import type { Turn } from "../metadata/turns.ts";
import { findRows, selectFinal } from "../read/query.ts";
import { CONTENTS, HOURS, type HourRow, partitionOf, SPANS, type Table, TRACES } from "../tables.ts";
import { countSpend } from "../upkeep/count-spend.ts";
import { insertRows } from "../write/insert-rows.ts";
import type { Gone } from "./apply-changes.ts";
import { type ExpiredDays, startsOf } from "./expired-days.ts";

/** Tables with partitions by day, and their time. */
const PARTITIONED = [
	[CONTENTS, "start_micros"],
	[SPANS, "start_micros"],
	[TRACES, "anchor_micros"],
] as const;
/** Row numbers that ClickHouse is asked about at a time. */
const PAGE = 10_000;
/** Row numbers that listeners are told at most; after so many changes, views reload their lists. */
const MOST_TOLD = 1_000;

interface Within {
	readonly shard: Shard;
	/** The metadata tables. */
	readonly db: Kysely<Tables>;
}

export interface DroppedDays {
	/** Number of traces by project. */
	readonly deleted: ReadonlyMap<number, number>;
	/** Row numbers of some of them. */
	readonly traceRowIds: ReadonlyMap<number, readonly number[]>;
	/** What the metadata database refers to of what is gone. */
	readonly referred: Gone;
}

/**
 * Drops the partitions of some days, with their totals by hour. Where their traces were, and their log records, are left to
 * `forgetPlaces`, what refers to them to the caller.
 * @param turn while nobody else has one
 * @returns undefined, with nothing changed, when something of the days has to be kept
 * @throws StorageUnavailable
 */
export async function dropDays({ shard, db }: Within, turn: Turn, days: ExpiredDays): Promise<DroppedDays | undefined> {
	const traces = await summarize(shard, days);
	if (traces === undefined || !(await isWhole(shard, days))) return undefined;
	const spans = await rangeOfSpans(shard, days);
	const annotated = await findAnnotated({ shard, db }, days, traces);
	if (annotated.isKept) return undefined;
	const examples = await existing(shard, days, "span", listReferredSpans(db, "dataset_examples", spans, PAGE));
	const failed = await existing(shard, days, "span", listReferredSpans(db, "error_occurrences", spans, PAGE));
	const hours = await findRows(shard, HOURS, {
		sql: "hour >= {from:Int64} and hour < {to:Int64}",
		params: { from: days.from / HOUR_MICROS, to: days.to / HOUR_MICROS },
	});
	const gone = [...hours, ...marksOf(hours, turn.batch)].map((row) => ({
		...row,
		version: turn.version,
		is_deleted: 1,
	}));
	await insertRows(shard, HOURS, gone, `batch ${turn.batch} dropped`);
	turn.spend.keep();
	for (const projectId of traces.counts.keys()) await countSpend(shard, { ...days, projectId }, turn.spend, -1);
	await allEnded([dropPartitions(shard, CONTENTS, days), dropPartitions(shard, SPANS, days)]);
	// A drop that ends early is taken up again by the traces that are left.
	await dropPartitions(shard, TRACES, days);
	const { counts, someRowIds } = traces;
	return {
		deleted: counts,
		traceRowIds: someRowIds,
		referred: { spans: [...examples, ...failed], traces: annotated.traces, sessions: [] },
	};
}

/** Rows by which a repair of this batch, should it end early, knows the hours in which to count what was spent. */
function marksOf(hours: readonly HourRow[], batch: number): HourRow[] {
	const marked = new Map(hours.map((row) => [`${row.project_id} ${row.hour}`, { ...row, number: batch }]));
	return [...marked.values()];
}

async function dropPartitions(shard: Shard, { name }: Pick<Table, "name">, days: ExpiredDays): Promise<void> {
	const drops = startsOf(days).map((from) => `drop partition id '${partitionOf(from)}'`);
	await shard.execute(`alter table ${name} ${drops.join(", ")}`, {
		// ClickHouse refuses to drop more than 50 GB by default.
		settings: { max_partition_size_to_drop: "0" },
	});
}

/** The numbers of the traces that lie on some days. */
interface TracesOfDays {
	readonly counts: ReadonlyMap<number, number>;
	readonly someRowIds: ReadonlyMap<number, readonly number[]>;
	readonly rowIds: NumberRange;
	readonly sessionRowIds: NumberRange;
}

/** @returns undefined when a project has traces there whose rule does not expire them */
async function summarize(shard: ShardReader, { from, to, projectIds }: ExpiredDays): Promise<TracesOfDays | undefined> {
	const rows = await selectFinal(
		shard,
		`select project_id, count() as count, groupArray(${MOST_TOLD})(id) as some, min(id) as first, max(id) as last,
			ifNull(min(session_row_id), 0) as first_session, ifNull(max(session_row_id), 0) as last_session
		from traces where anchor_micros >= {from:Int64} and anchor_micros < {to:Int64} group by project_id`,
		{
			project_id: types.Integer,
			count: types.Count,
			some: types.Array(types.Integer),
			first: types.Integer,
			last: types.Integer,
			first_session: types.Integer,
			last_session: types.Integer,
		},
		{ from, to },
	);
	const expired = new Set(projectIds);
	if (!rows.every(({ project_id }) => expired.has(project_id))) return undefined;
	const least = (column: "first" | "first_session") => rows.reduce((min, row) => Math.min(min, row[column]), Infinity);
	const most = (column: "last" | "last_session") => rows.reduce((max, row) => Math.max(max, row[column]), 0);
	return {
		counts: new Map(rows.map(({ project_id, count }) => [project_id, count])),
		someRowIds: new Map(rows.map(({ project_id, some }) => [project_id, some])),
		rowIds: { first: least("first"), last: most("last") },
		sessionRowIds: { first: least("first_session"), last: most("last_session") },
	};
}

/**
 * Whether the spans of some days are exactly those of the traces that lie on them, and nothing of other days shares the
 * partitions: days are numbered anew after ten years.
 */
async function isWhole(shard: ShardReader, { from, to }: ExpiredDays): Promise<boolean> {
	const params = { from, to, partitions: startsOf({ from, to }).map((start) => String(partitionOf(start))) };
	const [compared] = await selectFinal(
		shard,
		// Sums of hashes, each as often as a trace has spans, need no memory for ids. Without any span the traces are what a
		// drop has left that ended early.
		`select count() = 1 or min(spans) = 0 as same from (
			select count() as spans, sum(sipHash64(trace_row_id)) as hash from spans
			where start_micros >= {from:Int64} and start_micros < {to:Int64}
			union distinct
			select sum(toUInt64(span_count)) as spans, sum(toUInt64(span_count) * sipHash64(id)) as hash from traces
			where anchor_micros >= {from:Int64} and anchor_micros < {to:Int64})`,
		{ same: types.UInt8 },
		params,
	);
	const others = PARTITIONED.map(
		([{ name }, time]) => `select count() as count from ${name} where _partition_id in {partitions:Array(String)}
			and not (${time} >= {from:Int64} and ${time} < {to:Int64})`,
	);
	const [elsewhere] = await selectFinal(
		shard,
		`select sum(count) as count from (${others.join(" union all ")})`,
		{ count: types.Count },
		params,
	);
	return compared?.same === 1 && elsewhere?.count === 0;
}

async function rangeOfSpans(shard: ShardReader, { from, to }: ExpiredDays): Promise<NumberRange> {
	const [range] = await selectFinal(
		shard,
		"select min(id) as first, max(id) as last from spans where start_micros >= {from:Int64} and start_micros < {to:Int64}",
		{ first: types.Integer, last: types.Integer },
		{ from, to },
	);
	return range ?? { first: 0, last: 0 };
}

/** Whether one of the traces of some days has to be kept, as it or its session is annotated or to be reviewed. @throws StorageUnavailable */
export async function keepsAnnotated({ shard, db }: Within, days: ExpiredDays): Promise<boolean> {
	const traces = await summarize(shard, days);
	return traces === undefined || (await findAnnotated({ shard, db }, days, traces)).isKept;
}

async function findAnnotated(
	{ shard, db }: Within,
	days: ExpiredDays,
	{ rowIds, sessionRowIds }: TracesOfDays,
): Promise<{ readonly isKept: boolean; readonly traces: readonly number[] }> {
	const traces = await existing(shard, days, "trace", listTargets(db, "trace_row_id", rowIds, PAGE));
	if (days.keepingAnnotated.length === 0) return { isKept: false, traces };
	const sessions = await existing(shard, days, "session", listTargets(db, "session_row_id", sessionRowIds, PAGE));
	const reviewed = await existing(shard, days, "trace", listReviewed(db, "trace", rowIds, PAGE));
	const inReview = await existing(shard, days, "session", listReviewed(db, "session", sessionRowIds, PAGE));
	const kept = await Promise.all([
		existsIn(shard, days, "id", [...traces, ...reviewed]),
		existsIn(shard, days, "session_row_id", [...sessions, ...inReview]),
	]);
	return { isKept: kept.includes(true), traces };
}

/** How the row numbers of what lies on some days are selected. */
const ON_DAYS = {
	span: "select id from spans where start_micros >= {from:Int64} and start_micros < {to:Int64} and id in {ids:Array(Int64)}",
	trace:
		"select id from traces where anchor_micros >= {from:Int64} and anchor_micros < {to:Int64} and id in {ids:Array(Int64)}",
	session: `select distinct assumeNotNull(session_row_id) as id from traces
		where anchor_micros >= {from:Int64} and anchor_micros < {to:Int64} and session_row_id in {ids:Array(Int64)}`,
} as const;

/** Those of these row numbers whose row lies on these days. */
async function existing(
	shard: ShardReader,
	{ from, to }: ExpiredDays,
	kind: keyof typeof ON_DAYS,
	pages: AsyncIterable<readonly number[]>,
): Promise<number[]> {
	const found: number[] = [];
	for await (const ids of pages)
		for (const { id } of await selectFinal(shard, ON_DAYS[kind], { id: types.Integer }, { from, to, ids }))
			found.push(id);
	return found;
}

/** Whether a project that keeps annotated traces has one with such a number on these days. */
async function existsIn(
	shard: ShardReader,
	{ from, to, keepingAnnotated }: ExpiredDays,
	column: "id" | "session_row_id",
	ids: readonly number[],
): Promise<boolean> {
	for (const part of chunksOf(ids, PAGE)) {
		const rows = await selectFinal(
			shard,
			`select id from traces where project_id in {projects:Array(Int64)} and anchor_micros >= {from:Int64}
				and anchor_micros < {to:Int64} and ${column} in {ids:Array(Int64)} limit 1`,
			{ id: types.Integer },
			{ projects: keepingAnnotated, from, to, ids: part },
		);
		if (rows.length > 0) return true;
	}
	return false;
}
