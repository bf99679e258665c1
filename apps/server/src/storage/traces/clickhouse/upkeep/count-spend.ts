import { types } from "#storage/clickhouse/row-binary.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import { nodeOfRow, UNCOUNTED_FLAGS } from "#storage/traces/totals/span-node.ts";
import type { SpendChanges } from "#storage/traces/totals/spend-changes.ts";
import { Conditions } from "../read/conditions.ts";
import { findRows, selectFinal } from "../read/query.ts";
import { SPANS } from "../tables.ts";

/** Spans that are read at a time. */
const PAGE = 20_000;

export interface SpansOfProject {
	readonly projectId: number;
	/** Microseconds, of the starts of spans; the end is not included. */
	readonly from: number;
	readonly to: number;
}

/** Adds (1) or subtracts (-1) what the spans of a project have spent that a shard has of a time. */
export async function countSpend(
	shard: ShardReader,
	{ projectId, from, to }: SpansOfProject,
	spend: SpendChanges,
	sign: 1 | -1,
): Promise<void> {
	const spent = `bitAnd(flags, ${UNCOUNTED_FLAGS}) = 0
		and (tokens_total > 0 or tokens_prompt > 0 or tokens_completion > 0 or cost_total is not null)`;
	const users = await selectFinal(
		shard,
		`select id, assumeNotNull(user_id) as user from traces where project_id = {project:Int64} and user_id is not null and id in (
			select trace_row_id from spans
			where project_id = {project:Int64} and start_micros >= {from:Int64} and start_micros < {to:Int64}
				and user_id is null and ${spent})`,
		{ id: types.Integer, user: types.Text },
		{ project: projectId, from, to },
	);
	const userOf = new Map(users.map(({ id, user }) => [id, user]));
	for (let after = { start: from, id: 0 }; ; ) {
		const where = new Conditions().addEqual("project_id", "Int64", projectId);
		where.addTimeRange("start_micros", { startMicros: after.start, endMicros: to });
		where.add(`(start_micros, id) > (${where.bind("Int64", after.start)}, ${where.bind("Int64", after.id)})`);
		where.add(spent);
		const rows = await findRows(shard, SPANS, where, `order by start_micros, id limit ${PAGE}`);
		for (const row of rows) spend.addSpan(projectId, nodeOfRow(row), userOf.get(row.trace_row_id) ?? null, sign);
		const last = rows.at(-1);
		if (last === undefined || rows.length < PAGE) return;
		after = { start: last.start_micros, id: last.id };
	}
}
