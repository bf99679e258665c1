import { types } from "#storage/clickhouse/row-binary.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import type { RetentionRule } from "#storage/traces/trace-store.ts";
import { findExpiry } from "../read/expired-traces.ts";
import { findRows, selectFinal } from "../read/query.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import { DAY_MICROS, TRACES, type TraceRow } from "../tables.ts";

/** A day of which, as far as is known, everything is expired. */
export interface ExpiredDay {
	/** Microseconds; the end is exclusive. */
	readonly from: number;
	readonly to: number;
	/** Of the projects with traces in it, those that keep annotated ones. */
	readonly keepingAnnotated: readonly number[];
	/** All projects whose traces of the day are expired. */
	readonly projectIds: readonly number[];
}

/**
 * The days on which only projects have traces on a shard whose rules expire the whole day, oldest first.
 * @throws StorageUnavailable
 */
export async function findExpiredDays(
	{ shard, shards }: { readonly shard: ShardReader; readonly shards: TraceShards },
	rules: readonly RetentionRule[],
): Promise<ExpiredDay[]> {
	const expiries: { readonly rule: RetentionRule; readonly beforeMicros: number }[] = [];
	for (const rule of rules) {
		const before = await findExpiry(shards, rule);
		if (before !== undefined) expiries.push({ rule, beforeMicros: before[0] });
	}
	const last = expiries.reduce((latest, { beforeMicros }) => Math.max(latest, beforeMicros), 0);
	const days = await selectFinal(
		shard,
		`select intDiv(anchor_micros, ${DAY_MICROS}) as day, groupUniqArray(project_id) as projects
		from traces where anchor_micros < {last:Int64} group by day order by day`,
		{ day: types.Integer, projects: types.Array(types.Integer) },
		{ last },
	);
	return days.flatMap(({ day, projects }) => {
		const [from, to] = [day * DAY_MICROS, (day + 1) * DAY_MICROS];
		const covering = expiries.filter(({ beforeMicros }) => beforeMicros >= to).map(({ rule }) => rule);
		const expired = new Set(covering.map(({ projectId }) => projectId));
		if (!projects.every((id) => expired.has(id))) return [];
		const keeping = covering.filter(({ projectId, keepAnnotated }) => keepAnnotated && projects.includes(projectId));
		return [{ from, to, keepingAnnotated: keeping.map(({ projectId }) => projectId), projectIds: [...expired] }];
	});
}

/** Traces that have spans on an expired day, and others. @throws StorageUnavailable */
export async function findCrossing(
	shard: ShardReader,
	{ from, to, projectIds }: ExpiredDay,
	limit: number,
): Promise<TraceRow[]> {
	return await findRows(
		shard,
		TRACES,
		{
			sql: `project_id in {projects:Array(Int64)} and start_micros < {to:Int64} and last_start_micros >= {from:Int64}
				and not (start_micros >= {from:Int64} and last_start_micros < {to:Int64} and anchor_micros < {to:Int64})`,
			params: { projects: projectIds, from, to },
		},
		`limit ${limit}`,
	);
}
