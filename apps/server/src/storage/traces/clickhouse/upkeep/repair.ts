import { chunksOf } from "#base/chunks.ts";
import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import type { Database } from "#storage/database.ts";
import { HOUR_MICROS, hourOf } from "#storage/traces/totals/hour-changes.ts";
import { MetadataReferences } from "../metadata/references.ts";
import type { BatchLeftBehind, Turn, Turns } from "../metadata/turns.ts";
import { applyChanges, unchanged } from "../mutate/apply-changes.ts";
import { forgetContents, forgetLogs } from "../mutate/forget.ts";
import { Conditions } from "../read/conditions.ts";
import { findRows, selectFinal, type Where } from "../read/query.ts";
import { usedSessions } from "../read/used-sessions.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import { CONTENTS, SESSIONS, SPANS, TRACE_PLACES, type TracePlace } from "../tables.ts";
import { insertRows } from "../write/insert-rows.ts";
import { insertSessions } from "../write/session-numbers.ts";
import { isOutdated, readPlaces, readTraces, type StoredTrace } from "../write/stored-traces.ts";
import { reallyGone } from "./really-gone.ts";
import { noteGivenUp } from "./reconcile/given-up.ts";
import { recountHours } from "./recount-hours.ts";
import { recountSpend } from "./recount-spend.ts";

export interface RepairOptions {
	readonly shards: TraceShards;
	readonly db: Database;
	readonly turns: Turns;
}

/** What was found and put right. */
export interface Repaired {
	readonly batches: number;
	readonly traces: number;
	/** Rows of totals by hour. */
	readonly hours: number;
	/** Contents without a span, sessions and places without a trace. */
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
	{ shards, db, turns }: RepairOptions,
	olderThanMs = LEFT_BEHIND_MS,
): Promise<Repaired> {
	const sum = { batches: 0, traces: 0, hours: 0, orphans: 0 };
	if (!(await turns.hasLeftBehind(olderThanMs))) return sum;
	const references = new MetadataReferences(db);
	return await turns.takeAlone(async (turn) => {
		const batches = await turn.leftBehind(olderThanMs);
		const numbers = batches.map(({ batch }) => batch);
		await noteGivenUp(db, numbers);
		sum.orphans += await forgetUnusedContents(shards, turn, numbers);
		sum.orphans += await forgetUnusedPlaces(shards, turn, batches);
		for (const { batch } of batches) {
			const ofBatch = { ...turn, batch };
			const token = `repair ${turn.batch} of ${batch}`;
			const stored = await tracesOf(shards, batch);
			const gone = await applyChanges(
				{ shards, db: db.read, turn: ofBatch },
				stored.map((trace) => unchanged(trace, {})),
				{ whenEmpty: "drop_unannotated", token },
			);
			await references.deleted(await reallyGone(shards, gone));
			sum.batches += 1;
			const there = stored.filter(({ row, spans }) => row !== undefined || spans.length > 0);
			sum.traces += there.filter(isOutdated).length;
			sum.orphans += await forgetDeleted(shards, ofBatch, stored, `${token} deleted`);
			sum.orphans += await forgetUnusedSessions(shards, ofBatch, `${token} sessions`);
			const ofAllShards = new Map<number, Set<number>>();
			for (const shard of shards.list) {
				const ofShard = stored.filter((trace) => trace.shard === shard);
				const hours = await hoursOf(shard, batch, ofShard);
				sum.hours += await recountHours(shard, ofBatch, hours);
				for (const [projectId, ofProject] of hours)
					ofAllShards.set(projectId, new Set([...ofProject, ...(ofAllShards.get(projectId) ?? [])]));
			}
			await recountSpend({ shards, db }, ofAllShards);
			// It was counted anew.
			turn.spend.clear();
			await turn.complete(batch);
		}
		return sum;
	});
}

/** The traces of which the batch has written or deleted spans or the row. */
async function tracesOf(shards: TraceShards, batch: number): Promise<StoredTrace[]> {
	// Rows that say that a span is deleted count, too.
	const keys = await shards.select(
		`select distinct project_id, lower(hex(trace_id)) as trace_id from (
			select project_id, trace_id from spans where batch = {batch:Int64}
			union all select project_id, trace_id from traces where batch = {batch:Int64}
		) as written`,
		{ project_id: types.Integer, trace_id: types.Text },
		{ params: { batch } },
	);
	const traces = await readTraces(
		shards,
		keys.map(({ project_id, trace_id }) => ({ projectId: project_id, traceId: trace_id })),
		batch,
	);
	return [...traces.values()];
}

/** The hours that the batch has changed, and those of all spans of its traces, with which these start. */
async function hoursOf(shard: Shard, batch: number, traces: readonly StoredTrace[]): Promise<Map<number, Set<number>>> {
	const written = await shard.select(
		`select distinct project_id, hour from (
			select project_id, intDiv(start_micros, ${HOUR_MICROS}) as hour from spans where batch = {batch:Int64}
			union all select project_id, hour from hours where number = {batch:Int64}
		) as changed`,
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

/** Deletes the contents and log records of spans that the batch has deleted. @returns how many contents */
async function forgetDeleted(
	shards: TraceShards,
	turn: Turn,
	stored: readonly StoredTrace[],
	token: string,
): Promise<number> {
	const { project_id, start_micros, id, trace_id, span_id } = SPANS.columns;
	const key = { project_id, start_micros, id };
	const forgotten = await shards.onEach(async (shard) => {
		// Rows that say that a span is deleted.
		const deleted = await shard.select(
			"select project_id, start_micros, id, trace_id, span_id from spans where batch = {batch:Int64} and is_deleted = 1",
			{ ...key, trace_id, span_id },
			{ params: { batch: turn.batch } },
		);
		if (deleted.length === 0) return [];
		const where = new Conditions();
		for (const column of ["project_id", "start_micros", "id"] as const)
			where.addIn(column, "Int64", [...new Set(deleted.map((row) => row[column]))]);
		// A span that was moved away may have come back.
		const orphans = await selectFinal(
			shard,
			`select project_id, start_micros, id from span_contents where ${where.sql}
				and (project_id, start_micros, id) not in (select project_id, start_micros, id from spans where ${where.sql})`,
			key,
			where.params,
		);
		await forgetContents(shard, turn, orphans, token);
		return [{ deleted, orphans }];
	});
	const deleted = forgotten.flatMap((ofShard) => ofShard.deleted);
	await forgetLogs(
		shards,
		turn,
		deleted,
		stored.filter(({ spans }) => spans.length === 0),
		token,
	);
	return forgotten.reduce((sum, { orphans }) => sum + orphans.length, 0);
}

/** Deletes contents of batches that no span has. @returns how many */
async function forgetUnusedContents(shards: TraceShards, turn: Turn, batches: readonly number[]): Promise<number> {
	const { project_id, start_micros, id, batch } = CONTENTS.columns;
	const ofBatches = "batch in {batches:Array(Int64)}";
	const forgotten = await shards.onEach(async (shard) => {
		// Only spans that start with one of these contents are read.
		const orphans = await selectFinal(
			shard,
			`select project_id, start_micros, id, batch from span_contents where ${ofBatches}
				and (project_id, start_micros, id) not in (
					select project_id, start_micros, id from spans
					where (project_id, start_micros) in (select project_id, start_micros from span_contents where ${ofBatches})
				)`,
			{ project_id, start_micros, id, batch },
			{ batches },
		);
		for (const [batch, own] of Map.groupBy(orphans, (row) => row.batch))
			await forgetContents(shard, { ...turn, batch }, own, `repair ${turn.batch} of ${batch} contents`);
		return orphans;
	});
	return forgotten.length;
}

/** Of one statement. */
const MOST_RANGES = 50;

/** Deletes where batches have put new traces of which nothing was stored. @returns how many */
async function forgetUnusedPlaces(
	shards: TraceShards,
	turn: Turn,
	batches: readonly BatchLeftBehind[],
): Promise<number> {
	const versions = batches.flatMap(({ newTraces }) => ("version" in newTraces ? newTraces.version : []));
	const ranges = batches.flatMap(({ newTraces }) => ("rowNumbers" in newTraces ? newTraces.rowNumbers : []));
	const forgotten = await shards.onEach(async (shard) => {
		const places: TracePlace[] = [];
		if (versions.length > 0)
			places.push(...(await findUnused(shard, new Conditions().addIn("version", "UInt64", versions))));
		for (const some of chunksOf(ranges, MOST_RANGES))
			places.push(...(await findUnused(shard, new Conditions().addBetweenAny("id", some))));
		const gone = places.map((place) => ({ ...place, version: turn.version, is_deleted: 1 }));
		await insertRows(shard, TRACE_PLACES, gone, `repair ${turn.batch} places`);
		return gone;
	});
	return forgotten.length;
}

/** Nobody is writing meanwhile. @param where of places */
async function findUnused(shard: Shard, { sql, params }: Where): Promise<TracePlace[]> {
	const suspects = await findRows(shard, TRACE_PLACES, {
		sql: `(${sql}) and (project_id, id) not in (
			select project_id, id from traces where id in (select id from trace_places where ${sql})
		)`,
		params,
	});
	const traces = await readPlaces(shard, suspects, undefined);
	return traces.filter(({ row, spans }) => row === undefined && spans.length === 0).map(({ place }) => place);
}

/** Deletes sessions of the batch that have no trace. @returns how many */
async function forgetUnusedSessions(shards: TraceShards, { batch, version }: Turn, token: string): Promise<number> {
	const sessions = await findRows(shards, SESSIONS, { sql: "batch = {batch:Int64}", params: { batch } });
	const used = await usedSessions(
		shards,
		sessions.map(({ id }) => id),
	);
	const unused = sessions.filter(({ id }) => !used.has(id));
	await insertSessions(
		shards,
		unused.map((row) => ({ ...row, version, is_deleted: 1 })),
		token,
	);
	return unused.length;
}
