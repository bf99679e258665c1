import { type RawBuilder, sql } from "kysely";
import { UserError } from "#base/errors.ts";
import { listed } from "#storage/listed.ts";
import { readRange, type TimeSpan } from "../analytics/calendar.ts";
import { refuseValue } from "../analytics/refuse-value.ts";

/** Which occurrences are meant; all where nothing is said. Times are those at which the spans started. */
export interface OccurrenceFilter extends Partial<TimeSpan> {
	readonly releases?: readonly string[];
	readonly environments?: readonly string[];
	readonly userIds?: readonly string[];
	readonly spanRowIds?: readonly number[];
}

interface OccurrenceParams {
	readonly release?: readonly string[] | undefined;
	readonly environment?: readonly string[] | undefined;
	readonly user_id?: readonly string[] | undefined;
	readonly start_time?: number | undefined;
	readonly end_time?: number | undefined;
	readonly range?: string | undefined;
}

/** @throws UserError, ValidationError 422 `invalid_range` */
export function readOccurrenceFilter(query: OccurrenceParams, nowMicros: number): OccurrenceFilter {
	const { release: releases, environment: environments, user_id: userIds } = query;
	return {
		...timesOf(query, nowMicros),
		...(releases === undefined ? {} : { releases }),
		...(environments === undefined ? {} : { environments }),
		...(userIds === undefined ? {} : { userIds }),
	};
}

function timesOf({ range, start_time: start, end_time: end }: OccurrenceParams, nowMicros: number): Partial<TimeSpan> {
	if (range !== undefined) {
		if (start !== undefined || end !== undefined)
			throw refuseValue("invalid_range", "range", "Input should be absent where start_time or end_time is given");
		return readRange(range, nowMicros, "UTC");
	}
	if (start !== undefined && end !== undefined && start >= end)
		throw new UserError(422, "invalid_range", "`start_time` must be strictly earlier than `end_time`.");
	return {
		...(start === undefined ? {} : { startMicros: start }),
		...(end === undefined ? {} : { endMicros: end }),
	};
}

/** Condition on `occurrence`, a row of `error_occurrences`. */
export function fits(filter: OccurrenceFilter): RawBuilder<boolean> {
	const { startMicros, endMicros, releases, environments, userIds, spanRowIds } = filter;
	const conditions = [
		...(startMicros === undefined ? [] : [sql<boolean>`occurrence.start_micros >= ${startMicros}`]),
		...(endMicros === undefined ? [] : [sql<boolean>`occurrence.start_micros < ${endMicros}`]),
		...(releases === undefined ? [] : [sql<boolean>`occurrence.release in ${listed(releases)}`]),
		...(environments === undefined ? [] : [sql<boolean>`occurrence.environment in ${listed(environments)}`]),
		...(userIds === undefined ? [] : [sql<boolean>`occurrence.user_id in ${listed(userIds)}`]),
		...(spanRowIds === undefined ? [] : [sql<boolean>`occurrence.span_row_id in ${listed(spanRowIds)}`]),
	];
	return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` and `)}`;
}

/** Whether the filter leaves out anything. */
export function leavesOut(filter: OccurrenceFilter): boolean {
	return Object.keys(filter).length > 0;
}
