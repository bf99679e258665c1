import { types } from "#storage/clickhouse/row-binary.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import { listed } from "#storage/listed.ts";
import type { UserScore, UsersQuery } from "#storage/traces/end-users.ts";
import type { Sources } from "../filter/world.ts";
import { inParts } from "./bounds.ts";
import { Conditions } from "./conditions.ts";
import { selectFinal } from "./query.ts";

const IDS_AT_ONCE = 10_000;

export async function findFirstSeen(
	shard: ShardReader,
	projectId: number,
	userIds?: readonly string[],
): Promise<ReadonlyMap<string, number>> {
	const columns = { user: types.Text, first: types.Integer };
	const find = async (part: readonly string[] | undefined) => {
		const where = new Conditions().addEqual("project_id", "Int64", projectId).addIn("user_id", "String", part);
		return await selectFinal(
			shard,
			`select assumeNotNull(user_id) as user, min(start_micros) as first from traces
			where ${where.sql} and user_id is not null group by user_id`,
			columns,
			where.params,
		);
	};
	const rows = userIds === undefined ? await find(undefined) : await inParts(userIds, find);
	const first = new Map<string, number>();
	for (const row of rows) first.set(row.user, Math.min(row.first, first.get(row.user) ?? row.first));
	return first;
}

/** The annotations are in the metadata database. */
export async function findUserScores(
	{ shard, db }: Pick<Sources, "shard" | "db">,
	{ userIds, projectId, ...range }: UsersQuery,
): Promise<readonly UserScore[]> {
	const traces = await inParts(userIds, (part) => {
		const where = new Conditions()
			.addEqual("project_id", "Int64", projectId)
			.addIn("user_id", "String", part)
			.addTimeRange("start_micros", range);
		return selectFinal(
			shard,
			`select id, assumeNotNull(user_id) as user from traces where ${where.sql}`,
			{ id: types.Integer, user: types.Text },
			where.params,
		);
	});
	const userOf = new Map(traces.map(({ id, user }) => [id, user]));
	const ids = [...userOf.keys()];
	const sums = new Map<string, { userId: string; name: string; sum: number; count: number }>();
	for (let at = 0; at < ids.length; at += IDS_AT_ONCE) {
		const rows = await db
			.selectFrom("annotations")
			.select(({ fn }) => [
				"trace_row_id",
				"name",
				fn.sum<number>("score").as("sum"),
				fn.count<number>("id").as("count"),
			])
			.where("trace_row_id", "in", listed(ids.slice(at, at + IDS_AT_ONCE)))
			.where("score", "is not", null)
			.groupBy(["trace_row_id", "name"])
			.execute();
		for (const { trace_row_id, name, sum, count } of rows) {
			const userId = userOf.get(trace_row_id ?? 0) ?? "";
			const key = JSON.stringify([userId, name]);
			const known = sums.get(key) ?? { userId, name, sum: 0, count: 0 };
			sums.set(key, { userId, name, sum: known.sum + sum, count: known.count + count });
		}
	}
	return Array.from(sums.values(), ({ sum, ...score }) => ({ ...score, average: sum / score.count }));
}
