import type { Grouping } from "@spanward/error-groups";
import { type Kysely, sql } from "kysely";
import type { z } from "zod";
import { formatTime } from "#http/wire-times.ts";
import type { Tables } from "#storage/schema.ts";
import type { TimeSpan } from "../analytics/calendar.ts";
import type { GroupRow } from "./find-groups.ts";
import { findFigures, partOf, spanOf, spread } from "./group-figures.ts";
import { fits, type OccurrenceFilter } from "./occurrence-filter.ts";
import { listOccurrences, type OccurrenceRow, toOccurrence } from "./occurrences.ts";
import type { ErrorGroupDetail } from "./schemas.ts";
import { toErrorGroup } from "./to-error-group.ts";

const TIMELINE_PARTS = 60;
const MOST_SERIES = 5;
const MOST_RELEASES = 20;
const MOST_USERS = 10;

type Detail = z.output<typeof ErrorGroupDetail>;

/** A group with all that its page shows of the occurrences that were asked for. */
export async function detailGroup(
	db: Kysely<Tables>,
	row: GroupRow,
	filter: OccurrenceFilter,
	nowMicros: number,
): Promise<Detail> {
	const span = await spanOf(db, { groupId: row.id }, filter, nowMicros);
	const one = async (order: "asc" | "desc") => {
		const [found] = await listOccurrences(db, row.id, filter, { order, limit: 1 });
		return found === undefined ? null : toOccurrence(found);
	};
	const [figures, timeline, newest, oldest, byRelease, users, fingerprints] = await Promise.all([
		findFigures(db, [row.id], filter),
		findTimeline(db, row.id, filter, span),
		one("desc"),
		one("asc"),
		listNewestOfReleases(db, row.id, filter),
		listUsers(db, row.id, filter),
		listFingerprints(db, row),
	]);
	const grouping: Grouping = JSON.parse(row.grouping);
	const { rule, parts, normalized_message, frames } = grouping;
	return {
		...toErrorGroup(row, figures(row.id), nowMicros),
		grouping: { rule, normalized_message, parts: [...parts], frames: [...frames] },
		fingerprints,
		timeline,
		...{ newest, oldest, users },
		by_release: byRelease.map(toOccurrence),
	};
}

async function findTimeline(
	db: Kysely<Tables>,
	groupId: number,
	filter: OccurrenceFilter,
	span: TimeSpan,
): Promise<Detail["timeline"]> {
	const { rows } = await sql<{ release: string | null; part: number; count: number }>`
		select release, ${partOf(span, TIMELINE_PARTS)} as part, count(*) as count
		from error_occurrences as occurrence
		where group_id = ${groupId} and ${fits({ ...filter, ...span })}
		group by release, part`.execute(db);
	const series = [...Map.groupBy(rows, ({ release }) => release)]
		.map(([release, ofRelease]) => ({ release, counts: spread(ofRelease, TIMELINE_PARTS) }))
		.toSorted((a, b) => sum(b.counts) - sum(a.counts));
	const rest = series.slice(MOST_SERIES);
	const length = (span.endMicros - span.startMicros) / TIMELINE_PARTS;
	return {
		start_times: Array.from({ length: TIMELINE_PARTS }, (_, part) =>
			formatTime(Math.ceil(span.startMicros + part * length)),
		),
		end_time: formatTime(span.endMicros),
		series: series.slice(0, MOST_SERIES),
		others: rest.length === 0 ? null : addUp(rest.map(({ counts }) => counts)),
	};
}

function sum(counts: readonly number[]): number {
	return counts.reduce((total, count) => total + count, 0);
}

function addUp(rows: readonly (readonly number[])[]): number[] {
	return Array.from({ length: TIMELINE_PARTS }, (_, part) => sum(rows.map((counts) => counts[part] ?? 0)));
}

async function listNewestOfReleases(
	db: Kysely<Tables>,
	groupId: number,
	filter: OccurrenceFilter,
): Promise<OccurrenceRow[]> {
	const { rows } = await sql<OccurrenceRow>`
		select * from error_occurrences
		where id in (
			select id from (
				select
					occurrence.id as id,
					occurrence.start_micros as start_micros,
					row_number() over (
						partition by occurrence.release
						order by occurrence.start_micros desc, occurrence.id desc
					) as place
				from error_occurrences as occurrence
				where group_id = ${groupId} and release is not null and ${fits(filter)}
			) as placed
			where place = 1
			order by start_micros desc, id desc
			limit ${MOST_RELEASES}
		)
		order by start_micros desc, id desc`.execute(db);
	return rows;
}

async function listUsers(db: Kysely<Tables>, groupId: number, filter: OccurrenceFilter): Promise<Detail["users"]> {
	const { rows } = await sql<{ user_id: string; count: number; last_seen: number }>`
		select user_id, count(*) as count, max(start_micros) as last_seen
		from error_occurrences as occurrence
		where group_id = ${groupId} and user_id is not null and ${fits(filter)}
		group by user_id
		order by count desc, last_seen desc, user_id
		limit ${MOST_USERS}`.execute(db);
	return rows.map((row) => ({ ...row, last_seen: formatTime(row.last_seen) }));
}

async function listFingerprints(
	db: Kysely<Tables>,
	{ id, fingerprint: own }: GroupRow,
): Promise<Detail["fingerprints"]> {
	const rows = await db
		.selectFrom("error_group_fingerprints")
		.select(["fingerprint", "title", "total_count", "first_seen", "last_seen"])
		.where("group_id", "=", id)
		.orderBy("first_seen")
		.orderBy("fingerprint")
		.execute();
	return rows
		.toSorted((a, b) => Number(b.fingerprint === own) - Number(a.fingerprint === own))
		.map((row) => ({ ...row, first_seen: formatTime(row.first_seen), last_seen: formatTime(row.last_seen) }));
}
