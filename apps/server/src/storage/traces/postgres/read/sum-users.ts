import type { Range } from "#storage/traces/analytics/analytics-query.ts";
import type { AskedPage } from "#storage/traces/analytics/analyze-lists.ts";
import type { AnalyticsPlan } from "#storage/traces/analytics/plan.ts";
import { type UserRow, UserSums } from "#storage/traces/analytics/user-sums.ts";
import { NOT_DETACHED } from "#storage/traces/rows/trace-summaries.ts";
import { PostgresConditions } from "./postgres-conditions.ts";
import { type Queryable, queryArrays } from "./query.ts";

/** The traces of each user of a project, added up by the database. Undefined where a question asks for more. */
export function sumUsers(
	client: Queryable,
	plan: AnalyticsPlan,
	projectId: number,
	range: Range,
): AsyncGenerator<AskedPage> | undefined {
	const users = UserSums.of(plan);
	return users === undefined ? undefined : page(client, plan, users, projectId, range);
}

async function* page(
	client: Queryable,
	{ query }: AnalyticsPlan,
	users: UserSums,
	projectId: number,
	range: Range,
): AsyncGenerator<AskedPage> {
	const where = new PostgresConditions()
		.add("traces.project_id = ?", projectId)
		.addTimeRange("traces.start_micros", range)
		.add(NOT_DETACHED);
	if (query.lastRow !== undefined) where.add("traces.id <= ?", query.lastRow);
	const rows = await queryArrays(
		client,
		`select ${users.columns.join(", ")} from traces where ${where.sql} group by user_id`,
		where.values,
	);
	const sums = users.toSums(rows as unknown as readonly UserRow[], range.startMicros);
	yield { rows: [], sums, reachedMicros: range.startMicros };
}
