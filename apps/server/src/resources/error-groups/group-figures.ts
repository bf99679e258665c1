import { type Kysely, sql } from "kysely";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import type { TimeSpan } from "../analytics/calendar.ts";
import { fits, type OccurrenceFilter } from "./occurrence-filter.ts";

const MOST_RELEASES = 20;
export const SPARKLINE_PARTS = 24;

/** Of the occurrences of a group that were asked for. */
export interface GroupFigures {
	readonly count: number;
	readonly user_count: number;
	readonly session_count: number;
	readonly trace_count: number;
	/** The one that was seen last first. */
	readonly releases: readonly string[];
}

const NO_FIGURES: GroupFigures = { count: 0, user_count: 0, session_count: 0, trace_count: 0, releases: [] };

/** The figures of groups, by row number. */
export async function findFigures(
	db: Kysely<Tables>,
	groupIds: readonly number[],
	filter: OccurrenceFilter,
): Promise<(groupId: number) => GroupFigures> {
	if (groupIds.length === 0) return () => NO_FIGURES;
	const { rows: counts } = await sql<Omit<GroupFigures, "releases"> & { group_id: number }>`
		select
			group_id,
			count(*) as count,
			count(distinct user_id) as user_count,
			count(distinct session_id) as session_count,
			count(distinct trace_row_id) as trace_count
		from error_occurrences as occurrence
		where group_id in ${listed(groupIds)} and ${fits(filter)}
		group by group_id`.execute(db);
	const { rows: releases } = await sql<{ group_id: number; release: string }>`
		select group_id, release
		from error_occurrences as occurrence
		where group_id in ${listed(groupIds)} and release is not null and ${fits(filter)}
		group by group_id, release
		order by max(start_micros) desc, release`.execute(db);
	const releasesOf = Map.groupBy(releases, ({ group_id: id }) => id);
	const byGroup = new Map(
		counts.map(({ group_id: id, ...figures }) => {
			const seen = (releasesOf.get(id) ?? []).slice(0, MOST_RELEASES).map(({ release }) => release);
			return [id, { ...figures, releases: seen }];
		}),
	);
	return (id) => byGroup.get(id) ?? NO_FIGURES;
}

/** Occurrences of groups in equal parts of a time, by row number. */
export async function findSparklines(
	db: Kysely<Tables>,
	groupIds: readonly number[],
	{ filter, span }: { readonly filter: OccurrenceFilter; readonly span: TimeSpan },
): Promise<(groupId: number) => readonly number[]> {
	const { rows } = await sql<{ group_id: number; part: number; count: number }>`
		select group_id, ${partOf(span, SPARKLINE_PARTS)} as part, count(*) as count
		from error_occurrences as occurrence
		where group_id in ${listed(groupIds)} and ${fits({ ...filter, ...span })}
		group by group_id, part`.execute(db);
	const byGroup = Map.groupBy(rows, ({ group_id: id }) => id);
	return (id) => spread(byGroup.get(id) ?? [], SPARKLINE_PARTS);
}

/** The number of the part of a time in which an occurrence is, from 0. */
export function partOf({ startMicros, endMicros }: TimeSpan, parts: number) {
	const length = endMicros - startMicros;
	return sql<number>`cast((occurrence.start_micros - ${startMicros}) * ${parts} / ${length} as integer)`;
}

/** Counts by part, with 0 where there is none. */
export function spread(rows: readonly { readonly part: number; readonly count: number }[], parts: number): number[] {
	const counts = new Array<number>(parts).fill(0);
	for (const { part, count } of rows) counts[part] = (counts[part] ?? 0) + count;
	return counts;
}

/** The time that is asked about; from the first stored occurrence and to now where the filter says nothing. */
export async function spanOf(
	db: Kysely<Tables>,
	of: { readonly projectId: number } | { readonly groupId: number },
	{ startMicros, endMicros }: OccurrenceFilter,
	nowMicros: number,
): Promise<TimeSpan> {
	const end = endMicros ?? nowMicros + 1;
	const start = startMicros ?? (await firstStart(db, of)) ?? end - 1;
	return { startMicros: Math.min(start, end - 1), endMicros: end };
}

async function firstStart(
	db: Kysely<Tables>,
	of: { readonly projectId: number } | { readonly groupId: number },
): Promise<number | undefined> {
	const row = await db
		.selectFrom("error_occurrences")
		.select("start_micros")
		.where(({ eb }) => ("groupId" in of ? eb("group_id", "=", of.groupId) : eb("project_id", "=", of.projectId)))
		.orderBy("start_micros")
		.limit(1)
		.executeTakeFirst();
	return row?.start_micros;
}
