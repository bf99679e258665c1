import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import type { Database } from "#storage/database.ts";
import { HOUR_MICROS, hourOf } from "#storage/traces/totals/hour-changes.ts";
import { MetadataReferences } from "../metadata/references.ts";
import type { Turn, Turns } from "../metadata/turns.ts";
import { applyChanges, unchanged } from "../mutate/apply-changes.ts";
import { forgetContents } from "../mutate/forget.ts";
import { findRows, selectFinal } from "../read/query.ts";
import { SESSIONS } from "../tables.ts";
import { insertRows } from "../write/insert-rows.ts";
import { readTraces, type StoredTrace } from "../write/stored-traces.ts";
import { reallyGone } from "./really-gone.ts";
import { recountHours } from "./recount-hours.ts";

export interface RepairOptions {
	readonly shard: Shard;
	readonly db: Database;
	readonly turns: Turns;
}

/** What was found and put right. */
export interface Repaired {
	readonly batches: number;
	readonly traces: number;
	/** Rows of totals by hour. */
	readonly hours: number;
	/** Contents without a span, sessions without a trace. */
	readonly orphans: number;
}

/** An insert is repeated for 10 s, and a node may then still be busy with it. */
const LEFT_BEHIND_MS = 30_000;

/**
 * Completes or withdraws what batches have left behind whose process died, or to whose inserts no answer came: computes
 * totals of their traces anew, and of the hours of these. If there are some, nobody else has a turn meanwhile.
 * @throws StorageUnavailable
 */
export async function repairBatches(
	{ shard, db, turns }: RepairOptions,
	olderThanMs = LEFT_BEHIND_MS,
): Promise<Repaired> {
	const sum = { batches: 0, traces: 0, hours: 0, orphans: 0 };
	if (!(await turns.hasLeftBehind(olderThanMs))) return sum;
	const references = new MetadataReferences(db);
	return await turns.takeAlone(async (turn) => {
		for (const batch of await turn.leftBehind(olderThanMs)) {
			const ofBatch = { ...turn, batch };
			const token = `repair ${turn.batch} of ${batch}`;
			const stored = await tracesOf(shard, batch);
			const gone = await applyChanges(
				{ shard, db: db.read, turn: ofBatch },
				stored.map((trace) => unchanged(trace, {})),
				{ whenEmpty: "drop_unannotated", token },
			);
			await references.deleted(await reallyGone(shard, gone));
			sum.batches += 1;
			sum.traces += stored.filter(isOutdated).length;
			sum.orphans += await forgetOrphans(shard, ofBatch, `${token} orphans`);
			sum.hours += await recountHours(shard, ofBatch, await hoursOf(shard, batch, stored));
			await turn.complete(batch);
		}
		return sum;
	});
}

function isOutdated({ row, spans }: StoredTrace): boolean {
	return row === undefined
		? spans.length > 0
		: spans.length === 0 || spans.some((span) => span.row.version > row.version);
}

/** The traces of which the batch has written or deleted spans. */
async function tracesOf(shard: Shard, batch: number): Promise<StoredTrace[]> {
	// Rows that say that a span is deleted count, too.
	const keys = await shard.select(
		"select distinct project_id, lower(hex(trace_id)) as trace_id from spans where batch = {batch:Int64}",
		{ project_id: types.Integer, trace_id: types.Text },
		{ params: { batch } },
	);
	const traces = await readTraces(
		shard,
		keys.map(({ project_id, trace_id }) => ({ projectId: project_id, traceId: trace_id })),
		batch,
	);
	return [...traces.values()];
}

/** The hours of spans of the batch, deleted ones too, and of all spans of their traces, with which these start. */
async function hoursOf(shard: Shard, batch: number, traces: readonly StoredTrace[]): Promise<Map<number, Set<number>>> {
	const written = await shard.select(
		`select distinct project_id, intDiv(start_micros, ${HOUR_MICROS}) as hour from spans where batch = {batch:Int64}`,
		{ project_id: types.Integer, hour: types.Integer },
		{ params: { batch } },
	);
	const left = traces.flatMap(({ spans }) => spans.map(({ row }) => row));
	const all = [...written, ...left.map((row) => ({ ...row, hour: hourOf(row.start_micros) }))];
	return new Map(
		[...Map.groupBy(all, ({ project_id }) => project_id)].map(([projectId, ofProject]) => [
			projectId,
			new Set(ofProject.map(({ hour }) => hour)),
		]),
	);
}

/** Deletes contents of the batch that no span has, and its sessions that have no trace. */
async function forgetOrphans(shard: Shard, turn: Turn, token: string): Promise<number> {
	const { batch, version } = turn;
	const params = { batch };
	const contents = await selectFinal(
		shard,
		`select project_id, start_micros, id from span_contents where batch = {batch:Int64}
			and (project_id, start_micros, id) not in (select project_id, start_micros, id from spans)`,
		{ project_id: types.Integer, start_micros: types.Integer, id: types.Integer },
		params,
	);
	await forgetContents(shard, turn, contents, token);
	const sessions = await findRows(shard, SESSIONS, {
		sql: `batch = {batch:Int64}
			and id not in (select assumeNotNull(session_row_id) from traces where session_row_id is not null)`,
		params,
	});
	await insertRows(
		shard,
		SESSIONS,
		sessions.map((row) => ({ ...row, version, is_deleted: 1 })),
		token,
	);
	return contents.length + sessions.length;
}
