import type { Shard } from "#storage/clickhouse/shard.ts";
import { MetadataReferences } from "#storage/traces/clickhouse/metadata/references.ts";
import { transferTrace } from "#storage/traces/clickhouse/mutate/transfer-trace.ts";
import { Conditions } from "#storage/traces/clickhouse/read/conditions.ts";
import { findRows } from "#storage/traces/clickhouse/read/query.ts";
import { findSpanRows } from "#storage/traces/clickhouse/read/span-rows.ts";
import type { TraceShards } from "#storage/traces/clickhouse/shards/trace-shards.ts";
import { TRACES } from "#storage/traces/clickhouse/tables.ts";
import { hourOf } from "#storage/traces/totals/hour-changes.ts";
import type { RepairTools } from "./repair-tools.ts";
import { repairTrace } from "./repair-trace.ts";

/**
 * Completes the move of a trace that died: what is in two projects under the same numbers goes to the one that got it
 * later. @returns whether there was something to complete
 */
export async function repairMove(tools: RepairTools, traceId: string): Promise<boolean> {
	const { shards, db, turns, touch } = tools;
	const found = await findMove(shards, traceId);
	// What is of a project that is no more goes by itself.
	if (found === undefined || !(await areThere(db, [found.from.projectId, found.to.projectId]))) return false;
	// Each has its row and place then.
	for (const { projectId, shard } of [found.from, found.to])
		await repairTrace({ ...tools, shard }, { projectId, traceId });
	const sessions = await sessionsOf(shards, traceId);
	const keys = [traceId, ...sessions.map((id) => `session ${id}`)];
	return await turns.take({ projects: [], keys, spans: 0, traces: 2 }, async (turn) => {
		const still = await findMove(shards, traceId);
		if (still === undefined) return false;
		const { from, to } = still;
		const where = new Conditions().addEqual("project_id", "Int64", from.projectId).addInHex("trace_id", 16, [traceId]);
		const [row] = await findRows(from.shard, TRACES, where.addIn("id", "Int64", [from.traceRowId]));
		if (row === undefined) return false;
		const references = new MetadataReferences(db);
		const target = await transferTrace({ shards, turn, db: db.read, references }, row, to.projectId);
		const spans = await findSpanRows(shards, new Conditions().addInHex("trace_id", 16, [traceId]));
		for (const { projectId } of [from, to]) {
			touch(projectId, hourOf(row.start_micros));
			for (const { start_micros } of spans) touch(projectId, hourOf(start_micros));
		}
		return target !== undefined;
	});
}

/** Where a trace is, or was. */
interface Side {
	readonly projectId: number;
	readonly shard: Shard;
	/** Of the trace there. */
	readonly traceRowId: number;
	/** The lowest version of the spans that are on both sides. */
	readonly first: number;
}

interface Move {
	readonly from: Side;
	readonly to: Side;
}

/** Spans get a newer version as they arrive; those that stay behind may have a newer one, so the oldest decide. */
async function findMove(shards: TraceShards, traceId: string): Promise<Move | undefined> {
	const where = new Conditions().addInHex("trace_id", 16, [traceId]);
	const spans = (
		await Promise.all(
			shards.list.map(async (shard) =>
				(
					await findSpanRows(shard, where)
				).map(({ id, project_id, trace_row_id, version }) => ({
					...{ id, projectId: project_id, traceRowId: trace_row_id, version, shard },
				})),
			),
		)
	).flat();
	const doubles = [...Map.groupBy(spans, ({ id }) => id).values()].filter((rows) => rows.length > 1).flat();
	const sides: Side[] = [...Map.groupBy(doubles, ({ projectId }) => projectId)].flatMap(([projectId, rows]) => {
		const [row] = rows;
		if (row === undefined) return [];
		const first = rows.reduce((least, { version }) => Math.min(least, version), Number.POSITIVE_INFINITY);
		return [{ projectId, shard: row.shard, traceRowId: row.traceRowId, first }];
	});
	const [from, to] = sides.toSorted((a, b) => a.first - b.first || a.projectId - b.projectId);
	return from === undefined || to === undefined ? undefined : { from, to };
}

async function areThere({ read }: RepairTools["db"], projectIds: readonly number[]): Promise<boolean> {
	const rows = await read.selectFrom("projects").select("id").where("id", "in", projectIds).execute();
	return rows.length === projectIds.length;
}

async function sessionsOf(shards: TraceShards, traceId: string): Promise<string[]> {
	const spans = await findSpanRows(shards, new Conditions().addInHex("trace_id", 16, [traceId]));
	return [...new Set(spans.flatMap(({ session_id }) => session_id ?? []))];
}
