import { READING } from "@spanward/semconv";
import type { Shard } from "#storage/clickhouse/shard.ts";
import type { Database } from "#storage/database.ts";
import { BATCH_TRACES } from "#storage/traces/mutate/batches.ts";
import { noteFact } from "../facts.ts";
import { MetadataReferences } from "../metadata/references.ts";
import type { Turns } from "../metadata/turns.ts";
import { applyChanges, unchanged } from "../mutate/apply-changes.ts";
import { findRows } from "../read/query.ts";
import { findSpansOf } from "../read/span-rows.ts";
import { countOlder } from "../readings/count-older.ts";
import { lowestNoted } from "../readings/known-readings.ts";
import { isOlder, olderSql } from "../readings/older.ts";
import { renewSpans } from "../readings/renew-spans.ts";
import { bySpans, withoutTexts } from "../readings/renew-traces.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import { FIRST_READING, type SpanRow, TRACES, type TraceRow } from "../tables.ts";
import { readTraces, type StoredTrace } from "../write/stored-traces.ts";
import type { ChangedTrace } from "../write/trace-changes.ts";
import { reallyGone } from "./really-gone.ts";

interface Renewing {
	readonly shards: TraceShards;
	readonly db: Database;
	readonly turns: Turns;
	/** Gets a sentence when it begins and when it ends. */
	readonly tell: (sentence: string) => void;
}

/** A place in the order of the table of traces. */
type Position = Pick<TraceRow, "project_id" | "anchor_micros">;

const START: Position = { project_id: 0, anchor_micros: 0 };

/**
 * Makes the rows anew that a former reading of attributes has made, some traces in each turn, and notes of each shard when
 * none is left. What was done is not done again after an end in between.
 * @param stopped ends it between two turns
 * @returns the number of traces
 * @throws StorageUnavailable
 */
export async function renewReadings(renewing: Renewing, stopped: AbortSignal): Promise<number> {
	let count = 0;
	for (const shard of renewing.shards.list) {
		if (!(await mayHaveOlder(shard))) continue;
		const total = await countOlder(shard, "traces");
		if (total > 0)
			renewing.tell(
				`${total} traces in ClickHouse say what a former version read of their attributes; they are read anew`,
			);
		count += await renewShard(renewing, shard, stopped);
		if (stopped.aborted) return count;
		if (total > 0) renewing.tell("all traces in ClickHouse say what this version reads of their attributes");
	}
	return count;
}

/** Servers of a former version may go on writing while others are replaced. */
async function mayHaveOlder(shard: Shard): Promise<boolean> {
	const noted = await lowestNoted(shard);
	if (noted < READING) return true;
	if (READING <= FIRST_READING) return false;
	const found = await findOlder(shard, START, 1);
	const lowest = found.map(({ reading }) => reading)[0];
	if (lowest !== undefined) await noteFact(shard, "reading", String(lowest));
	return lowest !== undefined;
}

async function renewShard(renewing: Renewing, shard: Shard, stopped: AbortSignal): Promise<number> {
	let count = 0;
	for (;;) {
		const before = count;
		let position = START;
		for (;;) {
			const found = await findOlder(shard, position, BATCH_TRACES);
			for (const part of bySpans(found)) {
				if (stopped.aborted) return count;
				count += await renewTogether(renewing, part);
			}
			const last = found.at(-1);
			if (last === undefined || found.length < BATCH_TRACES) break;
			position = { project_id: last.project_id, anchor_micros: last.anchor_micros + 1 };
		}
		// Those that others have changed meanwhile are left, and several may lie at one position.
		if ((await findOlder(shard, START, 1)).length === 0) {
			await noteFact(shard, "reading", String(READING));
			return count;
		}
		// The next run goes on.
		if (count === before) return count;
	}
}

async function findOlder(shard: Shard, { project_id, anchor_micros }: Position, limit: number): Promise<TraceRow[]> {
	return await findRows(
		shard,
		TRACES,
		{
			sql: `(project_id, anchor_micros) >= ({project:Int64}, {anchor:Int64}) and ${olderSql("traces")}`,
			params: { project: project_id, anchor: anchor_micros },
		},
		`order by project_id, anchor_micros limit ${limit}`,
	);
}

/** @returns how many of the traces were written */
async function renewTogether({ shards, db, turns }: Renewing, rows: readonly TraceRow[]): Promise<number> {
	const found = await findSpansOf(shards, rows);
	// Content is read before the turn, while which others wait.
	const renewed = await renewSpans({ shard: shards, db: db.read }, found);
	const byNumber = new Map(renewed.map((span) => [span.id, span]));
	const sessions = new Set([...rows, ...found, ...renewed].flatMap(({ session_id }) => session_id ?? []));
	const traceIds = new Set(rows.map(({ trace_id }) => trace_id.toString("hex")));
	const keys = [...traceIds, ...[...sessions].map((id) => `session ${id}`)];
	const wanted = { projects: [], keys, spans: 0, traces: 2 * rows.length };
	const { count, gone } = await turns.take(wanted, async (turn) => {
		const stored = await readTraces(
			shards,
			rows.map((row) => ({ projectId: row.project_id, traceId: row.trace_id.toString("hex") })),
			turn.oldestOther,
		);
		const changed = [...stored.values()].flatMap((trace) => changeOf(trace, byNumber) ?? []);
		const token = `batch ${turn.batch}`;
		const within = { shards, db: db.read, turn };
		return {
			count: changed.length,
			gone: await applyChanges(within, changed, { whenEmpty: "drop_unannotated", token }),
		};
	});
	await new MetadataReferences(db).deleted(await reallyGone(shards, gone));
	return count;
}

/** Undefined where a span came or changed since its trace was read: it is read again. */
function changeOf(trace: StoredTrace, renewed: ReadonlyMap<number, SpanRow>): ChangedTrace | undefined {
	const { row, spans } = trace;
	const isAsRead = spans.every((span) => !isOlder(span.row) || renewed.get(span.row.id)?.version === span.row.version);
	if (row === undefined || !isAsRead) return undefined;
	const replaced = new Map(
		spans.flatMap((span) => {
			const other = renewed.get(span.row.id);
			return isOlder(span.row) && other !== undefined ? [[other.id, other] as const] : [];
		}),
	);
	// Texts are chosen anew.
	return unchanged(trace, {
		before: withoutTexts(row),
		stored: spans.map((span) => ({ ...span, row: replaced.get(span.row.id) ?? span.row })),
		replaced,
	});
}
