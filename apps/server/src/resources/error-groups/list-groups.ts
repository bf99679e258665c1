import type { ErrorKind } from "@spanward/error-groups";
import { type Kysely, type RawBuilder, sql } from "kysely";
import { listed } from "#storage/listed.ts";
import type { ErrorGroupState, Tables } from "#storage/schema.ts";
import type { Keyset } from "#storage/traces/trace-store.ts";
import { fits, leavesOut, type OccurrenceFilter } from "./occurrence-filter.ts";
import type { ERROR_GROUP_SORTS } from "./schemas.ts";

/** Which groups are meant: those that fit and, where occurrences are left out, have one of the others. */
export interface GroupFilter {
	readonly projectId: number;
	readonly kinds?: readonly ErrorKind[];
	/** Null: of nobody. */
	readonly assigneeId?: number | null;
	/** Words that all occur. */
	readonly text?: string;
	readonly occurrences: OccurrenceFilter;
}

export interface GroupQuery extends GroupFilter {
	readonly states: readonly ErrorGroupState[];
	readonly sort: (typeof ERROR_GROUP_SORTS)[number];
	readonly limit: number;
	readonly after?: Keyset;
}

/** Groups by what they are sorted by, descending, then by row number. */
export async function rankGroups(db: Kysely<Tables>, query: GroupQuery): Promise<Keyset[]> {
	const { states, sort, limit, after, occurrences } = query;
	const isAfter =
		after === undefined
			? sql<boolean>`true`
			: sql<boolean>`(value < ${after.value} or (value = ${after.value} and id < ${after.id}))`;
	const { rows } = await sql<Keyset>`
		select id, value
		from (
			select error_groups.id as id, ${sortValue(sort, occurrences)} as value
			from error_groups ${NAMED}
			where ${isMeant(query)} and error_groups.state in ${listed(states)}
		) as ranked
		where ${isAfter}
		order by value desc, id desc
		limit ${limit}`.execute(db);
	return rows;
}

/** How many groups are in each state. */
export async function countStates(db: Kysely<Tables>, filter: GroupFilter): Promise<Record<ErrorGroupState, number>> {
	const { rows } = await sql<{ state: ErrorGroupState; count: number }>`
		select error_groups.state as state, count(*) as count
		from error_groups ${NAMED}
		where ${isMeant(filter)}
		group by error_groups.state`.execute(db);
	const countOf = (state: ErrorGroupState) => rows.find((row) => row.state === state)?.count ?? 0;
	return { open: countOf("open"), resolved: countOf("resolved"), ignored: countOf("ignored") };
}

/** With the fingerprint by which a group is called. */
const NAMED = sql`
	join error_group_fingerprints as named
		on named.project_id = error_groups.project_id and named.fingerprint = error_groups.fingerprint`;

function isMeant({ projectId, kinds, assigneeId, text, occurrences }: GroupFilter): RawBuilder<boolean> {
	const conditions = [
		sql<boolean>`error_groups.project_id = ${projectId}`,
		...(kinds === undefined ? [] : [sql<boolean>`named.kind in ${listed(kinds)}`]),
		...(assigneeId === undefined ? [] : [isAssignedTo(assigneeId)]),
		...wordsOf(text).map(says),
		...(leavesOut(occurrences)
			? [
					sql<boolean>`exists (
				select 1 from error_occurrences as occurrence
				where occurrence.group_id = error_groups.id and ${fits(occurrences)}
			)`,
				]
			: []),
	];
	return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}

function isAssignedTo(userId: number | null): RawBuilder<boolean> {
	return userId === null
		? sql<boolean>`error_groups.assignee_id is null`
		: sql<boolean>`error_groups.assignee_id = ${userId}`;
}

function wordsOf(text = ""): string[] {
	return text
		.toLowerCase()
		.split(/\s+/)
		.filter((word) => word !== "");
}

function says(word: string): RawBuilder<boolean> {
	const pattern = `%${word.replace(/[\\%_]/g, "\\$&")}%`;
	return sql<boolean>`lower(named.title || ' ' || named.message || ' ' || named.culprit) like ${pattern} escape '\\'`;
}

function sortValue(sort: GroupQuery["sort"], occurrences: OccurrenceFilter): RawBuilder<number> {
	if (sort === "last_seen" || sort === "first_seen") return sql<number>`${sql.ref(`error_groups.${sort}`)}`;
	const counted = sort === "count" ? sql`count(*)` : sql`count(distinct occurrence.user_id)`;
	return sql<number>`(
		select ${counted} from error_occurrences as occurrence
		where occurrence.group_id = error_groups.id and ${fits(occurrences)}
	)`;
}
