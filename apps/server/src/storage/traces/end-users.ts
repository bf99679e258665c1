import { type Kysely, sql } from "kysely";
import { listed } from "../listed.ts";
import type { Tables } from "../schema.ts";
import { joinInOrder } from "../sql-pieces.ts";

/** Users of a project and a range of time, in microseconds, in which their traces start; the end is exclusive. */
export interface UsersQuery {
	readonly projectId: number;
	readonly userIds: readonly string[];
	readonly startMicros: number;
	readonly endMicros: number;
}

/** The scores with one name that a user's traces and their spans have. */
export interface UserScore {
	readonly userId: string;
	readonly name: string;
	readonly average: number;
	readonly count: number;
}

/** As `TraceReader.findFirstSeen`. */
export async function findFirstSeen(
	db: Kysely<Tables>,
	projectId: number,
	userIds?: readonly string[],
): Promise<ReadonlyMap<string, number>> {
	const chosen = userIds === undefined ? sql`user_id is not null` : sql`user_id in ${listed(userIds)}`;
	const { rows } = await sql<{ user: string; first: number }>`
		select user_id as "user", min(start_micros) as first from traces
		where project_id = ${projectId} and ${chosen}
		group by user_id`.execute(db);
	return new Map(rows.map(({ user, first }) => [user, first]));
}

/** As `TraceReader.findUserScores`. */
export async function findUserScores(
	db: Kysely<Tables>,
	{ projectId, userIds, startMicros, endMicros }: UsersQuery,
): Promise<readonly UserScore[]> {
	const { rows } = await sql<{ user: string; name: string; average: number; count: number }>`
		select traces.user_id as "user", annotations.name, avg(annotations.score) as average, count(*) as count
		from traces ${joinInOrder} annotations on annotations.trace_row_id = traces.id
		where traces.project_id = ${projectId} and traces.user_id in ${listed(userIds)}
			and traces.start_micros >= ${startMicros} and traces.start_micros < ${endMicros}
			and annotations.score is not null
		group by traces.user_id, annotations.name`.execute(db);
	return rows.map(({ user: userId, ...score }) => ({ userId, ...score }));
}
