import type { Kysely } from "kysely";
import { z } from "zod";
import { encodeGlobalId } from "#http/global-ids.ts";
import { formatTime } from "#http/wire-times.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import type { ErrorActivityItem } from "./schemas.ts";
import { toPerson } from "./to-error-group.ts";

function activity(db: Kysely<Tables>) {
	return db
		.selectFrom("error_activity")
		.leftJoin("users", "users.id", "error_activity.user_id")
		.selectAll("error_activity")
		.select("users.username");
}

type ActivityRow = Awaited<ReturnType<ReturnType<typeof activity>["executeTakeFirstOrThrow"]>>;

const Details = z.looseObject({ assignee_id: z.int().optional(), time: z.number().optional() });

/** What happened to a group with the newest first, from `fromId` downwards. */
export async function listActivity(
	db: Kysely<Tables>,
	query: { readonly groupId: number; readonly fromId: number | undefined; readonly limit: number },
): Promise<ActivityRow[]> {
	let rows = activity(db)
		.where("error_activity.group_id", "=", query.groupId)
		.orderBy("error_activity.id", "desc")
		.limit(query.limit);
	if (query.fromId !== undefined) rows = rows.where("error_activity.id", "<=", query.fromId);
	return await rows.execute();
}

/** As they are answered: with the names of assignees. */
export async function toActivities(
	db: Kysely<Tables>,
	rows: readonly ActivityRow[],
): Promise<z.output<typeof ErrorActivityItem>[]> {
	const details = rows.map((row) => Details.parse(JSON.parse(row.details)));
	const ids = details.flatMap(({ assignee_id: id }) => id ?? []);
	const users = await db.selectFrom("users").select(["id", "username"]).where("id", "in", listed(ids)).execute();
	const names = new Map(users.map(({ id, username }) => [id, username]));
	return rows.map((row, index) => {
		const { assignee_id: assignee, time, ...others } = details[index] ?? {};
		return {
			id: encodeGlobalId("ErrorActivity", row.id),
			time: formatTime(row.time),
			action: row.action,
			actor_kind: row.actor_kind,
			user: toPerson(row.user_id, row.username),
			details: {
				...others,
				...(time === undefined ? {} : { time: formatTime(time) }),
				...(assignee === undefined ? {} : { assignee: toPerson(assignee, names.get(assignee) ?? null) }),
			},
		};
	});
}
