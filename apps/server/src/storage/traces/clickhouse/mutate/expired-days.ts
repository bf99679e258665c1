import { types } from "#storage/clickhouse/row-binary.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import type { RetentionRule } from "#storage/traces/trace-store.ts";
import { findExpiry } from "../read/expired-traces.ts";
import { findRows, selectFinal } from "../read/query.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import { DAY_MICROS, TRACES, type TraceRow } from "../tables.ts";

/** Days that follow each other of which, as far as is known, everything is expired. */
export interface ExpiredDays {
	/** Microseconds; the end is exclusive. */
	readonly from: number;
	readonly to: number;
	/** Of the projects with traces in them, those that keep annotated ones. */
	readonly keepingAnnotated: readonly number[];
	/** All projects whose traces of these days are expired. */
	readonly projectIds: readonly number[];
	/** As the rows of their traces count them. */
	readonly spans: number;
}

/** Days are dealt with together up to so many spans: others wait meanwhile. */
const MOST_SPANS = 1_000_000;
const MOST_DAYS = 100;

/**
 * The days on which only projects have traces on a shard whose rules expire the whole day, oldest first, those that
 * follow each other together.
 * @throws StorageUnavailable
 */
export async function findExpiredDays(
	{ shard, shards }: { readonly shard: ShardReader; readonly shards: TraceShards },
	rules: readonly RetentionRule[],
): Promise<ExpiredDays[]> {
	const expiries: { readonly rule: RetentionRule; readonly beforeMicros: number }[] = [];
	for (const rule of rules) {
		const before = await findExpiry(shards, rule);
		if (before !== undefined) expiries.push({ rule, beforeMicros: before[0] });
	}
	const last = expiries.reduce((latest, { beforeMicros }) => Math.max(latest, beforeMicros), 0);
	const days = await selectFinal(
		shard,
		`select intDiv(anchor_micros, ${DAY_MICROS}) as day, groupUniqArray(project_id) as projects,
			sum(toUInt64(span_count)) as spans
		from traces where anchor_micros < {last:Int64} group by day order by day`,
		{ day: types.Integer, projects: types.Array(types.Integer), spans: types.Count },
		{ last },
	);
	const expiredDays = days.flatMap(({ day, projects, spans }): ExpiredDays[] => {
		const [from, to] = [day * DAY_MICROS, (day + 1) * DAY_MICROS];
		const covering = expiries.filter(({ beforeMicros }) => beforeMicros >= to).map(({ rule }) => rule);
		const expired = new Set(covering.map(({ projectId }) => projectId));
		if (!projects.every((id) => expired.has(id))) return [];
		const keeping = covering.filter(({ projectId, keepAnnotated }) => keepAnnotated && projects.includes(projectId));
		const keepingAnnotated = keeping.map(({ projectId }) => projectId);
		return [{ from, to, keepingAnnotated, projectIds: [...expired], spans }];
	});
	return together(expiredDays);
}

/** Puts days together that follow each other and are expired for the same projects. */
function together(days: readonly ExpiredDays[]): ExpiredDays[] {
	const joined: ExpiredDays[] = [];
	for (const day of days) {
		const last = joined.at(-1);
		if (last === undefined || !mayJoin(last, day)) {
			joined.push(day);
			continue;
		}
		const keepingAnnotated = [...new Set([...last.keepingAnnotated, ...day.keepingAnnotated])];
		joined[joined.length - 1] = { ...last, to: day.to, keepingAnnotated, spans: last.spans + day.spans };
	}
	return joined;
}

function mayJoin(days: ExpiredDays, next: ExpiredDays): boolean {
	return (
		days.to === next.from &&
		next.to - days.from <= MOST_DAYS * DAY_MICROS &&
		days.spans + next.spans <= MOST_SPANS &&
		days.projectIds.join() === next.projectIds.join()
	);
}

/** Each of these days by itself, oldest first. */
export function eachOf(days: ExpiredDays): ExpiredDays[] {
	return startsOf(days).map((from) => ({ ...days, from, to: from + DAY_MICROS }));
}

/** When each of these days begins. */
export function startsOf({ from, to }: Pick<ExpiredDays, "from" | "to">): number[] {
	return Array.from({ length: (to - from) / DAY_MICROS }, (_, day) => from + day * DAY_MICROS);
}

/** Traces that have spans on expired days, and others. @throws StorageUnavailable */
export async function findCrossing(
	shard: ShardReader,
	{ from, to, projectIds }: ExpiredDays,
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
