import { type Kysely, sql } from "kysely";
import { rightsOfUser } from "#access/rights/rights-of-user.ts";
import { teamsOf } from "#access/rights/rights-reader.ts";
import { includesRole } from "#access/rights/roles.ts";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import { isPerson, type Principal, userOf } from "#http/principal.ts";
import { either } from "#storage/either.ts";
import type { Tables } from "#storage/schema.ts";

const MOST_PEOPLE = 100;

interface KnownPerson {
	readonly id: number;
	readonly username: string;
}

/** Of an activity `assigned`, so that an assignment can be brought back. */
const NAMED_ASSIGNEE = either({
	sqlite: sql<number>`json_extract(error_activity.details, '$.assignee_id')`,
	postgres: sql<number>`(error_activity.details::json ->> 'assignee_id')::bigint`,
});

/** Who was assigned something in a project, commented or changed a state, by name. */
export async function listKnownPeople(db: Kysely<Tables>, projectId: number): Promise<readonly KnownPerson[]> {
	const { rows } = await sql<KnownPerson>`
		select users.id as id, users.username as username
		from users
		where users.role <> 'SYSTEM' and users.id in (
			select assignee_id from error_groups where project_id = ${projectId}
			union
			select error_comments.user_id
			from error_comments join error_groups on error_groups.id = error_comments.group_id
			where error_groups.project_id = ${projectId}
			union
			select error_activity.user_id
			from error_activity join error_groups on error_groups.id = error_activity.group_id
			where error_groups.project_id = ${projectId}
			union
			select ${NAMED_ASSIGNEE}
			from error_activity join error_groups on error_groups.id = error_activity.group_id
			where error_groups.project_id = ${projectId} and error_activity.action = 'assigned'
		)
		order by users.username_key
		limit ${MOST_PEOPLE}`.execute(db);
	return rows;
}

/**
 * The user who is to be assigned something in a project: the principal, somebody who has had to do with its errors, or,
 * for managers, anybody who sees it. Others do not exist here, so that accounts cannot be found out by trying.
 * @throws UserError 422 `unknown_subject`
 */
export async function readAssignee(
	{ auth }: Pick<Context, "auth">,
	transaction: Kysely<Tables>,
	asked: {
		readonly text: string;
		readonly projectId: number;
		readonly actor: Pick<Actor, "rights">;
		readonly principal: Principal;
	},
): Promise<number> {
	const { text, projectId, actor, principal } = asked;
	const own = isPerson(principal) ? userOf(principal)?.id : undefined;
	const id = text === "me" ? own : decodeGlobalId(text, "User");
	if (id !== undefined && id === own) return id;
	const mayChoose =
		id !== undefined &&
		(includesRole(actor.rights.roleAt(projectId), "manager") ||
			(await listKnownPeople(transaction, projectId)).some((known) => known.id === id));
	if (mayChoose && (await sees(auth, transaction, id, projectId))) return id;
	throw new UserError(
		422,
		"unknown_subject",
		"`assignee_id` is no user whom you can assign errors of this project to; `me` is you, where you have an account.",
	);
}

async function sees(auth: Context["auth"], db: Kysely<Tables>, userId: number, projectId: number): Promise<boolean> {
	const user = await db.selectFrom("users").select("role").where("id", "=", userId).executeTakeFirst();
	if (user === undefined || user.role === "SYSTEM") return false;
	const subject = { userId, role: user.role, teamIds: await teamsOf(db, userId) };
	return rightsOfUser(await auth.rights.stateIn(db), subject).roleAt(projectId) !== undefined;
}
