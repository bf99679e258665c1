import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import { MetadataReferences } from "#storage/traces/clickhouse/metadata/references.ts";
import { transferTrace } from "#storage/traces/clickhouse/mutate/transfer-trace.ts";
import { Conditions } from "#storage/traces/clickhouse/read/conditions.ts";
import { findRows, selectFinal } from "#storage/traces/clickhouse/read/query.ts";
import { findSpanRows } from "#storage/traces/clickhouse/read/span-rows.ts";
import { TRACES } from "#storage/traces/clickhouse/tables.ts";
import { hourOf } from "#storage/traces/totals/hour-changes.ts";
import type { RepairTools } from "./repair-tools.ts";
import { repairTrace } from "./repair-trace.ts";

/**
 * Completes the move of a trace that died: what is in two projects under the same numbers goes to the one that got it
 * later. @returns whether there was something to complete
 */
export async function repairMove(tools: RepairTools, traceId: string): Promise<boolean> {
	const { shard, db, turns, touch } = tools;
	const found = await findMove(shard, traceId);
	// What is of a project that is no more goes by itself.
	if (found === undefined || !(await areThere(db, [found.from, found.to]))) return false;
	// Each has its row and place then.
	for (const projectId of [found.from, found.to]) await repairTrace(tools, { projectId, traceId });
	const sessions = await sessionsOf(shard, traceId);
	const keys = [traceId, ...sessions.map((id) => `session ${id}`)];
	return await turns.take({ projects: [], keys, spans: 0, traces: 2 }, async (turn) => {
		const still = await findMove(shard, traceId);
		if (still === undefined) return false;
		const where = new Conditions().addEqual("project_id", "Int64", still.from).addInHex("trace_id", 16, [traceId]);
		const [row] = await findRows(shard, TRACES, where.addIn("id", "Int64", [still.traceRowId]));
		if (row === undefined) return false;
		const references = new MetadataReferences(db);
		const target = await transferTrace({ shard, turn, db: db.read, references }, row, still.to);
		const spans = await findSpanRows(shard, new Conditions().addInHex("trace_id", 16, [traceId]));
		for (const { start_micros } of spans)
			for (const projectId of [still.from, still.to]) touch(projectId, hourOf(start_micros));
		for (const projectId of [still.from, still.to]) touch(projectId, hourOf(row.start_micros));
		return target !== undefined;
	});
}

interface Move {
	/** Projects. */
	readonly from: number;
	readonly to: number;
	/** Of the trace in the former project. */
	readonly traceRowId: number;
}

/** Spans get a newer version as they arrive; those that stay behind may have a newer one, so the oldest decide. */
async function findMove(shard: Shard, traceId: string): Promise<Move | undefined> {
	const where = new Conditions().addInHex("trace_id", 16, [traceId]);
	const [former, latter] = await selectFinal(
		shard,
		`select project_id, any(trace_row_id) as trace, min(version) as first from spans where ${where.sql}
			and id in (select id from spans where ${where.sql} group by id having uniqExact(project_id) > 1)
		group by project_id order by first, project_id`,
		{ project_id: types.Integer, trace: types.Integer, first: types.Count },
		where.params,
	);
	if (former === undefined || latter === undefined) return undefined;
	return { from: former.project_id, to: latter.project_id, traceRowId: former.trace };
}

async function areThere({ read }: RepairTools["db"], projectIds: readonly number[]): Promise<boolean> {
	const rows = await read.selectFrom("projects").select("id").where("id", "in", projectIds).execute();
	return rows.length === projectIds.length;
}

async function sessionsOf(shard: Shard, traceId: string): Promise<string[]> {
	const spans = await findSpanRows(shard, new Conditions().addInHex("trace_id", 16, [traceId]));
	return [...new Set(spans.flatMap(({ session_id }) => session_id ?? []))];
}
