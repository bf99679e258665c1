import { sql, type Transaction } from "kysely";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { reopen } from "./change-group.ts";

/** Opens groups among these that are ignored until something that is the case now. After their occurrences are stored. */
export async function openIgnored(
	transaction: Transaction<Tables>,
	groupIds: readonly number[],
	now: number,
): Promise<void> {
	const ignored = await transaction
		.selectFrom("error_groups")
		.select(["id", "total_count", "ignored_total", "ignored_after", "ignore_until"])
		.select(["ignore_occurrences", "ignore_users"])
		.where("id", "in", listed(groupIds))
		.where("state", "=", "ignored")
		.execute();
	for (const group of ignored) {
		const { id, ignore_until, ignore_occurrences, ignore_users } = group;
		const since = group.total_count - (group.ignored_total ?? 0);
		const until =
			ignore_until !== null && ignore_until <= now
				? "time"
				: ignore_occurrences !== null && since >= ignore_occurrences
					? "occurrences"
					: ignore_users !== null && (await hasUsers(transaction, group, ignore_users))
						? "users"
						: undefined;
		if (until !== undefined) await reopen(transaction, id, { regressed: false, details: { until }, now });
	}
}

/** Whether so many different users met it since. */
async function hasUsers(
	transaction: Transaction<Tables>,
	{ id, ignored_after }: { readonly id: number; readonly ignored_after: number | null },
	users: number,
): Promise<boolean> {
	const { rows } = await sql`
		select distinct user_id from error_occurrences
		where group_id = ${id} and id > ${ignored_after ?? 0} and user_id is not null limit ${users}`.execute(transaction);
	return rows.length >= users;
}

/** Opens the groups that were ignored until a time that has come, some at a time. @returns how many */
export async function openDue(transaction: Transaction<Tables>, now: number, limit: number): Promise<number> {
	const due = await transaction
		.selectFrom("error_groups")
		.select("id")
		.where("state", "=", "ignored")
		.where("ignore_until", "<=", now)
		.orderBy("ignore_until")
		.limit(limit)
		.execute();
	for (const { id } of due) await reopen(transaction, id, { regressed: false, details: { until: "time" }, now });
	return due.length;
}
