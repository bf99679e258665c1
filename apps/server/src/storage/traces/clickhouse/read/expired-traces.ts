import { types } from "#storage/clickhouse/row-binary.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import { CURSOR_COLUMNS, expiryOf, FIRST_CURSOR, type TraceCursor } from "#storage/traces/expiry/expired-traces.ts";
import type { RetentionPreview, RetentionRule } from "#storage/traces/trace-store.ts";
import type { Sources } from "../filter/world.ts";
import { annotatedTraces } from "../metadata/references.ts";
import { TRACES, type TraceRow } from "../tables.ts";
import { Conditions } from "./conditions.ts";
import { nextValue } from "./edges.ts";
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
export async function findExpiry(shard: ShardReader, rule: RetentionRule): Promise<TraceCursor | undefined> {
	const { projectId, keepNewest } = rule;
	if (keepNewest === undefined) return expiryOf(rule, undefined);
	const [row] = await selectFinal(
		shard,
		`select start_micros, end_micros - start_micros as duration, id from traces where project_id = {project:Int64}
		order by start_micros desc, duration desc, id desc limit 1 offset {newest:UInt64}`,
		{ start_micros: types.Integer, duration: types.Integer, id: types.Integer },
		{ project: projectId, newest: keepNewest - 1 },
	);
	return expiryOf(rule, row === undefined ? undefined : [row.start_micros, row.duration, row.id]);
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
			return await findRows(shard, TRACES, where, `order by ${CURSOR_COLUMNS} limit ${most}`);
		},
	});
	return [...rows];
}

export async function previewRetention(sources: Sources, rule: RetentionRule): Promise<RetentionPreview> {
	const { shard, db } = sources;
	const { projectId, keepAnnotated } = rule;
	const total = await count(shard, new Conditions().addEqual("project_id", "Int64", projectId));
	const before = await findExpiry(shard, rule);
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
	const [row] = await selectFinal(
		shard,
		`select count() as count from traces where ${where.sql}`,
		{ count: types.Count },
		where.params,
	);
	return row?.count ?? 0;
}

async function newestStart(shard: ShardReader, where: Conditions): Promise<number> {
	const [row] = await selectFinal(
		shard,
		`select max(start_micros) as newest from traces where ${where.sql}`,
		{ newest: types.Integer },
		where.params,
	);
	return row?.newest ?? 0;
}
