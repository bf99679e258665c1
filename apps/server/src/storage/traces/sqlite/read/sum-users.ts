import type { DatabaseSync } from "node:sqlite";
import { findRow, getRow } from "#storage/sqlite/rows.ts";
import type { Range } from "#storage/traces/analytics/analytics-query.ts";
import type { AskedPage } from "#storage/traces/analytics/analyze-lists.ts";
import type { AnalyticsPlan } from "#storage/traces/analytics/plan.ts";
import { type UserRow, UserSums } from "#storage/traces/analytics/user-sums.ts";

/** Of a few traces rows are read: the index has those of all time. */
const FEWEST = 2_000;
const MOST_TIMES_AS_MANY = 10;

/**
 * The traces of each user of a project, added up from `traces_by_user` alone. Undefined where a question asks more than
 * that index knows, or about so few traces that their rows are read sooner.
 */
export function sumUsers(
	db: DatabaseSync,
	plan: AnalyticsPlan,
	projectId: number,
	range: Range,
): AsyncGenerator<AskedPage> | undefined {
	const users = UserSums.of(plan);
	if (users === undefined) return undefined;
	const { lastRow = Number.MAX_SAFE_INTEGER } = plan.query;
	const bounds = [projectId, range.startMicros, range.endMicros, lastRow];
	const all = getRow<{ count: number }>(
		db.prepare(
			`select count(*) as count from traces indexed by traces_by_start
			where project_id = ? and start_micros >= ? and start_micros < ? and id <= ?`,
		),
		...bounds,
	);
	const { most } = findRow<{ most: number }>(db.prepare("select max(id) as most from traces")) ?? { most: 0 };
	if (all.count < FEWEST || most > MOST_TIMES_AS_MANY * all.count) return undefined;
	return page(db, users, bounds, all.count, range);
}

async function* page(
	db: DatabaseSync,
	users: UserSums,
	bounds: readonly number[],
	allTraces: number,
	{ startMicros }: Range,
): AsyncGenerator<AskedPage> {
	const statement = db.prepare(
		`select ${users.columns.join(", ")}
		from traces indexed by traces_by_user
		where project_id = ? and user_id is not null and start_micros >= ? and start_micros < ? and id <= ?
		group by user_id`,
	);
	statement.setReturnArrays(true);
	const rows = statement.all(...bounds) as unknown as readonly UserRow[];
	const withUser = rows.reduce((sum, [, count]) => sum + Number(count), 0);
	const without: UserRow = [null, allTraces - withUser];
	yield { rows: [], sums: users.toSums([...rows, without], startMicros), reachedMicros: startMicros };
}
