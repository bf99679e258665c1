import { types } from "#storage/clickhouse/row-binary.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import { CURSOR_COLUMNS, expiryOf, FIRST_CURSOR, type TraceCursor } from "#storage/traces/expiry/expired-traces.ts";
import { HOUR_MICROS } from "#storage/traces/totals/hour-changes.ts";
import type { RetentionPreview, RetentionRule } from "#storage/traces/trace-store.ts";
import type { Sources } from "../filter/world.ts";
import { annotatedTraces } from "../metadata/references.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import { TRACES, type TraceRow } from "../tables.ts";
import { Conditions } from "./conditions.ts";
import { nextValue } from "./edges.ts";
import { firstOf } from "./first-of.ts";
import { findRows, selectFinal } from "./query.ts";
import { toSummary } from "./trace-rows.ts";
import { walk } from "./walk.ts";

/** How many expired traces a preview shows. */
const NAMED = 10;
/** Rows of expired traces that are looked at together. */
const ROWS = 1_000;

export function cursorOf(row: TraceRow): TraceCursor {
	return [row.start_micros, row.end_micros - row.start_micros, row.id];
}

/** The cursor before which traces of the project are expired; undefined when none is. */
export async function findExpiry(shards: TraceShards, rule: RetentionRule): Promise<TraceCursor | undefined> {
	const { projectId, keepNewest } = rule;
	if (keepNewest === undefined) return expiryOf(rule, undefined);
	return expiryOf(rule, await nthNewest(shards, projectId, keepNewest));
}

/** The cursor of the trace that has so many newer ones, and itself; undefined when there are fewer. */
async function nthNewest(shards: TraceShards, projectId: number, nth: number): Promise<TraceCursor | undefined> {
	const isWhole = shards.list.length === 1;
	const { from, newer } = isWhole
		? { from: Number.MIN_SAFE_INTEGER, newer: 0 }
		: await hourOfNth(shards, projectId, nth);
	const to = isWhole ? Number.MAX_SAFE_INTEGER : from + HOUR_MICROS;
	const [limit, offset] = isWhole ? [1, nth - 1] : [nth - newer, 0];
	const rows = await selectFinal(
		shards,
		`select start_micros, end_micros - start_micros as duration, id from traces where project_id = {project:Int64}
			and start_micros >= {from:Int64} and start_micros < {to:Int64}
		order by start_micros desc, duration desc, id desc limit {limit:UInt64} offset {offset:UInt64}`,
		{ start_micros: types.Integer, duration: types.Integer, id: types.Integer },
		{ project: projectId, from, to, limit, offset },
	);
	const cursors = rows.map((row): TraceCursor => [row.start_micros, row.duration, row.id]);
	return isWhole ? cursors[0] : cursors.toSorted((a, b) => compareCursors(b, a))[nth - newer - 1];
}

/** The start of the hour in which it starts, and how many start later. No shard knows how many another one has. */
async function hourOfNth(
	shards: TraceShards,
	projectId: number,
	nth: number,
): Promise<{ readonly from: number; readonly newer: number }> {
	const rows = await selectFinal(
		shards,
		`select intDiv(start_micros, ${HOUR_MICROS}) as hour, count() as count from traces
		where project_id = {project:Int64} group by hour`,
		{ hour: types.Integer, count: types.Count },
		{ project: projectId },
	);
	let newer = 0;
	for (const [hour, own] of [...Map.groupBy(rows, (row) => row.hour)].toSorted(([a], [b]) => b - a)) {
		const count = own.reduce((sum, row) => sum + row.count, 0);
		if (newer + count >= nth) return { from: hour * HOUR_MICROS, newer };
		newer += count;
	}
	return { from: Number.MIN_SAFE_INTEGER, newer };
}

function compareCursors(a: TraceCursor, b: TraceCursor): number {
	return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

function byCursor(a: TraceRow, b: TraceRow): number {
	return compareCursors(cursorOf(a), cursorOf(b));
}

/** Microseconds; where few traces start, windows become wider. */
const WINDOWS = { width: 3_600_000_000, least: 1_000_000 } as const;

/** The next expired traces after a cursor. */
export async function readExpired(
	shard: ShardReader,
	projectId: number,
	after: TraceCursor,
	before: TraceCursor,
	limit: number,
): Promise<TraceRow[]> {
	const starts = { table: "traces", column: "start_micros", projectId, isSorted: false };
	const { rows } = await walk<TraceRow>({
		...{ ...WINDOWS, order: "asc", limit, after: undefined, begun: performance.now(), isSlow: false },
		edges: { from: Math.max(0, after[0]), to: before[0] + 1 },
		next: (edge) => nextValue(shard, starts, "asc", edge),
		keyOf: ({ start_micros, id }) => ({ value: start_micros, id }),
		read: async ({ from, to }, _position, most) => {
			const where = expired(projectId, before);
			where.add(`(${CURSOR_COLUMNS}) > ${tuple(where, after)}`);
			where.addTimeRange("start_micros", { startMicros: from, endMicros: to });
			// A trace starts no later than its anchor, by which rows lie.
			where.add(`anchor_micros >= ${where.bind("Int64", from)}`);
			const found = await findRows(shard, TRACES, where, `order by ${CURSOR_COLUMNS} limit ${most}`);
			return firstOf(found, most, byCursor);
		},
	});
	return [...rows];
}

export async function previewRetention(sources: Sources, rule: RetentionRule): Promise<RetentionPreview> {
	const { shard, shards, db } = sources;
	const { projectId, keepAnnotated } = rule;
	const total = await count(shard, new Conditions().addEqual("project_id", "Int64", projectId));
	const before = await findExpiry(shards, rule);
	if (before === undefined) return { total, expired: 0, kept: 0, oldestMicros: null, newestMicros: null, first: [] };
	const all = await count(shard, expired(projectId, before));
	const first: TraceRow[] = [];
	let oldestMicros: number | null = null;
	let newestMicros: number | null = null;
	let kept = 0;
	// Which traces are annotated is known elsewhere, so all that are expired are looked at where that counts.
	for (let after: TraceCursor = FIRST_CURSOR; ; ) {
		const rows = await readExpired(shard, projectId, after, before, ROWS);
		const annotated = keepAnnotated ? await annotatedTraces(db, rows) : new Set<number>();
		const going = rows.filter(({ id }) => !annotated.has(id));
		kept += annotated.size;
		first.push(...going.slice(0, NAMED - first.length));
		oldestMicros ??= going[0]?.start_micros ?? null;
		newestMicros = going.at(-1)?.start_micros ?? newestMicros;
		const last = rows.at(-1);
		if (last === undefined || rows.length < ROWS) break;
		if (!keepAnnotated) {
			newestMicros = await newestStart(shard, expired(projectId, before));
			break;
		}
		after = cursorOf(last);
	}
	return { total, expired: all - kept, kept, oldestMicros, newestMicros, first: first.map((row) => toSummary(row)) };
}

function expired(projectId: number, before: TraceCursor): Conditions {
	const where = new Conditions().addEqual("project_id", "Int64", projectId);
	where.add(`start_micros <= ${where.bind("Int64", before[0])}`);
	return where.add(`(${CURSOR_COLUMNS}) < ${tuple(where, before)}`);
}

function tuple(where: Conditions, cursor: TraceCursor): string {
	return `(${cursor.map((value) => where.bind("Int64", value)).join(", ")})`;
}

async function count(shard: ShardReader, where: Conditions): Promise<number> {
	const rows = await selectFinal(
		shard,
		`select count() as count from traces where ${where.sql}`,
		{ count: types.Count },
		where.params,
	);
	return rows.reduce((sum, row) => sum + row.count, 0);
}

async function newestStart(shard: ShardReader, where: Conditions): Promise<number> {
	const rows = await selectFinal(
		shard,
		`select max(start_micros) as newest from traces where ${where.sql}`,
		{ newest: types.Integer },
		where.params,
	);
	return rows.reduce((newest, row) => Math.max(newest, row.newest), 0);
}
